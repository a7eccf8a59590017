/*
 * H5Dread() and H5Dwrite() of elements that do not form long runs.
 *
 * Points, and hyperslabs of many short runs, may lie anywhere. They are sorted by chunk, so that
 * the store touches each chunk once a batch, on several threads. Regular hyperslabs such as columns
 * go through few chunks, and neighbouring columns go through the same ones. These chunks stay in
 * the cache.
 */

#include <stdlib.h>
#include <string.h>

#include "sparse/connector/connector_transfer.h"
#include "sparse/points/points_tuples.h"

enum {
    BATCH_BYTES = 1 << 26, /* of elements, in the wider of both types */
    BATCH = 1 << 22,       /* elements; each needs 40 more bytes while sorting */
    MANY = 1 << 15,        /* elements from which other threads pay off */
    FEW_DIMENSIONS = 4     /* rank up to which coordinates are worth their memory */
};

/* A batch in progress. */
typedef struct trip {
    const stoa_transfer *job;
    stoa_workers *workers; /* NULL to use this thread only */
    stoa_selection_walk file;
    stoa_selection_walk memory;
    bool is_plain;  /* consecutive elements in memory */
    bool is_listed; /* the file selection is a list of points, read as coordinates */
    stoa_selection_list list;
    uint64_t *elements; /* of the batch in the file; see numbered and listed */
    size_t room;        /* capacity in elements */
    uint64_t *places;   /* of the batch in memory; NULL if consecutive */
    uint8_t *values;    /* packed, converted in place; NULL if neither is needed */
    uint8_t *background;
    uint64_t done; /* elements before this batch */
    size_t n;      /* elements of the batch */
} trip;

/* --- elements by number ---------------------------------------------------------------------- */

typedef struct numbered {
    uint64_t *elements;     /* element i is at i % room */
    size_t room;            /* a multiple of the slice size */
    const uint64_t *extent; /* in which they are numbered */
    stoa_selection_walk *walk;
} numbered;

static bool is_extent_of(const stoa_shape *shape, const uint64_t *extent)
{
    return memcmp(extent, shape->extent, shape->rank * sizeof *extent) == 0;
}

static stoa_status fetch_numbers(const void *context, uint64_t first, uint64_t end, stoa_error *err)
{
    const numbered *source = context;

    return stoa_selection_elements(source->walk, (size_t)(end - first),
                                   source->elements + first % source->room, err);
}

static stoa_status check_numbers(const void *context, const stoa_shape *shape, uint64_t first,
                                 uint64_t end, stoa_error *err)
{
    const numbered *source = context;
    const uint64_t *elements = source->elements + first % source->room;
    uint64_t at[H5S_MAX_RANK];

    if (is_extent_of(shape, source->extent)) {
        return STOA_OK; /* libhdf5 has checked it */
    }
    for (uint64_t i = 0; i < end - first; i++) {
        stoa_coordinates_of((int)shape->rank, source->extent, elements[i], at);
        for (unsigned j = 0; j < shape->rank; j++) {
            if (at[j] >= shape->extent[j]) {
                return stoa_fail(err, STOA_ERANGE,
                                 "dimension %u: an element at %llu leaves the extent of %llu", j,
                                 (unsigned long long)at[j], (unsigned long long)shape->extent[j]);
            }
        }
    }
    return STOA_OK;
}

/* A segment: the elements of one row of one chunk. */
typedef struct stretch {
    uint64_t first; /* first element */
    uint64_t n;
    uint64_t left;     /* rest of the row of the extent, from `first` on */
    uint64_t number;   /* of the chunk */
    uint32_t position; /* of the first element in the chunk */
} stretch;

static void find_stretch(const numbered *source, const stoa_shape *shape, uint64_t element,
                         stretch *s)
{
    const unsigned last = shape->rank - 1;
    uint64_t at[H5S_MAX_RANK];
    uint64_t position = 0;

    stoa_coordinates_of((int)shape->rank, source->extent, element, at);
    s->number = stoa_shape_locate(shape, at, &position);
    const uint64_t behind = at[last] % shape->chunk[last]; /* before it in its row */
    s->left = source->extent[last] - (at[last] - behind);
    s->first = element - behind;
    s->n = s->left < shape->chunk[last] ? s->left : shape->chunk[last];
    s->position = (uint32_t)(position - behind);
}

/* Locate points by number. A point is most often in the same row of a chunk as the previous one, or
 * in the next chunk of that row. Neither case needs a division. */
static void locate_numbers(const void *context, const stoa_shape *shape, uint64_t first,
                           uint64_t end, stoa_point_runs *runs, uint32_t *places)
{
    const numbered *source = context;
    const uint64_t *elements = source->elements + first % source->room;
    const uint64_t n = end - first;
    const uint64_t width = shape->chunk[shape->rank - 1];
    stretch s = {.n = 0};

    for (uint64_t i = 0; i < n;) {
        const uint64_t before = i;
        if (elements[i] - s.first - s.n < width && elements[i] - s.first < s.left) {
            s.first += s.n;
            s.left -= s.n;
            s.n = s.left < width ? s.left : width;
            s.number++;
        } else {
            find_stretch(source, shape, elements[i], &s);
        }
        for (; i < n && elements[i] - s.first < s.n; i++) {
            *places++ = s.position + (uint32_t)(elements[i] - s.first);
        }
        stoa_point_runs_add(runs, s.number, i - before);
    }
}

/* --- elements by coordinates ----------------------------------------------------------------- */

/* Points inside of the extent, which is the store's. */
typedef struct listed {
    uint64_t *tuples; /* point i is at i % room */
    size_t room;      /* a multiple of the slice size */
    stoa_selection_list *list;
} listed;

static stoa_status fetch_tuples(const void *context, uint64_t first, uint64_t end, stoa_error *err)
{
    const listed *source = context;

    return stoa_selection_list_next(source->list, (size_t)(end - first),
                                    source->tuples + first % source->room * source->list->rank,
                                    err);
}

static void locate_tuples(const void *context, const stoa_shape *shape, uint64_t first,
                          uint64_t end, stoa_point_runs *runs, uint32_t *places)
{
    const listed *source = context;

    stoa_tuples_locate_of(stoa_simd_of_cpu())(shape,
                                              source->tuples + first % source->room * shape->rank,
                                              (size_t)(end - first), runs, places);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void pack(const trip *t, const uint8_t *buf, uint8_t *packed)
{
    const size_t size = t->job->memory_size;

    if (t->is_plain) {
        memcpy(packed, buf + t->done * size, t->n * size);
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        stoa_value_copy(packed + i * size, buf + t->places[i] * size, size);
    }
}

static void unpack(const trip *t, const uint8_t *packed, uint8_t *buf)
{
    const size_t size = t->job->memory_size;

    if (t->is_plain) {
        memcpy(buf + t->done * size, packed, t->n * size);
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        stoa_value_copy(buf + t->places[i] * size, packed + i * size, size);
    }
}

/* --- batches --------------------------------------------------------------------------------- */

static stoa_status convert(const trip *t, hid_t from, hid_t to, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5Tconvert(from, to, t->n, t->values, t->background, t->job->dxpl),
                          "convert elements");
    return STOA_OK;
}

static stoa_status read_batch(const trip *t, const stoa_point_source *source, uint8_t *buf,
                              stoa_error *err)
{
    const stoa_transfer *job = t->job;
    uint8_t *to = t->values != NULL ? t->values : buf + t->done * job->file_size;

    STOA_RETURN_NOT_OK(stoa_points_get(job->store, t->workers, t->n, source, to, err));
    if (job->merges) {
        pack(t, buf, t->background);
    }
    if (job->converts) {
        STOA_RETURN_NOT_OK(convert(t, job->file_type, job->memory_type, err));
    }
    if (t->values != NULL) {
        unpack(t, t->values, buf);
    }
    return STOA_OK;
}

static stoa_status write_batch(const trip *t, const stoa_point_source *source, const uint8_t *buf,
                               stoa_error *err)
{
    const stoa_transfer *job = t->job;
    const uint8_t *from = t->values != NULL ? t->values : buf + t->done * job->file_size;
    stoa_point_source known = *source;

    if (t->values != NULL) {
        pack(t, buf, t->values);
    }
    if (job->merges) {
        STOA_RETURN_NOT_OK(
            stoa_points_get(job->store, t->workers, t->n, source, t->background, err));
        known.fetch = NULL;
    }
    if (job->converts) {
        STOA_RETURN_NOT_OK(convert(t, job->memory_type, job->file_type, err));
    }
    return stoa_points_write_from(job->store, t->workers, t->n, &known, from, NULL, err);
}

/* Whether memory is a contiguous run of elements from the start of the buffer. */
static stoa_status check_memory(trip *t, stoa_error *err)
{
    const hid_t space = t->job->memory_space;
    H5S_sel_type type = H5S_SEL_ALL;

    if (space != H5S_BLOCK) {
        STOA_RETURN_HDF_ERROR(err, type = H5Sget_select_type(space), "look at a selection");
    }
    t->is_plain = type == H5S_SEL_ALL;
    return STOA_OK;
}

/* Prepare the elements in the file. If they are streamed, only few are needed at a time, so
 * coordinates do not take too much memory. */
static stoa_status open_file_side(trip *t, size_t most, bool are_passing, stoa_error *err)
{
    const hid_t space = t->job->file_space;
    const unsigned rank = stoa_store_shape(t->job->store)->rank;
    H5S_sel_type type = H5S_SEL_NONE;

    STOA_RETURN_HDF_ERROR(err, type = H5Sget_select_type(space), "look at a selection");
    t->is_listed = are_passing && type == H5S_SEL_POINTS && rank <= FEW_DIMENSIONS;
    STOA_RETURN_NOT_OK(t->is_listed ? stoa_selection_list_begin(&t->list, space, err)
                                    : stoa_selection_begin(&t->file, space, err));
    t->room = are_passing && most > STOA_POINTS_AHEAD ? STOA_POINTS_AHEAD : most;
    t->elements = stoa_alloc(t->room * (t->is_listed ? rank : 1), sizeof *t->elements);
    STOA_RETURN_NO_MEMORY(err, t->elements);
    return STOA_OK;
}

static stoa_status open_trip(trip *t, size_t most, bool are_passing, stoa_error *err)
{
    const stoa_transfer *job = t->job;
    const size_t larger = job->file_size > job->memory_size ? job->file_size : job->memory_size;

    STOA_RETURN_NOT_OK(check_memory(t, err));
    STOA_RETURN_NOT_OK(open_file_side(t, most, are_passing, err));
    if (!t->is_plain) {
        STOA_RETURN_NOT_OK(stoa_selection_begin(&t->memory, job->memory_space, err));
        t->places = stoa_alloc(most, sizeof *t->places);
        STOA_RETURN_NO_MEMORY(err, t->places);
    }
    if (!t->is_plain || job->converts) {
        t->values = stoa_alloc(most, larger);
        t->background = stoa_alloc_zero(job->converts ? most : 0, larger);
        if (t->values == NULL || (job->converts && t->background == NULL)) {
            return stoa_fail_memory(err);
        }
    }
    if (job->n_left >= MANY) {
        STOA_RETURN_NOT_OK(stoa_workers_open(0, &t->workers, err));
    }
    return STOA_OK;
}

stoa_status stoa_scatter_move(const stoa_transfer *scatter, uint8_t *to, const uint8_t *from,
                              stoa_error *err)
{
    const size_t larger =
        scatter->file_size > scatter->memory_size ? scatter->file_size : scatter->memory_size;
    const size_t a_batch = BATCH_BYTES / larger + 1 < BATCH ? BATCH_BYTES / larger + 1 : BATCH;
    const size_t most = scatter->n_left < a_batch ? (size_t)scatter->n_left : a_batch;
    trip *t = stoa_alloc_zero(1, sizeof *t);
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, t);
    t->job = scatter;
    t->file.iterator = H5I_INVALID_HID;
    t->memory.iterator = H5I_INVALID_HID;
    /* Elements that may leave the extent are checked before anything is written or read. */
    const bool are_inside = is_extent_of(stoa_store_shape(scatter->store), scatter->extent);
    STOA_TRY(open_trip(t, most, to != NULL && are_inside, err));
    const numbered numbers = {
        .elements = t->elements, .room = t->room, .extent = scatter->extent, .walk = &t->file};
    const listed tuples = {.tuples = t->elements, .room = t->room, .list = &t->list};
    const stoa_point_source by_number = {.context = &numbers,
                                         .fetch = are_inside ? fetch_numbers : NULL,
                                         .check = check_numbers,
                                         .locate = locate_numbers};
    const stoa_point_source by_tuples = {
        .context = &tuples, .fetch = fetch_tuples, .locate = locate_tuples};
    const stoa_point_source *source = t->is_listed ? &by_tuples : &by_number;
    for (; t->done < scatter->n_left; t->done += t->n) {
        t->n = scatter->n_left - t->done < most ? (size_t)(scatter->n_left - t->done) : most;
        if (!are_inside) {
            STOA_TRY(fetch_numbers(&numbers, 0, t->n, err));
        }
        if (!t->is_plain) {
            STOA_TRY(stoa_selection_elements(&t->memory, t->n, t->places, err));
        }
        STOA_TRY(to != NULL ? read_batch(t, source, to, err) : write_batch(t, source, from, err));
    }

done:
    status = stoa_selection_end(&t->file, status, err);
    status = stoa_selection_end(&t->memory, status, err);
    stoa_workers_close(t->workers);
    free(t->elements);
    free(t->places);
    free(t->values);
    free(t->background);
    free(t);
    return status;
}
