/*
 * count, sum, mean for many rows of few groups: added up by group number, window by window.
 *
 * Each number's sum in a window is made by plain additions, and used only if they were exact. Sums
 * of 32-bit integers always are. 32-bit floats are multiples of the smallest one's last bit; a sum
 * that fits 53 such bits was not rounded.
 */
#include "query/aggregate/aggregate.h"

enum { ONE_SUM_BITS = 29 };

static stoa_cell *cell_of(const stoa_aggregate *aggregate, const stoa_group_rows *rows,
                          uint32_t number)
{
    return stoa_cells(aggregate) + (rows->table != NULL ? rows->table[number] - 1 : number);
}

/* STOA_TURNS portions of each number and of rows that do not count, set to 0. NULL if memory
 * runs out. */
static void *make_portions(stoa_aggregate *aggregate, const stoa_group_rows *rows, size_t size,
                           stoa_error *err)
{
    const size_t n_bytes = ((size_t)rows->n_numbers + 1) * STOA_TURNS * size;

    aggregate->scratch.size = 0;
    return stoa_buffer_grow(&aggregate->scratch, n_bytes, err) == STOA_OK ? aggregate->scratch.data
                                                                          : NULL;
}

/* Add up the portions of all turns in those of the first turn. */
static void join_floats(stoa_float_portion *portions, uint32_t n_numbers)
{
    const size_t stride = (size_t)n_numbers + 1;

    for (size_t turn = 1; turn < STOA_TURNS; turn++) {
        for (uint32_t i = 0; i < n_numbers; i++) {
            portions[i].sum += portions[turn * stride + i].sum;
            portions[i].n += portions[turn * stride + i].n;
        }
    }
}

static int64_t most_rows(const stoa_float_portion *portions, uint32_t n_numbers)
{
    double most = 0;

    for (uint32_t i = 0; i < n_numbers; i++) {
        most = portions[i].n > most ? portions[i].n : most;
    }
    return (int64_t)most;
}

/* Whether every sum of up to n such floats is exact in a double. A value is less than
 * 2^(exponent + 1) and a multiple of 2^(least exponent - 23). */
static bool sums_are_exact(stoa_magnitudes window, int64_t n)
{
    const uint32_t low = window.least < UINT32_MAX ? (window.least + 1) >> 24 : 1;
    const uint32_t high = window.most >> 24;
    const uint32_t spread = (high > 1 ? high : 1) - (low > 1 ? low : 1);

    if (high == UINT8_MAX) { /* infinities or NaNs */
        return false;
    }
    return window.most == 0 ||
           (spread <= ONE_SUM_BITS && n <= INT64_C(1) << (ONE_SUM_BITS - spread));
}

static stoa_status tally_floats(stoa_aggregate *aggregate, const stoa_operand *operand,
                                const stoa_group_rows *rows, bool *is_done, stoa_error *err)
{
    stoa_float_portion *portions = make_portions(aggregate, rows, sizeof *portions, err);

    if (portions == NULL) {
        return STOA_ENOMEM;
    }
    const stoa_magnitudes window = aggregate->kernels->floats(
        operand->values, operand->mask, operand->n, rows->numbers, rows->n_numbers, portions);
    join_floats(portions, rows->n_numbers);
    *is_done = sums_are_exact(window, most_rows(portions, rows->n_numbers));
    for (uint32_t i = 0; *is_done && i < rows->n_numbers; i++) {
        if (portions[i].n > 0) {
            stoa_cell *cell = cell_of(aggregate, rows, i);
            stoa_cell_add_float(cell, portions[i].sum, 0);
            cell->n += (int64_t)portions[i].n;
        }
    }
    return STOA_OK;
}

static stoa_status tally_integers(stoa_aggregate *aggregate, const stoa_operand *operand,
                                  const stoa_group_rows *rows, bool *is_done, stoa_error *err)
{
    const size_t stride = (size_t)rows->n_numbers + 1;
    stoa_integer_portion *portions = make_portions(aggregate, rows, sizeof *portions, err);

    if (portions == NULL) {
        return STOA_ENOMEM;
    }
    aggregate->kernels->integers[operand->kind](operand->values, operand->mask, operand->n,
                                                rows->numbers, rows->n_numbers, portions);
    for (uint32_t i = 0; i < rows->n_numbers; i++) {
        const stoa_integer_portion all = portions[i] + portions[stride + i] +
                                         portions[2 * stride + i] + portions[3 * stride + i];
        const int64_t n = all & (STOA_PORTION_UNIT - 1);
        const int64_t sum = (all - n) / STOA_PORTION_UNIT;
        if (n > 0) {
            stoa_cell *cell = cell_of(aggregate, rows, i);
            stoa_cell_add_integer(cell, (uint64_t)sum, sum < 0 ? -1 : 0);
            cell->n += n;
        }
    }
    *is_done = true;
    return STOA_OK;
}

stoa_status stoa_sum_tally(stoa_aggregate *aggregate, const stoa_operand *operand,
                           const stoa_group_rows *rows, bool *is_done, stoa_error *err)
{
    if (operand->kind == STOA_KIND_FLOAT32) {
        return tally_floats(aggregate, operand, rows, is_done, err);
    }
    if (stoa_kind_is_integer(operand->kind) && stoa_kind_width(operand->kind) <= 4) {
        return tally_integers(aggregate, operand, rows, is_done, err);
    }
    return STOA_OK;
}

stoa_status stoa_count_tally(stoa_aggregate *aggregate, const stoa_operand *operand,
                             const stoa_group_rows *rows, bool *is_done, stoa_error *err)
{
    const size_t stride = (size_t)rows->n_numbers + 1;
    uint32_t *portions = make_portions(aggregate, rows, sizeof *portions, err);

    if (portions == NULL) {
        return STOA_ENOMEM;
    }
    aggregate->kernels->counts(operand->mask, operand->n, rows->numbers, rows->n_numbers, portions);
    for (uint32_t i = 0; i < rows->n_numbers; i++) {
        const uint32_t n = portions[i] + portions[stride + i] + portions[2 * stride + i] +
                           portions[3 * stride + i];
        if (n > 0) {
            cell_of(aggregate, rows, i)->n += n;
        }
    }
    *is_done = true;
    return STOA_OK;
}
