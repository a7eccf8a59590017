#include "sparse/tools/stored_extent.h"

#include <stdlib.h>

#include "core/min_of.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "sparse/store/connector_op.h"

/* The chunks of a dataset, and the cells that they touch. */
typedef struct walk {
    stoa_stored_extent *stored;
    hsize_t chunk[H5S_MAX_RANK];
} walk;

static uint64_t n_cells(const stoa_stored_extent *stored, int d)
{
    return (stored->extent[d] - 1) / stored->cell[d] + 1;
}

/* Append all cells that a chunk touches. It is a single cell if both have the same shape. */
static stoa_status add_chunk(void *context, const stoa_stored_chunk *chunk, stoa_error *err)
{
    const walk *w = context;
    const stoa_stored_extent *s = w->stored;
    const hsize_t *offset = chunk->offset;
    hsize_t first[H5S_MAX_RANK];
    hsize_t last[H5S_MAX_RANK];
    hsize_t at[H5S_MAX_RANK];
    int d;

    for (d = 0; d < s->rank; d++) {
        const hsize_t left = s->extent[d] - offset[d];
        if (offset[d] >= s->extent[d]) {
            return STOA_OK; /* libhdf5 ignores chunks outside of the extent */
        }
        first[d] = offset[d] / s->cell[d];
        last[d] = (offset[d] + (w->chunk[d] < left ? w->chunk[d] : left) - 1) / s->cell[d];
        at[d] = first[d];
    }
    do {
        uint64_t number = 0;
        for (d = 0; d < s->rank; d++) {
            number = number * n_cells(s, d) + at[d];
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(&w->stored->numbers, &number, sizeof number, err));
        for (d = s->rank - 1; d >= 0 && ++at[d] > last[d]; d--) {
            at[d] = first[d];
        }
    } while (d >= 0);
    return STOA_OK;
}

static stoa_status list_chunks(hid_t dataset, walk *w, stoa_error *err)
{
    stoa_chunk_dataset own;
    stoa_chunk_io io;

    STOA_RETURN_NOT_OK(stoa_stored_chunks_of(dataset, &own, &io, err));
    return io.iterate(io.context, add_chunk, w, err);
}

/* The shape of a dataset's chunks. A dataset without chunks is stored as a whole, or not at all. */
static stoa_status read_shape(hid_t dataset, int rank, hsize_t *chunk, bool *is_chunked,
                              bool *is_whole, stoa_error *err)
{
    hid_t dcpl = H5I_INVALID_HID;
    H5D_space_status_t space = H5D_SPACE_STATUS_ALLOCATED;
    stoa_status status = STOA_OK;

    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    const H5D_layout_t layout = H5Pget_layout(dcpl);
    *is_chunked = layout == H5D_CHUNKED;
    if (*is_chunked) {
        STOA_HDF(err, H5Pget_chunk(dcpl, rank, chunk), "get the chunk shape");
    } else if (layout == H5D_CONTIGUOUS && H5Pget_external_count(dcpl) == 0) {
        STOA_HDF(err, H5Dget_space_status(dataset, &space), "look for storage");
    }
    *is_whole = *is_whole || (!*is_chunked && space != H5D_SPACE_STATUS_NOT_ALLOCATED);

done:
    return stoa_hdf_close(&dcpl, status, err);
}

static void sort_numbers(stoa_buffer *buffer)
{
    uint64_t *numbers = (uint64_t *)(void *)buffer->data;
    const size_t n = buffer->size / sizeof *numbers;
    size_t kept = 0;

    if (n > 1) {
        qsort(numbers, n, sizeof *numbers, stoa_order_u64);
    }
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i]) {
            numbers[kept++] = numbers[i];
        }
    }
    buffer->size = kept * sizeof *numbers;
}

static stoa_status count_elements(stoa_stored_extent *stored, hid_t dataset, stoa_error *err)
{
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    STOA_HDF(err, stored->rank = H5Sget_simple_extent_dims(space, stored->extent, NULL),
             "get the shape");
    stored->n_elsewhere = 1;
    for (int d = 0; d < stored->rank; d++) {
        if (__builtin_mul_overflow(stored->n_elsewhere, stored->extent[d], &stored->n_elsewhere)) {
            STOA_FAIL(err, STOA_ERANGE, "has more elements than 64 bits count");
        }
    }

done:
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_stored_extent_find(const hid_t *datasets, int n, stoa_stored_extent *stored,
                                    stoa_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    bool is_chunked = false;
    bool is_whole = false;

    STOA_RETURN_NOT_OK(count_elements(stored, datasets[0], err));
    if (stored->n_elsewhere == 0) {
        return STOA_OK;
    }
    for (int i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(
            read_shape(datasets[i], stored->rank, chunk, &is_chunked, &is_whole, err));
        for (int d = 0; d < stored->rank && is_chunked; d++) {
            stored->cell[d] = stored->cell[d] > chunk[d] ? stored->cell[d] : chunk[d];
        }
    }
    for (int d = 0; d < stored->rank; d++) {
        if (is_whole || stored->cell[d] == 0 || stored->cell[d] > stored->extent[d]) {
            stored->cell[d] = stored->extent[d];
        }
    }
    if (is_whole) {
        STOA_RETURN_NOT_OK(
            stoa_buffer_append(&stored->numbers, &(uint64_t){0}, sizeof(uint64_t), err));
    }
    for (int i = 0; i < n && !is_whole; i++) {
        walk w = {.stored = stored};
        STOA_RETURN_NOT_OK(
            read_shape(datasets[i], stored->rank, w.chunk, &is_chunked, &is_whole, err));
        if (is_chunked) {
            STOA_RETURN_NOT_OK(list_chunks(datasets[i], &w, err));
        }
    }
    sort_numbers(&stored->numbers);
    for (size_t i = 0; i < stoa_stored_extent_n(stored); i++) {
        hsize_t start[H5S_MAX_RANK];
        hsize_t count[H5S_MAX_RANK];
        uint64_t n_elements = 1;
        stoa_stored_extent_cell(stored, i, start, count);
        for (int d = 0; d < stored->rank; d++) {
            n_elements *= count[d];
        }
        stored->n_elsewhere -= n_elements;
    }
    return STOA_OK;
}

void stoa_stored_extent_clear(stoa_stored_extent *stored)
{
    stoa_buffer_clear(&stored->numbers);
}

static void locate(const stoa_stored_extent *stored, uint64_t number, hsize_t *start)
{
    for (int d = stored->rank; d-- > 0;) {
        start[d] = number % n_cells(stored, d) * stored->cell[d];
        number /= n_cells(stored, d);
    }
}

static uint64_t number_of(const stoa_stored_extent *stored, size_t i)
{
    return ((const uint64_t *)(const void *)stored->numbers.data)[i];
}

void stoa_stored_extent_cell(const stoa_stored_extent *stored, size_t i, hsize_t *start,
                             hsize_t *count)
{
    locate(stored, number_of(stored, i), start);
    for (int d = 0; d < stored->rank; d++) {
        const hsize_t left = stored->extent[d] - start[d];
        count[d] = left < stored->cell[d] ? left : stored->cell[d];
    }
}

void stoa_stored_extent_elsewhere(const stoa_stored_extent *stored, hsize_t *at)
{
    size_t i = 0;

    while (i < stoa_stored_extent_n(stored) && number_of(stored, i) == i) {
        i++;
    }
    locate(stored, i, at);
}
