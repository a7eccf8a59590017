#include "layout/csv/first_pass.h"

#include <stdlib.h>
#include <string.h>

/* Memory limit for the kept values of a file. */
#define MAX_KEPT_MEMORY ((size_t)256 * 1024 * 1024)
/* Sizes of an arena. The largest fill two huge pages. */
#define MIN_SHELF ((size_t)64 * 1024)
#define MAX_SHELF ((size_t)4 * 1024 * 1024 - sizeof(stoa_csv_arena))

/* Parsed columns ----------------------------------------------------------------------------- */

stoa_status stoa_csv_parsed_column_begin(stoa_csv_parsed_column *found, size_t n_rows,
                                         stoa_error *err)
{
    const size_t n_bits = (size_t)stoa_bit_bytes(n_rows);

    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&found->values, n_rows * sizeof(int64_t), err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&found->validity, n_bits, err));
    if (n_bits != 0) {
        memset(found->validity.data, 0xff, n_bits);
    }
    found->kind = STOA_CSV_KEPT_NOTHING;
    found->n_missing = 0;
    return STOA_OK;
}

void stoa_csv_parsed_column_clear(stoa_csv_parsed_column *found)
{
    stoa_buffer_clear(&found->values);
    stoa_buffer_clear(&found->validity);
}

void stoa_csv_parsed_column_widen(stoa_csv_parsed_column *found, size_t row)
{
    const int64_t *integers = stoa_csv_parsed_column_integers(found);
    uint8_t *values = found->values.data;

    for (size_t i = 0; i < row; i++) {
        const double value = (double)integers[i];
        memcpy(values + i * sizeof value, &value, sizeof value);
    }
    found->kind = STOA_CSV_KEPT_FLOATS;
}

/* Packing ------------------------------------------------------------------------------------ */

static uint32_t width_of_labels(uint32_t n_labels)
{
    return n_labels <= UINT8_MAX ? 1 : n_labels <= UINT16_MAX ? 2 : 4;
}

/* The minimum of the values, and the bytes needed for their distances from it. */
static uint32_t width_of_integers(const int64_t *values, size_t n, int64_t *base)
{
    int64_t low = n != 0 ? values[0] : 0;
    int64_t high = low;

    for (size_t i = 0; i < n; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    const uint64_t span = (uint64_t)high - (uint64_t)low;
    *base = low;
    return span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : span <= UINT32_MAX ? 4 : 8;
}

#define NARROW(ctype)                                                                              \
    do {                                                                                           \
        ctype *to = (ctype *)(void *)out;                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            to[i] = (ctype)((uint64_t)values[i] - base);                                           \
        }                                                                                          \
    } while (0)

static void narrow_integers(const int64_t *values, size_t n, uint64_t base, uint32_t width,
                            uint8_t *out)
{
    switch (width) {
    case 1:
        NARROW(uint8_t);
        break;
    case 2:
        NARROW(uint16_t);
        break;
    case 4:
        NARROW(uint32_t);
        break;
    default:
        NARROW(uint64_t);
        break;
    }
}

static void narrow_labels(const uint32_t *values, size_t n, uint32_t width, uint8_t *out)
{
    const uint64_t base = 0;

    if (width == 1) {
        NARROW(uint8_t);
    } else if (width == 2) {
        NARROW(uint16_t);
    } else {
        memcpy(out, values, n * sizeof *values);
    }
}

/* Grow by n bytes, aligned for numbers of any width. */
static stoa_status make_room(stoa_buffer *bytes, size_t n, size_t *at, stoa_error *err)
{
    const size_t aligned = (bytes->size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * 8;
    const stoa_status status = stoa_buffer_reserve(bytes, aligned - bytes->size + n, err);

    if (status == STOA_OK) {
        *at = aligned;
        bytes->size = aligned + n;
    }
    return status;
}

static stoa_status pack_validity(stoa_csv_kept_column *column, const stoa_csv_parsed_column *found,
                                 size_t n_rows, stoa_buffer *bytes, stoa_error *err)
{
    const size_t n_bits = (size_t)stoa_bit_bytes(n_rows);

    column->n_missing = found->n_missing;
    if (found->n_missing != 0) {
        STOA_RETURN_NOT_OK(make_room(bytes, n_bits, &column->validity, err));
        memcpy(bytes->data + column->validity, found->validity.data, n_bits);
    }
    return STOA_OK;
}

stoa_status stoa_csv_kept_pack(stoa_csv_kept_column *column, const stoa_csv_parsed_column *found,
                               size_t n_rows, uint32_t n_labels, stoa_buffer *bytes,
                               stoa_error *err)
{
    const bool is_labels = found->kind == STOA_CSV_KEPT_LABELS;

    column->kind = STOA_CSV_KEPT_NOTHING;
    if (found->kind == STOA_CSV_KEPT_NOTHING || n_rows == 0) {
        return STOA_OK;
    }
    column->base = 0;
    column->width =
        is_labels ? width_of_labels(n_labels)
        : found->kind == STOA_CSV_KEPT_INTEGERS
            ? width_of_integers(stoa_csv_parsed_column_integers(found), n_rows, &column->base)
            : sizeof(double);
    STOA_RETURN_NOT_OK(make_room(bytes, n_rows * column->width, &column->rows, err));
    uint8_t *rows = bytes->data + column->rows;
    if (is_labels) {
        narrow_labels((const uint32_t *)(const void *)found->values.data, n_rows, column->width,
                      rows);
    } else {
        narrow_integers(stoa_csv_parsed_column_integers(found), n_rows, (uint64_t)column->base,
                        column->width, rows);
        STOA_RETURN_NOT_OK(pack_validity(column, found, n_rows, bytes, err));
    }
    column->kind = found->kind;
    return STOA_OK;
}

/* Unpacking ---------------------------------------------------------------------------------- */

bool stoa_csv_kept_has(const stoa_csv_kept_column *column, const stoa_type *type)
{
    switch (column->kind) {
    case STOA_CSV_KEPT_LABELS:
        return type->kind == STOA_KIND_DICTIONARY;
    case STOA_CSV_KEPT_INTEGERS:
        return type->kind == STOA_KIND_BOOL || stoa_kind_is_integer(type->kind) ||
               stoa_kind_is_float(type->kind);
    case STOA_CSV_KEPT_FLOATS:
        return stoa_kind_is_float(type->kind);
    default:
        return false;
    }
}

#define CODES_OF(ctype)                                                                            \
    do {                                                                                           \
        const ctype *rows = (const ctype *)(const void *)(bytes + column->rows) + first;           \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (rows[i] == (ctype)-1) {                                                            \
                out[i] = -1;                                                                       \
                continue;                                                                          \
            }                                                                                      \
            const uint32_t number = rows[i];                                                       \
            out[i] = codes[number < n_known ? number : own[number - n_known]];                     \
        }                                                                                          \
    } while (0)

void stoa_csv_kept_codes(const stoa_csv_kept_column *column, const uint8_t *bytes,
                         const uint32_t *codes, size_t first, size_t n, int64_t *out)
{
    const uint32_t *own = (const uint32_t *)(const void *)column->own.data;
    const uint32_t n_known = column->n_known;

    if (column->width == sizeof(uint8_t)) {
        CODES_OF(uint8_t);
    } else if (column->width == sizeof(uint16_t)) {
        CODES_OF(uint16_t);
    } else {
        CODES_OF(uint32_t);
    }
}

#define INTEGERS_OF(ctype)                                                                         \
    do {                                                                                           \
        const ctype *rows = (const ctype *)(const void *)(bytes + column->rows) + first;           \
        for (size_t i = 0; i < n; i++) {                                                           \
            out[i] = (int64_t)((uint64_t)rows[i] + base);                                          \
        }                                                                                          \
    } while (0)

void stoa_csv_kept_integers(const stoa_csv_kept_column *column, const uint8_t *bytes, size_t first,
                            size_t n, int64_t *out)
{
    const uint64_t base = (uint64_t)column->base;

    switch (column->width) {
    case sizeof(uint8_t):
        INTEGERS_OF(uint8_t);
        break;
    case sizeof(uint16_t):
        INTEGERS_OF(uint16_t);
        break;
    case sizeof(uint32_t):
        INTEGERS_OF(uint32_t);
        break;
    default:
        INTEGERS_OF(uint64_t);
        break;
    }
}

/* Arenas ------------------------------------------------------------------------------------- */

stoa_status stoa_csv_arena_alloc(stoa_csv_arena **arena, size_t n, uint8_t **bytes, stoa_error *err)
{
    const size_t wanted = (n + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    stoa_csv_arena *now = *arena;

    if (now == NULL || now->size - now->used < wanted) {
        /* Sizes double, since most files are small. */
        const size_t longer = now != NULL ? 2 * now->size : MIN_SHELF;
        const size_t least = longer < MAX_SHELF ? longer : MAX_SHELF;
        const size_t size = wanted > least ? wanted : least;
        now = stoa_alloc_large(1, sizeof *now + size);
        STOA_RETURN_NO_MEMORY(err, now);
        *now = (stoa_csv_arena){.size = size, .n_users = 1};
        stoa_csv_arena_leave(*arena);
        *arena = now;
    }
    *bytes = now->bytes + now->used;
    now->used += wanted;
    now->n_users++;
    return STOA_OK;
}

void stoa_csv_arena_leave(stoa_csv_arena *arena)
{
    if (arena != NULL && --arena->n_users == 0) {
        free(arena);
    }
}

/* Blocks ------------------------------------------------------------------------------------- */

void stoa_csv_kept_block_clear(stoa_csv_kept_block *block)
{
    for (size_t k = 0; block->columns != NULL && k < block->n_columns; k++) {
        stoa_buffer_clear(&block->columns[k].own);
    }
    free(block->columns);
    stoa_csv_arena_leave(block->arena);
    *block = (stoa_csv_kept_block){.n_rows = 0};
}

/* Memory of the block and of its parts. */
static size_t memory_of(const stoa_csv_kept_block *block)
{
    size_t n = block->n_bytes;

    for (size_t k = 0; k < block->n_columns; k++) {
        n += sizeof block->columns[k] + block->columns[k].own.capacity;
    }
    return n;
}

static stoa_csv_kept_block *blocks_of(const stoa_csv_kept *kept)
{
    return (stoa_csv_kept_block *)(void *)kept->blocks.data;
}

uint64_t stoa_csv_kept_count(const stoa_csv_kept *kept)
{
    return kept->blocks.size / sizeof(stoa_csv_kept_block);
}

stoa_status stoa_csv_kept_add(stoa_csv_kept *kept, stoa_csv_kept_block *block, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n_bytes = block->columns != NULL ? memory_of(block) : 0;
    stoa_csv_kept_block nothing = {.block = block->block, .n_rows = block->n_rows};

    kept->is_full = kept->is_full || n_bytes > MAX_KEPT_MEMORY - kept->n_bytes;
    const bool has_room = n_bytes != 0 && !kept->is_full;

    nothing.block.text = NULL;
    block->block.text = NULL;
    STOA_TRY(stoa_buffer_append(&kept->blocks, has_room ? block : &nothing, sizeof *block, err));
    if (has_room) {
        kept->n_bytes += n_bytes;
        *block = (stoa_csv_kept_block){.n_rows = 0};
    }

done:
    stoa_csv_kept_block_clear(block);
    return status;
}

const stoa_csv_kept_block *stoa_csv_kept_find(const stoa_csv_kept *kept, uint64_t number,
                                              const stoa_csv_block *block)
{
    const stoa_csv_kept_block *found = blocks_of(kept) + number;

    return number < stoa_csv_kept_count(kept) && found->columns != NULL &&
                   found->block.line == block->line && found->block.length == block->length
               ? found
               : NULL;
}

const stoa_csv_block *stoa_csv_kept_name(const stoa_csv_kept *kept, uint64_t number)
{
    return &blocks_of(kept)[number].block;
}

void stoa_csv_kept_drop(stoa_csv_kept *kept, uint64_t number)
{
    if (number < stoa_csv_kept_count(kept)) {
        stoa_csv_kept_block *block = blocks_of(kept) + number;
        const stoa_csv_block name = block->block;
        stoa_csv_kept_block_clear(block);
        block->block = name;
    }
}

void stoa_csv_kept_clear(stoa_csv_kept *kept)
{
    for (uint64_t i = 0; i < stoa_csv_kept_count(kept); i++) {
        stoa_csv_kept_block_clear(blocks_of(kept) + i);
    }
    stoa_buffer_clear(&kept->blocks);
    *kept = (stoa_csv_kept){.n_bytes = 0};
}
