/*
 * Values of many elements in any order: these are sorted by chunks; the caller's thread reads each
 * chunk once, the workers unpack it meanwhile and put its values where they are wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "sparse/pieces.h"
#include "sparse/points_groups.h"

enum {
    POINT_BYTES = 4, /* as few as sorting points takes: bounds a batch by the cache's bound */
    WINDOW = 2,      /* so many times that bound: bytes of chunks as stored, read at once */
    AHEAD = 8,       /* spans, between which memory is far */
    MOST_POINTS = 1 << 30
};

typedef struct getting {
    stoa_store *store;
    size_t size;     /* of a value */
    uint8_t *values; /* of the batch's first point on */
    stoa_point_groups sorted;
    stoa_sparse_coder *coders;
    stoa_piece *pieces; /* of the window */
    size_t first;       /* group of the window */
} getting;

/* Where a walk through a chunk's elements has got to. */
typedef struct finger {
    const uint32_t *positions;
    size_t n;
    size_t at;     /* the first element at `last` or behind */
    uint32_t last; /* position asked for */
} finger;

/* Whether an element is there; `at` is it then. The next one asked for most often is the next one
 * there: steps from one to the other double. */
static inline bool find(finger *f, uint32_t position)
{
    const uint32_t *positions = f->positions;
    size_t low = position >= f->last ? f->at : 0;

    if (low < f->n && positions[low] < position) {
        size_t step = 1;
        while (step < f->n - low && positions[low + step] < position) {
            low += step;
            step *= 2;
        }
        size_t high = step < f->n - low ? low + step : f->n;
        low++;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (positions[middle] < position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
    }
    f->at = low;
    f->last = position;
    return low < f->n && positions[low] == position;
}

/* Points that come one after the other, to `to`. */
static void get_span(finger *f, const stoa_sparse_chunk *list, const uint8_t *fill, size_t size,
                     const uint32_t *places, uint32_t n, uint8_t *to)
{
    (void)find(f, places[0]);
    if (n <= list->n - f->at && memcmp(places, list->positions + f->at, n * sizeof *places) == 0) {
        memcpy(to, list->values + f->at * size,
               n * size); /* all that is there, as is often asked */
        f->at += n - 1;
        f->last = places[n - 1];
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *value = find(f, places[i]) ? list->values + f->at * size : fill;
        stoa_value_copy(to + i * size, value, size);
    }
}

static void get_points(const getting *g, const stoa_point_group *group,
                       const stoa_sparse_chunk *list)
{
    const stoa_point_span *spans = g->sorted.spans + group->first_span;
    finger f = {.positions = list->positions, .n = list->n};

    for (size_t i = 0; i < group->n_spans; i++) {
        if (i + AHEAD < group->n_spans) {
            const size_t soon = spans[i + AHEAD].first;
            __builtin_prefetch(g->sorted.places + soon);
            __builtin_prefetch(g->values + soon * g->size, 1);
        }
        get_span(&f, list, g->store->fill_value, g->size, g->sorted.places + spans[i].first,
                 spans[i].n, g->values + spans[i].first * g->size);
    }
}

static stoa_status get_group(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    getting *g = context;
    const stoa_sparse_chunk none = {.n = 0};
    stoa_piece *piece = &g->pieces[part];
    stoa_status status = STOA_OK;

    if (piece->list != NULL) {
        STOA_TRY(stoa_piece_unpack(g->store, g->size, &g->coders[worker], piece, err));
    }
    get_points(g, &g->sorted.groups[g->first + part], piece->list != NULL ? piece->list : &none);
    stoa_piece_clear(piece);

done:
    return status;
}

/* How many of the groups' chunks are read at once: at least one. */
static size_t window_of(const getting *g)
{
    const uint64_t most = (uint64_t)WINDOW * g->store->cache.bound;
    uint64_t n_bytes = 0;
    size_t end = g->first;

    while (end < g->sorted.n && n_bytes < most) {
        const stoa_chunk_entry *entry =
            stoa_directory_find(&g->store->directory, g->sorted.groups[end].number);
        n_bytes += (entry != NULL ? entry->n_bytes : 0) + 1;
        end++;
    }
    return end - g->first;
}

/* The chunks of n groups, each for the others to unpack. */
static stoa_status open_pieces(getting *g, stoa_job *job, size_t n, stoa_error *err)
{
    const stoa_box all = stoa_shape_all(&g->store->shape);
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < n; i++) {
        const uint64_t number = g->sorted.groups[g->first + i].number;
        if (!stoa_store_is_empty(stoa_directory_find(&g->store->directory, number))) {
            STOA_TRY(stoa_piece_open(g->store, &all, number, &g->pieces[i], err));
        }
        stoa_job_offer(job, i + 1);
    }

done:
    return status;
}

static stoa_status get_window(getting *g, stoa_workers *workers, size_t n, stoa_error *err)
{
    stoa_job job;

    g->pieces = stoa_alloc_zero(n, sizeof *g->pieces);
    if (g->pieces == NULL) {
        return stoa_fail_memory(err);
    }
    stoa_job_begin(&job, workers, n, get_group, g);
    const stoa_status opened = open_pieces(g, &job, n, err);
    const stoa_status got = stoa_job_end(&job, err);
    for (size_t i = 0; i < n; i++) {
        stoa_piece_clear(&g->pieces[i]);
    }
    free(g->pieces);
    g->pieces = NULL;
    return opened != STOA_OK ? opened : got;
}

static stoa_status open_coders(getting *g, unsigned n, stoa_error *err)
{
    g->coders = stoa_alloc_zero(n, sizeof *g->coders);
    if (g->coders == NULL) {
        return stoa_fail_memory(err);
    }
    for (unsigned i = 0; i < n; i++) {
        g->coders[i].foreign = g->store->coder.foreign;
    }
    return STOA_OK;
}

stoa_status stoa_points_get(stoa_store *store, stoa_workers *workers, uint64_t n,
                            const stoa_point_source *source, uint8_t *values, stoa_error *err)
{
    /* Filters that libhdf5 runs are the caller's thread's. */
    stoa_workers *unpackers = store->coder.foreign == NULL ? workers : NULL;
    const unsigned n_coders = stoa_workers_count(workers);
    const size_t wanted = store->cache.bound / POINT_BYTES + 1;
    const size_t a_batch = wanted < MOST_POINTS ? wanted : MOST_POINTS;
    const size_t most = n < a_batch ? (size_t)n : a_batch;
    getting g = {.store = store, .size = stoa_sparse_value_size(&store->format)};
    stoa_status status = STOA_OK;

    if (n == 0) {
        return STOA_OK;
    }
    if (store->format.has_heap) {
        STOA_FAIL(err, STOA_ETYPE, "elements of variable length are no points");
    }
    STOA_TRY(stoa_point_source_look(source, workers, &store->shape, n, err));
    STOA_TRY(stoa_store_load(store, err));
    STOA_TRY(stoa_point_groups_open(&g.sorted, most, n_coders, false, err));
    STOA_TRY(open_coders(&g, n_coders, err));
    for (uint64_t start = 0; start < n; start += most) {
        const size_t some = n - start < most ? (size_t)(n - start) : most;
        g.values = values + start * g.size;
        STOA_TRY(
            stoa_point_groups_sort(&g.sorted, workers, &store->shape, source, start, some, err));
        size_t window = 0;
        for (g.first = 0; g.first < g.sorted.n; g.first += window) {
            window = window_of(&g);
            STOA_TRY(get_window(&g, unpackers, window, err));
        }
    }

done:
    for (unsigned i = 0; g.coders != NULL && i < n_coders; i++) {
        stoa_sparse_coder_clear(&g.coders[i]);
    }
    free(g.coders);
    stoa_point_groups_clear(&g.sorted);
    return status;
}
