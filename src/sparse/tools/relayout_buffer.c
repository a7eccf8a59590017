/*
 * Boxes, and the buffer of elements on their way from a dataset to its sparse copy.
 *
 * Variable-length elements own memory. It is freed when elements leave the buffer, and when they
 * fail to enter it.
 */
#include <string.h>

#include "core/progress.h"
#include "sparse/tools/relayout_fill.h"

/* --- boxes ----------------------------------------------------------------------------------- */

uint64_t stoa_filling_product(const uint64_t *sides, unsigned rank)
{
    uint64_t n = 1;

    for (unsigned i = 0; i < rank; i++) {
        n = sides[i] != 0 && n > UINT32_MAX / sides[i] ? UINT32_MAX : n * sides[i];
    }
    return n;
}

void stoa_filling_box(const stoa_filling *f, uint64_t number, stoa_box *box)
{
    stoa_shape_offset(&f->grid, number, box->start);
    for (unsigned i = 0; i < f->grid.rank; i++) {
        const uint64_t left = f->grid.extent[i] - box->start[i];
        box->count[i] = left < f->grid.chunk[i] ? left : f->grid.chunk[i];
    }
}

uint64_t stoa_filling_elements(const stoa_filling *f, const stoa_box *box)
{
    return stoa_filling_product(box->count, f->grid.rank);
}

void stoa_filling_step(const stoa_filling *f, const stoa_box *box, uint64_t *at)
{
    for (unsigned i = f->grid.rank; i-- > 0;) {
        if (++at[i] < box->start[i] + box->count[i]) {
            return;
        }
        at[i] = box->start[i];
    }
}

stoa_status stoa_filling_report(const stoa_filling *f, stoa_error *err)
{
    return stoa_report_progress(f->all->listener, &(stoa_progress){.stage = "rewriting"}, err);
}

/* --- buffered elements ----------------------------------------------------------------------- */

uint64_t stoa_filling_in_hand(const stoa_filling *f)
{
    return f->values.size / f->size;
}

stoa_status stoa_filling_room(stoa_filling *f, uint64_t n, uint64_t **coordinates, uint8_t **values,
                              stoa_error *err)
{
    const size_t step_bytes = f->grid.rank * sizeof **coordinates;
    const size_t at = f->coordinates.size;
    const size_t value_at = f->values.size;

    STOA_RETURN_NOT_OK(stoa_buffer_grow(&f->coordinates, (size_t)n * step_bytes, err));
    STOA_RETURN_NOT_OK(stoa_buffer_grow(&f->values, (size_t)n * f->size, err));
    *coordinates = (uint64_t *)(void *)(f->coordinates.data + at);
    *values = f->values.data + value_at;
    return STOA_OK;
}

void stoa_filling_release(const stoa_filling *f, const uint8_t *values, size_t n)
{
    static const stoa_vlen_memory own = {.allocate = NULL};

    if (f->layout != NULL) {
        stoa_vlen_release(f->layout, &own, n, values, NULL);
    }
}

void stoa_filling_let_go(stoa_filling *f)
{
    if (f->size > 0) {
        stoa_filling_release(f, f->values.data, (size_t)stoa_filling_in_hand(f));
    }
    f->coordinates.size = 0;
    f->values.size = 0;
}

/* Remove the elements with the excluded value. */
static stoa_status exclude(stoa_filling *f, stoa_error *err)
{
    const uint64_t n = stoa_filling_in_hand(f);
    const size_t step_bytes = f->grid.rank * sizeof(uint64_t);
    uint64_t kept = 0;

    if (f->value.bytes == NULL || n == 0) {
        return STOA_OK;
    }
    f->flags.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_grow(&f->flags, (size_t)n, err));
    STOA_RETURN_NOT_OK(
        stoa_one_value_find(&f->value, f->type, n, f->values.data, f->flags.data, err));
    for (uint64_t i = 0; i < n; i++) {
        if (f->flags.data[i] == 0) {
            memmove(f->values.data + kept * f->size, f->values.data + i * f->size, f->size);
            memmove(f->coordinates.data + kept * step_bytes, f->coordinates.data + i * step_bytes,
                    step_bytes);
            kept++;
        } else {
            stoa_filling_release(f, f->values.data + i * f->size, 1);
        }
    }
    f->values.size = (size_t)kept * f->size;
    f->coordinates.size = (size_t)kept * step_bytes;
    return STOA_OK;
}

stoa_status stoa_filling_put(stoa_filling *f, stoa_error *err)
{
    STOA_RETURN_NOT_OK(exclude(f, err));
    STOA_RETURN_NOT_OK(stoa_sparse_write(f->to, stoa_filling_in_hand(f),
                                         (const uint64_t *)(const void *)f->coordinates.data,
                                         f->values.data, f->type, err));
    stoa_filling_let_go(f);
    return STOA_OK;
}

/* --- reading the source ---------------------------------------------------------------------- */

stoa_status stoa_filling_select(const stoa_filling *f, const stoa_box *box, hid_t *memory,
                                stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(
        err, H5Sselect_hyperslab(f->space, H5S_SELECT_SET, box->start, NULL, box->count, NULL),
        "select a box");
    STOA_RETURN_HDF_ERROR(err, *memory = H5Screate_simple((int)f->grid.rank, box->count, NULL),
                          "make a dataspace");
    return STOA_OK;
}

stoa_status stoa_filling_read_box(stoa_filling *f, const stoa_box *box, uint8_t *values,
                                  stoa_error *err)
{
    if (f->layout != NULL && f->from != NULL) { /* libhdf5 cannot read these */
        return stoa_sparse_read_dense(f->from, box->start, box->count, f->type, values, NULL, err);
    }
    return stoa_checked_reader_read_any(&f->reader, f->type, box->start, box->count, H5P_DEFAULT,
                                        values, err);
}

/* Read single elements from a sparse array. */
static stoa_status read_defined(const stoa_filling *f, uint64_t n, const uint64_t *coordinates,
                                uint8_t *values, stoa_error *err)
{
    const unsigned rank = f->grid.rank;
    uint64_t one[H5S_MAX_RANK];

    for (unsigned i = 0; i < rank; i++) {
        one[i] = 1;
    }
    for (uint64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_sparse_read_dense(f->from, coordinates + i * rank, one, f->type,
                                                  values + i * f->size, NULL, err));
    }
    return STOA_OK;
}

static bool is_same_chunk(const stoa_checked_reader *packed, const uint64_t *a, const uint64_t *b)
{
    for (int i = 0; i < packed->rank; i++) {
        if (a[i] / packed->chunk[i] != b[i] / packed->chunk[i]) {
            return false;
        }
    }
    return true;
}

/* Validate the chunks of these points before libhdf5 reads them. Consecutive points are mostly in
 * the same chunk. */
static stoa_status check_points(stoa_filling *f, uint64_t n, const uint64_t *coordinates,
                                stoa_error *err)
{
    const unsigned rank = f->grid.rank;
    hsize_t one[H5S_MAX_RANK];

    for (unsigned i = 0; i < rank; i++) {
        one[i] = 1;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t *const at = coordinates + i * rank;
        if (i == 0 || !is_same_chunk(&f->reader, at - rank, at)) {
            STOA_RETURN_NOT_OK(
                stoa_checked_reader_check(&f->reader, (const hsize_t *)at, one, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_filling_read_points(stoa_filling *f, uint64_t n, const uint64_t *coordinates,
                                     uint8_t *values, stoa_error *err)
{
    const hsize_t count = n;
    hid_t memory = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    if (f->layout != NULL && f->from != NULL) {
        return read_defined(f, n, coordinates, values, err);
    }
    STOA_TRY(check_points(f, n, coordinates, err));
    STOA_HDF(err,
             H5Sselect_elements(f->space, H5S_SELECT_SET, (size_t)n, (const hsize_t *)coordinates),
             "select elements");
    STOA_HDF(err, memory = H5Screate_simple(1, &count, NULL), "make a dataspace");
    STOA_HDF(err, H5Dread(f->source, f->type, memory, f->space, H5P_DEFAULT, values),
             "read elements");

done:
    return stoa_hdf_close(&memory, status, err);
}

stoa_status stoa_filling_read_all(stoa_filling *f, const stoa_box *box, stoa_error *err)
{
    const uint64_t n = stoa_filling_elements(f, box);
    uint64_t *coordinates = NULL;
    uint8_t *values = NULL;
    uint64_t at[H5S_MAX_RANK];

    STOA_RETURN_NOT_OK(stoa_filling_room(f, n, &coordinates, &values, err));
    STOA_RETURN_NOT_OK(stoa_filling_read_box(f, box, values, err));
    memcpy(at, box->start, sizeof at);
    for (uint64_t i = 0; i < n; i++) {
        memcpy(coordinates + i * f->grid.rank, at, f->grid.rank * sizeof *at);
        stoa_filling_step(f, box, at);
    }
    return STOA_OK;
}
