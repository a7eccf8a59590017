/*
 * Points are sorted by chunks in one pass (they come in any order), each chunk's by position where
 * they are not, and chunks that were not there are packed by the workers. What is there already is
 * merged through the store's cache. Only the caller's thread talks to the file.
 */
#include <stdlib.h>
#include <string.h>

#include "sparse/points.h"
#include "sparse/store_parts.h"

enum {
    SLICE = 1 << 15, /* points that a worker locates at once */
    DIGIT = 11,      /* bits of one pass of the radix sort */
    N_DIGITS = 1 << DIGIT,
    FIRST_SLOTS = 256,
    SHARE = 8,         /* of a chunk's elements that change, about */
    POINT_BYTES = 4,   /* as few as sorting points takes ... */
    PACKED_BYTES = 16, /* ... and their chunks, as a measure of how many are in memory at once */
    MOST_POINTS = 1 << 30
};

/* The points of one chunk. */
typedef struct group {
    uint64_t number;
    size_t first; /* of them, once they are sorted by chunks */
    size_t n;
    bool is_packed;  /* by a worker */
    stoa_buffer raw; /* what is there already, where a worker packs it anew */
    stoa_buffer packed;
    stoa_sparse_chunk chunk; /* else */
} group;

/* What a worker needs. */
typedef struct hand {
    stoa_sparse_coder coder;
    stoa_sparse_chunk chunk;
    stoa_sparse_chunk old; /* what was there */
    stoa_buffer spare;     /* of the sort */
} hand;

typedef struct batch {
    stoa_store *store;
    const stoa_point_source *source;
    uint64_t start; /* of the source's points */
    size_t n;
    const uint8_t *values;        /* NULL: undefine them */
    const stoa_number_form *sums; /* NULL: of two points at one place the later one wins */
    uint64_t *numbers;            /* the chunk of each point */
    uint32_t *places;             /* and where in it */
    uint32_t *ids;                /* the group of each point */
    uint32_t *positions;          /* by groups */
    uint32_t *indices;            /* of the points, alike */
    group *groups;
    size_t n_groups;
    size_t capacity;
    uint32_t *slots; /* hash of groups: 0 none, else its id + 1 */
    size_t n_slots;
    size_t first; /* group of the window */
    hand *hands;
} batch;

/* --- where points are ------------------------------------------------------------------------ */

/* All points or none: before anything is changed. */
typedef struct look {
    const stoa_shape *shape;
    const stoa_point_source *source;
    uint64_t n;
} look;

static stoa_status look_at_slice(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const look *l = context;
    const uint64_t first = part * SLICE;
    const uint64_t end = l->n - first < SLICE ? l->n : first + SLICE;

    (void)worker;
    return l->source->look(l->source->context, l->shape, first, end, err);
}

static stoa_status locate_slice(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    batch *b = context;
    const size_t first = (size_t)part * SLICE;
    const size_t end = b->n - first < SLICE ? b->n : first + SLICE;

    (void)worker;
    (void)err;
    b->source->locate(b->source->context, &b->store->shape, b->start + first, b->start + end,
                      b->numbers + first, b->places + first);
    return STOA_OK;
}

/* --- points as coordinates ------------------------------------------------------------------- */

static stoa_status look_at_tuples(const void *context, const stoa_shape *shape, uint64_t first,
                                  uint64_t end, stoa_error *err)
{
    const uint64_t *coordinates = context;

    for (uint64_t i = first; i < end; i++) {
        for (unsigned j = 0; j < shape->rank; j++) {
            const uint64_t at = coordinates[i * shape->rank + j];
            if (at >= shape->extent[j]) {
                return stoa_fail(err, STOA_ERANGE,
                                 "point %llu is at %llu in dimension %u, of which the extent is "
                                 "%llu",
                                 (unsigned long long)i, (unsigned long long)at, j,
                                 (unsigned long long)shape->extent[j]);
            }
        }
    }
    return STOA_OK;
}

/* Most points are in the chunk of the one before: then nothing is divided. */
static void locate_tuples(const void *context, const stoa_shape *shape, uint64_t first,
                          uint64_t end, uint64_t *numbers, uint32_t *places)
{
    const unsigned rank = shape->rank;
    const uint64_t *at = (const uint64_t *)context + first * rank;
    uint64_t offset[H5S_MAX_RANK];
    uint64_t number = 0;
    bool has_chunk = false;

    for (uint64_t i = first; i < end; i++, at += rank) {
        uint64_t position = 0;
        bool is_same = has_chunk;
        for (unsigned j = 0; is_same && j < rank; j++) {
            const uint64_t local = at[j] - offset[j];
            is_same = local < shape->chunk[j];
            position = position * shape->chunk[j] + local;
        }
        if (!is_same) {
            number = stoa_shape_locate(shape, at, &position);
            stoa_shape_offset(shape, number, offset);
            has_chunk = true;
        }
        *numbers++ = number;
        *places++ = (uint32_t)position;
    }
}

/* --- groups ---------------------------------------------------------------------------------- */

static uint32_t *slot_of(const batch *b, uint64_t number)
{
    size_t i = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (b->n_slots - 1);

    while (b->slots[i] != 0 && b->groups[b->slots[i] - 1].number != number) {
        i = (i + 1) & (b->n_slots - 1);
    }
    return &b->slots[i];
}

static stoa_status grow_groups(batch *b, stoa_error *err)
{
    const size_t capacity = b->capacity != 0 ? 2 * b->capacity : FIRST_SLOTS / 2;
    group *groups = stoa_realloc(b->groups, capacity, sizeof *groups);

    if (groups == NULL) {
        return stoa_fail_memory(err);
    }
    b->groups = groups;
    free(b->slots);
    b->slots = stoa_alloc_zero(2 * capacity, sizeof *b->slots);
    if (b->slots == NULL) {
        return stoa_fail_memory(err);
    }
    b->capacity = capacity;
    b->n_slots = 2 * capacity;
    for (size_t i = 0; i < b->n_groups; i++) {
        *slot_of(b, b->groups[i].number) = (uint32_t)(i + 1);
    }
    return STOA_OK;
}

static stoa_status find_groups(batch *b, stoa_error *err)
{
    uint64_t number = 0;
    uint32_t id = UINT32_MAX;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < b->n; i++) {
        if (id == UINT32_MAX || b->numbers[i] != number) {
            number = b->numbers[i];
            if (b->n_groups == b->capacity) {
                STOA_TRY(grow_groups(b, err));
            }
            uint32_t *slot = slot_of(b, number);
            if (*slot == 0) {
                b->groups[b->n_groups++] = (group){.number = number};
                *slot = (uint32_t)b->n_groups;
            }
            id = *slot - 1;
        }
        b->ids[i] = id;
        b->groups[id].n++;
    }

done:
    return status;
}

/* Points by groups, those of a group in the order they came in. */
static void sort_by_groups(batch *b)
{
    size_t first = 0;

    for (size_t i = 0; i < b->n_groups; i++) {
        b->groups[i].first = first;
        first += b->groups[i].n;
        b->groups[i].n = 0;
    }
    for (size_t i = 0; i < b->n; i++) {
        group *g = &b->groups[b->ids[i]];
        const size_t to = g->first + g->n++;
        b->positions[to] = b->places[i];
        b->indices[to] = (uint32_t)i;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = ((const group *)a)->number;
    const uint64_t y = ((const group *)b)->number;

    return (x > y) - (x < y);
}

/* --- one chunk's points ---------------------------------------------------------------------- */

static bool ascends(const uint32_t *positions, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (positions[i] <= positions[i - 1]) {
            return false;
        }
    }
    return true;
}

/* One pass of a stable sort by the bits from `shift` on. */
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

/* By position; equal ones stay in the order they came in. */
static stoa_status sort_group(hand *h, uint64_t n_elements, uint32_t *positions, uint32_t *indices,
                              size_t all, stoa_error *err)
{
    stoa_status status = STOA_OK;

    h->spare.size = 0;
    STOA_TRY(stoa_buffer_reserve(&h->spare, 2 * all * sizeof(uint32_t), err));
    uint32_t *spare = (uint32_t *)(void *)h->spare.data;
    for (unsigned shift = 0; shift < 32 && (n_elements - 1) >> shift != 0; shift += 2 * DIGIT) {
        sort_digit(positions, indices, all, shift, spare, spare + all);
        if (shift + DIGIT < 32) {
            sort_digit(spare, spare + all, all, shift + DIGIT, positions, indices);
        } else {
            memcpy(positions, spare, all * sizeof *spare);
            memcpy(indices, spare + all, all * sizeof *spare);
        }
    }

done:
    return status;
}

/* Of equal positions the last stays. Returns how many are left. */
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

/* Of equal positions the sum stays, added up in the order they came in. */
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

/* A chunk that is there, with the group's points in it or out of it. */
static stoa_status rewrite(const batch *b, group *g, hand *h, const stoa_sparse_chunk *points,
                           stoa_error *err)
{
    const stoa_store *store = b->store;
    const stoa_sparse_chunk *list = NULL;
    uint64_t offset[H5S_MAX_RANK];
    stoa_content *content = NULL;
    stoa_status status = STOA_OK;

    stoa_shape_offset(&store->shape, g->number, offset);
    STOA_TRY(stoa_content_open(&store->format, &content, err));
    STOA_TRY(stoa_sparse_chunk_unpack(&store->format, g->raw.data, g->raw.size, 2, &h->coder,
                                      &h->old, err));
    stoa_store_clip(store, offset, true, &h->old);
    STOA_TRY(stoa_content_take(content, &h->old, NULL, err));
    if (b->values != NULL) {
        STOA_TRY(stoa_content_merge(content, points->positions, points->n, points->values, err));
    } else {
        STOA_TRY(stoa_content_remove(content, points->positions, points->n, err));
    }
    STOA_TRY(stoa_content_list(content, &list, err));
    g->n = list->n;
    STOA_TRY(stoa_sparse_chunk_pack(&store->format, list, store->fill, &h->coder, &g->packed, err));
    stoa_buffer_clear(&g->raw);

done:
    stoa_content_close(content);
    return stoa_store_at(store, offset, status, err);
}

/* Sort a group of the window; pack its chunk where that is new. */
static stoa_status make_group(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    batch *b = context;
    const stoa_store *store = b->store;
    const size_t size = stoa_sparse_value_size(&store->format);
    group *g = &b->groups[b->first + part];
    hand *h = &b->hands[worker];
    stoa_sparse_chunk *chunk = g->is_packed ? &h->chunk : &g->chunk;
    uint32_t *positions = b->positions + g->first;
    uint32_t *indices = b->indices + g->first;
    const bool is_sorted = ascends(positions, g->n);
    stoa_status status = STOA_OK;

    if (!is_sorted) {
        STOA_TRY(sort_group(h, store->format.n_elements, positions, indices, g->n, err));
    }
    if (!is_sorted && b->sums == NULL) {
        g->n = last_of_each(positions, indices, g->n);
    }
    chunk->positions = positions; /* borrowed, not in a room */
    if (b->values != NULL) {
        STOA_TRY(stoa_room_for(&chunk->rooms[STOA_SECTION_VALUES], g->n * size, err));
        chunk->values = chunk->rooms[STOA_SECTION_VALUES].data;
        gather(b->values, indices, g->n, size, chunk->values);
    }
    if (!is_sorted && b->sums != NULL) {
        g->n = sum_of_each(b->sums, size, positions, chunk->values, g->n);
    }
    chunk->n = g->n;
    if (g->raw.size > 0) {
        STOA_TRY(rewrite(b, g, h, chunk, err));
    } else if (g->is_packed) {
        STOA_TRY(
            stoa_sparse_chunk_pack(&store->format, chunk, store->fill, &h->coder, &g->packed, err));
    }

done:
    return status;
}

static stoa_status put_group(batch *b, group *g, stoa_error *err)
{
    if (g->is_packed) {
        return stoa_store_put_packed(b->store, g->number, g->packed.data, g->packed.size, g->n,
                                     err);
    }
    if (b->values != NULL) {
        return stoa_store_merge(b->store, g->number, g->chunk.positions, g->n, g->chunk.values,
                                err);
    }
    return stoa_store_remove(b->store, g->number, g->chunk.positions, g->n, err);
}

static void clear_group(group *g)
{
    stoa_buffer_clear(&g->raw);
    stoa_buffer_clear(&g->packed);
    stoa_sparse_chunk_clear(&g->chunk);
}

/* Whether a worker packs a group's chunk: a new one, or one of which so much changes that there is
 * no use in keeping it in the cache for further edits. */
static stoa_status plan_group(batch *b, group *g, stoa_error *err)
{
    stoa_store *store = b->store;
    uint64_t offset[H5S_MAX_RANK];
    uint32_t mask = 0;
    stoa_status status = STOA_OK;

    if (!store->format.is_sparse) {
        return STOA_OK;
    }
    const stoa_chunk_entry *entry = stoa_directory_find(&store->directory, g->number);
    if (entry == NULL || (entry->cached == NULL && entry->n_defined == 0)) {
        g->is_packed = b->values != NULL;
        return STOA_OK;
    }
    const size_t size = stoa_sparse_value_size(&store->format);
    if (entry->cached == NULL && entry->n_bytes / size / SHARE <= g->n) {
        stoa_shape_offset(&store->shape, g->number, offset);
        STOA_TRY(stoa_store_at(
            store, offset, store->io.read(store->io.context, offset, &g->raw, &mask, err), err));
        g->is_packed = mask == 0 && g->raw.size > 0;
        g->raw.size = g->is_packed ? g->raw.size : 0;
    }

done:
    return status;
}

/* Groups, a window of them at a time. */
static stoa_status make_and_put(batch *b, stoa_workers *workers, stoa_error *err)
{
    size_t end = 0;
    stoa_status status = STOA_OK;

    for (b->first = 0; b->first < b->n_groups; b->first = end) {
        size_t n = 0;
        for (end = b->first; end < b->n_groups && n <= b->store->cache.bound / PACKED_BYTES;
             end++) {
            group *g = &b->groups[end];
            n += g->n;
            STOA_TRY(plan_group(b, g, err));
        }
        STOA_TRY(stoa_workers_run(workers, end - b->first, make_group, b, err));
        for (size_t i = b->first; i < end; i++) {
            STOA_TRY(put_group(b, &b->groups[i], err));
            clear_group(&b->groups[i]);
        }
    }

done:
    return status;
}

/* --- all of them ----------------------------------------------------------------------------- */

static stoa_status open_batch(batch *b, size_t most, unsigned n_hands, stoa_error *err)
{
    b->numbers = stoa_alloc(most, sizeof *b->numbers);
    b->places = stoa_alloc(most, sizeof *b->places);
    b->ids = stoa_alloc(most, sizeof *b->ids);
    b->positions = stoa_alloc(most, sizeof *b->positions);
    b->indices = stoa_alloc(most, sizeof *b->indices);
    b->hands = stoa_alloc_zero(n_hands, sizeof *b->hands);
    if (b->numbers == NULL || b->places == NULL || b->ids == NULL || b->positions == NULL ||
        b->indices == NULL || b->hands == NULL) {
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}

static void clear_groups(batch *b)
{
    for (size_t i = 0; i < b->n_groups; i++) {
        clear_group(&b->groups[i]);
    }
    free(b->groups);
    free(b->slots);
    b->groups = NULL;
    b->slots = NULL;
    b->n_groups = 0;
    b->capacity = 0;
    b->n_slots = 0;
}

static void close_batch(batch *b, unsigned n_hands)
{
    clear_groups(b);
    for (unsigned i = 0; b->hands != NULL && i < n_hands; i++) {
        stoa_sparse_coder_clear(&b->hands[i].coder);
        stoa_sparse_chunk_clear(&b->hands[i].chunk);
        stoa_sparse_chunk_clear(&b->hands[i].old);
        stoa_buffer_clear(&b->hands[i].spare);
    }
    free(b->hands);
    free(b->numbers);
    free(b->places);
    free(b->ids);
    free(b->positions);
    free(b->indices);
}

static stoa_status write_batch(batch *b, stoa_workers *workers, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_workers_run(workers, (b->n + SLICE - 1) / SLICE, locate_slice, b, err));
    STOA_TRY(find_groups(b, err));
    sort_by_groups(b);
    qsort(b->groups, b->n_groups, sizeof *b->groups, by_number);
    STOA_TRY(make_and_put(b, workers, err));

done:
    clear_groups(b);
    return status;
}

stoa_status stoa_points_write_from(stoa_store *store, stoa_workers *workers, uint64_t n,
                                   const stoa_point_source *source, const uint8_t *values,
                                   const stoa_number_form *sums, stoa_error *err)
{
    const size_t size = stoa_sparse_value_size(&store->format);
    /* Filters that libhdf5 runs are the caller's thread's. */
    stoa_workers *packers = store->coder.foreign == NULL ? workers : NULL;
    const unsigned n_hands = stoa_workers_count(workers);
    const size_t wanted = store->cache.bound / POINT_BYTES + 1;
    const size_t a_batch = wanted < MOST_POINTS ? wanted : MOST_POINTS;
    const size_t most = sums == NULL || n < a_batch ? a_batch : (size_t)n;
    look l = {.shape = &store->shape, .source = source, .n = n};
    batch b = {.store = store, .source = source, .sums = sums};
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
    STOA_TRY(stoa_workers_run(workers, (n + SLICE - 1) / SLICE, look_at_slice, &l, err));
    STOA_TRY(stoa_store_load(store, err));
    STOA_TRY(open_batch(&b, n < most ? (size_t)n : most, n_hands, err));
    for (unsigned i = 0; i < n_hands; i++) {
        b.hands[i].coder.foreign = store->coder.foreign;
    }
    for (uint64_t first = 0; first < n; first += most) {
        b.n = n - first < most ? (size_t)(n - first) : most;
        b.start = first;
        b.values = values != NULL ? values + first * size : NULL;
        STOA_TRY(write_batch(&b, packers, err));
    }

done:
    close_batch(&b, n_hands);
    return status;
}

stoa_status stoa_points_write(stoa_store *store, stoa_workers *workers, uint64_t n,
                              const uint64_t *coordinates, const uint8_t *values, stoa_error *err)
{
    const stoa_point_source source = {
        .context = coordinates, .look = look_at_tuples, .locate = locate_tuples};

    return stoa_points_write_from(store, workers, n, &source, values, NULL, err);
}
