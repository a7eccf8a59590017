#include "index/common/block_scan.h"

#include "core/min_of.h"
#include "core/progress.h"

/* Limits of a block. A larger chunk is read in parts. */
static const uint64_t max_slice_bytes = 32u << 20;
static const uint64_t max_slice_rows = 1u << 18;
/* Limit on the visitor's memory for simultaneous runs. */
static const uint64_t max_made_bytes = 64u << 20;

/* Whole chunks if they fit, since libhdf5 does not keep them from one read to the next. */
static uint64_t slice_rows(const stoa_column *column)
{
    const uint64_t fitting = max_slice_bytes / column->element.size + 1;
    const uint64_t wanted = fitting < max_slice_rows ? fitting : max_slice_rows;
    const uint64_t chunk = column->chunk_rows;

    if (chunk == 0 || chunk > fitting) {
        return wanted;
    }
    return chunk > wanted ? chunk : wanted / chunk * chunk;
}

stoa_status stoa_block_scan(stoa_column *column, uint64_t first, uint64_t end, const char *stage,
                            const stoa_listener *listener, stoa_block_scan_visit visit,
                            void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t rows = slice_rows(column);
    stoa_block block = {.elements = NULL};

    for (uint64_t at = first; at < end;) {
        const uint64_t boundary = at - at % rows + rows;
        const uint64_t next = boundary < end ? boundary : end;
        STOA_TRY(stoa_report_progress(
            listener, &(stoa_progress){.stage = stage, .rows = at, .total_rows = end}, err));
        STOA_TRY(stoa_block_read(column, at, next - at, &block, err));
        STOA_TRY(visit(context, at, &block, err));
        stoa_block_clear(&column->element, &block);
        at = next;
    }

done:
    stoa_block_clear(&column->element, &block);
    return status;
}

/* --- Parallel scans -------------------------------------------------------------------------- */

stoa_status stoa_runs_open(stoa_runs *runs, stoa_column *column, uint64_t chunk_rows,
                           uint64_t chunk_bytes, uint64_t run_bytes, uint64_t first, uint64_t end,
                           stoa_error *err)
{
    const uint64_t rows = slice_rows(column);
    const uint64_t fitting = max_made_bytes / (chunk_bytes + 1);

    runs->chunk_rows = chunk_rows;
    runs->first = first;
    runs->end = end;
    STOA_RETURN_NOT_OK(stoa_block_readers_open(&runs->readers, column, err));
    const uint64_t n_threads = runs->readers.n;
    const uint64_t n_chunks = (end - 1) / chunk_rows - first / chunk_rows + 1;
    const uint64_t fair = (n_chunks - 1) / n_threads + 1;
    const uint64_t wanted = rows > chunk_rows ? rows / chunk_rows : 1;
    const uint64_t together = stoa_min_of(stoa_min_of(wanted, fair), fitting);
    runs->run_chunks = together > 0 ? together : 1;
    const uint64_t run_rows = runs->run_chunks * chunk_rows;
    const uint64_t n_runs = (end - 1) / run_rows - first / run_rows + 1;
    const uint64_t most = max_made_bytes / (runs->run_chunks * chunk_bytes + run_bytes + 1);
    runs->n_places = stoa_min_of(n_runs, stoa_min_of(2 * n_threads, most > 0 ? most : 1));
    return STOA_OK;
}

void stoa_runs_close(stoa_runs *runs)
{
    stoa_block_readers_close(&runs->readers);
}

/* Runs that are scanned at the same time. */
typedef struct together {
    const stoa_runs *runs;
    uint64_t first; /* first row */
    stoa_run_visit visit;
    void *context;
} together;

/* First row of the run `place`, which is also the end of the run before it. */
static uint64_t start_of(const together *t, uint64_t place)
{
    const uint64_t run_rows = t->runs->run_chunks * t->runs->chunk_rows;
    const uint64_t n_before = t->first / run_rows + place;

    if (place == 0) {
        return t->first;
    }
    return n_before > (t->runs->end - 1) / run_rows ? t->runs->end : n_before * run_rows;
}

static stoa_status visit_run(void *context, unsigned worker, uint64_t place, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const together *t = context;
    stoa_block_reader *reader = &t->runs->readers.each[worker];
    const uint64_t slice = slice_rows(reader->column);
    const uint64_t end = start_of(t, place + 1);
    stoa_block block = {.elements = NULL};

    for (uint64_t at = start_of(t, place); at < end; at += block.count) {
        const uint64_t count = end - at < slice ? end - at : slice;
        stoa_block_clear(&reader->column->element, &block);
        STOA_TRY(stoa_block_reader_read(reader, at, count, &block, err));
        STOA_TRY(t->visit(t->context, place, at, &block, err));
    }

done:
    stoa_block_clear(&reader->column->element, &block);
    return status;
}

stoa_status stoa_runs_visit(const stoa_runs *runs, const char *stage, const stoa_listener *listener,
                            stoa_run_visit visit, stoa_runs_take take, void *context,
                            stoa_error *err)
{
    const uint64_t run_rows = runs->run_chunks * runs->chunk_rows;
    together t = {runs, runs->first, visit, context};

    while (t.first < runs->end) {
        const uint64_t left = (runs->end - 1) / run_rows - t.first / run_rows + 1;
        const uint64_t n = left < runs->n_places ? left : runs->n_places;
        const uint64_t end = start_of(&t, n);
        STOA_RETURN_NOT_OK(stoa_report_progress(
            listener, &(stoa_progress){.stage = stage, .rows = t.first, .total_rows = runs->end},
            err));
        STOA_RETURN_NOT_OK(stoa_workers_run(runs->readers.workers, n, visit_run, &t, err));
        STOA_RETURN_NOT_OK(take(context, n, t.first, end, err));
        t.first = end;
    }
    return STOA_OK;
}
