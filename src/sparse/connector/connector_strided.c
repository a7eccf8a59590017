/*
 * H5Dwrite() of columns and similar selections: lines of equidistant elements in the file. They are
 * written directly into the chunks from memory, where they usually form lines too.
 */
#include <stdlib.h>

#include "sparse/connector/connector_transfer.h"

enum { BATCH = 1024 }; /* elements per batch */

typedef struct trip {
    const stoa_transfer *job;
    stoa_selection_walk file;
    stoa_selection_walk memory;
    uint64_t done; /* elements before this batch */
    size_t n;      /* elements of the batch */
    uint64_t elements[BATCH];
    uint64_t places[BATCH]; /* numbers of the elements in memory */
    /* Packed values of the batch, converted in place. NULL if the types are equal. */
    uint8_t *values;
    uint8_t *background;
} trip;

/* --- lines ----------------------------------------------------------------------------------- */

/* The number of equidistant elements, at most n, from numbers[0] on. */
static size_t evenly(const uint64_t *numbers, size_t n, uint64_t *distance)
{
    size_t i = 2;

    *distance = n > 1 ? numbers[1] - numbers[0] : 0;
    while (i < n && numbers[i] - numbers[i - 1] == *distance) {
        i++;
    }
    return i < n ? i : n;
}

/* The number of elements from elements[0] on, at coordinates `at`, that form a line; `*along` is
 * its dimension. */
static size_t find_line(const stoa_transfer *job, const uint64_t *elements, size_t n,
                        const uint64_t *at, unsigned *along, uint64_t *every)
{
    unsigned k = stoa_store_shape(job->store)->rank;
    uint64_t row = 1; /* elements per step along dimension k */
    uint64_t distance = 0;

    *along = k - 1;
    *every = 1;
    if (n == 1 || elements[1] <= elements[0]) {
        return 1;
    }
    const size_t n_even = evenly(elements, n, &distance);
    while (k > 1 && row * job->extent[k - 1] <= distance) {
        row *= job->extent[--k];
    }
    if (distance % row != 0) {
        return 1;
    }
    *along = k - 1;
    *every = distance / row;
    const uint64_t most = (job->extent[*along] - 1 - at[*along]) / *every + 1;
    return n_even < most ? n_even : (size_t)most;
}

static stoa_status write_batch(const trip *t, const uint8_t *from, stoa_error *err)
{
    const stoa_transfer *job = t->job;
    const size_t size = job->file_size;
    const unsigned rank = stoa_store_shape(job->store)->rank;

    for (size_t i = 0, n = 0; i < t->n; i += n) {
        const uint8_t *values = t->values + i * size;
        uint64_t at[H5S_MAX_RANK];
        unsigned along = 0;
        uint64_t every = 0;
        uint64_t distance = 1; /* between values */
        stoa_coordinates_of((int)rank, job->extent, t->elements[i], at);
        n = find_line(job, t->elements + i, t->n - i, at, &along, &every);
        if (t->values == NULL) {
            n = evenly(t->places + i, n, &distance);
            values = from + t->places[i] * size;
        }
        STOA_RETURN_NOT_OK(stoa_store_write_line(job->store, at, along, every, n, values,
                                                 (ptrdiff_t)distance * (ptrdiff_t)size, err));
    }
    return STOA_OK;
}

/* --- batches --------------------------------------------------------------------------------- */

static stoa_status open_trip(trip *t, stoa_error *err)
{
    const stoa_transfer *job = t->job;
    const size_t larger = job->file_size > job->memory_size ? job->file_size : job->memory_size;

    STOA_RETURN_NOT_OK(stoa_selection_begin(&t->file, job->file_space, err));
    if (job->memory_space != H5S_BLOCK) {
        STOA_RETURN_NOT_OK(stoa_selection_begin(&t->memory, job->memory_space, err));
    }
    if (job->converts) {
        t->values = stoa_alloc(BATCH, larger);
        t->background = stoa_alloc_zero(BATCH, larger);
        STOA_RETURN_NO_MEMORY(err, t->values != NULL && t->background != NULL);
    }
    return STOA_OK;
}

/* Get the next elements in the file and in memory. */
static stoa_status fetch_next(trip *t, stoa_error *err)
{
    const uint64_t left = t->job->n_left - t->done;

    t->n = left < BATCH ? (size_t)left : BATCH;
    STOA_RETURN_NOT_OK(stoa_selection_elements(&t->file, t->n, t->elements, err));
    if (t->job->memory_space != H5S_BLOCK) {
        STOA_RETURN_NOT_OK(stoa_selection_elements(&t->memory, t->n, t->places, err));
        return STOA_OK;
    }
    for (size_t i = 0; i < t->n; i++) {
        t->places[i] = t->done + i;
    }
    return STOA_OK;
}

static stoa_status convert(const trip *t, const uint8_t *from, stoa_error *err)
{
    const stoa_transfer *job = t->job;
    const size_t size = job->memory_size;

    for (size_t i = 0; i < t->n; i++) {
        stoa_value_copy(t->values + i * size, from + t->places[i] * size, size);
    }
    STOA_RETURN_HDF_ERROR(
        err,
        H5Tconvert(job->memory_type, job->file_type, t->n, t->values, t->background, job->dxpl),
        "convert elements");
    return STOA_OK;
}

stoa_status stoa_scatter_write_lines(const stoa_transfer *scatter, const uint8_t *from,
                                     stoa_error *err)
{
    trip *t = stoa_alloc(1, sizeof *t);
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, t);
    t->job = scatter;
    t->file = (stoa_selection_walk)STOA_SELECTION_WALK_INIT;
    t->memory = t->file;
    t->values = NULL;
    t->background = NULL;
    STOA_TRY(open_trip(t, err));
    for (t->done = 0; t->done < scatter->n_left; t->done += t->n) {
        STOA_TRY(fetch_next(t, err));
        if (scatter->converts) {
            STOA_TRY(convert(t, from, err));
        }
        STOA_TRY(write_batch(t, from, err));
    }

done:
    status = stoa_selection_end(&t->file, status, err);
    status = stoa_selection_end(&t->memory, status, err);
    free(t->values);
    free(t->background);
    free(t);
    return status;
}
