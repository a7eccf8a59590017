/* The first rows of an order, from an index. */
#include "query/plan/index_order.h"

#include <stdlib.h>

#include "core/min_of.h"
#include "index/common/order.h"

stoa_status stoa_index_order_open(stoa_index_order *index_order, stoa_lookup *lookup, size_t column,
                                  bool descending, bool *found, stoa_error *err)
{
    const stoa_lookup_column *asked = &lookup->columns[column];

    *found = false;
    *index_order = (stoa_index_order){.lookup = lookup, .column = column, .descending = descending};
    STOA_RETURN_NOT_OK(stoa_lookup_column_open(lookup, column, err));
    for (size_t i = 0; i < asked->n_links && asked->indexes != NULL && !*found; i++) {
        const stoa_index_kind *kind = asked->links[i].kind;
        if (kind == NULL || kind->ranks == NULL || kind->ranked == NULL ||
            asked->links[i].dataset < 0) {
            continue;
        }
        index_order->link = i;
        if (lookup->dry) {
            *found = true;
        } else if (asked->indexes[i] != NULL) {
            kind->ranks(asked->indexes[i], &index_order->n_ordered, &index_order->n_missing,
                        &index_order->n_nan);
            *found = index_order->n_ordered <= lookup->n_rows &&
                     index_order->n_missing <= lookup->n_rows - index_order->n_ordered &&
                     index_order->n_nan ==
                         lookup->n_rows - index_order->n_ordered - index_order->n_missing;
        }
    }
    return STOA_OK;
}

static const stoa_index_kind *kind_of(const stoa_index_order *index_order)
{
    return index_order->lookup->columns[index_order->column].links[index_order->link].kind;
}

static const stoa_index *index_of(const stoa_index_order *index_order)
{
    return index_order->lookup->columns[index_order->column].indexes[index_order->link];
}

static stoa_status ranked(const stoa_index_order *index_order, uint64_t first, uint64_t count,
                          uint64_t *rows, stoa_error *err)
{
    return count == 0
               ? STOA_OK
               : kind_of(index_order)->ranked(index_of(index_order), first, count, rows, err);
}

/* The value of a row. *element holds its bytes; free it with forget(). */
static stoa_status value_at(const stoa_index_order *index_order, uint64_t row, void **element,
                            stoa_scalar *value, stoa_error *err)
{
    stoa_column *column = stoa_table_column(index_order->lookup->table, index_order->column);

    STOA_RETURN_NOT_OK(stoa_column_read_elements(column, row, 1, element, err));
    *value = stoa_scalar_of(column, *element);
    return STOA_OK;
}

static void forget(const stoa_index_order *index_order, void *element)
{
    if (element != NULL) {
        stoa_element_reclaim(
            &stoa_table_column(index_order->lookup->table, index_order->column)->element, element,
            1);
    }
    free(element);
}

/* Add all rows tied with the last rank, if the next rank has the same value. In descending order
 * the ranks run backwards, but ties are still ordered by row, so the cut would lose the first
 * rows. All tied rows are added, as the index finds them. */
static stoa_status add_tied(const stoa_index_order *index_order, uint64_t last, uint64_t next,
                            stoa_rowset *rows, bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *elements[2] = {NULL, NULL};
    stoa_interval tied = {.has_low = true, .has_high = true};
    const stoa_test test = {.intervals = &tied, .n_intervals = 1};
    stoa_rowset run = {0};
    stoa_rowset certain = {0};
    uint64_t expected = 0;
    int order = 1;

    STOA_TRY(value_at(index_order, last, &elements[0], &tied.low, err));
    STOA_TRY(value_at(index_order, next, &elements[1], &tied.high, err));
    if (stoa_scalar_compare(&tied.low, &tied.high, &order) && order != 0) {
        goto done;
    }
    tied.high = tied.low;
    if (kind_of(index_order)->estimate != NULL) {
        STOA_TRY(kind_of(index_order)->estimate(index_of(index_order), &test, &expected, err));
    }
    *found = expected <= index_order->most;
    if (*found) {
        STOA_TRY(kind_of(index_order)->prune(index_of(index_order), &test, &run, &certain, err));
        STOA_TRY(stoa_rowset_combine(rows, &run, true, err));
    }

done:
    stoa_rowset_clear(&run);
    stoa_rowset_clear(&certain);
    forget(index_order, elements[0]);
    forget(index_order, elements[1]);
    return status;
}

/* Make a set of row numbers. */
static stoa_status set_of(const stoa_index_order *index_order, uint64_t *rows, uint64_t n,
                          stoa_rowset *set, stoa_error *err)
{
    set->n_ranges = 0;
    qsort(rows, (size_t)n, sizeof *rows, stoa_order_u64);
    if (n > 0 && rows[n - 1] >= index_order->lookup->n_rows) {
        return stoa_fail(err, STOA_EDATA, "the index ranks row %llu of %llu (HEP001 §10.5)",
                         (unsigned long long)rows[n - 1],
                         (unsigned long long)index_order->lookup->n_rows);
    }
    for (uint64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_rowset_push(set, rows[i], 1, err));
    }
    return STOA_OK;
}

/* Take values first, then NaNs, then missing rows, each as far as places are left. `rows` begins
 * with the values in ascending order; for a descending sort, it begins with the last place. */
static stoa_status take_ranks(const stoa_index_order *index_order, uint64_t count, uint64_t *rows,
                              uint64_t *n, uint64_t *n_values, stoa_error *err)
{
    const uint64_t values = stoa_min_of(count, index_order->n_ordered);
    const uint64_t nans = stoa_min_of(count - values, index_order->n_nan);
    const uint64_t missing = stoa_min_of(count - values - nans, index_order->n_missing);

    *n_values = values;
    *n = values + nans + missing;
    STOA_RETURN_NOT_OK(ranked(index_order,
                              index_order->descending ? index_order->n_ordered - values : 0, values,
                              rows, err));
    STOA_RETURN_NOT_OK(ranked(index_order, index_order->n_ordered + index_order->n_missing, nans,
                              rows + values, err));
    return ranked(index_order, index_order->n_ordered, missing, rows + values + nans, err);
}

static stoa_status first_rows(const stoa_index_order *index_order, uint64_t count, stoa_rowset *set,
                              bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t *rows = stoa_alloc(count, sizeof *rows);
    uint64_t n = 0;
    uint64_t n_values = 0;

    STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(take_ranks(index_order, count, rows, &n, &n_values, err));
    const uint64_t last = n_values > 0 ? rows[0] : 0;
    STOA_TRY(set_of(index_order, rows, n, set, err));
    if (index_order->descending && n_values > 0 && n_values < index_order->n_ordered) {
        uint64_t next = 0;
        STOA_TRY(ranked(index_order, index_order->n_ordered - n_values - 1, 1, &next, err));
        STOA_TRY(add_tied(index_order, last, next, set, found, err));
    }

done:
    free(rows);
    return status;
}

stoa_status stoa_index_order_first(const stoa_index_order *index_order, uint64_t count,
                                   stoa_rowset *rows, bool *found, stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    const uint64_t n_ranks = index_order->n_ordered + index_order->n_missing + index_order->n_nan;
    stoa_status status;

    *found = true;
    status = first_rows(index_order, stoa_min_of(count, n_ranks), rows, found, &why);

    if (status != STOA_OK) {
        *found = false;
        return stoa_lookup_problem(index_order->lookup, index_order->column,
                                   kind_of(index_order)->kind, status, &why, err);
    }
    return STOA_OK;
}

stoa_status stoa_index_order_bounds(stoa_lookup *lookup, size_t column, bool descending,
                                    uint64_t count, stoa_rowset *rows, bool *found, stoa_error *err)
{
    const stoa_lookup_column *asked = &lookup->columns[column];

    *found = false;
    rows->n_ranges = 0;
    for (size_t i = 0; i < asked->n_links && asked->indexes != NULL && !*found; i++) {
        const stoa_index_kind *kind = asked->links[i].kind;
        if (kind == NULL || kind->first == NULL || asked->links[i].dataset < 0 ||
            (asked->indexes[i] == NULL && !lookup->dry)) {
            continue;
        }
        *found = true;
        if (!lookup->dry) {
            STOA_RETURN_NOT_OK(kind->first(asked->indexes[i], count, descending, rows, err));
        }
    }
    return STOA_OK;
}
