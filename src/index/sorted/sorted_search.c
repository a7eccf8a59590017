/*
 * Binary search in a SORTED_ROWS index (HEP001 §10.5).
 *
 * The search first uses the fences, which are in memory, then one block of sorted values. Without
 * covering datasets it reads the column itself.
 */
#include "index/sorted/sorted_search.h"

#include <stdlib.h>

#include "index/common/order.h"

/* Larger fences are not kept in memory. */
static const uint64_t max_fence_bytes = 64u << 20;
/* Size of a window of cached values: one cell of hdf/read/direct_rows.c, which is read at once for
 * few values. */
enum { FENCE_BATCH = 256, WINDOW_RANKS = 256, WINDOW_BYTES = 2048 };

/* --- Opening --------------------------------------------------------------------------------- */

static void forget_fences(stoa_index *index)
{
    if (index->fences != NULL) {
        stoa_element_reclaim(&index->store.column->element, index->fences, (size_t)index->n_fences);
    }
    free(index->fences);
    index->fences = NULL;
    index->n_fences = 0;
}

/* Bytes of variable-length strings, beyond the elements. */
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

/* Whether the fences are in order and free of NaN. Keys are compared, since there may be many
 * fences. */
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

/* Read the fences in batches, to notice excessively long strings early. STOA_EDATA if the fences
 * are unusable. */
static stoa_status read_fences(stoa_index *index, stoa_error *err)
{
    const uint64_t n = stoa_sorted_n_fences(index->n_ordered);
    const size_t size = index->store.column->element.size;
    uint64_t n_bytes = n * size;

    if (n > max_fence_bytes / size) {
        return STOA_OK; /* the search then starts in the sorted values */
    }
    index->fences = stoa_alloc_zero((size_t)n, size);
    STOA_RETURN_NO_MEMORY(err, index->fences);
    for (uint64_t at = 0; at < n; at += FENCE_BATCH) {
        const uint64_t count = n - at < FENCE_BATCH ? n - at : FENCE_BATCH;
        STOA_RETURN_NOT_OK(stoa_sorted_read_values(&index->store, index->store.fences, at, count,
                                                   index->fences + at * size, err));
        index->n_fences = at + count;
        n_bytes += count_text(index, at);
        if (n_bytes > max_fence_bytes) {
            forget_fences(index);
            return STOA_OK;
        }
    }
    if (!are_ordered(index)) {
        return stoa_fail(err, STOA_EDATA, "the fences are out of order");
    }
    return STOA_OK;
}

/* Open the fences. If covering datasets are damaged, the index is used without them. */
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

static stoa_status make_window(size_t item_size, stoa_byte_matrix_part **made, stoa_error *err)
{
    const uint64_t fitting = WINDOW_BYTES / item_size;

    *made = stoa_alloc_zero(1, sizeof **made);
    STOA_RETURN_NO_MEMORY(err, *made);
    (*made)->capacity = fitting > WINDOW_RANKS ? WINDOW_RANKS : fitting > 0 ? fitting : 1;
    (*made)->items = stoa_alloc_zero((size_t)(*made)->capacity, item_size);
    return (*made)->items != NULL ? STOA_OK : stoa_fail_memory(err);
}

static void free_window(stoa_byte_matrix_part *made)
{
    if (made != NULL) {
        free(made->items);
    }
    free(made);
}

static void forget_values(const stoa_index *index)
{
    stoa_byte_matrix_part *const values = index->values;

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
    STOA_RETURN_NO_MEMORY(err, opened);
    STOA_TRY(stoa_sorted_open(&opened->store, column, dataset, n_rows, NULL, err));
    opened->n_ordered = stoa_sorted_n_ordered(&opened->store);
    STOA_TRY(open_fences(opened, err));
    STOA_TRY(make_window(column->element.size, &opened->values, err));
    STOA_TRY(make_window(sizeof(uint64_t), &opened->rows, err));
    opened->probe = stoa_alloc_zero(1, sizeof *opened->probe);
    STOA_TRY(opened->probe != NULL ? STOA_OK : stoa_fail_memory(err));
    *index = opened;
    opened = NULL;

done:
    stoa_sorted_index_close(opened);
    return status;
}

/* --- The value at a rank --------------------------------------------------------------------- */

/* Whether the window contains the rank. If not, *first and *count are the window to read. */
static bool is_in_window(const stoa_byte_matrix_part *w, uint64_t rank, uint64_t end,
                         uint64_t *first, uint64_t *count)
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
    stoa_byte_matrix_part *const rows = index->rows;
    uint64_t first = 0;
    uint64_t count = 0;

    if (!is_in_window(rows, rank, index->store.n_rows, &first, &count)) {
        rows->count = 0;
        STOA_RETURN_NOT_OK(stoa_sorted_read_rows(&index->store, first, count, rows->items, err));
        rows->first = first;
        rows->count = count;
    }
    *row = ((const uint64_t *)rows->items)[rank - rows->first];
    return STOA_OK;
}

/* Read the value from the column. */
static stoa_status probe(const stoa_index *index, uint64_t rank, const uint8_t **value,
                         stoa_error *err)
{
    stoa_column *column = index->store.column;
    uint64_t row = 0;

    STOA_RETURN_NOT_OK(row_at(index, rank, &row, err));
    stoa_block_clear(&column->element, index->probe);
    STOA_RETURN_NOT_OK(stoa_block_read(column, row, 1, index->probe, err));
    *value = index->probe->elements;
    return STOA_OK;
}

stoa_status stoa_sorted_value_at(const stoa_index *index, uint64_t rank, stoa_scalar *value,
                                 stoa_error *err)
{
    const stoa_column *column = index->store.column;
    stoa_byte_matrix_part *const values = index->values;
    const uint8_t *element = NULL;
    uint64_t first = 0;
    uint64_t count = 0;

    if (!stoa_sorted_is_covered(&index->store)) {
        STOA_RETURN_NOT_OK(probe(index, rank, &element, err));
    } else {
        if (!is_in_window(values, rank, index->n_ordered, &first, &count)) {
            forget_values(index);
            STOA_RETURN_NOT_OK(stoa_sorted_read_values(&index->store, index->store.values, first,
                                                       count, values->items, err));
            values->first = first;
            values->count = count;
        }
        element = (const uint8_t *)values->items + (rank - values->first) * column->element.size;
    }
    *value = stoa_scalar_of(column, element);
    return STOA_OK;
}

/* --- The first rank past a bound -------------------------------------------------------------- */

/* Whether a value is past a bound: above it, or at it if `or_equal`. Returns false if they are
 * incomparable. */
static bool is_behind(const stoa_scalar *value, const stoa_scalar *bound, bool or_equal,
                      bool *behind)
{
    int order = 0;
    const bool has_order = stoa_scalar_compare(value, bound, &order);

    *behind = order > 0 || (or_equal && order == 0);
    return has_order;
}

/* Find the first fence past the bound. */
static uint64_t find_fence(const stoa_index *index, const stoa_scalar *bound, bool or_equal)
{
    uint64_t low = 0;
    uint64_t high = index->n_fences;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const stoa_scalar fence = stoa_scalar_of(
            index->store.column, index->fences + middle * index->store.column->element.size);
        bool behind = false;
        (void)is_behind(&fence, bound, or_equal, &behind); /* fences are ordered */
        if (behind) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* The ranks that may include the first one past the bound; otherwise the result is `high`. */
typedef struct search {
    const stoa_index *index;
    const stoa_scalar *bound;
    bool or_equal;
    uint64_t low;
    uint64_t high;
} search;

static bool number_of(const stoa_scalar *value, double *number)
{
    switch (value->kind) {
    case STOA_SCALAR_I64:
        *number = (double)value->as.i64;
        return true;
    case STOA_SCALAR_U64:
        *number = (double)value->as.u64;
        return true;
    case STOA_SCALAR_F64:
        *number = value->as.f64;
        return true;
    default:
        return false;
    }
}

static bool fence_number(const stoa_index *index, uint64_t fence, double *number)
{
    const size_t size = index->store.column->element.size;
    const stoa_scalar value = stoa_scalar_of(index->store.column, index->fences + fence * size);

    return number_of(&value, number);
}

/* Interpolate between two fences as if numbers were evenly spread. The result is often close. */
static uint64_t guess(const search *s, uint64_t fence)
{
    const uint64_t n = s->high - s->low;
    double bound = 0;
    double below = 0;
    double above = 0;

    if (fence == 0 || fence >= s->index->n_fences || !number_of(s->bound, &bound) ||
        !fence_number(s->index, fence - 1, &below) || !fence_number(s->index, fence, &above)) {
        return s->low + n / 2;
    }
    const double part = (bound - below) / (above - below);
    return part > 0 && part < 1 ? s->low + (uint64_t)(part * (double)(n - 1)) : s->low + n / 2;
}

static stoa_status is_rank_behind(const search *s, uint64_t rank, bool *behind, stoa_error *err)
{
    stoa_scalar value;

    STOA_RETURN_NOT_OK(stoa_sorted_value_at(s->index, rank, &value, err));
    if (!is_behind(&value, s->bound, s->or_equal, behind)) {
        return stoa_fail(err, STOA_EDATA, "rank %llu of a sorted index has no order (HEP001 §10.5)",
                         (unsigned long long)rank);
    }
    return STOA_OK;
}

/* Bisect the remaining ranks. */
static stoa_status bisect(search *s, stoa_error *err)
{
    bool behind = false;

    while (s->low < s->high) {
        const uint64_t middle = s->low + (s->high - s->low) / 2;
        STOA_RETURN_NOT_OK(is_rank_behind(s, middle, &behind, err));
        if (behind) {
            s->high = middle;
        } else {
            s->low = middle + 1;
        }
    }
    return STOA_OK;
}

/* Visit the window of a rank. If it contains the result, search it; otherwise exclude it. */
static stoa_status search_window(search *s, uint64_t rank, bool *went_down, stoa_error *err)
{
    const uint64_t length = s->index->values->capacity;
    const uint64_t first = rank / length * length;
    const uint64_t low = first > s->low ? first : s->low;
    const uint64_t end = s->high - first < length ? s->high : first + length;
    bool behind = false;

    STOA_RETURN_NOT_OK(is_rank_behind(s, low, &behind, err));
    *went_down = behind;
    if (behind) {
        s->high = low;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(is_rank_behind(s, end - 1, &behind, err));
    if (!behind) {
        s->low = end;
        return STOA_OK;
    }
    s->low = low;
    s->high = end;
    return bisect(s, err);
}

/* Search by windows: first the interpolated one, then its neighbour, then bisection. */
static stoa_status search_windows(search *s, uint64_t fence, stoa_error *err)
{
    bool went_down = false;

    for (int n = 0; s->low < s->high; n++) {
        const uint64_t middle = n == 0      ? guess(s, fence)
                                : n > 1     ? s->low + (s->high - s->low) / 2
                                : went_down ? s->high - 1
                                            : s->low;
        STOA_RETURN_NOT_OK(search_window(s, middle, &went_down, err));
    }
    return STOA_OK;
}

/* Values mostly repeat little, so the upper bound of a value is often next to its lower bound. */
static stoa_status search_near(search *s, bool *found, stoa_error *err)
{
    enum { NEAR = 2 };

    *found = false;
    for (int n = 0; n < NEAR && s->low < s->high && !*found; n++) {
        STOA_RETURN_NOT_OK(is_rank_behind(s, s->low, found, err));
        s->low += *found ? 0 : 1;
    }
    return STOA_OK;
}

stoa_status stoa_sorted_find_rank(const stoa_index *index, const stoa_scalar *bound, bool or_equal,
                                  uint64_t from, uint64_t *rank, stoa_error *err)
{
    search s = {index, bound, or_equal, from, index->n_ordered};
    bool found = false;
    uint64_t fence = 0;

    if (from > 0) {
        STOA_RETURN_NOT_OK(search_near(&s, &found, err));
    }
    if (!found && index->fences != NULL) {
        fence = find_fence(index, bound, or_equal);
        const uint64_t first = fence > 0 ? (fence - 1) * STOA_FENCE_RANKS + 1 : 0;
        s.low = first > s.low ? first : s.low;
        s.high = fence < index->n_fences ? fence * STOA_FENCE_RANKS : index->n_ordered;
    }
    if (!found) {
        STOA_RETURN_NOT_OK(stoa_sorted_is_covered(&index->store) ? search_windows(&s, fence, err)
                                                                 : bisect(&s, err));
    }
    *rank = s.low;
    return STOA_OK;
}
