/*
 * Queries with a SORTED_ROWS index (HEP001 §10.5).
 *
 * An interval of values is a range of ranks, found by binary search (sorted_search.h). The answer
 * is the rows at these ranks. Everything read is checked: rows must be in the table, and values
 * must be comparable. Values that are out of order give wrong ranks but never accesses out of
 * bounds.
 */
#include <stdlib.h>

#include "core/min_of.h"
#include "index/common/order.h"
#include "index/sorted/sorted_search.h"

/* No list is made of more than max_listed rows, or of more than an eighth of all rows. Up to
 * FEW_ROWS are always listed. */
static const uint64_t max_listed = 8u << 20;
enum { FEW_ROWS = 1024 };
/* A bitmap sorts rows faster than qsort() if it has at most this many bits for each. */
enum { BITS_PER_ROW = 1024 };

/* --- Ranks ----------------------------------------------------------------------------------- */

/* Whether the column's values are comparable with the bound. */
static bool is_comparable(const stoa_column *column, const stoa_scalar *bound)
{
    const stoa_scalar number = {.kind = STOA_SCALAR_I64};
    const stoa_scalar real = {.kind = STOA_SCALAR_F64};
    const stoa_scalar bytes = {.kind = STOA_SCALAR_BYTES, .as.bytes = {"", 0}};
    int order;

    return stoa_scalar_compare(stoa_key_is_bytes(&column->element)           ? &bytes
                               : column->element.class == STOA_ELEMENT_FLOAT ? &real
                                                                             : &number,
                               bound, &order);
}

static stoa_status find_interval(const stoa_index *index, const stoa_interval *interval,
                                 stoa_range *ranks, stoa_error *err)
{
    uint64_t low = 0;
    uint64_t high = index->n_ordered;

    if (interval->has_low) {
        STOA_RETURN_NOT_OK(
            stoa_sorted_find_rank(index, &interval->low, !interval->low_open, 0, &low, err));
    }
    if (interval->has_high) {
        STOA_RETURN_NOT_OK(
            stoa_sorted_find_rank(index, &interval->high, interval->high_open, low, &high, err));
    }
    *ranks = (stoa_range){low, high > low ? high - low : 0};
    return STOA_OK;
}

static int order_ranges(const void *a, const void *b)
{
    const stoa_range *x = a;
    const stoa_range *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* The tails that a test asks for. With a NaN fill, NaN is missing (§8.5). */
static size_t find_tails(const stoa_index *index, const stoa_test *test, stoa_range *ranges)
{
    const stoa_sorted_store *store = &index->store;
    const bool nan_is_missing = store->column->fill_is_nan;
    size_t n = 0;

    if (test->missing && !nan_is_missing) {
        ranges[n++] = (stoa_range){index->n_ordered, store->n_missing};
    }
    if (nan_is_missing ? test->missing : test->nan) {
        ranges[n++] = (stoa_range){index->n_ordered + store->n_missing, store->n_nan};
    }
    return n;
}

/* Whether the search would decode more chunks of the column than it has. A search for an interval
 * looks at some PROBES rows anywhere. */
static stoa_status is_dear(const stoa_index *index, size_t n_intervals, bool *is, stoa_error *err)
{
    enum { PROBES = 12 };
    const stoa_column *column = index->store.column;
    const uint64_t n_chunks = stoa_index_n_chunks(column, index->store.n_rows);
    const stoa_direct *direct = NULL;

    *is = false;
    if (!stoa_sorted_is_covered(&index->store) && n_chunks > PROBES &&
        n_intervals > n_chunks / PROBES) {
        STOA_RETURN_NOT_OK(stoa_column_direct(index->store.column, &direct, err));
        *is = direct != NULL && !stoa_direct_picks(direct);
    }
    return STOA_OK;
}

/* Find the ranks of the rows that pass. *is_worth is false if a list of them is impossible or not
 * worthwhile. */
static stoa_status find_ranks(const stoa_index *index, const stoa_test *test, stoa_rowset *ranks,
                              bool *is_worth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t n = 0;
    bool dear = false;
    stoa_range *ranges = stoa_alloc(test->n_intervals + 2, sizeof *ranges);

    *is_worth = true;
    STOA_TRY(ranges != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(is_dear(index, test->n_intervals, &dear, err));
    if (dear) {
        *is_worth = false;
        goto done;
    }
    for (; n < test->n_intervals; n++) {
        const stoa_interval *interval = &test->intervals[n];
        if ((interval->has_low && !is_comparable(index->store.column, &interval->low)) ||
            (interval->has_high && !is_comparable(index->store.column, &interval->high))) {
            *is_worth = false;
            goto done;
        }
        STOA_TRY(find_interval(index, interval, &ranges[n], err));
    }
    n += find_tails(index, test, ranges + n);
    qsort(ranges, n, sizeof *ranges, order_ranges);
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(stoa_rowset_push(ranks, ranges[i].first, ranges[i].count, err));
    }
    const uint64_t n_listed = stoa_rowset_count(ranks);
    *is_worth =
        n_listed <= FEW_ROWS || (n_listed <= index->store.n_rows / 8 && n_listed <= max_listed);

done:
    free(ranges);
    return status;
}

stoa_status stoa_sorted_estimate(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                                 stoa_error *err)
{
    stoa_rowset ranks = {0};
    bool is_worth = false;
    const stoa_status status = find_ranks(index, test, &ranks, &is_worth, err);

    *n_rows = status == STOA_OK && is_worth ? stoa_rowset_count(&ranks) : index->store.n_rows;
    stoa_rowset_clear(&ranks);
    return status;
}

/* --- Rows ------------------------------------------------------------------------------------ */

/* Sort rows with a bitmap. */
static stoa_status push_bits(const uint64_t *rows, uint64_t n, uint64_t n_rows, stoa_rowset *set,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_words = n_rows / 64 + 1;
    uint64_t *words = stoa_alloc_zero((size_t)n_words, sizeof *words);

    STOA_TRY(words != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < n; i++) {
        words[rows[i] / 64] |= UINT64_C(1) << (rows[i] % 64);
    }
    for (uint64_t i = 0; i < n_words; i++) {
        for (uint64_t word = words[i]; word != 0; word &= word - 1) {
            STOA_TRY(stoa_rowset_push(set, i * 64 + (uint64_t)__builtin_ctzll(word), 1, err));
        }
    }

done:
    free(words);
    return status;
}

static stoa_status push_sorted(uint64_t *rows, uint64_t n, stoa_rowset *set, stoa_error *err)
{
    qsort(rows, (size_t)n, sizeof *rows, stoa_order_u64);
    for (uint64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_rowset_push(set, rows[i], 1, err));
    }
    return STOA_OK;
}

static stoa_status list_rows(const stoa_index *index, const stoa_rowset *ranks, stoa_rowset *set,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_rows = index->store.n_rows;
    const uint64_t n = stoa_rowset_count(ranks);
    uint64_t *rows = stoa_alloc((size_t)n, sizeof *rows);
    uint64_t at = 0;

    STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_rowset_reserve(set, (size_t)n, err));
    for (size_t i = 0; i < ranks->n_ranges; i++) {
        STOA_TRY(stoa_sorted_read_rows(&index->store, ranks->ranges[i].first,
                                       ranks->ranges[i].count, rows + at, err));
        at += ranks->ranges[i].count;
    }
    STOA_TRY(n > FEW_ROWS && n_rows / BITS_PER_ROW < n ? push_bits(rows, n, n_rows, set, err)
                                                       : push_sorted(rows, n, set, err));

done:
    free(rows);
    return status;
}

stoa_status stoa_sorted_prune(const stoa_index *index, const stoa_test *test,
                              stoa_rowset *candidates, stoa_rowset *certain, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rowset ranks = {0};
    bool is_worth = false;

    candidates->n_ranges = 0;
    certain->n_ranges = 0;
    STOA_TRY(find_ranks(index, test, &ranks, &is_worth, err));
    if (!is_worth) {
        STOA_TRY(stoa_rowset_push(candidates, 0, index->store.n_rows, err));
        goto done;
    }
    STOA_TRY(list_rows(index, &ranks, candidates, err));
    STOA_TRY(stoa_rowset_copy(candidates, certain, err));

done:
    stoa_rowset_clear(&ranks);
    return status;
}

/* --- The order ------------------------------------------------------------------------------- */

void stoa_sorted_ranks(const stoa_index *index, uint64_t *n_ordered, uint64_t *n_missing,
                       uint64_t *n_nan)
{
    const bool nan_is_missing = index->store.column->fill_is_nan;

    *n_ordered = index->n_ordered;
    *n_missing = nan_is_missing ? index->store.n_nan : index->store.n_missing;
    *n_nan = nan_is_missing ? 0 : index->store.n_nan;
}

stoa_status stoa_sorted_ranked(const stoa_index *index, uint64_t first, uint64_t count,
                               uint64_t *rows, stoa_error *err)
{
    if (first > index->store.n_rows || count > index->store.n_rows - first) {
        return stoa_fail(err, STOA_ERANGE, "%llu ranks from %llu on pass the %llu of the index",
                         (unsigned long long)count, (unsigned long long)first,
                         (unsigned long long)index->store.n_rows);
    }
    return stoa_sorted_read_rows(&index->store, first, count, rows, err);
}

/* Codes are not ordered by label, so dictionaries have no range. */
bool stoa_sorted_summary(const stoa_index *index, uint64_t *n_missing, char *low, char *high,
                         size_t size)
{
    const stoa_column *column = index->store.column;
    uint64_t n_nan = 0;
    uint64_t n_ordered = 0;
    stoa_scalar value;

    stoa_sorted_ranks(index, &n_ordered, n_missing, &n_nan);
    low[0] = high[0] = '\0';
    if (n_ordered == 0 || column->type.kind == STOA_KIND_DICTIONARY) {
        return true;
    }
    if (stoa_sorted_value_at(index, 0, &value, NULL) != STOA_OK) {
        return false;
    }
    stoa_scalar_text(column, &value, low, size);
    if (stoa_sorted_value_at(index, n_ordered - 1, &value, NULL) != STOA_OK) {
        return false;
    }
    stoa_scalar_text(column, &value, high, size);
    return true;
}
