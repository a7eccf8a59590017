/* Parses values out of a grid, by one loop per kind of value into memory that is reserved first. */
#include "layout/csv/parse_grid.h"

#include "layout/csv/cache.h"
#include "layout/csv/fast_parse.h"

/* Append `n` uninitialised bytes. */
static stoa_status make_room(stoa_buffer *buffer, size_t n, stoa_error *err)
{
    const stoa_status status = stoa_buffer_reserve(buffer, n, err);

    if (status == STOA_OK) {
        buffer->size += n;
    }
    return status;
}

/* A missing value: its validity bit is cleared, and the value is 0. */
static void leave_out(stoa_csv_builder *builder, size_t row)
{
    stoa_bit_clear(builder->validity.data, row);
    builder->n_missing++;
}

/* Integers of `width` bytes. False at a value that does not fit. */
static inline bool load_integers(const stoa_csv_grid *grid, size_t k, const stoa_type *type,
                                 int32_t width, int64_t min, int64_t max, stoa_csv_builder *builder)
{
    uint8_t *values = builder->values.data;

    for (size_t row = 0; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        int64_t i = 0;
        if (cell.is_missing) {
            leave_out(builder, row);
        } else if (!stoa_csv_integer(cell.text, cell.length, &i) || i < min || i > max) {
            stoa_csv_value value;
            if (!stoa_csv_value_parse(type, NULL, cell.text, cell.length, &value)) {
                return false;
            }
            i = value.i;
        }
        stoa_csv_put(values, width, row, i);
    }
    return true;
}

static bool load_any_integers(const stoa_csv_grid *grid, size_t k, const stoa_type *type,
                              stoa_csv_builder *b)
{
    switch (type->kind) {
    case STOA_KIND_INT8:
        return load_integers(grid, k, type, 1, INT8_MIN, INT8_MAX, b);
    case STOA_KIND_UINT8:
        return load_integers(grid, k, type, 1, 0, UINT8_MAX, b);
    case STOA_KIND_INT16:
        return load_integers(grid, k, type, 2, INT16_MIN, INT16_MAX, b);
    case STOA_KIND_UINT16:
        return load_integers(grid, k, type, 2, 0, UINT16_MAX, b);
    case STOA_KIND_INT32:
        return load_integers(grid, k, type, 4, INT32_MIN, INT32_MAX, b);
    case STOA_KIND_UINT32:
        return load_integers(grid, k, type, 4, 0, UINT32_MAX, b);
    case STOA_KIND_UINT64:
        return load_integers(grid, k, type, 8, 0, INT64_MAX, b);
    default:
        return load_integers(grid, k, type, 8, INT64_MIN, INT64_MAX, b);
    }
}

static bool load_floats(const stoa_csv_grid *grid, size_t k, const stoa_type *type,
                        stoa_csv_builder *builder)
{
    double *doubles = (double *)(void *)builder->values.data;
    float *floats = (float *)(void *)builder->values.data;
    const bool is_double = type->kind == STOA_KIND_FLOAT64;

    for (size_t row = 0; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        double f = 0.0;
        if (cell.is_missing) {
            leave_out(builder, row);
        } else if (!stoa_csv_float(cell.text, cell.length, &f)) {
            stoa_csv_value value;
            if (!stoa_csv_value_parse(type, NULL, cell.text, cell.length, &value)) {
                return false;
            }
            f = value.f;
        }
        if (is_double) {
            doubles[row] = f;
        } else {
            floats[row] = (float)f;
        }
    }
    return true;
}

static bool load_times(const stoa_csv_grid *grid, size_t k, const stoa_type *type,
                       stoa_csv_builder *builder)
{
    const bool is_duration = type->kind == STOA_KIND_DURATION;
    stoa_csv_day day = {0};

    for (size_t row = 0; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        stoa_time time;
        int64_t i = 0;
        if (cell.is_missing) {
            leave_out(builder, row);
        } else if (((is_duration || !stoa_csv_time(&day, cell.text, cell.length, &time)) &&
                    !stoa_type_parse_ticks(type, cell.text, cell.length, &time)) ||
                   !stoa_csv_value_of_time(type, &time, &i)) {
            return false;
        }
        stoa_csv_put(builder->values.data, type->width, row, i);
    }
    return true;
}

/* Find the codes of a batch of labels. False if one has no code. */
static bool load_wanted(const stoa_csv_column *column, stoa_csv_lookup_batch *wanted,
                        stoa_csv_cache *cache, stoa_csv_builder *builder)
{
    uint32_t codes[STOA_STRING_SET_AT_ONCE];

    stoa_string_set_find_many(&column->labels, wanted->texts, wanted->lengths, wanted->n, codes);
    for (size_t i = 0; i < wanted->n; i++) {
        if (codes[i] == STOA_STRING_SET_NONE) {
            return false;
        }
        codes[i] = column->codes[codes[i]];
        stoa_csv_put(builder->values.data, column->type.width, wanted->rows[i], (int64_t)codes[i]);
        stoa_csv_cache_put(cache, wanted->texts[i], wanted->lengths[i], codes[i]);
    }
    wanted->n = 0;
    return true;
}

static bool load_codes(const stoa_csv_grid *grid, size_t k, const stoa_csv_column *column,
                       stoa_csv_builder *builder)
{
    stoa_csv_cache cache = {0};
    stoa_csv_lookup_batch wanted = {.n = 0};

    for (size_t row = 0; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        uint32_t code = 0;
        if (cell.is_missing) {
            leave_out(builder, row);
        } else if (!stoa_csv_cache_get(&cache, cell.text, cell.length, &code)) {
            const bool has_room = stoa_csv_lookup_batch_add(&wanted, cell.text, cell.length, row);
            if ((!has_room || stoa_csv_grid_is_scratch(grid, &cell)) &&
                !load_wanted(column, &wanted, &cache, builder)) {
                return false;
            }
            continue;
        }
        stoa_csv_put(builder->values.data, column->type.width, row, (int64_t)code);
    }
    return load_wanted(column, &wanted, &cache, builder);
}

static bool load_bools(const stoa_csv_grid *grid, size_t k, const stoa_type *type,
                       stoa_csv_builder *builder)
{
    for (size_t row = 0; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        stoa_csv_value value;
        if (cell.is_missing) {
            leave_out(builder, row);
        } else if (!stoa_csv_value_parse(type, NULL, cell.text, cell.length, &value)) {
            return false;
        } else if (value.i != 0) {
            stoa_bit_set(builder->values.data, row);
        }
    }
    return true;
}

/* Copy 16 bytes at a time, and possibly too many, since the next text overwrites them. */
static inline void copy_text(uint8_t *to, const char *text, size_t length)
{
    if (length <= 16) {
        memcpy(to, text, 16);
    } else {
        memcpy(to, text, length);
    }
}

static stoa_status load_strings(const stoa_csv_grid *grid, size_t k, size_t n_bytes,
                                stoa_csv_builder *builder, stoa_error *err)
{
    int32_t *offsets = (int32_t *)(void *)builder->values.data;
    size_t end = 0;

    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&builder->bytes, n_bytes + STOA_CSV_PAD, err));
    uint8_t *bytes = builder->bytes.data;
    offsets[0] = 0;
    for (size_t row = 0; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        if (cell.is_missing) {
            leave_out(builder, row);
        } else {
            copy_text(bytes + end, cell.text, cell.length);
            end += cell.length;
        }
        offsets[row + 1] = (int32_t)end;
    }
    builder->bytes.size = end;
    return STOA_OK;
}

/* An upper bound on the bytes of the column's texts. */
static size_t text_bytes(const stoa_csv_grid *grid, size_t k)
{
    const uint32_t *at = grid->at + k;
    size_t n = 0;

    for (size_t row = 0; row < grid->n_rows; row++, at += grid->n_columns) {
        n += (uint32_t)(at[1] - at[0]);
    }
    return n;
}

static size_t value_bytes(const stoa_type *type, size_t n_rows)
{
    return type->kind == STOA_KIND_STRING ? (n_rows + 1) * sizeof(int32_t)
           : type->kind == STOA_KIND_BOOL ? (size_t)stoa_bit_bytes(n_rows)
                                          : n_rows * (size_t)type->width;
}

/* Reserve n_rows rows, all valid at first. */
static stoa_status begin(stoa_csv_builder *builder, const stoa_type *type, size_t n_rows,
                         stoa_error *err)
{
    const size_t n_bits = (size_t)stoa_bit_bytes(n_rows);

    STOA_RETURN_NOT_OK(make_room(&builder->validity, n_bits, err));
    STOA_RETURN_NOT_OK(make_room(&builder->values, value_bytes(type, n_rows), err));
    memset(builder->validity.data, 0xff, n_bits);
    builder->n_rows = (int64_t)n_rows;
    return STOA_OK;
}

stoa_status stoa_csv_parse_grid(const stoa_csv_grid *grid, size_t k, const stoa_csv_column *column,
                                stoa_csv_builder *builder, bool *is_sound, stoa_error *err)
{
    const stoa_type *type = &column->type;

    *is_sound = true;
    if (grid->n_rows == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(begin(builder, type, grid->n_rows, err));
    switch (type->kind) {
    case STOA_KIND_STRING:
        STOA_RETURN_NOT_OK(load_strings(grid, k, text_bytes(grid, k), builder, err));
        break;
    case STOA_KIND_DICTIONARY:
        *is_sound = load_codes(grid, k, column, builder);
        break;
    case STOA_KIND_BOOL:
        memset(builder->values.data, 0, builder->values.size);
        *is_sound = load_bools(grid, k, type, builder);
        break;
    case STOA_KIND_FLOAT32:
    case STOA_KIND_FLOAT64:
        *is_sound = load_floats(grid, k, type, builder);
        break;
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        *is_sound = load_times(grid, k, type, builder);
        break;
    default:
        *is_sound = load_any_integers(grid, k, type, builder);
        break;
    }
    return STOA_OK;
}

/* Kept values -------------------------------------------------------------------------------- */

enum { AT_ONCE = 512 };

static void load_kept_codes(const stoa_csv_kept_block *block, const stoa_csv_kept_column *kept,
                            const stoa_csv_column *column, stoa_csv_builder *builder)
{
    const size_t n_rows = (size_t)block->n_rows;
    int64_t codes[AT_ONCE];

    for (size_t row = 0; row < n_rows; row += AT_ONCE) {
        const size_t n = n_rows - row < AT_ONCE ? n_rows - row : AT_ONCE;
        stoa_csv_kept_codes(kept, block->bytes, column->codes, row, n, codes);
        for (size_t i = 0; i < n; i++) {
            if (codes[i] < 0) {
                leave_out(builder, row + i);
                codes[i] = 0;
            }
            stoa_csv_put(builder->values.data, column->type.width, row + i, codes[i]);
        }
    }
}

#define PUT_AS(ctype)                                                                              \
    do {                                                                                           \
        ctype *to = (ctype *)(void *)builder->values.data + first;                                 \
        for (size_t i = 0; i < n; i++) {                                                           \
            to[i] = (ctype)integers[i];                                                            \
        }                                                                                          \
    } while (0)

static void put_integers(const int64_t *integers, size_t first, size_t n, const stoa_type *type,
                         stoa_csv_builder *builder)
{
    if (type->kind == STOA_KIND_BOOL) {
        for (size_t i = 0; i < n; i++) {
            if (integers[i] != 0) {
                stoa_bit_set(builder->values.data, first + i);
            }
        }
    } else if (type->kind == STOA_KIND_FLOAT64) {
        PUT_AS(double);
    } else if (type->kind == STOA_KIND_FLOAT32) { /* stored as a double, and rounded */
        float *to = (float *)(void *)builder->values.data + first;
        for (size_t i = 0; i < n; i++) {
            to[i] = (float)(double)integers[i];
        }
    } else if (type->width == 1) {
        PUT_AS(int8_t);
    } else if (type->width == 2) {
        PUT_AS(int16_t);
    } else if (type->width == 4) {
        PUT_AS(int32_t);
    } else {
        PUT_AS(int64_t);
    }
}

static void load_kept_integers(const stoa_csv_kept_block *block, const stoa_csv_kept_column *kept,
                               const stoa_type *type, stoa_csv_builder *builder)
{
    const size_t n_rows = (size_t)block->n_rows;
    int64_t integers[AT_ONCE];

    for (size_t row = 0; row < n_rows; row += AT_ONCE) {
        const size_t n = n_rows - row < AT_ONCE ? n_rows - row : AT_ONCE;
        stoa_csv_kept_integers(kept, block->bytes, row, n, integers);
        put_integers(integers, row, n, type, builder);
    }
}

static void load_kept_floats(const stoa_csv_kept_block *block, const stoa_csv_kept_column *kept,
                             const stoa_type *type, stoa_csv_builder *builder)
{
    const double *doubles = (const double *)(const void *)(block->bytes + kept->rows);
    float *floats = (float *)(void *)builder->values.data;

    if (type->kind == STOA_KIND_FLOAT64) {
        memcpy(builder->values.data, doubles, (size_t)block->n_rows * sizeof *doubles);
        return;
    }
    for (size_t row = 0; row < block->n_rows; row++) {
        floats[row] = (float)doubles[row];
    }
}

/* Clear the validity bits of missing values, and set the values to 0. */
static void load_kept_validity(const stoa_csv_kept_block *block, const stoa_csv_kept_column *kept,
                               const stoa_type *type, stoa_csv_builder *builder)
{
    const uint8_t *valid = block->bytes + kept->validity;

    for (size_t row = 0; row < block->n_rows; row++) {
        if (stoa_bit_get(valid, row)) {
            continue;
        }
        leave_out(builder, row);
        if (type->kind == STOA_KIND_BOOL) {
            stoa_bit_clear(builder->values.data, row);
        } else {
            stoa_csv_put(builder->values.data, type->width, row, 0);
        }
    }
}

stoa_status stoa_csv_load_kept(const stoa_csv_kept_block *block, size_t k,
                               const stoa_csv_column *column, stoa_csv_builder *builder,
                               stoa_error *err)
{
    const stoa_type *type = &column->type;
    const stoa_csv_kept_column *kept = &block->columns[k];

    STOA_RETURN_NOT_OK(begin(builder, type, (size_t)block->n_rows, err));
    if (type->kind == STOA_KIND_BOOL) {
        memset(builder->values.data, 0, builder->values.size);
    }
    if (kept->kind == STOA_CSV_KEPT_LABELS) {
        load_kept_codes(block, kept, column, builder);
    } else if (kept->kind == STOA_CSV_KEPT_FLOATS) {
        load_kept_floats(block, kept, type, builder);
    } else {
        load_kept_integers(block, kept, type, builder);
    }
    if (kept->n_missing != 0) {
        load_kept_validity(block, kept, type, builder);
    }
    return STOA_OK;
}
