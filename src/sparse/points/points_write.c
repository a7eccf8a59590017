/*
 * Points arrive in any order and are grouped by chunk in one pass. Each group is sorted by position
 * if needed. Workers pack chunks that do not exist yet, while the caller's thread writes those that
 * are packed. Points of existing chunks are merged through the store's cache. Only the caller's
 * thread accesses the file.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/format/positions.h"
#include "sparse/points/points_groups.h"
#include "sparse/points/points_tuples.h"
#include "sparse/store/store_parts.h"

enum {
    DIGIT = 11, /* bits per pass of the radix sort */
    N_DIGITS = 1 << DIGIT,
    SHARE = 8,         /* a chunk is rewritten if about 1/SHARE of its elements change */
    POINT_BYTES = 4,   /* lower bound of the memory per point for sorting ... */
    PACKED_BYTES = 16, /* ... and for packing, used to limit the chunks in memory */
    MAX_POINTS = 1 << 30
};

/* How a group is processed. */
typedef struct work {
    atomic_bool is_made;
    bool is_packed;  /* packed by a worker */
    stoa_buffer raw; /* stored bytes, if a worker rewrites the chunk */
    stoa_buffer packed;
    stoa_sparse_chunk chunk; /* if not packed by a worker */
} work;

/* State of a worker. */
typedef struct hand {
    stoa_sparse_coder coder;
    stoa_sparse_chunk chunk;
    stoa_sparse_chunk old; /* the existing elements */
    stoa_buffer spare;     /* scratch of the sort */
} hand;

typedef struct batch {
    stoa_store *store;
    const uint8_t *values;        /* NULL to undefine the points */
    const stoa_number_form *sums; /* NULL if the later of two equal points wins */
    stoa_point_groups sorted;
    work *works;  /* one per group */
    size_t first; /* first group of the window */
    hand *hands;
} batch;

/* --- points as coordinates ------------------------------------------------------------------- */

/* Whether points are inside of the extent, with a rank known at compile time. */
static inline bool are_in(const uint64_t *coordinates, const uint64_t *extent, unsigned rank,
                          uint64_t n)
{
    bool are = true;

    for (uint64_t i = 0; i < n; i++) {
        for (unsigned j = 0; j < rank; j++) {
            are &= coordinates[i * rank + j] < extent[j];
        }
    }
    return are;
}

static stoa_status check_tuples(const void *context, const stoa_shape *shape, uint64_t first,
                                uint64_t end, stoa_error *err)
{
    const unsigned rank = shape->rank;
    const uint64_t *coordinates = (const uint64_t *)context + first * rank;
    const uint64_t *extent = shape->extent;
    uint64_t i = 0;

    if (rank == 2 ? are_in(coordinates, extent, 2, end - first)
                  : are_in(coordinates, extent, rank, end - first)) {
        return STOA_OK;
    }
    while (coordinates[i] < extent[i % rank]) {
        i++;
    }
    return stoa_fail(err, STOA_ERANGE,
                     "point %llu is at %llu in dimension %u, of which the extent is %llu",
                     (unsigned long long)(first + i / rank), (unsigned long long)coordinates[i],
                     (unsigned)(i % rank), (unsigned long long)extent[i % rank]);
}

static void locate_tuples(const void *context, const stoa_shape *shape, uint64_t first,
                          uint64_t end, stoa_point_runs *runs, uint32_t *places)
{
    const uint64_t *coordinates = context;

    stoa_tuples_locate_of(stoa_simd_of_cpu())(shape, coordinates + first * shape->rank,
                                              (size_t)(end - first), runs, places);
}

/* --- the points of one chunk ----------------------------------------------------------------- */

/* One pass of a stable radix sort by the bits from `shift` on. */
static void sort_digit(const uint32_t *positions, const uint32_t *indices, size_t n, unsigned shift,
                       uint32_t *to_positions, uint32_t *to_indices)
{
    size_t starts[N_DIGITS] = {0};
    size_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        starts[positions[i] >> shift & (N_DIGITS - 1)]++;
    }
    for (size_t i = 0; i < N_DIGITS; i++) {
        const size_t some = starts[i];
        starts[i] = sum;
        sum += some;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t to = starts[positions[i] >> shift & (N_DIGITS - 1)]++;
        to_positions[to] = positions[i];
        to_indices[to] = indices[i];
    }
}

/* Sort by position, stably. `spare` has room for twice as many. */
static void sort_points(uint32_t *positions, uint32_t *indices, size_t n, uint64_t n_elements,
                        uint32_t *spare)
{
    for (unsigned shift = 0; shift < 32 && (n_elements - 1) >> shift != 0; shift += 2 * DIGIT) {
        sort_digit(positions, indices, n, shift, spare, spare + n);
        if (shift + DIGIT < 32) {
            sort_digit(spare, spare + n, n, shift + DIGIT, positions, indices);
        } else {
            memcpy(positions, spare, n * sizeof *spare);
            memcpy(indices, spare + n, n * sizeof *spare);
        }
    }
}

/* Keep the last of equal positions. Returns how many are left. */
static size_t last_of_each(uint32_t *positions, uint32_t *indices, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n || positions[i + 1] != positions[i]) {
            positions[kept] = positions[i];
            indices[kept++] = indices[i];
        }
    }
    return kept;
}

/* Add up the values of equal positions in their input order. Returns how many are left. */
static size_t sum_of_each(const stoa_number_form *form, size_t size, uint32_t *positions,
                          uint8_t *values, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && positions[kept - 1] == positions[i]) {
            stoa_number_add(form, values + (kept - 1) * size, values + i * size);
        } else {
            positions[kept] = positions[i];
            memmove(values + kept++ * size, values + i * size, size);
        }
    }
    return kept;
}

static void gather(const uint8_t *values, const uint32_t *indices, size_t n, size_t size,
                   uint8_t *to)
{
    if (size == 4) {
        for (size_t i = 0; i < n; i++) {
            memcpy(to + i * 4, values + (size_t)indices[i] * 4, 4);
        }
    } else if (size == 8) {
        for (size_t i = 0; i < n; i++) {
            memcpy(to + i * 8, values + (size_t)indices[i] * 8, 8);
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            memcpy(to + i * size, values + (size_t)indices[i] * size, size);
        }
    }
}

/* Sort the positions of a group, with their values, and join equal ones. */
static stoa_status sort_group(const batch *b, stoa_point_group *g, hand *h,
                              stoa_sparse_chunk *chunk, size_t size, stoa_error *err)
{
    uint32_t *positions = chunk->positions;

    h->spare.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&h->spare, 3 * g->n * sizeof(uint32_t), err));
    uint32_t *indices = (uint32_t *)(void *)h->spare.data;
    stoa_point_group_indices(&b->sorted, g, indices);
    sort_points(positions, indices, g->n, b->store->format.n_elements, indices + g->n);
    if (b->sums == NULL) {
        g->n = last_of_each(positions, indices, g->n);
    }
    if (size > 0) {
        gather(b->values, indices, g->n, size, chunk->values);
    }
    if (b->sums != NULL) {
        g->n = sum_of_each(b->sums, size, positions, chunk->values, g->n);
    }
    return STOA_OK;
}

/* Rewrite an existing chunk with the group's points defined or undefined. */
static stoa_status rewrite(const batch *b, stoa_point_group *g, work *w, hand *h,
                           const stoa_sparse_chunk *points, stoa_error *err)
{
    const stoa_store *store = b->store;
    const stoa_sparse_chunk *list = NULL;
    uint64_t offset[H5S_MAX_RANK];
    stoa_content *content = NULL;
    stoa_status status = STOA_OK;

    stoa_shape_offset(&store->shape, g->number, offset);
    STOA_TRY(stoa_content_open(&store->format, &content, err));
    STOA_TRY(stoa_sparse_chunk_unpack(&store->format, w->raw.data, w->raw.size, 2, &h->coder,
                                      &h->old, err));
    stoa_store_clip(store, offset, true, &h->old);
    STOA_TRY(stoa_content_adopt(content, &h->old, NULL, err));
    if (b->values != NULL) {
        STOA_TRY(stoa_content_merge(content, points->positions, points->n, points->values, err));
    } else {
        STOA_TRY(stoa_content_remove(content, points->positions, points->n, err));
    }
    STOA_TRY(stoa_content_list(content, &list, err));
    g->n = list->n;
    STOA_TRY(stoa_sparse_chunk_pack(&store->format, list, store->fill, &h->coder, &w->packed, err));
    stoa_buffer_clear(&w->raw);

done:
    stoa_content_close(content);
    return stoa_store_at(store, offset, status, err);
}

/* Sort a group of the window, and pack its chunk if it is new. */
static stoa_status make_group(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    batch *b = context;
    const stoa_store *store = b->store;
    const size_t size = stoa_sparse_value_size(&store->format);
    stoa_point_group *g = &b->sorted.groups[b->first + part];
    work *w = &b->works[b->first + part];
    hand *h = &b->hands[worker];
    stoa_sparse_chunk *chunk = w->is_packed ? &h->chunk : &w->chunk;
    const size_t value_size = b->values != NULL ? size : 0;

    STOA_RETURN_NOT_OK(stoa_sparse_chunk_room(chunk, g->n, value_size, err));
    stoa_point_group_gather(&b->sorted, g, b->sorted.places, sizeof *chunk->positions,
                            chunk->positions);
    if (!stoa_positions_ascend(chunk->positions, g->n)) {
        STOA_RETURN_NOT_OK(sort_group(b, g, h, chunk, value_size, err));
    } else if (value_size > 0) {
        stoa_point_group_gather(&b->sorted, g, b->values, size, chunk->values);
    }
    chunk->n = g->n;
    if (w->raw.size > 0) {
        STOA_RETURN_NOT_OK(rewrite(b, g, w, h, chunk, err));
    } else if (w->is_packed) {
        STOA_RETURN_NOT_OK(
            stoa_sparse_chunk_pack(&store->format, chunk, store->fill, &h->coder, &w->packed, err));
    }
    atomic_store(&w->is_made, true);
    return STOA_OK;
}

static stoa_status put_group(batch *b, const stoa_point_group *g, const work *w, stoa_error *err)
{
    if (w->is_packed) {
        return stoa_store_put_packed(b->store, g->number, w->packed.data, w->packed.size, g->n,
                                     err);
    }
    if (b->values != NULL) {
        return stoa_store_merge(b->store, g->number, w->chunk.positions, g->n, w->chunk.values,
                                err);
    }
    return stoa_store_remove(b->store, g->number, w->chunk.positions, g->n, err);
}

static void clear_work(work *w)
{
    stoa_buffer_clear(&w->raw);
    stoa_buffer_clear(&w->packed);
    stoa_sparse_chunk_clear(&w->chunk);
}

/* Decide whether a worker packs a group's chunk. It does for a new chunk, and for one that changes
 * so much that caching it for further edits is useless. */
static stoa_status plan_group(batch *b, const stoa_point_group *g, work *w, stoa_error *err)
{
    stoa_store *store = b->store;
    uint64_t offset[H5S_MAX_RANK];
    uint32_t mask = 0;

    if (!store->format.is_sparse) {
        return STOA_OK;
    }
    const stoa_chunk_entry *entry = stoa_directory_find(&store->directory, g->number);
    if (entry == NULL || (entry->cached == NULL && entry->n_defined == 0)) {
        w->is_packed = b->values != NULL;
        return STOA_OK;
    }
    const size_t size = stoa_sparse_value_size(&store->format);
    if (entry->cached == NULL && entry->n_bytes / size / SHARE <= g->n) {
        stoa_shape_offset(&store->shape, g->number, offset);
        STOA_RETURN_NOT_OK(stoa_store_at(
            store, offset, store->io.read(store->io.context, offset, &w->raw, &mask, err), err));
        w->is_packed = mask == 0 && w->raw.size > 0;
        w->raw.size = w->is_packed ? w->raw.size : 0;
    }
    return STOA_OK;
}

/* Write the groups of a window in their order, each once it is made. */
static stoa_status put_window(batch *b, stoa_job *making, size_t end, stoa_error *err)
{
    for (size_t i = b->first; i < end; i++) {
        work *w = &b->works[i];
        while (!atomic_load(&w->is_made)) {
            /* The last one may have been made just before. */
            if (!stoa_job_help(making) && !atomic_load(&w->is_made)) {
                return STOA_OK; /* one has failed, and the job says why */
            }
        }
        STOA_RETURN_NOT_OK(put_group(b, &b->sorted.groups[i], w, err));
        clear_work(w);
    }
    return STOA_OK;
}

/* Process the groups, one window at a time. */
static stoa_status make_and_put(batch *b, stoa_workers *workers, stoa_error *err)
{
    size_t end = 0;

    for (b->first = 0; b->first < b->sorted.n; b->first = end) {
        stoa_job making;
        size_t n = 0;
        for (end = b->first; end < b->sorted.n && n <= b->store->cache.bound / PACKED_BYTES;
             end++) {
            n += b->sorted.groups[end].n;
            STOA_RETURN_NOT_OK(plan_group(b, &b->sorted.groups[end], &b->works[end], err));
        }
        stoa_job_begin(&making, workers, end - b->first, make_group, b);
        stoa_job_offer(&making, end - b->first);
        const stoa_status put = put_window(b, &making, end, err);
        const stoa_status made = stoa_job_end(&making, err);
        STOA_RETURN_NOT_OK(put != STOA_OK ? put : made);
    }
    return STOA_OK;
}

/* --- all points ------------------------------------------------------------------------------ */

static void close_batch(batch *b, unsigned n_hands)
{
    for (unsigned i = 0; b->hands != NULL && i < n_hands; i++) {
        stoa_sparse_coder_clear(&b->hands[i].coder);
        stoa_sparse_chunk_clear(&b->hands[i].chunk);
        stoa_sparse_chunk_clear(&b->hands[i].old);
        stoa_buffer_clear(&b->hands[i].spare);
    }
    free(b->hands);
    stoa_point_groups_clear(&b->sorted);
}

static stoa_status write_batch(batch *b, stoa_workers *workers, const stoa_point_source *source,
                               uint64_t start, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_point_groups_sort(&b->sorted, workers, &b->store->shape, source, start, n, err));
    b->works = stoa_alloc_zero(b->sorted.n, sizeof *b->works);
    STOA_TRY(b->works != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(make_and_put(b, workers, err));

done:
    for (size_t i = 0; b->works != NULL && i < b->sorted.n; i++) {
        clear_work(&b->works[i]);
    }
    free(b->works);
    b->works = NULL;
    return status;
}

stoa_status stoa_points_write_from(stoa_store *store, stoa_workers *workers, uint64_t n,
                                   const stoa_point_source *source, const uint8_t *values,
                                   const stoa_number_form *sums, stoa_error *err)
{
    const size_t size = stoa_sparse_value_size(&store->format);
    /* Filters run by libhdf5 must run on the caller's thread. */
    stoa_workers *packers = store->coder.foreign == NULL ? workers : NULL;
    const unsigned n_hands = stoa_workers_count(workers);
    const size_t wanted = store->cache.bound / POINT_BYTES + 1;
    const size_t a_batch = wanted < MAX_POINTS ? wanted : MAX_POINTS;
    const size_t most = sums == NULL || n < a_batch ? a_batch : (size_t)n;
    batch b = {.store = store, .sums = sums};
    stoa_status status = STOA_OK;

    if (n == 0) {
        return STOA_OK;
    }
    if (store->format.has_heap || (store->vlen != NULL && values != NULL)) {
        STOA_FAIL(err, STOA_ETYPE, "elements of variable length are no points");
    }
    if (sums != NULL && n > UINT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "2^32 points or more cannot be added up");
    }
    if (values == NULL && !store->format.is_sparse) {
        STOA_FAIL(err, STOA_EINVAL, "elements of a dense dataset cannot be erased");
    }
    if (n > most) { /* the only batch is checked when its points are located */
        STOA_TRY(stoa_point_source_check(source, workers, &store->shape, n, err));
    }
    STOA_TRY(stoa_store_load(store, err));
    STOA_TRY(stoa_point_groups_open(&b.sorted, n < most ? (size_t)n : most, n_hands, err));
    b.hands = stoa_alloc_zero(n_hands, sizeof *b.hands);
    STOA_TRY(b.hands != NULL ? STOA_OK : stoa_fail_memory(err));
    for (unsigned i = 0; i < n_hands; i++) {
        b.hands[i].coder.foreign = store->coder.foreign;
    }
    for (uint64_t first = 0; first < n; first += most) {
        const size_t some = n - first < most ? (size_t)(n - first) : most;
        b.values = values != NULL ? values + first * size : NULL;
        STOA_TRY(write_batch(&b, packers, source, first, some, err));
    }

done:
    close_batch(&b, n_hands);
    return status;
}

stoa_status stoa_points_write(stoa_store *store, stoa_workers *workers, uint64_t n,
                              const uint64_t *coordinates, const uint8_t *values, stoa_error *err)
{
    const stoa_point_source source = {
        .context = coordinates, .check = check_tuples, .locate = locate_tuples};

    return stoa_points_write_from(store, workers, n, &source, values, NULL, err);
}
