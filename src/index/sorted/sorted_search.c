/*
 * Binary search in a SORTED_ROWS index (HEP001 §10.5).
 *
 * The search first uses the fences, which are in memory, then single rows of the column, where
 * numbers are assumed to be evenly spread. An index of older Stoa has covering datasets: then it is
 * one block of sorted values. What is found is confirmed, since fences are hints.
 */
#include "index/sorted/sorted_search.h"

#include <math.h>
#include <stdlib.h>

#include "index/common/order.h"

/* More fences are not kept in memory. */
static const uint64_t max_fence_bytes = 64u << 20;
/* Size of a window of cached values: one cell of hdf/read/direct_rows.c, which is read at once for
 * few values. */
enum { FENCE_BATCH = 256, WINDOW_RANKS = 256, WINDOW_BYTES = 2048 };

/* --- Opening --------------------------------------------------------------------------------- */

/* Add fences of a covering dataset. STOA_EDATA if they are unusable. */
static stoa_status add_fences(stoa_index *index, const uint8_t *elements, uint64_t n,
                              stoa_error *err)
{
    const stoa_column *column = index->store.column;
    stoa_fences *const fences = &index->fences;

    for (uint64_t i = 0; i < n; i++) {
        stoa_sort_record record = {0};
        if (!stoa_record_of(column, elements + i * column->element.size, &record) ||
            (fences->n > 0 && fences->items[fences->n - 1].key > record.key)) {
            return stoa_fail(err, STOA_EDATA, "the fences are out of order");
        }
        fences->items[fences->n] = (stoa_fence){record.key, fences->n * STOA_FENCE_RANKS};
        fences->n++;
    }
    return STOA_OK;
}

static stoa_status read_covering_fences(stoa_index *index, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &index->store.column->element;
    const uint64_t n = stoa_sorted_n_fences(index->n_ordered);
    uint8_t *elements = NULL;

    if (n > max_fence_bytes / sizeof *index->fences.items) {
        return STOA_OK; /* the search then starts in the sorted values */
    }
    index->fences.items = stoa_alloc((size_t)n, sizeof *index->fences.items);
    elements = stoa_alloc_zero(FENCE_BATCH, element->size);
    STOA_TRY(index->fences.items != NULL && elements != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t at = 0; at < n; at += FENCE_BATCH) {
        const uint64_t count = n - at < FENCE_BATCH ? n - at : FENCE_BATCH;
        STOA_TRY(
            stoa_sorted_read_values(&index->store, index->store.fences, at, count, elements, err));
        status = add_fences(index, elements, count, err);
        stoa_element_reclaim(element, elements, (size_t)count);
        STOA_TRY(status);
    }

done:
    free(elements);
    return status;
}

/* Open the fences. If covering datasets are damaged, the index is used without them. */
static stoa_status open_fences(stoa_index *index, stoa_error *err)
{
    stoa_error damage = STOA_ERROR_INIT;

    if (!stoa_sorted_is_covered(&index->store)) {
        return stoa_fences_read(&index->fences, index->store.rows, index->n_ordered, NULL, err);
    }
    const stoa_status status = read_covering_fences(index, &damage);
    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    if (status != STOA_OK) {
        stoa_fences_clear(&index->fences);
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
        stoa_fences_clear(&index->fences);
        forget_values(index);
        free_window(index->values);
        free_window(index->rows);
        if (index->probe != NULL) {
            stoa_block_clear(&index->store.column->element, index->probe);
        }
        free(index->probe);
        free(index->element);
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
    opened->element = stoa_alloc_zero(1, column->element.size);
    STOA_TRY(opened->probe != NULL && opened->element != NULL ? STOA_OK : stoa_fail_memory(err));
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
    if (!stoa_element_is_variable(&column->element)) {
        *value = index->element;
        return stoa_column_read_into(column, row, 1, index->element, err);
    }
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

/* The number of a scalar, if it has one. */
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

/* The ranks that may include the first one past the bound; otherwise the result is `high`. */
typedef struct search {
    const stoa_index *index;
    const stoa_scalar *bound;
    bool or_equal;
    uint64_t low;
    uint64_t high;
    double below; /* a number at or below the lowest of these values, NaN if none is known */
    double above; /* one at or above the highest of them */
} search;

static search begin_search(const stoa_index *index, const stoa_scalar *bound, bool or_equal,
                           uint64_t from)
{
    return (search){index, bound, or_equal, from, index->n_ordered, NAN, NAN};
}

/* --- Fences ---------------------------------------------------------------------------------- */

/* A fence's place: before the bound, behind it, or unknown, where its key is but the beginning of
 * bytes. */
typedef enum side { BEFORE, BEHIND, UNKNOWN } side;

static side side_of(const search *s, const stoa_fence *fence, stoa_scalar *value)
{
    const stoa_column *column = s->index->store.column;
    uint64_t element = 0;
    bool behind = false;

    if (stoa_key_is_bytes(&column->element)) {
        const uint64_t key =
            s->bound->kind == STOA_SCALAR_BYTES
                ? stoa_key_of_bytes(s->bound->as.bytes.data, s->bound->as.bytes.length)
                : fence->key;
        *value = *s->bound;
        return fence->key > key ? BEHIND : fence->key < key ? BEFORE : UNKNOWN;
    }
    stoa_key_restore(&column->element, fence->key, &element);
    *value = stoa_scalar_of(column, (const uint8_t *)&element);
    return !is_behind(value, s->bound, s->or_equal, &behind) ? UNKNOWN : behind ? BEHIND : BEFORE;
}

/* The first fence that is not before the bound, or the first one that is behind it. */
static size_t find_fence(const search *s, bool is_behind_it)
{
    const stoa_fences *fences = &s->index->fences;
    size_t low = 0;
    size_t high = fences->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        stoa_scalar value;
        const side found = side_of(s, &fences->items[middle], &value);
        if (found == BEHIND || (found == UNKNOWN && !is_behind_it)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static double fence_number(const search *s, const stoa_fence *fence)
{
    stoa_scalar value;
    double number = NAN;

    (void)side_of(s, fence, &value);
    return !stoa_key_is_bytes(&s->index->store.column->element) && number_of(&value, &number)
               ? number
               : NAN;
}

/* Narrow the search by the fences around the bound. */
static void narrow(search *s)
{
    const stoa_fences *fences = &s->index->fences;
    const size_t first = find_fence(s, false);
    const size_t end = find_fence(s, true);

    if (first > 0 && fences->items[first - 1].rank >= s->low) {
        s->low = fences->items[first - 1].rank;
        s->below = fence_number(s, &fences->items[first - 1]);
    }
    if (end < fences->n && fences->items[end].rank >= s->low) {
        s->high = fences->items[end].rank;
        s->above = fence_number(s, &fences->items[end]);
    }
}

/* --- Ranks ----------------------------------------------------------------------------------- */

/* Interpolate as if numbers were evenly spread. The result is often close. */
static uint64_t guess(const search *s)
{
    const uint64_t n = s->high - s->low;
    double bound = 0;
    const double part =
        number_of(s->bound, &bound) ? (bound - s->below) / (s->above - s->below) : NAN;

    return part >= 0 && part <= 1 ? s->low + (uint64_t)(part * (double)(n - 1)) : s->low + n / 2;
}

static stoa_status is_rank_behind(const search *s, uint64_t rank, bool *behind, double *number,
                                  stoa_error *err)
{
    stoa_scalar value;

    STOA_RETURN_NOT_OK(stoa_sorted_value_at(s->index, rank, &value, err));
    if (!is_behind(&value, s->bound, s->or_equal, behind)) {
        return stoa_fail(err, STOA_EDATA, "rank %llu of a sorted index has no order (HEP001 §10.5)",
                         (unsigned long long)rank);
    }
    if (!number_of(&value, number)) {
        *number = NAN;
    }
    return STOA_OK;
}

/* Look at one rank, which halves the search or better. */
static stoa_status look_at(search *s, uint64_t rank, stoa_error *err)
{
    bool behind = false;
    double number = NAN;

    STOA_RETURN_NOT_OK(is_rank_behind(s, rank, &behind, &number, err));
    if (behind) {
        s->high = rank;
        s->above = number;
    } else {
        s->low = rank + 1;
        s->below = number;
    }
    return STOA_OK;
}

static stoa_status bisect(search *s, stoa_error *err)
{
    while (s->low < s->high) {
        STOA_RETURN_NOT_OK(look_at(s, s->low + (s->high - s->low) / 2, err));
    }
    return STOA_OK;
}

/* Interpolate, and bisect every fourth time, for values that are not evenly spread. Once the bound
 * itself is found, go on from there in ever longer steps, since most values repeat little. */
static stoa_status search_rows(search *s, stoa_error *err)
{
    uint64_t step = 1;
    double bound = NAN;

    (void)number_of(s->bound, &bound);
    for (unsigned n = 1; s->low < s->high; n++) {
        const uint64_t left = s->high - s->low;
        const bool is_at_end = bound == s->above || bound == s->below;
        uint64_t rank = n % 4 == 0 ? s->low + left / 2 : guess(s);
        if (is_at_end && step < left) {
            rank = bound == s->above ? s->high - step : s->low + step - 1;
            step *= 2;
        } else if (is_at_end) {
            rank = s->low + left / 2;
        }
        STOA_RETURN_NOT_OK(look_at(s, rank, err));
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
    double number = 0;
    bool behind = false;

    STOA_RETURN_NOT_OK(is_rank_behind(s, low, &behind, &number, err));
    *went_down = behind;
    if (behind) {
        s->high = low;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(is_rank_behind(s, end - 1, &behind, &number, err));
    if (!behind) {
        s->low = end;
        return STOA_OK;
    }
    s->low = low;
    s->high = end;
    return bisect(s, err);
}

/* Search by windows: first the interpolated one, then its neighbour, then bisection. */
static stoa_status search_windows(search *s, stoa_error *err)
{
    bool went_down = false;

    for (int n = 0; s->low < s->high; n++) {
        const uint64_t middle = n == 0      ? guess(s)
                                : n > 1     ? s->low + (s->high - s->low) / 2
                                : went_down ? s->high - 1
                                            : s->low;
        STOA_RETURN_NOT_OK(search_window(s, middle, &went_down, err));
    }
    return STOA_OK;
}

/* Values mostly repeat little, so the upper bound of a value is often near its lower bound. */
static stoa_status search_near(search *s, bool *found, stoa_error *err)
{
    enum { FARTHEST = 16 };
    double number = 0;

    *found = false;
    for (uint64_t step = 1; step <= FARTHEST && step <= s->high - s->low; step *= 2) {
        const uint64_t rank = s->low + step - 1;
        STOA_RETURN_NOT_OK(is_rank_behind(s, rank, found, &number, err));
        if (*found) {
            s->high = rank;
            return bisect(s, err);
        }
        s->low = rank + 1;
    }
    return STOA_OK;
}

static stoa_status search_all(search *s, stoa_error *err)
{
    return stoa_sorted_is_covered(&s->index->store) ? search_windows(s, err) : search_rows(s, err);
}

/* Whether the result is right where only a fence said so: the rank before it is not behind the
 * bound, and its own rank is. */
static stoa_status confirm(const search *narrowed, const search *s, uint64_t from, bool *is_right,
                           stoa_error *err)
{
    const uint64_t rank = s->low;
    double number = 0;
    bool behind = false;

    *is_right = true;
    if (rank == narrowed->low && rank > from) {
        STOA_RETURN_NOT_OK(is_rank_behind(s, rank - 1, &behind, &number, err));
        *is_right = !behind;
    }
    if (*is_right && rank == narrowed->high && rank < s->index->n_ordered) {
        STOA_RETURN_NOT_OK(is_rank_behind(s, rank, &behind, &number, err));
        *is_right = behind;
    }
    return STOA_OK;
}

stoa_status stoa_sorted_find_rank(const stoa_index *index, const stoa_scalar *bound, bool or_equal,
                                  uint64_t from, uint64_t *rank, stoa_error *err)
{
    search s = begin_search(index, bound, or_equal, from);
    bool is_right = false;
    bool found = false;

    if (from > 0) {
        STOA_RETURN_NOT_OK(search_near(&s, &found, err));
    }
    from = s.low;
    if (!found) {
        narrow(&s);
        const search narrowed = s;
        STOA_RETURN_NOT_OK(search_all(&s, err));
        STOA_RETURN_NOT_OK(confirm(&narrowed, &s, from, &is_right, err));
    }
    if (!found && !is_right) {
        s = begin_search(index, bound, or_equal, from);
        STOA_RETURN_NOT_OK(bisect(&s, err));
    }
    *rank = s.low;
    return STOA_OK;
}
