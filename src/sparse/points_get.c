/*
 * Values of many elements in any order: these are sorted by chunks; the caller's thread reads each
 * chunk once, the workers unpack it and put its values where they are wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "sparse/pieces.h"
#include "sparse/points_groups.h"

enum {
    POINT_BYTES = 4, /* as few as sorting points takes: bounds a batch by the cache's bound */
    WINDOW = 2,      /* so many times that bound: bytes of chunks as stored, read at once */
    FEW = 16, /* so many times fewer than the chunk has, and points are looked up one by one */
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

/* The next element of a chunk from `position` on, behind `at`; points most often ascend. */
static inline size_t advance(const stoa_sparse_chunk *list, size_t at, uint32_t position,
                             bool by_steps)
{
    if (!by_steps || (at < list->n && list->positions[at] > position)) {
        return stoa_sparse_chunk_find(list, position);
    }
    while (at < list->n && list->positions[at] < position) {
        at++;
    }
    return at;
}

static stoa_status get_group(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    getting *g = context;
    const stoa_point_group *group = &g->sorted.groups[g->first + part];
    const uint32_t *positions = g->sorted.positions + group->first;
    const uint32_t *indices = g->sorted.indices + group->first;
    stoa_piece *piece = &g->pieces[part];
    size_t at = 0;
    stoa_status status = STOA_OK;

    if (piece->list != NULL) {
        STOA_TRY(stoa_piece_unpack(g->store, g->size, &g->coders[worker], piece, err));
    }
    const stoa_sparse_chunk none = {.n = 0};
    const stoa_sparse_chunk *list = piece->list != NULL ? piece->list : &none;
    const bool by_steps = group->n >= list->n / FEW && stoa_positions_ascend(positions, group->n);
    for (size_t i = 0; i < group->n; i++) {
        at = advance(list, at, positions[i], by_steps);
        const bool is_defined = at < list->n && list->positions[at] == positions[i];
        stoa_value_copy(g->values + indices[i] * g->size,
                        is_defined ? list->values + at * g->size : g->store->fill_value, g->size);
    }
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

static stoa_status get_window(getting *g, stoa_workers *workers, size_t n, stoa_error *err)
{
    const stoa_box all = stoa_shape_all(&g->store->shape);
    stoa_status status = STOA_OK;

    g->pieces = stoa_alloc_zero(n, sizeof *g->pieces);
    if (g->pieces == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t number = g->sorted.groups[g->first + i].number;
        if (!stoa_store_is_empty(stoa_directory_find(&g->store->directory, number))) {
            STOA_TRY(stoa_piece_open(g->store, &all, number, &g->pieces[i], err));
        }
    }
    STOA_TRY(stoa_workers_run(workers, n, get_group, g, err));

done:
    for (size_t i = 0; g->pieces != NULL && i < n; i++) {
        stoa_piece_clear(&g->pieces[i]);
    }
    free(g->pieces);
    g->pieces = NULL;
    return status;
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
    STOA_TRY(stoa_point_groups_open(&g.sorted, most, err));
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
