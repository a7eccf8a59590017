/* Numbers of labels, from the first pass over a file to the second. */
#include "layout/csv/kept.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of a whole file may take up this much memory. */
#define MAX_KEPT_MEMORY ((size_t)64 * 1024 * 1024)

typedef struct kept_block {
    stoa_csv_block block; /* its text is gone */
    uint64_t n_rows;
    stoa_csv_numbers *columns; /* NULL: nothing */
    size_t n_columns;
} kept_block;

/* Columns ----------------------------------------------------------------------------------- */

#define NARROW(ctype)                                                                              \
    do {                                                                                           \
        for (size_t i = 0; i < n_rows; i++) {                                                      \
            uint32_t number;                                                                       \
            memcpy(&number, rows + i * sizeof number, sizeof number);                              \
            const ctype narrow = (ctype)number;                                                    \
            memcpy(rows + i * sizeof narrow, &narrow, sizeof narrow);                              \
        }                                                                                          \
    } while (0)

void stoa_csv_numbers_narrow(stoa_csv_numbers *numbers, size_t n_rows, uint32_t n_labels)
{
    uint8_t *rows = numbers->rows.data;

    numbers->width = sizeof(uint32_t);
    if (n_labels <= UINT16_MAX) {
        numbers->width = n_labels <= UINT8_MAX ? sizeof(uint8_t) : sizeof(uint16_t);
    }
    if (numbers->width == sizeof(uint8_t)) {
        NARROW(uint8_t);
    } else if (numbers->width == sizeof(uint16_t)) {
        NARROW(uint16_t);
    }
    numbers->rows.size = n_rows * numbers->width;
}

#define CODES_OF(ctype)                                                                            \
    do {                                                                                           \
        const ctype *rows = (const ctype *)(const void *)numbers->rows.data + first;               \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (rows[i] == (ctype)-1) {                                                            \
                out[i] = -1;                                                                       \
                continue;                                                                          \
            }                                                                                      \
            const uint32_t number = rows[i];                                                       \
            out[i] = codes[number < n_known ? number : own[number - n_known]];                     \
        }                                                                                          \
    } while (0)

void stoa_csv_numbers_codes(const stoa_csv_numbers *numbers, const uint32_t *codes, size_t first,
                            size_t n, int64_t *out)
{
    const uint32_t *own = (const uint32_t *)(const void *)numbers->own.data;
    const uint32_t n_known = numbers->n_known;

    if (numbers->width == sizeof(uint8_t)) {
        CODES_OF(uint8_t);
    } else if (numbers->width == sizeof(uint16_t)) {
        CODES_OF(uint16_t);
    } else {
        CODES_OF(uint32_t);
    }
}

void stoa_csv_numbers_clear(stoa_csv_numbers *numbers)
{
    stoa_buffer_clear(&numbers->rows);
    stoa_buffer_clear(&numbers->own);
    *numbers = (stoa_csv_numbers){.width = 0};
}

/* Blocks ------------------------------------------------------------------------------------ */

static void clear_columns(stoa_csv_numbers *columns, size_t n)
{
    for (size_t k = 0; columns != NULL && k < n; k++) {
        stoa_csv_numbers_clear(&columns[k]);
    }
    free(columns);
}

static stoa_status copy_columns(kept_block *to, const stoa_csv_numbers *columns, stoa_error *err)
{
    stoa_status status = STOA_OK;

    to->columns = stoa_alloc_zero(to->n_columns, sizeof *to->columns);
    if (to->columns == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (size_t k = 0; k < to->n_columns; k++) {
        if (columns[k].width != 0) {
            stoa_csv_numbers *copy = &to->columns[k];
            copy->width = columns[k].width;
            copy->n_known = columns[k].n_known;
            STOA_TRY(
                stoa_buffer_append(&copy->rows, columns[k].rows.data, columns[k].rows.size, err));
            STOA_TRY(stoa_buffer_append(&copy->own, columns[k].own.data, columns[k].own.size, err));
        }
    }

done:
    return status;
}

stoa_status stoa_csv_kept_add(stoa_csv_kept *kept, const stoa_csv_block *block, uint64_t n_rows,
                              const stoa_csv_numbers *columns, size_t n_columns, stoa_error *err)
{
    stoa_status status = STOA_OK;
    kept_block made = {.block = *block, .n_rows = n_rows, .n_columns = n_columns};
    size_t n_bytes = 0;

    made.block.text = NULL;
    for (size_t k = 0; k < n_columns; k++) {
        n_bytes += columns[k].width != 0 ? columns[k].rows.size + columns[k].own.size : 0;
    }
    if (n_bytes != 0 && n_bytes <= MAX_KEPT_MEMORY - kept->n_bytes) {
        STOA_TRY(copy_columns(&made, columns, err));
        kept->n_bytes += n_bytes;
    }
    STOA_TRY(stoa_buffer_append(&kept->blocks, &made, sizeof made, err));
    made.columns = NULL;

done:
    clear_columns(made.columns, n_columns);
    return status;
}

const stoa_csv_numbers *stoa_csv_kept_find(const stoa_csv_kept *kept, uint64_t number,
                                           const stoa_csv_block *block, uint64_t *n_rows)
{
    const kept_block *blocks = (const kept_block *)(const void *)kept->blocks.data;

    *n_rows = 0;
    if (number >= kept->blocks.size / sizeof *blocks || blocks[number].block.line != block->line ||
        blocks[number].block.length != block->length) {
        return NULL;
    }
    *n_rows = blocks[number].n_rows;
    return blocks[number].columns;
}

void stoa_csv_kept_clear(stoa_csv_kept *kept)
{
    kept_block *blocks = (kept_block *)(void *)kept->blocks.data;

    for (size_t i = 0; i < kept->blocks.size / sizeof *blocks; i++) {
        clear_columns(blocks[i].columns, blocks[i].n_columns);
    }
    stoa_buffer_clear(&kept->blocks);
    *kept = (stoa_csv_kept){.n_bytes = 0};
}
