/*
 * Querying a BITMAP index (HEP001 §10.6).
 *
 * A value that is not in the bitmap proves nothing (notes D6). Unless the bitmap is marked as
 * complete, rows that no value marks may hold anything. These rows are determined on first use and
 * cached.
 *
 * Bits are read in strips, so memory does not grow with the number of values.
 */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "index/bitmap/bitmap_parts.h"
#include "index/common/order.h"

/* Limit on the bits read to determine the unmarked rows. */
static const uint64_t max_union_bytes = 256u << 20;
/* The same for an estimate. */
static const uint64_t max_estimate_bytes = 8u << 20;
/* Size limit for the cached unmarked rows. */
static const uint64_t max_kept_bytes = 256u << 20;
/* A list of more than always_listed ranges is more expensive than a scan, if it also has more than
 * one range per listed_part rows. */
static const uint64_t always_listed = 4096;
static const uint64_t listed_part = 256;
/* A list of more than max_ranges is shortened by joining ranges across gaps of up to coarse_gap
 * rows. */
static const size_t max_ranges = 1u << 20;
static const uint64_t coarse_gap = 1024;

/* Opening ----------------------------------------------------------------------------------- */

stoa_status stoa_bitmap_accepts(const stoa_column *column, stoa_error *err)
{
    const stoa_element_class class = column->element.class;

    /* Bit fields and unusual float formats have no order but can be equal. */
    return stoa_column_is_ordered(column) || class == STOA_ELEMENT_INTEGER ||
                   class == STOA_ELEMENT_FLOAT
               ? STOA_OK
               : stoa_fail(err, STOA_ETYPE,
                           "column '%s' of %s cannot have a bitmap index (HEP001 §10.6): no query "
                           "compares such values",
                           column->name, column->element.text);
}

stoa_status stoa_bitmap_load(const stoa_column *column, hid_t dataset, uint64_t n_rows,
                             stoa_bitmap_values *values, stoa_byte_matrix_part *all, bool *complete,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t beside = H5I_INVALID_HID;
    stoa_error ignored = STOA_ERROR_INIT;
    bool is_ours = false;
    bool is_exhaustive = false;

    STOA_TRY(stoa_byte_matrix_check("bitmap", "HEP001 §10.6", dataset, all, err));
    if (all->n_bytes < stoa_bit_bytes(n_rows)) {
        STOA_FAIL(err, STOA_EDATA,
                  "a bitmap index has %llu bytes a value, %llu rows need %llu (HEP001 §10.6)",
                  (unsigned long long)all->n_bytes, (unsigned long long)n_rows,
                  (unsigned long long)stoa_bit_bytes(n_rows));
    }
    STOA_TRY(stoa_bitmap_values_open(column, dataset, all->n_rows, &beside, err));
    STOA_TRY(stoa_bitmap_values_read(values, column, beside, all->n_rows, err));
    if (stoa_attribute_read_bool(dataset, STOA_BITMAP_COMPLETE, &is_ours, &ignored) ==
            STOA_ENOMEM ||
        stoa_attribute_read_bool(dataset, STOA_BITMAP_EXHAUSTIVE, &is_exhaustive, &ignored) ==
            STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    *complete = is_ours || is_exhaustive;

done:
    return stoa_hdf_close(&beside, status, err);
}

void stoa_bitmap_close(stoa_index *index)
{
    if (index != NULL) {
        if (index->memo != NULL) {
            stoa_checked_reader_close(&index->memo->reader);
            stoa_bitmap_forget(index->memo);
            free(index->memo->unmarked);
        }
        free(index->memo);
        stoa_bitmap_values_clear(&index->values);
        (void)stoa_hdf_close(&index->dataset, STOA_OK, NULL);
        free(index);
    }
}

stoa_status stoa_bitmap_open(stoa_column *column, hid_t dataset, uint64_t n_rows,
                             stoa_index **index, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index *opened = stoa_alloc_zero(1, sizeof *opened);
    stoa_byte_matrix_part all;

    *index = NULL;
    STOA_RETURN_NO_MEMORY(err, opened);
    opened->dataset = H5I_INVALID_HID;
    opened->column = column;
    opened->n_rows = n_rows;
    opened->n_bytes = stoa_bit_bytes(n_rows);
    opened->memo = stoa_alloc_zero(1, sizeof *opened->memo);
    STOA_TRY(opened->memo != NULL ? STOA_OK : stoa_fail_memory(err));
    opened->memo->reader = (stoa_checked_reader)STOA_CHECKED_READER_INIT;
    STOA_TRY(stoa_bitmap_accepts(column, err));
    STOA_TRY(
        stoa_bitmap_load(column, dataset, n_rows, &opened->values, &all, &opened->complete, err));
    STOA_TRY(stoa_checked_reader_open_checked(&opened->memo->reader, dataset, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "keep a bitmap index open");
    opened->dataset = dataset;
    *index = opened;
    opened = NULL;

done:
    stoa_bitmap_close(opened);
    return status;
}

/* Matching values --------------------------------------------------------------------------- */

static bool is_within(const stoa_interval *interval, const stoa_scalar *value)
{
    int order;

    if (interval->has_low && (!stoa_scalar_compare(value, &interval->low, &order) || order < 0 ||
                              (order == 0 && interval->low_open))) {
        return false;
    }
    if (interval->has_high && (!stoa_scalar_compare(value, &interval->high, &order) || order > 0 ||
                               (order == 0 && interval->high_open))) {
        return false;
    }
    return true;
}

/* Whether the interval's bounds are comparable with the column's values. */
static bool is_comparable(const stoa_bitmap_value *item, const stoa_interval *interval)
{
    int order;

    return item->is_nan ||
           ((!interval->has_low || stoa_scalar_compare(&item->scalar, &interval->low, &order)) &&
            (!interval->has_high || stoa_scalar_compare(&item->scalar, &interval->high, &order)));
}

static stoa_role role_of(const stoa_index *index, uint64_t k, const stoa_test *test)
{
    const stoa_bitmap_value *item = &index->values.items[k];

    if (item->is_nan) {
        return test->nan || test->missing ? ROLE_CANDIDATE : ROLE_NONE;
    }
    for (size_t i = 0; i < test->n_intervals; i++) {
        if (!is_comparable(item, &test->intervals[i])) {
            return ROLE_CANDIDATE;
        }
        if (is_within(&test->intervals[i], &item->scalar)) {
            return item->is_fill ? ROLE_CANDIDATE : ROLE_CERTAIN;
        }
    }
    return item->is_fill && test->missing ? ROLE_CANDIDATE : ROLE_NONE;
}

stoa_status stoa_bitmap_roles(const stoa_index *index, const stoa_test *test, uint8_t **roles,
                              uint64_t *n_matching, stoa_error *err)
{
    *n_matching = 0;
    *roles = stoa_alloc((size_t)index->values.n, 1);
    STOA_RETURN_NO_MEMORY(err, *roles);
    for (uint64_t k = 0; k < index->values.n; k++) {
        (*roles)[k] = (uint8_t)role_of(index, k, test);
        *n_matching += (*roles)[k] != ROLE_NONE;
    }
    return STOA_OK;
}

/* Bits -------------------------------------------------------------------------------------- */

/* Read bits, through libhdf5 if src/codec does not support the filters. */
static stoa_status read_plane(const stoa_index *index, const stoa_byte_matrix_part *window,
                              stoa_bitmap_hand *hand, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hsize_t start[] = {window->row, window->byte};
    const hsize_t count[] = {window->n_rows, window->n_bytes};

    if (index->memo->reader.is_ours) {
        return stoa_checked_reader_read_box(&index->memo->reader, H5T_NATIVE_UINT8, start, count,
                                            hand->workers != NULL ? &hand->scratch : NULL,
                                            hand->workers, hand->buffer, err);
    }
    stoa_workers_lock(hand->workers);
    status = stoa_byte_matrix_read(index->dataset, window, hand->buffer, err);
    stoa_workers_unlock(hand->workers);
    return status;
}

/* Consecutive rows of the bitmap are read together. */
stoa_status stoa_bitmap_unite(const stoa_index *index, const uint8_t *roles, stoa_role wanted,
                              uint64_t byte, uint64_t n, uint8_t *bits, stoa_bitmap_hand *hand,
                              stoa_error *err)
{
    const uint64_t together = (uint64_t)STOA_BITMAP_STRIP_BYTES * STOA_BITMAP_STRIPS / n;

    memset(bits, 0, (size_t)n);
    for (uint64_t k = 0, end; k < index->values.n; k = end) {
        end = k + 1;
        if (roles != NULL && roles[k] < wanted) {
            continue;
        }
        while (end < index->values.n && end - k < together &&
               (roles == NULL || roles[end] >= wanted)) {
            end++;
        }
        const stoa_byte_matrix_part window = {k, byte, end - k, n};
        STOA_RETURN_NOT_OK(read_plane(index, &window, hand, err));
        for (uint64_t row = 0; row < end - k; row++) {
            for (uint64_t i = 0; i < n; i++) {
                bits[i] |= hand->buffer[row * n + i];
            }
        }
    }
    return STOA_OK;
}

/* Determine the rows without a bit, once. */
static stoa_status find_unmarked(const stoa_index *index, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *unmarked = NULL;
    stoa_bitmap_hand hand = {.buffer = NULL};

    if (index->memo->unmarked != NULL) {
        return STOA_OK;
    }
    unmarked = stoa_alloc((size_t)index->n_bytes, 1);
    hand.buffer = stoa_alloc(STOA_BITMAP_STRIPS, STOA_BITMAP_STRIP_BYTES);
    STOA_TRY(unmarked != NULL && hand.buffer != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t byte = 0; byte < index->n_bytes; byte += STOA_BITMAP_STRIP_BYTES) {
        const uint64_t left = index->n_bytes - byte;
        const uint64_t n = left < STOA_BITMAP_STRIP_BYTES ? left : STOA_BITMAP_STRIP_BYTES;
        STOA_TRY(stoa_bitmap_unite(index, NULL, ROLE_NONE, byte, n, unmarked + byte, &hand, err));
    }
    for (uint64_t i = 0; i < index->n_bytes; i++) {
        unmarked[i] = (uint8_t)~unmarked[i];
    }
    index->memo->unmarked = unmarked;
    unmarked = NULL;

done:
    free(unmarked);
    free(hand.buffer);
    return status;
}

static bool can_find_unmarked(const stoa_index *index, uint64_t max_read_bytes)
{
    return index->memo->unmarked != NULL ||
           (index->n_bytes <= max_kept_bytes &&
            index->values.n <= max_read_bytes / (index->n_bytes + 1));
}

stoa_role stoa_bitmap_role_of_unmarked(const stoa_index *index, const stoa_test *test)
{
    const stoa_column *column = index->column;
    const bool is_float = column->element.class == STOA_ELEMENT_FLOAT;

    if (!index->complete) {
        return test->n_intervals > 0 || test->missing || test->nan ? ROLE_CANDIDATE : ROLE_NONE;
    }
    /* Such rows are missing or NaN: both with a NaN fill, only missing in columns without NaN. */
    if (test->missing && (!is_float || column->fill_is_nan || test->nan)) {
        return ROLE_CERTAIN;
    }
    return test->missing || (test->nan && is_float && !column->fill_is_nan) ? ROLE_CANDIDATE
                                                                            : ROLE_NONE;
}

/* Rows -------------------------------------------------------------------------------------- */

/* Add the rows whose bits are set, and join ranges across gaps of up to `gap` rows. */
static stoa_status push_bits(stoa_rowset *set, const uint8_t *bits, uint64_t first, uint64_t n,
                             uint64_t gap, stoa_error *err)
{
    for (uint64_t i = 0; i < n;) {
        if (i % 8 == 0 && bits[i / 8] == 0) {
            i += 8;
            continue;
        }
        if (!stoa_bit_get(bits, i)) {
            i++;
            continue;
        }
        uint64_t end = i + 1;
        while (end < n && stoa_bit_get(bits, end)) {
            end += end % 8 == 0 && n - end >= 8 && bits[end / 8] == 0xff ? 8 : 1;
        }
        uint64_t start = first + i;
        if (gap > 0 && set->n_ranges > 0) {
            const stoa_range *last = &set->ranges[set->n_ranges - 1];
            const uint64_t last_end = last->first + last->count;
            start = start - last_end <= gap ? last_end : start;
        }
        STOA_RETURN_NOT_OK(stoa_rowset_push(set, start, first + end - start, err));
        i = end;
    }
    return STOA_OK;
}

/* State of a query that goes through the bitmap strip by strip. */
typedef struct asking {
    const stoa_index *index;
    uint8_t *roles;
    uint64_t n_matching;
    stoa_role unmarked;
    uint64_t gap;  /* see push_bits(); not 0 for approximate candidates only */
    uint8_t *bits; /* one strip */
    stoa_bitmap_hand hand;
} asking;

static void add_unmarked(const asking *a, stoa_role wanted, uint64_t byte, uint64_t n)
{
    for (uint64_t i = 0; a->unmarked >= wanted && i < n; i++) {
        a->bits[i] |= a->index->memo->unmarked[byte + i];
    }
}

/* Collect the rows with a role of at least `wanted`. *too_many tells that the list became too
 * long. */
static stoa_status push_rows(asking *a, stoa_role wanted, stoa_rowset *set, bool *too_many,
                             stoa_error *err)
{
    const stoa_index *index = a->index;

    set->n_ranges = 0;
    for (uint64_t byte = 0; byte < index->n_bytes && !*too_many; byte += STOA_BITMAP_STRIP_BYTES) {
        const uint64_t left = index->n_bytes - byte;
        const uint64_t n = left < STOA_BITMAP_STRIP_BYTES ? left : STOA_BITMAP_STRIP_BYTES;
        const uint64_t n_rows = index->n_rows - 8 * byte;
        STOA_RETURN_NOT_OK(
            stoa_bitmap_unite(index, a->roles, wanted, byte, n, a->bits, &a->hand, err));
        add_unmarked(a, wanted, byte, n);
        STOA_RETURN_NOT_OK(
            push_bits(set, a->bits, 8 * byte, n_rows < 8 * n ? n_rows : 8 * n, a->gap, err));
        *too_many = a->gap == 0 && set->n_ranges > max_ranges;
    }
    return STOA_OK;
}

bool stoa_bitmap_is_worth_it(const stoa_index *index, uint64_t n_matching)
{
    const uint64_t column_bytes = index->n_rows * index->column->element.size;
    const uint64_t free_bytes = 4u << 20;

    return n_matching <=
           (column_bytes > free_bytes ? column_bytes : free_bytes) / (index->n_bytes + 1);
}

static stoa_status all_rows(const stoa_index *index, stoa_rowset *candidates, stoa_error *err)
{
    candidates->n_ranges = 0;
    return stoa_rowset_push(candidates, 0, index->n_rows, err);
}

stoa_status stoa_bitmap_prune(const stoa_index *index, const stoa_test *test,
                              stoa_rowset *candidates, stoa_rowset *certain, stoa_error *err)
{
    stoa_status status = STOA_OK;
    asking a = {.index = index, .unmarked = stoa_bitmap_role_of_unmarked(index, test)};
    bool too_many = false;

    candidates->n_ranges = 0;
    certain->n_ranges = 0;
    STOA_TRY(stoa_bitmap_roles(index, test, &a.roles, &a.n_matching, err));
    if (!stoa_bitmap_is_worth_it(index, a.n_matching) ||
        (a.unmarked != ROLE_NONE && !can_find_unmarked(index, max_union_bytes))) {
        STOA_TRY(all_rows(index, candidates, err));
        goto done;
    }
    a.bits = stoa_alloc(STOA_BITMAP_STRIP_BYTES, 1);
    a.hand.buffer = stoa_alloc(STOA_BITMAP_STRIPS, STOA_BITMAP_STRIP_BYTES);
    STOA_TRY(a.bits != NULL && a.hand.buffer != NULL ? STOA_OK : stoa_fail_memory(err));
    if (a.unmarked != ROLE_NONE) {
        STOA_TRY(find_unmarked(index, err));
    }
    STOA_TRY(push_rows(&a, ROLE_CANDIDATE, candidates, &too_many, err));
    if (too_many) {
        too_many = false;
        a.gap = coarse_gap;
        STOA_TRY(push_rows(&a, ROLE_CANDIDATE, candidates, &too_many, err));
    } else {
        STOA_TRY(push_rows(&a, ROLE_CERTAIN, certain, &too_many, err));
    }

done:
    free(a.roles);
    free(a.bits);
    free(a.hand.buffer);
    return status;
}

/* Estimating -------------------------------------------------------------------------------- */

/* Number of runs of set bits in n bytes. */
static uint64_t count_runs(const uint8_t *bits, uint64_t n)
{
    uint64_t n_runs = 0;
    unsigned last = 0; /* the preceding bit */

    for (uint64_t i = 0; i < n; i++) {
        n_runs += (unsigned)__builtin_popcount(bits[i] & ~((unsigned)bits[i] << 1 | last));
        last = bits[i] >> 7;
    }
    return n_runs;
}

static bool is_long_list(const stoa_index *index, double n_runs)
{
    const uint64_t most = index->n_rows / listed_part;

    return n_runs > (double)always_listed && n_runs > (double)most;
}

/* Extrapolate from the bits of three strips: the first, the middle and the last. Gives all rows if
 * the list would be too long to be useful. */
static stoa_status sample(const stoa_index *index, const uint8_t *roles, uint64_t *n_rows,
                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n = index->n_bytes < 8192 ? index->n_bytes : 8192;
    const uint64_t starts[] = {0, (index->n_bytes - n) / 2, index->n_bytes - n};
    const size_t n_strips = index->n_bytes == n ? 1 : 3;
    uint64_t n_set = 0;
    uint64_t n_runs = 0;
    uint8_t *bits = stoa_alloc(STOA_BITMAP_STRIP_BYTES, 1);
    stoa_bitmap_hand hand = {.buffer = stoa_alloc(STOA_BITMAP_STRIPS, STOA_BITMAP_STRIP_BYTES)};

    STOA_TRY(bits != NULL && hand.buffer != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n_strips && n > 0; i++) {
        STOA_TRY(stoa_bitmap_unite(index, roles, ROLE_CANDIDATE, starts[i], n, bits, &hand, err));
        const uint64_t left = index->n_rows - 8 * starts[i];
        n_set += stoa_bit_count(bits, 0, left < 8 * n ? left : 8 * n);
        n_runs += count_runs(bits, n);
    }
    const double strips = n_strips == 1 ? 1 : (double)index->n_bytes / (double)(3 * n);
    *n_rows = is_long_list(index, (double)n_runs * strips) ? index->n_rows
                                                           : (uint64_t)((double)n_set * strips);

done:
    free(bits);
    free(hand.buffer);
    return status;
}

/* The matching rows may all be between the sampled strips. An estimate of 0 is therefore raised to
 * half of the values' average share of the rows. If unmarked rows matter and are too expensive to
 * determine, the estimate is all rows. */
stoa_status stoa_bitmap_estimate(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_role unmarked = stoa_bitmap_role_of_unmarked(index, test);
    uint8_t *roles = NULL;
    uint64_t n_matching = 0;

    *n_rows = index->n_rows;
    STOA_TRY(stoa_bitmap_roles(index, test, &roles, &n_matching, err));
    if (index->n_rows == 0 || !stoa_bitmap_is_worth_it(index, n_matching) ||
        (unmarked != ROLE_NONE && !can_find_unmarked(index, max_estimate_bytes))) {
        goto done;
    }
    if (unmarked != ROLE_NONE) {
        STOA_TRY(find_unmarked(index, err));
    }
    const stoa_bitmap_answer *known =
        unmarked == ROLE_NONE ? stoa_bitmap_recall(index, roles) : NULL;
    if (known != NULL) {
        *n_rows = known->estimate;
        goto done;
    }
    *n_rows = 0;
    if (n_matching > 0) {
        STOA_TRY(sample(index, roles, n_rows, err));
        if (*n_rows == 0 && index->n_bytes > 8192) {
            *n_rows = index->n_rows / index->values.n * n_matching / 2;
        }
    }
    if (unmarked != ROLE_NONE) {
        *n_rows += stoa_bit_count(index->memo->unmarked, 0, index->n_rows);
    }
    *n_rows = *n_rows < index->n_rows ? *n_rows : index->n_rows;
    if (unmarked == ROLE_NONE) {
        stoa_bitmap_remember(index, &roles, *n_rows);
    }

done:
    free(roles);
    return status;
}
