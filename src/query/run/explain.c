/* The plan as text, and statistics after the run. */
#include <string.h>

#include "query/run/query.h"

/* Print the marked columns, for example "date, delay". */
static stoa_status print_columns(const stoa_query *query, const stoa_use *marks, stoa_buffer *out,
                                 stoa_error *err)
{
    const char *separator = "";

    for (size_t i = 0; i < query->scope.n_columns; i++) {
        if (marks[i]) {
            STOA_RETURN_NOT_OK(
                stoa_buffer_print(out, err, "%s%s", separator, query->scope.columns[i].name));
            separator = ", ";
        }
    }
    return STOA_OK;
}

static bool any(const stoa_use *marks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (marks[i]) {
            return true;
        }
    }
    return false;
}

/* Print which columns are read for every candidate, and which only for rows that pass. */
static stoa_status print_reads(const stoa_query *query, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = query->scope.n_columns;
    stoa_arena arena = {0};
    stoa_use *first = stoa_arena_zero(&arena, n, sizeof *first);
    stoa_use *others = stoa_arena_zero(&arena, n, sizeof *others);

    STOA_TRY(first != NULL && others != NULL ? STOA_OK : stoa_fail_memory(err));
    if (query->where != NULL) {
        stoa_expr_columns(query->where, first);
    }
    for (size_t i = 0; i < n; i++) {
        others[i] = first[i] == STOA_USE_NONE ? query->wanted[i] : STOA_USE_NONE;
    }
    const bool filtered = any(first, n);
    const bool more = any(others, n);
    if (!filtered && !more) {
        goto done;
    }
    if (query->counting && query->running && query->uncertain.n_ranges == 0) {
        STOA_TRY(stoa_buffer_print(out, err, "read  nothing\n"));
        goto done;
    }
    STOA_TRY(stoa_buffer_print(out, err, "read  "));
    STOA_TRY(print_columns(query, first, out, err));
    if (filtered && more) {
        STOA_TRY(stoa_buffer_print(out, err, " first; "));
    }
    STOA_TRY(print_columns(query, others, out, err));
    STOA_TRY(stoa_buffer_print(out, err, "%s\n", filtered && more ? " for survivors" : ""));

done:
    stoa_arena_clear(&arena);
    return status;
}

static stoa_status print_steps(const stoa_query *query, stoa_buffer *out, stoa_error *err)
{
    const stoa_query_options *options = &query->options;

    if (options->sample > 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "sample  %llu rows, seed %llu\n",
                                             (unsigned long long)options->sample,
                                             (unsigned long long)options->seed));
    }
    if (options->aggregates != NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "aggregate  %s%s%s\n", options->aggregates,
                                             options->by != NULL ? " by " : "",
                                             options->by != NULL ? options->by : ""));
    }
    if (options->having != NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "having  %s\n", options->having));
    }
    if (options->distinct) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "distinct  rows\n"));
    }
    if (options->sort != NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "sort  %s\n", options->sort));
    }
    if (options->offset > 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "offset  %llu rows\n",
                                             (unsigned long long)options->offset));
    }
    if (options->limit >= 0) {
        STOA_RETURN_NOT_OK(
            stoa_buffer_print(out, err, "limit  %lld rows\n", (long long)options->limit));
    }
    return STOA_OK;
}

/* Print whether the order came from an index. */
static stoa_status print_order(const stoa_query *query, stoa_buffer *out, stoa_error *err)
{
    if (query->n_places > 0) {
        return stoa_buffer_print(out, err, "      the first %llu places of the order by index\n",
                                 (unsigned long long)query->n_places);
    }
    return stoa_buffer_print(out, err, "      the order by index was given up for a sort\n");
}

/* Print the scan's counts so far. */
static stoa_status print_counts(const stoa_query *query, stoa_buffer *out, stoa_error *err)
{
    const stoa_scan_counts *counts = &query->scan.counts;
    const uint64_t chunk = query->scan.chunk_rows;

    STOA_RETURN_NOT_OK(
        stoa_buffer_print(out, err, "done  looked at %llu rows", (unsigned long long)counts->rows));
    if (chunk != 0) {
        const uint64_t all = (query->plan.n_rows + chunk - 1) / chunk;
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, " in %llu chunks, %llu chunks skipped",
                                             (unsigned long long)counts->chunks,
                                             (unsigned long long)(all - counts->chunks)));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, ", %llu rows passed, %.1f MB read\n",
                                         (unsigned long long)counts->passed, counts->bytes / 1e6));
    if (counts->untested > 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err,
                                             "      %llu of them certain and not tested\n",
                                             (unsigned long long)counts->untested));
    }
    if (query->counting && (query->plan.certain.n_ranges > 0 || query->plan.n_counted > 0)) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(
            out, err, "      %llu rows counted without a look at them\n",
            (unsigned long long)(stoa_rowset_count(&query->plan.certain) + query->plan.n_counted)));
    }
    if (query->plan.is_ranked) {
        STOA_RETURN_NOT_OK(print_order(query, out, err));
    }
    return STOA_OK;
}

stoa_status stoa_query_explain(const stoa_query *query, char **text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer out = {0};

    *text = NULL;
    STOA_TRY(stoa_buffer_print(&out, err, "scan  %s  %llu rows, %zu columns\n",
                               stoa_table_path(query->table),
                               (unsigned long long)query->plan.n_rows, query->scope.n_columns));
    if (query->options.where != NULL) {
        STOA_TRY(stoa_buffer_print(&out, err, "filter  %s\n", query->options.where));
    }
    if (query->plan.notes.size > 0) {
        STOA_TRY(stoa_buffer_print(&out, err, "%s", (const char *)query->plan.notes.data));
    }
    STOA_TRY(print_reads(query, &out, err));
    STOA_TRY(print_steps(query, &out, err));
    if (query->running) {
        STOA_TRY(print_counts(query, &out, err));
    }
    *text = stoa_buffer_detach(&out);

done:
    stoa_buffer_clear(&out);
    return status;
}
