/* The first rows of an order, from an index. */
#include "query/plan/ranking.h"

#include <stdlib.h>

#include "core/min_of.h"
#include "index/common/order.h"

stoa_status stoa_ranking_open(stoa_ranking *ranking, stoa_lookup *lookup, size_t column,
                              bool descending, bool *found, stoa_error *err)
{
    const stoa_lookup_column *asked = &lookup->columns[column];

    *found = false;
    *ranking = (stoa_ranking){.lookup = lookup, .column = column, .descending = descending};
    STOA_RETURN_NOT_OK(stoa_lookup_column_open(lookup, column, err));
    for (size_t i = 0; i < asked->n_links && asked->indexes != NULL && !*found; i++) {
        const stoa_index_kind *kind = asked->links[i].kind;
        if (kind == NULL || kind->ranks == NULL || kind->ranked == NULL ||
            asked->links[i].dataset < 0) {
            continue;
        }
        ranking->link = i;
        if (lookup->dry) {
            *found = true;
        } else if (asked->indexes[i] != NULL) {
            kind->ranks(asked->indexes[i], &ranking->n_ordered, &ranking->n_missing,
                        &ranking->n_nan);
            *found = ranking->n_ordered <= lookup->n_rows &&
                     ranking->n_missing <= lookup->n_rows - ranking->n_ordered &&
                     ranking->n_nan == lookup->n_rows - ranking->n_ordered - ranking->n_missing;
        }
    }
    return STOA_OK;
}

static const stoa_index_kind *kind_of(const stoa_ranking *ranking)
{
    return ranking->lookup->columns[ranking->column].links[ranking->link].kind;
}

static const stoa_index *index_of(const stoa_ranking *ranking)
{
    return ranking->lookup->columns[ranking->column].indexes[ranking->link];
}

static stoa_status ranked(const stoa_ranking *ranking, uint64_t first, uint64_t count,
                          uint64_t *rows, stoa_error *err)
{
    return count == 0 ? STOA_OK
                      : kind_of(ranking)->ranked(index_of(ranking), first, count, rows, err);
}

/* The value of a row. *element holds its bytes; free it with forget(). */
static stoa_status value_at(const stoa_ranking *ranking, uint64_t row, void **element,
                            stoa_scalar *value, stoa_error *err)
{
    stoa_column *column = stoa_table_column(ranking->lookup->table, ranking->column);

    STOA_RETURN_NOT_OK(stoa_column_read_elements(column, row, 1, element, err));
    *value = stoa_scalar_of(column, *element);
    return STOA_OK;
}

static void forget(const stoa_ranking *ranking, void *element)
{
    if (element != NULL) {
        stoa_element_reclaim(&stoa_table_column(ranking->lookup->table, ranking->column)->element,
                             element, 1);
    }
    free(element);
}

/* Add all rows tied with the last rank, if the next rank has the same value. In descending order
 * the ranks run backwards, but ties are still ordered by row, so the cut would lose the first
 * rows. All tied rows are added, as the index finds them. */
static stoa_status add_tied(const stoa_ranking *ranking, uint64_t last, uint64_t next,
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

    STOA_TRY(value_at(ranking, last, &elements[0], &tied.low, err));
    STOA_TRY(value_at(ranking, next, &elements[1], &tied.high, err));
    if (stoa_scalar_compare(&tied.low, &tied.high, &order) && order != 0) {
        goto done;
    }
    tied.high = tied.low;
    if (kind_of(ranking)->estimate != NULL) {
        STOA_TRY(kind_of(ranking)->estimate(index_of(ranking), &test, &expected, err));
    }
    *found = expected <= ranking->most;
    if (*found) {
        STOA_TRY(kind_of(ranking)->prune(index_of(ranking), &test, &run, &certain, err));
        STOA_TRY(stoa_rowset_combine(rows, &run, true, err));
    }

done:
    stoa_rowset_clear(&run);
    stoa_rowset_clear(&certain);
    forget(ranking, elements[0]);
    forget(ranking, elements[1]);
    return status;
}

/* Make a set of row numbers. */
static stoa_status set_of(const stoa_ranking *ranking, uint64_t *rows, uint64_t n, stoa_rowset *set,
                          stoa_error *err)
{
    set->n_ranges = 0;
    qsort(rows, (size_t)n, sizeof *rows, stoa_order_u64);
    if (n > 0 && rows[n - 1] >= ranking->lookup->n_rows) {
        return stoa_fail(err, STOA_EDATA, "the index ranks row %llu of %llu (HEP001 §10.5)",
                         (unsigned long long)rows[n - 1],
                         (unsigned long long)ranking->lookup->n_rows);
    }
    for (uint64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_rowset_push(set, rows[i], 1, err));
    }
    return STOA_OK;
}

/* Take values first, then NaNs, then missing rows, each as far as places are left. `rows` begins
 * with the values in ascending order; for a descending sort, it begins with the last place. */
static stoa_status take_ranks(const stoa_ranking *ranking, uint64_t count, uint64_t *rows,
                              uint64_t *n, uint64_t *n_values, stoa_error *err)
{
    const uint64_t values = stoa_min_of(count, ranking->n_ordered);
    const uint64_t nans = stoa_min_of(count - values, ranking->n_nan);
    const uint64_t missing = stoa_min_of(count - values - nans, ranking->n_missing);

    *n_values = values;
    *n = values + nans + missing;
    STOA_RETURN_NOT_OK(
        ranked(ranking, ranking->descending ? ranking->n_ordered - values : 0, values, rows, err));
    STOA_RETURN_NOT_OK(
        ranked(ranking, ranking->n_ordered + ranking->n_missing, nans, rows + values, err));
    return ranked(ranking, ranking->n_ordered, missing, rows + values + nans, err);
}

static stoa_status first_rows(const stoa_ranking *ranking, uint64_t count, stoa_rowset *set,
                              bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t *rows = stoa_alloc(count, sizeof *rows);
    uint64_t n = 0;
    uint64_t n_values = 0;

    STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(take_ranks(ranking, count, rows, &n, &n_values, err));
    const uint64_t last = n_values > 0 ? rows[0] : 0;
    STOA_TRY(set_of(ranking, rows, n, set, err));
    if (ranking->descending && n_values > 0 && n_values < ranking->n_ordered) {
        uint64_t next = 0;
        STOA_TRY(ranked(ranking, ranking->n_ordered - n_values - 1, 1, &next, err));
        STOA_TRY(add_tied(ranking, last, next, set, found, err));
    }

done:
    free(rows);
    return status;
}

stoa_status stoa_ranking_first(const stoa_ranking *ranking, uint64_t count, stoa_rowset *rows,
                               bool *found, stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    const uint64_t n_ranks = ranking->n_ordered + ranking->n_missing + ranking->n_nan;
    stoa_status status;

    *found = true;
    status = first_rows(ranking, stoa_min_of(count, n_ranks), rows, found, &why);

    if (status != STOA_OK) {
        *found = false;
        return stoa_lookup_problem(ranking->lookup, ranking->column, kind_of(ranking)->kind, status,
                                   &why, err);
    }
    return STOA_OK;
}
