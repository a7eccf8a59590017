/* The grid, the spans one after the other, and the threads that do them. */
#include "query/scan.h"

#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "query/tester.h"

/* Opening ----------------------------------------------------------------------------------- */

/* Bytes of a gathered value, or what may be expected of one. */
static uint64_t width_of(const stoa_type *type)
{
    enum { TEXT_WIDTH = 32, NESTED_WIDTH = 64 };
    const stoa_kind kind = type->kind == STOA_KIND_DICTIONARY ? type->index : type->kind;

    if (kind == STOA_KIND_FIXED_BINARY) {
        return (uint64_t)type->width;
    }
    if (kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST || kind == STOA_KIND_FIXED_LIST ||
        kind == STOA_KIND_STRUCT) {
        return NESTED_WIDTH;
    }
    if (stoa_kind_is_string(kind) || kind == STOA_KIND_BINARY || kind == STOA_KIND_LARGE_BINARY) {
        return TEXT_WIDTH;
    }
    return kind == STOA_KIND_BOOL ? 1 : (uint64_t)stoa_kind_width(kind);
}

/* Units follow the longest chunks among the columns that will be read for every row. */
static uint64_t choose_unit(uint64_t longest)
{
    if (longest == 0 || longest > STOA_UNIT_MAX_ROWS) {
        return STOA_UNIT_ROWS;
    }
    return longest >= STOA_UNIT_ROWS ? longest : STOA_UNIT_ROWS / longest * longest;
}

/* Spans hold as many units as it takes, and no more than are worth gathering at a time. */
static uint64_t choose_span(const stoa_scan *scan)
{
    uint64_t rows = STOA_SPAN_ROWS;

    if (!scan->is.is_folded && rows > STOA_SPAN_BYTES / scan->row_bytes) {
        rows = STOA_SPAN_BYTES / scan->row_bytes;
    }
    return rows <= scan->unit_rows
               ? scan->unit_rows
               : (rows + scan->unit_rows - 1) / scan->unit_rows * scan->unit_rows;
}

static stoa_status measure(stoa_scan *scan, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_scope *scope = scan->is.scope;
    uint64_t longest = 0;

    scan->row_bytes = sizeof(uint64_t); /* the row's number */
    for (size_t i = 0; i < scope->n_columns; i++) {
        stoa_source *source = &scan->sources[i];
        if (!scan->tested[i] && !scan->wanted[i]) {
            continue;
        }
        STOA_TRY(stoa_source_open(source, stoa_table_column(scan->is.table, i),
                                  scope->columns[i].schema, &scope->columns[i].type, err));
        if ((scan->is.predicate == NULL || scan->tested[i]) && source->chunk_rows > longest) {
            longest = source->chunk_rows;
        }
        scan->row_bytes += scan->wanted[i] ? width_of(&source->type) : 0;
    }
    scan->chunk_rows = longest;
    scan->unit_rows = choose_unit(longest);
    scan->span_rows = choose_span(scan);

done:
    return status;
}

stoa_status stoa_scan_open(stoa_scan *scan, const stoa_scan_request *request, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = request->scope->n_columns;

    *scan = (stoa_scan){.is = *request};
    STOA_TRY(stoa_ahead_open(&scan->ahead, n, err));
    stoa_scan_restart(scan, request->candidates);
    scan->tested = stoa_alloc_zero(n, sizeof *scan->tested);
    scan->wanted = stoa_alloc_zero(n, sizeof *scan->wanted);
    scan->sources = stoa_alloc_zero(n, sizeof *scan->sources);
    if (scan->tested == NULL || scan->wanted == NULL || scan->sources == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    memcpy(scan->wanted, request->wanted, n * sizeof *scan->wanted);
    if (request->predicate != NULL) {
        stoa_expr_columns(request->predicate, scan->tested);
    }
    STOA_TRY(measure(scan, err));
    scan->n_testers = stoa_workers_count(request->workers);
    scan->testers = stoa_alloc_zero(scan->n_testers, sizeof *scan->testers);
    STOA_TRY(scan->testers != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    if (status != STOA_OK) {
        stoa_scan_clear(scan);
    }
    return status;
}

void stoa_scan_restart(stoa_scan *scan, stoa_candidates candidates)
{
    scan->is.candidates = candidates;
    scan->limit = UINT64_MAX;
    scan->total_rows = scan->counts.rows + stoa_rowset_count(candidates.rows);
    scan->at = (stoa_cursor){.range = 0};
    scan->counts.next_chunk = 0;
    stoa_ahead_restart(&scan->ahead, candidates);
}

void stoa_scan_want(stoa_scan *scan, const bool *wanted)
{
    memcpy(scan->wanted, wanted, scan->is.scope->n_columns * sizeof *wanted);
}

void stoa_scan_clear(stoa_scan *scan)
{
    for (unsigned i = 0; scan->testers != NULL && i < scan->n_testers; i++) {
        stoa_tester_close(&scan->testers[i]);
    }
    stoa_ahead_clear(&scan->ahead);
    free(scan->testers);
    free(scan->tested);
    free(scan->wanted);
    free(scan->sources);
    scan->testers = NULL;
    scan->tested = NULL;
    scan->wanted = NULL;
    scan->sources = NULL;
}

/* Running ----------------------------------------------------------------------------------- */

bool stoa_scan_cut(stoa_scan *scan, stoa_span *span)
{
    if (scan->limit == 0 ||
        !stoa_span_cut(&scan->is.candidates, scan->span_rows, &scan->at, span)) {
        return false;
    }
    span->limit = scan->limit;
    return true;
}

/* A job of the pool. */
typedef struct job {
    stoa_scan *scan;
    stoa_scan_part part;
    void *context;
} job;

static stoa_status do_part(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const job *j = context;
    stoa_tester *tester = &j->scan->testers[worker];

    if (tester->scan == NULL) {
        STOA_TRY(stoa_tester_open(tester, j->scan, worker, err));
    }
    STOA_TRY(j->part(j->context, tester, number, err));

done:
    return status;
}

stoa_status stoa_scan_run(stoa_scan *scan, uint64_t n, stoa_scan_part part, void *context,
                          stoa_error *err)
{
    job j = {scan, part, context};

    return stoa_workers_run(scan->is.workers, n, do_part, &j, err);
}

void stoa_scan_count(stoa_scan *scan, const stoa_scan_counts *counts)
{
    stoa_scan_counts *all = &scan->counts;

    all->rows += counts->rows;
    all->untested += counts->untested;
    all->passed += counts->passed;
    all->bytes += counts->bytes;
    if (counts->chunks > 0) { /* a chunk may be so long that it reaches over spans */
        const bool again = counts->low_chunk < all->next_chunk;
        all->chunks += counts->chunks - (again ? all->next_chunk - counts->low_chunk : 0);
        all->next_chunk = counts->next_chunk;
    }
}

stoa_status stoa_scan_tell(stoa_scan *scan, stoa_error *err)
{
    const stoa_progress progress = {.stage = "scanning",
                                    .rows = atomic_load(&scan->rows_so_far),
                                    .total_rows = scan->total_rows,
                                    .bytes = atomic_load(&scan->bytes_so_far)};

    if (scan->is.listener.on_progress == NULL) {
        return STOA_OK;
    }
    /* Whatever the listener does, libhdf5 is not at work meanwhile. */
    stoa_workers_lock(scan->is.workers);
    const stoa_status status = stoa_tell(&scan->is.listener, &progress, err);
    stoa_workers_unlock(scan->is.workers);
    return status;
}
