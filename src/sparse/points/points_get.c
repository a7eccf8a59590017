/*
 * Read the values of many elements in any order. Most are looked up while the next ones are fetched
 * (points_stream.h). The slices that the stream skips are sorted by chunk. The caller's thread
 * reads each chunk once, while workers unpack the chunks and copy the requested values.
 */
#include <stdlib.h>
#include <string.h>

#include "sparse/points/chunk_task.h"
#include "sparse/points/points_lookup.h"
#include "sparse/points/points_stream.h"

enum {
    POINT_BYTES = 4, /* lower bound for sorting a point; limits the batch by the cache's bound */
    WINDOW = 2,      /* multiple of that bound: stored bytes of chunks read at once */
    AHEAD = 8,       /* prefetch distance in spans */
    MAX_POINTS = 1 << 30
};

/* A window of groups whose chunks are read at once. */
typedef struct window {
    const stoa_points_lookup *g;
    stoa_chunk_task *pieces; /* the list is NULL for a chunk without elements */
    size_t first;            /* index of the first group */
    size_t n;
} window;

static void get_points(const stoa_points_lookup *g, const stoa_point_group *group,
                       const stoa_sparse_chunk *list)
{
    const stoa_point_span *spans = g->sorted.spans + group->first_span;
    stoa_chunk_cursor_get *get = stoa_chunk_cursor_get_of(stoa_simd_of_cpu());
    stoa_chunk_cursor finger = {.list = list};

    for (size_t i = 0; i < group->n_spans; i++) {
        if (i + AHEAD < group->n_spans) {
            const size_t soon = spans[i + AHEAD].first;
            __builtin_prefetch(g->sorted.places + soon);
            __builtin_prefetch(g->values + soon * g->size, 1);
        }
        get(&finger, g->sorted.places + spans[i].first, spans[i].n, g->size, g->store->fill_value,
            g->values + spans[i].first * g->size);
    }
}

static stoa_status get_group(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const window *w = context;
    const stoa_points_lookup *g = w->g;
    const stoa_sparse_chunk none = {.n = 0};
    stoa_chunk_task *piece = &w->pieces[part];

    if (piece->list != NULL) {
        STOA_RETURN_NOT_OK(
            stoa_chunk_task_unpack(g->store, g->size, &g->coders[worker], piece, err));
    }
    get_points(g, &g->sorted.groups[w->first + part], piece->list != NULL ? piece->list : &none);
    stoa_chunk_task_clear(piece);
    return STOA_OK;
}

/* The number of groups in the next window, at least one. */
static size_t window_of(const stoa_points_lookup *g, size_t first)
{
    const uint64_t most = (uint64_t)WINDOW * g->store->cache.bound;
    uint64_t n_bytes = 0;
    size_t end = first;

    while (end < g->sorted.n && n_bytes < most) {
        const stoa_chunk_entry *entry =
            stoa_directory_find(&g->store->directory, g->sorted.groups[end].number);
        n_bytes += (entry != NULL ? entry->n_bytes : 0) + 1;
        end++;
    }
    return end - first;
}

/* Open the window's chunks, and hand each to the workers for unpacking. */
static stoa_status open_pieces(const window *w, stoa_job *job, stoa_error *err)
{
    stoa_store *store = w->g->store;
    const stoa_box all = stoa_shape_all(&store->shape);

    for (size_t i = 0; i < w->n; i++) {
        const uint64_t number = w->g->sorted.groups[w->first + i].number;
        if (!stoa_store_is_empty(stoa_directory_find(&store->directory, number))) {
            STOA_RETURN_NOT_OK(stoa_chunk_task_open(store, &all, number, &w->pieces[i], err));
        }
        stoa_job_offer(job, i + 1);
    }
    return STOA_OK;
}

static stoa_status get_window(window *w, stoa_workers *workers, stoa_error *err)
{
    stoa_job job;

    w->pieces = stoa_alloc_zero(w->n, sizeof *w->pieces);
    STOA_RETURN_NO_MEMORY(err, w->pieces);
    stoa_job_begin(&job, workers, w->n, get_group, w);
    const stoa_status opened = open_pieces(w, &job, err);
    const stoa_status got = stoa_job_end(&job, err);
    for (size_t i = 0; i < w->n; i++) {
        stoa_chunk_task_clear(&w->pieces[i]);
    }
    free(w->pieces);
    return opened != STOA_OK ? opened : got;
}

/* Read the points that the stream skipped, chunk by chunk. */
static stoa_status get_left(stoa_points_lookup *g, stoa_error *err)
{
    const size_t n_slices = (g->n + STOA_POINTS_SLICE - 1) / STOA_POINTS_SLICE;
    /* Filters run by libhdf5 must run on the caller's thread. */
    stoa_workers *unpackers = g->store->coder.foreign == NULL ? g->workers : NULL;
    window w = {.g = g};

    STOA_RETURN_NOT_OK(stoa_point_groups_sort_located(&g->sorted, n_slices, err));
    for (; w.first < g->sorted.n; w.first += w.n) {
        w.n = window_of(g, w.first);
        STOA_RETURN_NOT_OK(get_window(&w, unpackers, err));
    }
    return STOA_OK;
}

/* Points per batch: whole slices, except at the end. */
static size_t batch_of(const stoa_store *store, uint64_t n)
{
    const size_t wanted = store->cache.bound / POINT_BYTES;
    const size_t whole = (wanted < MAX_POINTS ? wanted : MAX_POINTS) / STOA_POINTS_SLICE;
    const size_t most = (whole > 0 ? whole : 1) * STOA_POINTS_SLICE;

    return n < most ? (size_t)n : most;
}

stoa_status stoa_points_get(stoa_store *store, stoa_workers *workers, uint64_t n,
                            const stoa_point_source *source, uint8_t *values, stoa_error *err)
{
    const unsigned n_coders = stoa_workers_count(workers);
    const size_t most = batch_of(store, n);
    stoa_points_lookup g = {.store = store,
                            .workers = workers,
                            .source = source,
                            .size = stoa_sparse_value_size(&store->format)};
    stoa_status status = STOA_OK;

    if (n == 0) {
        return STOA_OK;
    }
    if (store->format.has_heap) {
        STOA_FAIL(err, STOA_ETYPE, "elements of variable length are no points");
    }
    STOA_TRY(stoa_point_source_check(source, workers, &store->shape, n, err));
    STOA_TRY(stoa_store_load(store, err));
    STOA_TRY(stoa_point_groups_open(&g.sorted, most, n_coders, err));
    g.coders = stoa_coders_open(store, n_coders);
    STOA_TRY(g.coders != NULL ? STOA_OK : stoa_fail_memory(err));
    for (; g.start < n; g.start += g.n) {
        size_t n_left = 0;
        g.n = n - g.start < most ? (size_t)(n - g.start) : most;
        g.values = values + g.start * g.size;
        STOA_TRY(stoa_points_stream(&g, &n_left, err));
        if (n_left > 0) {
            STOA_TRY(get_left(&g, err));
        }
    }

done:
    stoa_coders_close(g.coders, n_coders);
    stoa_point_groups_clear(&g.sorted);
    return status;
}
