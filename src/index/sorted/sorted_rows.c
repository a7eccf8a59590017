#include "index/sorted/sorted_rows.h"

#include <stdlib.h>

#include "core/memory.h"

enum {
    PIECE_ROWS = 1 << 16,
    AHEAD = 24 /* rows whose keys are fetched in advance, since they are anywhere */
};

/* Whole chunks, unless they are long. */
static uint64_t piece_rows(const stoa_column *column)
{
    const uint64_t chunk = column->chunk_rows;

    if (chunk == 0 || chunk > 16 * (uint64_t)PIECE_ROWS) {
        return PIECE_ROWS;
    }
    return chunk > PIECE_ROWS ? chunk : PIECE_ROWS / chunk * chunk;
}

static uint64_t n_pieces(const stoa_row_values *values)
{
    return values->n_rows == 0 ? 0 : (values->n_rows - 1) / values->piece + 1;
}

stoa_status stoa_row_values_make(stoa_row_values *values, stoa_column *column, uint64_t n_rows,
                                 stoa_error *err)
{
    *values = (stoa_row_values){.column = column, .n_rows = n_rows, .piece = piece_rows(column)};
    values->keys = stoa_alloc_zero((size_t)n_pieces(values) + 1, sizeof *values->keys);
    values->blocks = stoa_alloc_zero((size_t)n_pieces(values) + 1, sizeof *values->blocks);
    return values->keys != NULL && values->blocks != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_row_values_clear(stoa_row_values *values)
{
    const uint64_t n = values->column != NULL ? n_pieces(values) : 0;

    for (uint64_t i = 0; values->blocks != NULL && i < n; i++) {
        stoa_block_clear(&values->column->element, &values->blocks[i]);
    }
    for (uint64_t i = 0; values->keys != NULL && i < n; i++) {
        free(values->keys[i]);
    }
    free(values->blocks);
    free(values->keys);
    free(values->all);
    *values = (stoa_row_values){.n_rows = 0};
}

bool stoa_row_values_fit(const stoa_row_values *values, uint64_t memory)
{
    const stoa_element *element = &values->column->element;
    const size_t size = stoa_key_is_bytes(element) ? element->size : sizeof(uint64_t);

    return values->n_rows <= memory / (size + 1);
}

static uint64_t rows_of(const stoa_row_values *values, uint64_t piece)
{
    const uint64_t left = values->n_rows - piece * values->piece;

    return left < values->piece ? left : values->piece;
}

static stoa_status read_piece(stoa_row_values *values, uint64_t piece, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = values->column;
    const uint64_t n = rows_of(values, piece);
    stoa_block block = {.elements = NULL};
    uint64_t *keys = NULL;

    STOA_TRY(stoa_block_read(column, piece * values->piece, n, &block, err));
    if (stoa_key_is_bytes(&column->element)) {
        values->blocks[piece] = block;
        block = (stoa_block){.elements = NULL};
        goto done;
    }
    keys = stoa_alloc((size_t)n, sizeof *keys);
    STOA_TRY(keys != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_keys_of(&column->element, block.elements, n, keys);
    values->keys[piece] = keys;

done:
    stoa_block_clear(&column->element, &block);
    return status;
}

stoa_status stoa_row_values_get(stoa_row_values *values, uint64_t row, stoa_sort_record *record,
                                stoa_error *err)
{
    const stoa_element *element = &values->column->element;
    const uint64_t piece = row / values->piece;
    const uint64_t at = row % values->piece;

    *record = (stoa_sort_record){.row = row};
    if (values->all != NULL) {
        record->key = values->all[row];
    } else {
        if (values->keys[piece] == NULL && values->blocks[piece].elements == NULL) {
            STOA_RETURN_NOT_OK(read_piece(values, piece, err));
        }
        if (values->keys[piece] == NULL) {
            (void)stoa_record_of(values->column,
                                 values->blocks[piece].elements + at * element->size, record);
            return STOA_OK;
        }
        record->key = values->keys[piece][at];
    }
    if (record->key == STOA_KEY_NAN && stoa_kind_is_float(element->kind)) {
        return stoa_fail(err, STOA_EDATA,
                         "row %llu has NaN, and a rank among the values (HEP001 "
                         "§10.5)",
                         (unsigned long long)row);
    }
    return STOA_OK;
}

/* --- All rows -------------------------------------------------------------------------------- */

typedef struct loading {
    stoa_row_values *values;
    stoa_block_readers readers;
} loading;

static stoa_status load_piece(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const loading *l = context;
    const stoa_row_values *values = l->values;
    const stoa_element *element = &values->column->element;
    const uint64_t first = part * values->piece;
    stoa_block block = {.elements = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_block_reader_read(&l->readers.each[worker], first, rows_of(values, part), &block,
                                    err));
    stoa_keys_of(element, block.elements, block.count, values->all + first);

done:
    stoa_block_clear(element, &block); /* after a failure, too */
    return status;
}

stoa_status stoa_row_values_load(stoa_row_values *values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    loading l = {.values = values};

    if (values->all != NULL || values->n_rows == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_block_readers_open(&l.readers, values->column, err));
    values->all = stoa_alloc((size_t)values->n_rows, sizeof *values->all);
    STOA_TRY(values->all != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_workers_run(l.readers.workers, n_pieces(values), load_piece, &l, err));

done:
    stoa_block_readers_close(&l.readers);
    if (status != STOA_OK) {
        free(values->all);
        values->all = NULL;
    }
    return status;
}

void stoa_row_values_gather(const stoa_row_values *values, const uint64_t *rows, uint64_t n,
                            uint64_t *keys)
{
    uint64_t i = 0;

    for (; i + AHEAD < n; i++) {
        __builtin_prefetch(&values->all[rows[i + AHEAD]]);
        keys[i] = values->all[rows[i]];
    }
    for (; i < n; i++) {
        keys[i] = values->all[rows[i]];
    }
}
