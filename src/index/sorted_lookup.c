/*
 * Looking things up in a SORTED_ROWS index (HEP001 §10.5).
 *
 * An interval of values is a range of ranks, found by binary search: among the fences, which are
 * held in memory, then in one block of sorted values; without those, in the column itself. The rows
 * at these ranks are what is asked for. Everything read is checked: rows lie in the table, values
 * have an order. Values that are out of order lead to wrong ranks, never out of bounds.
 */
#include <stdlib.h>

#include "column/block.h"
#include "index/order.h"
#include "index/sorted.h"

/* Fences of more bytes are not kept; a list of more rows, or of more than an eighth of them (and
 * more than FEW_ROWS), is not made. */
static const uint64_t max_fence_bytes = 64u << 20;
static const uint64_t max_listed = 8u << 20;
enum { FEW_ROWS = 1024, FENCE_BATCH = 256, WINDOW_BYTES = 1 << 16 };

/* Values or rows read last: ranks [first, first + count). */
typedef struct window {
    uint64_t first;
    uint64_t count;
    uint64_t capacity;
    void *items;
} window;

struct stoa_index {
    stoa_sorted_store store;
    uint64_t n_ordered;
    uint8_t *fences; /* NULL: none */
    uint64_t n_fences;
    window *values; /* looking does not change the index, but what was read last */
    window *rows;
    stoa_block *probe; /* one row of the column, where there are no sorted values */
};

/* --- opened ---------------------------------------------------------------------------------- */

static void forget_fences(stoa_index *index)
{
    if (index->fences != NULL) {
        stoa_element_reclaim(&index->store.column->element, index->fences, (size_t)index->n_fences);
    }
    free(index->fences);
    index->fences = NULL;
    index->n_fences = 0;
}

/* Bytes of variable strings, beyond the elements. */
static uint64_t count_text(const stoa_index *index, uint64_t first)
{
    uint64_t n = 0;

    if (index->store.column->element.class == STOA_ELEMENT_STRING) {
        for (uint64_t i = first; i < index->n_fences; i++) {
            n += stoa_scalar_of(index->store.column, index->fences + i * sizeof(char *))
                     .as.bytes.length;
        }
    }
    return n;
}

/* Whether the fences are in order; a NaN is in none. There may be many, so their keys are
 * compared. */
static bool are_ordered(const stoa_index *index)
{
    const stoa_column *column = index->store.column;
    stoa_sort_record before = {0};

    for (uint64_t i = 0; i < index->n_fences; i++) {
        stoa_sort_record record = {0};
        if (!stoa_record_of(column, index->fences + i * column->element.size, &record) ||
            (i > 0 && stoa_record_compare(&before, &record) > 0)) {
            return false;
        }
        before = record;
    }
    return true;
}

/* Read the fences batch by batch, so that strings without end are noticed. STOA_EDATA if they are
 * of no use. */
static stoa_status read_fences(stoa_index *index, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n = stoa_sorted_n_fences(index->n_ordered);
    const size_t size = index->store.column->element.size;
    uint64_t n_bytes = n * size;

    if (n > max_fence_bytes / size) {
        return STOA_OK; /* the search begins in the sorted values then */
    }
    index->fences = stoa_alloc_zero((size_t)n, size);
    if (index->fences == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (uint64_t at = 0; at < n; at += FENCE_BATCH) {
        const uint64_t count = n - at < FENCE_BATCH ? n - at : FENCE_BATCH;
        STOA_TRY(stoa_sorted_read_values(&index->store, index->store.fences, at, count,
                                         index->fences + at * size, err));
        index->n_fences = at + count;
        n_bytes += count_text(index, at);
        if (n_bytes > max_fence_bytes) {
            forget_fences(index);
            return STOA_OK;
        }
    }
    if (!are_ordered(index)) {
        STOA_FAIL(err, STOA_EDATA, "the fences are out of order");
    }

done:
    return status;
}

/* The index is used without what covers it, if that is damaged. */
static stoa_status open_fences(stoa_index *index, stoa_error *err)
{
    stoa_error damage = STOA_ERROR_INIT;

    if (!stoa_sorted_is_covered(&index->store)) {
        return STOA_OK;
    }
    const stoa_status status = read_fences(index, &damage);
    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    if (status != STOA_OK) {
        forget_fences(index);
        (void)stoa_hdf_close(&index->store.values, STOA_OK, NULL);
        (void)stoa_hdf_close(&index->store.fences, STOA_OK, NULL);
    }
    return STOA_OK;
}

static stoa_status make_window(size_t item_size, window **made, stoa_error *err)
{
    const uint64_t fitting = WINDOW_BYTES / item_size;

    *made = stoa_alloc_zero(1, sizeof **made);
    if (*made == NULL) {
        return stoa_fail_memory(err);
    }
    (*made)->capacity = fitting > STOA_FENCE_RANKS ? STOA_FENCE_RANKS : fitting > 0 ? fitting : 1;
    (*made)->items = stoa_alloc_zero((size_t)(*made)->capacity, item_size);
    return (*made)->items != NULL ? STOA_OK : stoa_fail_memory(err);
}

static void free_window(window *made)
{
    if (made != NULL) {
        free(made->items);
    }
    free(made);
}

static void forget_values(const stoa_index *index)
{
    window *const values = index->values;

    if (values != NULL && values->count > 0) {
        stoa_element_reclaim(&index->store.column->element, values->items, (size_t)values->count);
        values->count = 0;
    }
}

void stoa_sorted_index_close(stoa_index *index)
{
    if (index != NULL) {
        forget_fences(index);
        forget_values(index);
        free_window(index->values);
        free_window(index->rows);
        if (index->probe != NULL) {
            stoa_block_clear(&index->store.column->element, index->probe);
        }
        free(index->probe);
        (void)stoa_sorted_close(&index->store, STOA_OK, NULL);
        free(index);
    }
}

stoa_status stoa_sorted_index_open(stoa_column *column, hid_t dataset, uint64_t n_rows,
                                   stoa_index **index, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index *opened = stoa_alloc_zero(1, sizeof *opened);

    *index = NULL;
    if (opened == NULL) {
        return stoa_fail_memory(err);
    }
    STOA_TRY(stoa_sorted_open(&opened->store, column, dataset, n_rows, NULL, err));
    opened->n_ordered = stoa_sorted_n_ordered(&opened->store);
    STOA_TRY(open_fences(opened, err));
    STOA_TRY(make_window(column->element.size, &opened->values, err));
    STOA_TRY(make_window(sizeof(uint64_t), &opened->rows, err));
    opened->probe = stoa_alloc_zero(1, sizeof *opened->probe);
    if (opened->probe == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    *index = opened;
    opened = NULL;

done:
    stoa_sorted_index_close(opened);
    return status;
}

/* --- the value at a rank --------------------------------------------------------------------- */

/* Whether the window holds the rank; else where it is to begin, and how much it is to hold. */
static bool is_in_window(const window *w, uint64_t rank, uint64_t end, uint64_t *first,
                         uint64_t *count)
{
    if (rank >= w->first && rank - w->first < w->count) {
        return true;
    }
    *first = rank / w->capacity * w->capacity;
    *count = end - *first < w->capacity ? end - *first : w->capacity;
    return false;
}

static stoa_status row_at(const stoa_index *index, uint64_t rank, uint64_t *row, stoa_error *err)
{
    stoa_status status = STOA_OK;
    window *const rows = index->rows;
    uint64_t first = 0;
    uint64_t count = 0;

    if (!is_in_window(rows, rank, index->store.n_rows, &first, &count)) {
        rows->count = 0;
        STOA_TRY(stoa_sorted_read_rows(&index->store, first, count, rows->items, err));
        rows->first = first;
        rows->count = count;
    }
    *row = ((const uint64_t *)rows->items)[rank - rows->first];

done:
    return status;
}

/* In the column itself. */
static stoa_status probe(const stoa_index *index, uint64_t rank, const uint8_t **value,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = index->store.column;
    uint64_t row = 0;

    STOA_TRY(row_at(index, rank, &row, err));
    stoa_block_clear(&column->element, index->probe);
    STOA_TRY(stoa_block_read(column, row, 1, index->probe, err));
    *value = index->probe->elements;

done:
    return status;
}

/* The value at an ordered rank; borrowed until the next one is asked for. */
static stoa_status value_at(const stoa_index *index, uint64_t rank, stoa_scalar *value,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = index->store.column;
    window *const values = index->values;
    const uint8_t *element = NULL;
    uint64_t first = 0;
    uint64_t count = 0;

    if (!stoa_sorted_is_covered(&index->store)) {
        STOA_TRY(probe(index, rank, &element, err));
    } else {
        if (!is_in_window(values, rank, index->n_ordered, &first, &count)) {
            forget_values(index);
            STOA_TRY(stoa_sorted_read_values(&index->store, index->store.values, first, count,
                                             values->items, err));
            values->first = first;
            values->count = count;
        }
        element = (const uint8_t *)values->items + (rank - values->first) * column->element.size;
    }
    *value = stoa_scalar_of(column, element);

done:
    return status;
}

/* --- ranks of a test ------------------------------------------------------------------------- */

/* Whether a value lies behind a bound: above it, or, if `or_equal`, at it. */
static bool is_behind(const stoa_scalar *value, const stoa_scalar *bound, bool or_equal,
                      bool *behind)
{
    int order = 0;
    const bool has_order = stoa_scalar_compare(value, bound, &order);

    *behind = order > 0 || (or_equal && order == 0);
    return has_order;
}

/* The first fence behind the bound. */
static uint64_t find_fence(const stoa_index *index, const stoa_scalar *bound, bool or_equal)
{
    uint64_t low = 0;
    uint64_t high = index->n_fences;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const stoa_scalar fence = stoa_scalar_of(
            index->store.column, index->fences + middle * index->store.column->element.size);
        bool behind = false;
        (void)is_behind(&fence, bound, or_equal, &behind); /* fences have an order */
        if (behind) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* The first ordered rank whose value is behind the bound. */
static stoa_status find_rank(const stoa_index *index, const stoa_scalar *bound, bool or_equal,
                             uint64_t *rank, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t low = 0;
    uint64_t high = index->n_ordered;

    if (index->fences != NULL) {
        const uint64_t fence = find_fence(index, bound, or_equal);
        low = fence > 0 ? (fence - 1) * STOA_FENCE_RANKS + 1 : 0;
        high = fence < index->n_fences ? fence * STOA_FENCE_RANKS : index->n_ordered;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        stoa_scalar value;
        bool behind = false;
        STOA_TRY(value_at(index, middle, &value, err));
        if (!is_behind(&value, bound, or_equal, &behind)) {
            STOA_FAIL(err, STOA_EDATA, "rank %llu of a sorted index has no order (HEP001 §10.5)",
                      (unsigned long long)middle);
        }
        if (behind) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *rank = low;

done:
    return status;
}

/* Can the column's values be compared with it at all? */
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
    stoa_status status = STOA_OK;
    uint64_t low = 0;
    uint64_t high = index->n_ordered;

    if (interval->has_low) {
        STOA_TRY(find_rank(index, &interval->low, !interval->low_open, &low, err));
    }
    if (interval->has_high) {
        STOA_TRY(find_rank(index, &interval->high, interval->high_open, &high, err));
    }
    *ranks = (stoa_range){low, high > low ? high - low : 0};

done:
    return status;
}

static int order_ranges(const void *a, const void *b)
{
    const stoa_range *x = a;
    const stoa_range *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* The tails a test asks for; with a NaN fill, NaN is missing and never data (§8.5). */
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

/* The ranks of the rows that pass. *is_worth is false where a list of them is not worth making, or
 * cannot be made. */
static stoa_status find_ranks(const stoa_index *index, const stoa_test *test, stoa_rowset *ranks,
                              bool *is_worth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t n = 0;
    stoa_range *ranges = stoa_alloc(test->n_intervals + 2, sizeof *ranges);

    *is_worth = true;
    if (ranges == NULL) {
        STOA_TRY(stoa_fail_memory(err));
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

/* --- rows of ranks --------------------------------------------------------------------------- */

static int order_rows(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Many rows of not too many more: a bit each sorts them faster. */
static stoa_status push_bits(const uint64_t *rows, uint64_t n, uint64_t n_rows, stoa_rowset *set,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_words = n_rows / 64 + 1;
    uint64_t *words = stoa_alloc_zero((size_t)n_words, sizeof *words);

    if (words == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (uint64_t i = 0; i < n; i++) {
        words[rows[i] / 64] |= UINT64_C(1) << (rows[i] % 64);
    }
    for (uint64_t i = 0; i < n_words; i++) {
        for (uint64_t word = words[i]; word != 0; word &= word - 1) {
            STOA_TRY(stoa_rowset_push(set, i * 64 + (unsigned)__builtin_ctzll(word), 1, err));
        }
    }

done:
    free(words);
    return status;
}

static stoa_status push_sorted(uint64_t *rows, uint64_t n, stoa_rowset *set, stoa_error *err)
{
    stoa_status status = STOA_OK;

    qsort(rows, (size_t)n, sizeof *rows, order_rows);
    for (uint64_t i = 0; i < n; i++) {
        STOA_TRY(stoa_rowset_push(set, rows[i], 1, err));
    }

done:
    return status;
}

static stoa_status list_rows(const stoa_index *index, const stoa_rowset *ranks, stoa_rowset *set,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_rows = index->store.n_rows;
    const uint64_t n = stoa_rowset_count(ranks);
    uint64_t *rows = stoa_alloc((size_t)n, sizeof *rows);
    uint64_t at = 0;

    if (rows == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (size_t i = 0; i < ranks->n_ranges; i++) {
        STOA_TRY(stoa_sorted_read_rows(&index->store, ranks->ranges[i].first,
                                       ranks->ranges[i].count, rows + at, err));
        at += ranks->ranges[i].count;
    }
    STOA_TRY(n > FEW_ROWS && n_rows / 64 < n ? push_bits(rows, n, n_rows, set, err)
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
    for (size_t i = 0; i < candidates->n_ranges; i++) {
        STOA_TRY(stoa_rowset_push(certain, candidates->ranges[i].first, candidates->ranges[i].count,
                                  err));
    }

done:
    stoa_rowset_clear(&ranks);
    return status;
}

/* --- the order itself ------------------------------------------------------------------------ */

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
        return stoa_fail(err, STOA_ERANGE, "ranks %llu to %llu pass the %llu of the index",
                         (unsigned long long)first, (unsigned long long)(first + count),
                         (unsigned long long)index->store.n_rows);
    }
    return stoa_sorted_read_rows(&index->store, first, count, rows, err);
}

/* Codes are in an order that says nothing about labels, so dictionaries have no range to show. */
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
    if (value_at(index, 0, &value, NULL) != STOA_OK) {
        return false;
    }
    stoa_scalar_text(column, &value, low, size);
    if (value_at(index, n_ordered - 1, &value, NULL) != STOA_OK) {
        return false;
    }
    stoa_scalar_text(column, &value, high, size);
    return true;
}
