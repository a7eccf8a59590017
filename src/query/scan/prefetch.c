/* Turns candidates into runs of chunks to announce, one stride at a time. */
#include "query/scan/prefetch.h"

#include <stdlib.h>

/* With fewer candidates than this part of a chunk's rows, single elements are read
 * (column/read/reader.c). */
enum { LITTLE_PART = 64 };

stoa_status stoa_prefetch_open(stoa_prefetch *prefetch, size_t n_columns, stoa_error *err)
{
    *prefetch = (stoa_prefetch){.n_columns = n_columns};
    prefetch->columns = stoa_alloc_zero(n_columns, sizeof *prefetch->columns);
    return prefetch->columns != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_prefetch_restart(stoa_prefetch *prefetch, stoa_candidates candidates)
{
    prefetch->candidates = candidates;
    for (size_t i = 0; i < prefetch->n_columns; i++) {
        atomic_flag_clear(&prefetch->columns[i].is_busy);
        atomic_store(&prefetch->columns[i].told_to, 0);
        prefetch->columns[i].range = 0;
        prefetch->columns[i].certain = 0;
    }
}

void stoa_prefetch_clear(stoa_prefetch *prefetch)
{
    free(prefetch->columns);
    *prefetch = (stoa_prefetch){.columns = NULL};
}

/* Runs of chunks ----------------------------------------------------------------------------- */

/* Chunks [first, end), and the chunk whose candidates are being counted. */
typedef struct run {
    const stoa_direct *direct;
    uint64_t first;
    uint64_t end;
    uint64_t chunk;
    uint64_t chunk_end; /* its last row, and one; 0: not known */
    uint64_t n;
} run;

/* Checks both ends and the middle, since only a part may have been read before. */
static bool is_at_hand(const run *r)
{
    return stoa_direct_is_at_hand(r->direct, r->end - 1) &&
           (r->end - r->first == 1 || stoa_direct_is_at_hand(r->direct, r->first)) &&
           (r->end - r->first <= 2 ||
            stoa_direct_is_at_hand(r->direct, r->first + (r->end - r->first) / 2));
}

static void end_run(run *r)
{
    if (r->end > r->first && !is_at_hand(r)) {
        stoa_direct_announce(r->direct, r->first, r->end - r->first);
    }
    r->first = r->end;
}

/* Called when all candidates of the chunk are counted. */
static void end_chunk(run *r)
{
    const uint64_t rows = stoa_direct_chunk_rows(r->direct);
    const uint64_t left = stoa_direct_extent(r->direct) - r->chunk * rows;

    if (r->n == 0 || r->n < (left < rows ? left : rows) / LITTLE_PART) {
        return;
    }
    if (r->chunk != r->end) {
        end_run(r);
        r->first = r->chunk;
    }
    r->end = r->chunk + 1;
}

/* Add candidates [first, end). */
static void add_rows(run *r, uint64_t first, uint64_t end)
{
    const uint64_t rows = stoa_direct_chunk_rows(r->direct);

    if (end <= r->chunk_end) {
        r->n += end - first;
        return;
    }
    while (first < end) {
        const uint64_t chunk = first / rows;
        const uint64_t left = rows - first % rows;
        const uint64_t n = left < end - first ? left : end - first;
        if (chunk != r->chunk) {
            end_chunk(r);
            r->chunk = chunk;
            r->n = 0;
        }
        r->chunk_end = first + left;
        r->n += n;
        first += n;
    }
}

/* Add candidates [first, end) except certain ones. */
static void add_doubtful(run *r, const stoa_rowset *certain, size_t *at, uint64_t first,
                         uint64_t end)
{
    while (first < end) {
        const stoa_range *sure = *at < certain->n_ranges ? &certain->ranges[*at] : NULL;
        if (sure != NULL && sure->first + sure->count <= first) {
            (*at)++;
            continue;
        }
        const uint64_t stop = sure != NULL && sure->first < end ? sure->first : end;
        if (stop > first) {
            add_rows(r, first, stop);
        }
        first = stop < end ? sure->first + sure->count : end;
    }
}

/* Strides ------------------------------------------------------------------------------------ */

/* The first row of the chunk after the one that holds row + n - 1. */
static uint64_t end_of_chunks(const stoa_direct *direct, uint64_t row, uint64_t n)
{
    const uint64_t rows = stoa_direct_chunk_rows(direct);
    const uint64_t extent = stoa_direct_extent(direct);
    const uint64_t end = n < extent && row < extent - n ? row + n : extent;

    return end <= UINT64_MAX - rows ? (end + rows - 1) / rows * rows : extent;
}

/* Announce the candidates of [from, to). */
static void announce(const stoa_prefetch *prefetch, stoa_prefetch_column *column,
                     const stoa_direct *direct, uint64_t from, uint64_t to, bool skips_certain)
{
    const stoa_rowset *rows = prefetch->candidates.rows;
    run r = {.direct = direct};

    for (; column->range < rows->n_ranges; column->range++) {
        const stoa_range *range = &rows->ranges[column->range];
        const uint64_t range_end = range->first + range->count;
        const uint64_t first = range->first > from ? range->first : from;
        const uint64_t end = range_end < to ? range_end : to;
        if (range->first >= to) {
            break;
        }
        if (skips_certain) {
            add_doubtful(&r, prefetch->candidates.certain, &column->certain, first, end);
        } else {
            add_rows(&r, first, end);
        }
        if (range_end > to) {
            break;
        }
    }
    end_chunk(&r);
    end_run(&r);
}

void stoa_prefetch_announce(stoa_prefetch *prefetch, size_t column, const stoa_fetch *fetch,
                            uint64_t row, bool skips_certain)
{
    stoa_prefetch_column *c = &prefetch->columns[column];
    const stoa_direct *direct = fetch->reader.direct;
    const double width = fetch->source->bytes_per_row;
    const double stride = width > 0 ? STOA_PREFETCH_BYTES / width : 0;

    if (direct == NULL || !(stride >= 1) || stride > (double)(UINT64_MAX / 4)) {
        return; /* read by libhdf5 only, or never written */
    }
    if (row + (uint64_t)stride < atomic_load_explicit(&c->told_to, memory_order_relaxed) ||
        atomic_flag_test_and_set_explicit(&c->is_busy, memory_order_acquire)) {
        return;
    }
    const uint64_t told_to = atomic_load_explicit(&c->told_to, memory_order_relaxed);
    const uint64_t from = told_to > row ? told_to : row;
    const uint64_t to = end_of_chunks(direct, row, 2 * (uint64_t)stride);
    if (to > from) {
        announce(prefetch, c, direct, from, to, skips_certain);
        atomic_store_explicit(&c->told_to, to, memory_order_relaxed);
    }
    atomic_flag_clear_explicit(&c->is_busy, memory_order_release);
}
