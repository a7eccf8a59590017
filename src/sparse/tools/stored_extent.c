#include "sparse/tools/stored_extent.h"

#include <stdlib.h>

#include "hdf/chunk/chunk_list.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "sparse/store/connector_op.h"

/* State of the iteration over a dataset's chunks. */
typedef struct walk {
    stoa_stored_extent *stored;
    hsize_t chunk[H5S_MAX_RANK];
    stoa_status status;
    stoa_error *err;
} walk;

static uint64_t n_cells(const stoa_stored_extent *stored, int d)
{
    return (stored->extent[d] - 1) / stored->cell[d] + 1;
}

/* Append all cells that a chunk touches. It is a single cell if both have the same shape. */
static int add_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                     void *context)
{
    walk *w = context;
    const stoa_stored_extent *s = w->stored;
    hsize_t first[H5S_MAX_RANK];
    hsize_t last[H5S_MAX_RANK];
    hsize_t at[H5S_MAX_RANK];
    int d;

    (void)mask;
    (void)address;
    (void)n_bytes;
    for (d = 0; d < s->rank; d++) {
        const hsize_t left = s->extent[d] - offset[d];
        if (offset[d] >= s->extent[d]) {
            return H5_ITER_CONT; /* libhdf5 ignores chunks outside of the extent */
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
        w->status = stoa_buffer_append(&w->stored->numbers, &number, sizeof number, w->err);
        for (d = s->rank - 1; d >= 0 && ++at[d] > last[d]; d--) {
            at[d] = first[d];
        }
    } while (d >= 0 && w->status == STOA_OK);
    return w->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

/* The connector refuses to list structured chunks as ordinary ones (sparse RFC §2.2.7). */
static stoa_status list_chunks(hid_t dataset, walk *w, stoa_error *err)
{
    stoa_connected connected;

    if (stoa_connected_dataset(dataset, &connected, NULL) == STOA_OK && connected.store != NULL) {
        STOA_RETURN_NOT_OK(stoa_store_flush(connected.store, err));
        STOA_RETURN_NOT_OK(stoa_native_list(connected.object, connected.below, add_chunk, w, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_chunks_list(dataset, add_chunk, w, err));
    }
    return w->status;
}

/* The shape of a dataset's chunks. A dataset without chunks is stored as a whole, or not at all. */
static stoa_status look_at(hid_t dataset, int rank, hsize_t *chunk, bool *is_chunked,
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

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *one = a;
    const uint64_t *other = b;

    return (*one > *other) - (*one < *other);
}

static void sort_numbers(stoa_buffer *buffer)
{
    uint64_t *numbers = (uint64_t *)(void *)buffer->data;
    const size_t n = buffer->size / sizeof *numbers;
    size_t kept = 0;

    if (n > 1) {
        qsort(numbers, n, sizeof *numbers, compare_numbers);
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
        STOA_RETURN_NOT_OK(look_at(datasets[i], stored->rank, chunk, &is_chunked, &is_whole, err));
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
        walk w = {.stored = stored, .err = err};
        STOA_RETURN_NOT_OK(
            look_at(datasets[i], stored->rank, w.chunk, &is_chunked, &is_whole, err));
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
