/* Makes the plan: the rows that the indexes leave, and the index whose order a limited sort can
 * use. */
#include "query/plan/plan.h"

#include <stdlib.h>

#include "query/plan/index_filter.h"

/* Rows by rank are scattered. Looking at one costs this many times as much as in a scan. */
enum { RANKED_COST = 16 };
/* Predicates are answered by an index's bitmap if at least 1/MARKED_PART of the rows are
 * candidates. */
enum { MARKED_PART = 8 };

/* Note what the indexes left together: "2 of 10 chunks, 20 of 100 rows; 10 certain". */
static stoa_status note_rows(stoa_plan *plan, stoa_error *err)
{
    const uint64_t chunk = plan->lookup.chunk_rows;
    stoa_buffer *out = &plan->notes;

    if (plan->lookup.n_asked == 0) {
        return STOA_OK;
    }
    if (plan->lookup.n_asked > STOA_LOOKUP_LINES) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "index  ... and %zu more times\n",
                                             plan->lookup.n_asked - STOA_LOOKUP_LINES));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "rows  "));
    if (chunk != 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(
            out, err, "%llu of %llu chunks, ",
            (unsigned long long)stoa_rowset_count_chunks(&plan->rows, chunk, UINT64_MAX),
            (unsigned long long)((plan->n_rows + chunk - 1) / chunk)));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%llu of %llu rows",
                                         (unsigned long long)stoa_rowset_count(&plan->rows),
                                         (unsigned long long)plan->n_rows));
    if (plan->certain.n_ranges > 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(
            out, err, "; %llu certain", (unsigned long long)stoa_rowset_count(&plan->certain)));
    }
    return stoa_buffer_print(out, err, "\n");
}

/* Ask the indexes about the predicate. If they must not be used, find out which ones would help. */
static stoa_status narrow(stoa_plan *plan, const stoa_expr *predicate, bool *marks, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arena arena = {0};
    stoa_index_filter *branch = NULL;

    STOA_TRY(stoa_index_filter_make(&plan->lookup, predicate, &arena, &branch, err));
    if (plan->lookup.counting && !plan->lookup.dry && branch->kind == STOA_INDEX_FILTER_ASK &&
        branch->is_known) {
        bool is_counted = false;
        STOA_TRY(
            stoa_lookup_count(&plan->lookup, &branch->ask, &plan->n_counted, &is_counted, err));
        if (is_counted) {
            plan->rows.n_ranges = 0;
            goto done;
        }
    }
    STOA_TRY(stoa_index_filter_narrow(&plan->lookup, branch, plan->n_rows, &plan->rows,
                                      &plan->certain, err));
    /* With few rows, reading the columns is as fast. */
    if (!plan->lookup.dry && stoa_rowset_count(&plan->rows) >= plan->n_rows / MARKED_PART) {
        STOA_TRY(stoa_lookup_verdicts(&plan->lookup, predicate, true, &plan->marked, err));
    }
    STOA_TRY(note_rows(plan, err));
    stoa_index_filter_columns(branch, marks);

done:
    stoa_index_filter_clear(branch);
    stoa_arena_clear(&arena);
    return status;
}

/* Whether the indexes have answered this request for another plan. A bitmap that answers a part of
 * the predicate belongs to that plan's own. */
static bool is_answered(const stoa_plan *plan, const stoa_plan *like)
{
    return like != NULL && like->n_rows == plan->n_rows && like->marked.n == 0 && !like->is_ranked;
}

static stoa_status keep(const stoa_rowset *from, const stoa_rowset *only, stoa_rowset *to,
                        stoa_error *err)
{
    return from == to ? stoa_rowset_combine(to, only, false, err)
                      : stoa_rowset_intersect(from, only, to, err);
}

/* Drop candidates outside of the range that was asked for. They are those of `from`. */
static stoa_status keep_range(stoa_plan *plan, const stoa_plan *from, stoa_range range,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rowset only = {0};
    const bool is_whole = range.first == 0 && range.count >= plan->n_rows;

    if (is_whole && from == plan) {
        return STOA_OK;
    }
    if (range.first < plan->n_rows) {
        const uint64_t rest = plan->n_rows - range.first;
        STOA_TRY(
            stoa_rowset_push(&only, range.first, range.count < rest ? range.count : rest, err));
    }
    STOA_TRY(keep(&from->rows, &only, &plan->rows, err));
    STOA_TRY(keep(&from->certain, &only, &plan->certain, err));
    if (!is_whole) {
        STOA_TRY(stoa_buffer_print(&plan->notes, err, "range  %llu rows from %llu on\n",
                                   (unsigned long long)stoa_rowset_count(&only),
                                   (unsigned long long)range.first));
    }

done:
    stoa_rowset_clear(&only);
    return status;
}

/* Whether reading the first rows by rank is faster than testing all candidates. If the same
 * share of them passes as of the whole table, `first` ranks hold enough. The ranking may go on
 * to `most`. */
static bool is_ranking_worth_it(const stoa_plan *plan, const stoa_plan_request *request,
                                stoa_index_order *index_order)
{
    const uint64_t n_candidates = stoa_rowset_count(&plan->rows);
    const bool all_pass = stoa_rowset_count(&plan->certain) == plan->n_rows;

    index_order->most = n_candidates / RANKED_COST;
    if (request->limit == 0 || request->limit > index_order->most) {
        return false;
    }
    if (all_pass) {
        index_order->first = request->limit;
        return true;
    }
    const double expected =
        4.0 * (double)request->limit * (double)plan->n_rows / (double)n_candidates;
    index_order->first =
        expected < (double)index_order->most ? (uint64_t)expected : index_order->most;
    return expected <= (double)index_order->most;
}

/* If all rows take part, drop those that an index knows to be none of the first. */
static stoa_status keep_first(stoa_plan *plan, const stoa_plan_request *request, bool *marks,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t column = request->order_column;
    stoa_rowset first = {0};
    bool found = false;

    if (stoa_rowset_count(&plan->certain) < plan->n_rows) {
        return STOA_OK;
    }
    STOA_TRY(stoa_index_order_bounds(&plan->lookup, column, request->descending, request->limit,
                                     &first, &found, err));
    marks[column] |= found;
    if (found && !plan->lookup.dry) {
        STOA_TRY(stoa_rowset_combine(&plan->rows, &first, false, err));
        STOA_TRY(stoa_rowset_combine(&plan->certain, &first, false, err));
        STOA_TRY(stoa_buffer_print(
            &plan->notes, err, "order  %llu of %llu rows may be the first, by bounds of '%s'\n",
            (unsigned long long)stoa_rowset_count(&plan->rows), (unsigned long long)plan->n_rows,
            plan->lookup.scope->columns[column].name));
    }

done:
    stoa_rowset_clear(&first);
    return status;
}

static stoa_status find_order(stoa_plan *plan, const stoa_plan_request *request, bool *marks,
                              stoa_error *err)
{
    bool found = false;

    if (request->order_column == SIZE_MAX) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_index_order_open(&plan->index_order, &plan->lookup,
                                             request->order_column, request->descending, &found,
                                             err));
    if (!found || !is_ranking_worth_it(plan, request, &plan->index_order)) {
        return keep_first(plan, request, marks, err);
    }
    marks[request->order_column] = true;
    plan->is_ranked = !plan->lookup.dry;
    return STOA_OK;
}

static stoa_status make_hint(stoa_plan *plan, const stoa_scope *scope, const bool *marks,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};

    for (size_t c = 0; c < scope->n_columns; c++) {
        if (marks[c]) {
            STOA_TRY(stoa_buffer_print(&names, err, "%s'%s'", names.size > 0 ? ", " : "",
                                       scope->columns[c].name));
        }
    }
    if (names.size > 0) {
        plan->hint = stoa_format("indexes of %s are not used, because they have not been "
                                 "verified (HEP001 §16); 'stoa index verify' checks them, "
                                 "--trust uses them as they are",
                                 (const char *)names.data);
        STOA_TRY(plan->hint != NULL ? STOA_OK : stoa_fail_memory(err));
    }

done:
    stoa_buffer_clear(&names);
    return status;
}

stoa_status stoa_plan_make(stoa_plan *plan, stoa_table *table, const stoa_scope *scope,
                           const stoa_plan_request *request, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool *marks = stoa_alloc_zero(scope->n_columns, sizeof *marks);
    const stoa_plan *from = plan;

    *plan = (stoa_plan){.n_rows = stoa_table_n_rows(table)};
    STOA_TRY(marks != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lookup_open(&plan->lookup, table, scope, plan->n_rows, &plan->notes, err));
    plan->lookup.dry = !request->use_indexes;
    plan->lookup.counting = request->counting;
    plan->lookup.n_threads = request->n_threads;
    STOA_TRY(stoa_lookup_all(&plan->lookup, &plan->rows, err));
    if (is_answered(plan, request->like)) {
        from = request->like;
    } else if (request->predicate != NULL) {
        STOA_TRY(narrow(plan, request->predicate, marks, err));
    } else {
        STOA_TRY(stoa_lookup_all(&plan->lookup, &plan->certain, err));
    }
    STOA_TRY(keep_range(plan, from, request->rows, err));
    STOA_TRY(find_order(plan, request, marks, err));
    if (plan->lookup.dry) {
        STOA_TRY(make_hint(plan, scope, marks, err));
    } else {
        plan->hint = plan->lookup.problem;
        plan->lookup.problem = NULL;
    }
    plan->has_asked = plan->lookup.n_asked > 0;
    if (!plan->is_ranked) {
        stoa_lookup_clear(&plan->lookup);
    }

done:
    free(marks);
    if (status != STOA_OK) {
        stoa_plan_clear(plan);
    }
    return status;
}

void stoa_plan_clear(stoa_plan *plan)
{
    stoa_lookup_clear(&plan->lookup);
    stoa_rowset_clear(&plan->rows);
    stoa_rowset_clear(&plan->certain);
    stoa_index_verdicts_clear(&plan->marked);
    stoa_buffer_clear(&plan->notes);
    free(plan->hint);
    *plan = (stoa_plan){0};
}
