#include "hdf/read/slab.h"

#include <stdlib.h>
#include <string.h>

#include "codec/kernels/byteswap.h"
#include "core/memory.h"

static stoa_status find_shape(stoa_slab *slab, int axis, hsize_t at, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;

    STOA_HDF(err, space = H5Dget_space(slab->dataset), "get the shape");
    slab->rank = H5Sget_simple_extent_type(space) == H5S_SIMPLE
                     ? H5Sget_simple_extent_dims(space, slab->extent, NULL)
                     : 0;
    if (axis == STOA_NO_AXIS && H5Sget_simple_extent_type(space) == H5S_SCALAR) {
        slab->extent[0] = 1;
        goto done;
    }
    const bool is_last = slab->rank > 1 && axis == slab->rank - 1;
    if (axis < 0 || axis >= slab->rank ||
        (at == STOA_WHOLE_ROWS ? axis != 0 && !is_last : slab->rank != 2) ||
        (at != STOA_WHOLE_ROWS && at >= slab->extent[1 - axis])) {
        STOA_FAIL(err, STOA_EDATA,
                  "the dataset has %d dimensions, and no rows of the shape that "
                  "is wanted",
                  slab->rank);
    }
    slab->axis = axis;
    slab->is_turned = is_last && at == STOA_WHOLE_ROWS;
    for (int i = 0; i < slab->rank; i++) {
        slab->start[i] = at == STOA_WHOLE_ROWS ? 0 : at;
        slab->count[i] = at == STOA_WHOLE_ROWS ? slab->extent[i] : 1;
    }

done:
    return stoa_hdf_close(&space, status, err);
}

/* Find the type of a row: an element of the dataset, or an array over the other dimensions. */
static stoa_status describe(stoa_slab *slab, hsize_t at, stoa_element *element, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t row = H5I_INVALID_HID;
    stoa_element item = {.mem_type = H5I_INVALID_HID};
    hsize_t cell[H5S_MAX_RANK];

    STOA_HDF(err, type = H5Dget_type(slab->dataset), "get the datatype");
    const bool is_one = at != STOA_WHOLE_ROWS || slab->rank <= 1;
    STOA_TRY((is_one ? stoa_element_or_time_of : stoa_element_of)(type, &item, err));
    STOA_HDF(err, slab->item = H5Tcopy(item.mem_type), "copy a datatype");
    if (is_one) {
        slab->turns = H5Tget_class(type) == H5T_TIME && item.class == STOA_ELEMENT_INTEGER &&
                      H5Tget_order(type) != H5Tget_order(H5T_NATIVE_INT);
        *element = item;
        item = (stoa_element){.mem_type = H5I_INVALID_HID};
        goto done;
    }
    for (int i = 0; i < slab->rank - 1; i++) {
        cell[i] = slab->extent[slab->is_turned ? slab->rank - 2 - i : i + 1];
        if (cell[i] == 0 || cell[i] > UINT32_MAX) {
            STOA_FAIL(err, STOA_EDATA, "the dataset has rows of %llu items",
                      (unsigned long long)cell[i]);
        }
    }
    STOA_HDF(err, row = H5Tarray_create2(type, (unsigned)slab->rank - 1, cell),
             "make an array type");
    STOA_TRY(stoa_element_of(row, element, err));

done:
    stoa_element_clear(&item);
    status = stoa_hdf_close(&row, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_slab_open(hid_t dataset, int axis, hsize_t at, stoa_element *element,
                           stoa_slab *slab, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *slab = (stoa_slab)STOA_SLAB_INIT;
    *element = (stoa_element){.mem_type = H5I_INVALID_HID};
    slab->dataset = dataset;
    STOA_TRY(find_shape(slab, axis, at, err));
    STOA_TRY(describe(slab, at, element, err));
    STOA_TRY(stoa_checked_reader_open(&slab->reader, dataset, H5I_INVALID_HID, NULL, err));

done:
    if (status != STOA_OK) {
        stoa_slab_close(slab);
        stoa_element_clear(element);
    }
    return status;
}

/* Put the elements of a box, whose last axis has the rows, row after row. Its other axes are
 * reversed, so that the first one varies fastest. */
static void turn(const stoa_slab *slab, uint64_t n_rows, size_t size, const uint8_t *box,
                 uint8_t *out)
{
    uint64_t strides[H5S_MAX_RANK]; /* of an axis in a row */
    uint64_t index[H5S_MAX_RANK] = {0};
    uint64_t n_items = 1;
    uint64_t item = 0; /* of the row */

    for (int i = 0; i < slab->rank - 1; i++) {
        strides[i] = n_items;
        n_items *= slab->extent[i];
    }
    for (uint64_t k = 0; k < n_items; k++) {
        for (uint64_t row = 0; row < n_rows; row++) {
            memcpy(out + (row * n_items + item) * size, box + (k * n_rows + row) * size, size);
        }
        for (int i = slab->rank - 2; i >= 0; i--) {
            item += strides[i];
            if (++index[i] < slab->extent[i]) {
                break;
            }
            item -= strides[i] * slab->extent[i];
            index[i] = 0;
        }
    }
}

static stoa_status read_turned(stoa_slab *slab, uint64_t count, void *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = H5Tget_size(slab->item);
    uint64_t n_items = count;
    uint8_t *box = NULL;

    for (int i = 0; i < slab->rank - 1; i++) {
        n_items *= slab->extent[i];
    }
    box = stoa_alloc_zero((size_t)n_items, size);
    STOA_TRY(box != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_checked_reader_read_any(&slab->reader, slab->item, slab->start, slab->count,
                                          H5P_DEFAULT, box, err));
    turn(slab, count, size, box, out);

done:
    free(box);
    return status;
}

stoa_status stoa_slab_read(stoa_slab *slab, uint64_t first, uint64_t count, void *out,
                           stoa_error *err)
{
    if (count == 0) {
        return STOA_OK;
    }
    slab->start[slab->axis] = first;
    slab->count[slab->axis] = count;
    if (slab->is_turned) {
        return read_turned(slab, count, out, err);
    }
    STOA_RETURN_NOT_OK(stoa_checked_reader_read_any(&slab->reader, slab->item, slab->start,
                                                    slab->count, H5P_DEFAULT, out, err));
    if (slab->turns) { /* rows have one element each */
        stoa_byteswap(out, out, (size_t)count, H5Tget_size(slab->item), stoa_simd_of_cpu());
    }
    return STOA_OK;
}

void stoa_slab_close(stoa_slab *slab)
{
    stoa_checked_reader_close(&slab->reader);
    (void)stoa_hdf_close(&slab->item, STOA_OK, NULL);
    (void)stoa_hdf_close(&slab->dataset, STOA_OK, NULL);
    *slab = (stoa_slab)STOA_SLAB_INIT;
}
