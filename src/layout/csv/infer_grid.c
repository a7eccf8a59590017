/* Type inference over a column of a grid. Each loop reads values of one kind, and stops at a value
 * of another kind. stoa_csv_inference_add_type() judges that value, and the loop for the new kind
 * continues. */
#include "layout/csv/infer_grid.h"

#include "layout/csv/cache.h"
#include "layout/csv/fast_parse.h"

#define MAX_EXACT_INTEGER (INT64_C(1) << 53)
enum { MAX_EXACT_DIGITS = 15 };

/* Lengths of the values of a loop. */
typedef struct lengths {
    uint64_t n;
    uint64_t total;
    uint64_t max;
} lengths;

static inline void add_length(lengths *sum, size_t length)
{
    sum->n++;
    sum->total += length;
    sum->max = length > sum->max ? length : sum->max;
}

static void put_lengths(stoa_csv_inference *guess, const lengths *sum)
{
    guess->n_values += sum->n;
    guess->total_bytes += sum->total;
    guess->max_bytes = sum->max > guess->max_bytes ? sum->max : guess->max_bytes;
}

/* A bit for each fill value that HEP001 §8.5 recommends for 8, 16 and 32 bits. A text of at most 18
 * digits never equals that of 64 bits. */
static inline unsigned sentinels_of(int64_t value)
{
    return (unsigned)(value == INT8_MIN + 1) | (unsigned)(value == INT16_MIN + 1) << 1 |
           (unsigned)(value == INT32_MIN + 1) << 2;
}

/* Every loop returns the row at which it stopped. The loops over numbers record missing values,
 * since another loop may continue with the same values. */
static size_t learn_integers(const stoa_csv_grid *grid, size_t k, size_t row,
                             stoa_csv_inference *guess, stoa_csv_parsed_column *found)
{
    int64_t *values = stoa_csv_parsed_column_integers(found);
    lengths sum = {0};
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    unsigned sentinels = 0;

    for (; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        int64_t value;
        if (cell.is_missing) {
            stoa_csv_parsed_column_leave_out(found, row);
            continue;
        }
        if (!stoa_csv_integer(cell.text, cell.length, &value) ||
            stoa_csv_is_padded(cell.text, cell.length) || (value == 0 && cell.length != 1)) {
            break;
        }
        values[row] = value;
        low = value < low ? value : low;
        high = value > high ? value : high;
        sentinels |= value < 0 ? sentinels_of(value) : 0;
        add_length(&sum, cell.length);
    }
    if (sum.n != 0) {
        guess->is_bool = guess->is_time = guess->is_duration = false;
        guess->is_float &= low >= -MAX_EXACT_INTEGER && high <= MAX_EXACT_INTEGER;
        guess->has_negative |= low < 0;
        guess->has_positive |= high >= 0;
        guess->min = low < guess->min ? low : guess->min;
        if (high >= 0 && (uint64_t)high > guess->max) {
            guess->max = (uint64_t)high;
        }
        guess->sentinels = (uint8_t)(guess->sentinels | sentinels);
    }
    put_lengths(guess, &sum);
    return row;
}

/* Plain decimals need not be computed, since 18 digits neither overflow nor underflow. */
static size_t learn_floats(const stoa_csv_grid *grid, size_t k, size_t row,
                           stoa_csv_inference *guess, stoa_csv_parsed_column *found)
{
    const bool is_kept = found->kind == STOA_CSV_KEPT_FLOATS;
    double *values = stoa_csv_parsed_column_floats(found);
    lengths sum = {0};

    for (; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        stoa_csv_decimal number;
        if (cell.is_missing) {
            stoa_csv_parsed_column_leave_out(found, row);
            continue;
        }
        if (!stoa_csv_parse_decimal(cell.text, cell.length, &number) ||
            stoa_csv_is_padded(cell.text, cell.length) ||
            (!number.has_point && cell.length > MAX_EXACT_DIGITS)) {
            break;
        }
        if (is_kept) {
            values[row] = stoa_csv_decimal_value(&number);
        }
        add_length(&sum, cell.length);
    }
    if (sum.n != 0) {
        guess->is_bool = guess->is_time = guess->is_duration = guess->is_integer = false;
    }
    put_lengths(guess, &sum);
    return row;
}

static size_t learn_times(const stoa_csv_grid *grid, size_t k, size_t row,
                          stoa_csv_inference *guess)
{
    lengths sum = {0};
    stoa_csv_day day = {0};
    stoa_csv_inference seen = *guess; /* a copy, so that fields stay in registers */

    for (; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        stoa_time time;
        if (cell.is_missing) {
            continue;
        }
        if (!stoa_csv_time(&day, cell.text, cell.length, &time)) {
            break;
        }
        seen.has_naive |= !time.has_zone;
        seen.has_zone |= time.has_zone;
        seen.unit = time.unit > seen.unit ? time.unit : seen.unit;
        seen.min_seconds = time.seconds < seen.min_seconds ? time.seconds : seen.min_seconds;
        seen.max_seconds = time.seconds > seen.max_seconds ? time.seconds : seen.max_seconds;
        add_length(&sum, cell.length);
    }
    if (sum.n != 0) {
        guess->is_bool = guess->is_integer = guess->is_float = guess->is_duration = false;
        guess->has_naive = seen.has_naive;
        guess->has_zone = seen.has_zone;
        guess->unit = seen.unit;
        guess->min_seconds = seen.min_seconds;
        guess->max_seconds = seen.max_seconds;
    }
    put_lengths(guess, &sum);
    return row;
}

/* The remaining values are strings. */
static void learn_strings(const stoa_csv_grid *grid, size_t k, size_t row,
                          stoa_csv_inference *guess)
{
    lengths sum = {0};

    for (; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        if (!cell.is_missing) {
            add_length(&sum, cell.length);
        }
    }
    put_lengths(guess, &sum);
}

/* Keep a value at which the loops stopped, after add_type() has judged it. */
static void find_value(stoa_csv_parsed_column *found, const stoa_csv_inference *guess, size_t row,
                       const stoa_csv_cell *cell)
{
    const stoa_type type = {.kind = guess->is_integer ? STOA_KIND_INT64
                                    : guess->is_float ? STOA_KIND_FLOAT64
                                                      : STOA_KIND_BOOL};
    stoa_csv_value value;

    if (found->kind == STOA_CSV_KEPT_NOTHING) {
        return;
    }
    if (type.kind == STOA_KIND_FLOAT64 && found->kind == STOA_CSV_KEPT_INTEGERS) {
        stoa_csv_parsed_column_widen(found, row);
    }
    if ((type.kind == STOA_KIND_BOOL && !guess->is_bool) ||
        !stoa_csv_value_parse(&type, NULL, cell->text, cell->length, &value)) {
        found->kind = STOA_CSV_KEPT_NOTHING;
    } else if (type.kind == STOA_KIND_FLOAT64) {
        stoa_csv_parsed_column_floats(found)[row] = value.f;
    } else {
        stoa_csv_parsed_column_integers(found)[row] = value.i;
    }
}

/* Run the loop for the kind of the previous values. */
static size_t learn_some(const stoa_csv_grid *grid, size_t k, size_t row, stoa_csv_inference *guess,
                         stoa_csv_parsed_column *found)
{
    if (guess->is_integer) {
        return learn_integers(grid, k, row, guess, found);
    }
    if (guess->is_float) {
        if (found->kind == STOA_CSV_KEPT_INTEGERS) {
            stoa_csv_parsed_column_widen(found, row);
        }
        return learn_floats(grid, k, row, guess, found);
    }
    if (guess->is_time) {
        found->kind = STOA_CSV_KEPT_NOTHING;
        return learn_times(grid, k, row, guess);
    }
    return row;
}

/* Line breaks before a cell. */
static uint64_t lines_before(const stoa_csv_grid *grid, size_t row, size_t k)
{
    const size_t end = (uint32_t)(grid->at[row * grid->n_columns + k] + 1);
    uint64_t n = 0;

    for (size_t i = 0; i < end; i++) {
        n += grid->text[i] == '\n' || (grid->text[i] == '\r' && grid->text[i + 1] != '\n');
    }
    return n;
}

/* Look at some values of a column that is not typed, and not at words for missing ones. They are so
 * many that one bad value among them does not matter. */
static void take_samples(const stoa_csv_grid *grid, size_t k, stoa_csv_inference *guess)
{
    enum { N_SAMPLES = 12, N_TRIES = 4 };

    for (size_t i = 1; i <= N_SAMPLES; i++) {
        size_t row = grid->n_rows * i / (N_SAMPLES + 1);
        for (int tries = 0; tries < N_TRIES && row < grid->n_rows; tries++, row++) {
            const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
            if (!cell.is_missing && stoa_csv_null_word(cell.text, cell.length) < 0) {
                guess->samples[stoa_csv_look_of(guess->spelling, cell.text, cell.length)]++;
                break;
            }
        }
    }
}

static void learn_types(const stoa_csv_grid *grid, size_t k, stoa_csv_inference *guess,
                        stoa_csv_parsed_column *found)
{
    size_t row = 0;

    while (row < grid->n_rows && stoa_csv_inference_is_typed(guess)) {
        row = learn_some(grid, k, row, guess, found);
        if (row < grid->n_rows) {
            const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
            if (cell.is_missing) {
                stoa_csv_parsed_column_leave_out(found, row);
            } else {
                const bool was_set = guess->spoiler.is_set;
                stoa_csv_inference_add_type(guess, cell.text, cell.length);
                find_value(found, guess, row, &cell);
                if (guess->spoiler.is_set && !was_set) {
                    guess->spoiler.line = lines_before(grid, row, k);
                }
            }
            row++;
        }
    }
    if (row < grid->n_rows) {
        found->kind = STOA_CSV_KEPT_NOTHING;
        learn_strings(grid, k, row, guess);
    }
}

static stoa_status learn_wanted(stoa_csv_inference *guess, stoa_csv_lookup_batch *wanted,
                                stoa_csv_cache *cache, uint32_t *rows, stoa_error *err)
{
    uint32_t numbers[STOA_STRING_SET_AT_ONCE];

    STOA_RETURN_NOT_OK(stoa_csv_inference_add_labels(guess, wanted->texts, wanted->lengths,
                                                     wanted->n, numbers, err));
    for (size_t i = 0; i < wanted->n && guess->has_labels; i++) {
        rows[wanted->rows[i]] = numbers[i];
        stoa_csv_cache_put(cache, wanted->texts[i], wanted->lengths[i], numbers[i]);
    }
    wanted->n = 0;
    return STOA_OK;
}

static stoa_status learn_labels(const stoa_csv_grid *grid, size_t k, stoa_csv_inference *guess,
                                stoa_csv_parsed_column *found, stoa_error *err)
{
    stoa_csv_cache cache = {0};
    stoa_csv_lookup_batch wanted = {.n = 0};
    uint32_t *rows = (uint32_t *)(void *)found->values.data;

    for (size_t row = 0; row < grid->n_rows && guess->has_labels; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        if (cell.is_missing) {
            rows[row] = STOA_STRING_SET_NONE;
            continue;
        }
        if (stoa_csv_cache_get(&cache, cell.text, cell.length, &rows[row])) {
            continue;
        }
        const bool has_room = stoa_csv_lookup_batch_add(&wanted, cell.text, cell.length, row);
        if (!has_room || stoa_csv_grid_is_scratch(grid, &cell)) {
            STOA_RETURN_NOT_OK(learn_wanted(guess, &wanted, &cache, rows, err));
        }
    }
    STOA_RETURN_NOT_OK(learn_wanted(guess, &wanted, &cache, rows, err));
    found->kind = guess->has_labels ? STOA_CSV_KEPT_LABELS : STOA_CSV_KEPT_NOTHING;
    return STOA_OK;
}

/* Parse a plain number as parse_grid.c does. False decides nothing. */
static inline bool find_plain(const stoa_type *type, const stoa_csv_cell *cell,
                              stoa_csv_parsed_column *found, size_t row)
{
    if (stoa_kind_is_float(type->kind)) { /* 18 digits do not overflow a float32 */
        return stoa_csv_float(cell->text, cell->length, &stoa_csv_parsed_column_floats(found)[row]);
    }
    return type->kind == STOA_KIND_INT64 &&
           stoa_csv_integer(cell->text, cell->length, &stoa_csv_parsed_column_integers(found)[row]);
}

static bool has_type(const stoa_csv_grid *grid, size_t k, const stoa_type *type,
                     stoa_csv_parsed_column *found)
{
    const bool is_float = stoa_kind_is_float(type->kind);
    stoa_csv_value value;

    for (size_t row = 0; row < grid->n_rows; row++) {
        const stoa_csv_cell cell = stoa_csv_grid_cell(grid, row, k);
        if (cell.is_missing) {
            stoa_csv_parsed_column_leave_out(found, row);
        } else if (!find_plain(type, &cell, found, row)) {
            if (!stoa_csv_value_parse(type, NULL, cell.text, cell.length, &value)) {
                return false;
            }
            if (is_float) {
                stoa_csv_parsed_column_floats(found)[row] = value.f;
            } else {
                stoa_csv_parsed_column_integers(found)[row] = value.i;
            }
        }
    }
    found->kind = is_float ? STOA_CSV_KEPT_FLOATS
                  : stoa_kind_is_integer(type->kind) || type->kind == STOA_KIND_BOOL
                      ? STOA_CSV_KEPT_INTEGERS
                      : STOA_CSV_KEPT_NOTHING;
    return true;
}

static bool is_number(const stoa_csv_inference *guess)
{
    return guess->is_integer || guess->is_float || guess->is_bool;
}

stoa_status stoa_csv_infer_grid(const stoa_csv_grid *grid, size_t k, const stoa_csv_column *column,
                                stoa_csv_grid_inference *learning, bool *is_sound, stoa_error *err)
{
    const bool is_string = column->type.kind == STOA_KIND_STRING;
    stoa_csv_inference *guess = learning->guess;
    stoa_csv_parsed_column *found = learning->found;
    stoa_csv_kept_column *kept = learning->kept;
    const bool is_open = stoa_csv_column_is_open(column);

    STOA_RETURN_NOT_OK(stoa_csv_parsed_column_begin(found, grid->n_rows, err));
    *is_sound = is_string || has_type(grid, k, &column->type, found);
    if (!*is_sound) {
        return STOA_OK;
    }
    if (is_open) {
        STOA_RETURN_NOT_OK(stoa_csv_parsed_column_begin(found, grid->n_rows, err));
        found->kind =
            learning->keeps && is_number(guess) ? STOA_CSV_KEPT_INTEGERS : STOA_CSV_KEPT_NOTHING;
        learn_types(grid, k, guess, found);
        if (!column->is_typed && !stoa_csv_inference_is_typed(guess)) {
            take_samples(grid, k, guess);
        }
    }
    if (learning->keeps) {
        STOA_RETURN_NOT_OK(stoa_csv_kept_pack(kept, found, grid->n_rows, 0, learning->bytes, err));
    }
    if (is_open && guess->has_labels) {
        STOA_RETURN_NOT_OK(learn_labels(grid, k, guess, found, err));
        kept->n_known = guess->known != NULL ? guess->known->count : 0;
        if (learning->keeps && kept->kind == STOA_CSV_KEPT_NOTHING) {
            STOA_RETURN_NOT_OK(stoa_csv_kept_pack(kept, found, grid->n_rows,
                                                  kept->n_known + guess->labels.count,
                                                  learning->bytes, err));
        }
    }
    return STOA_OK;
}
