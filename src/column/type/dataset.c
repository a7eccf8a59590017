#include "column/type/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "column/type/datatype.h"
#include "column/type/fill.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"

stoa_status stoa_range_write(hid_t dataset, const stoa_element *element, const void *low,
                             const void *high, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    /* "Each a scalar of the column's element datatype" (§8.5): the stored one with its byte
     * order. */
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    if (low != NULL) {
        STOA_TRY(
            stoa_attribute_write_scalar(dataset, "valid_min", type, element->mem_type, low, err));
    }
    if (high != NULL) {
        STOA_TRY(
            stoa_attribute_write_scalar(dataset, "valid_max", type, element->mem_type, high, err));
    }

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_chunk_rows_set(hid_t dcpl, uint64_t n_rows, stoa_error *err)
{
    if (n_rows > UINT32_MAX) {
        return stoa_fail(err, STOA_EINVAL, "chunks of %llu rows are too long: give fewer than 2^32",
                         (unsigned long long)n_rows);
    }
    STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(dcpl, 1, &(hsize_t){n_rows}),
                          "set a chunk length of %llu rows", (unsigned long long)n_rows);
    return STOA_OK;
}

stoa_status stoa_storage_plist(const stoa_storage *storage, hid_t *dcpl, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *dcpl = H5Pcreate(H5P_DATASET_CREATE), "make creation properties");
    STOA_RETURN_HDF_ERROR(err, H5Pset_obj_track_times(*dcpl, false), "set time tracking");
    return storage->chunk_rows != 0 ? stoa_chunk_rows_set(*dcpl, storage->chunk_rows, err)
                                    : STOA_OK;
}

/* Choose the fill value, and the range that goes with it.
 *
 * @param[out] own  the element, if it was not given. The caller frees it */
static stoa_status choose_fill(const stoa_element *element, const stoa_domain *domain,
                               const stoa_fill_wish *wish, uint8_t *own, char text[2],
                               const void **fill, stoa_fill *range, stoa_error *err)
{
    *range = (stoa_fill){.has_range = false};
    *fill = wish->fill != NULL ? wish->fill : own;
    if (wish->is_bool) {
        /* A bool that may be missing is a uint8, and the range says that it is a bool (§8.5;
         * HEP001-2026-07 §8.8). */
        *own = UINT8_MAX; /* unless another one is wished for */
        *range = (stoa_fill){.has_range = true, .valid_max = {1}};
    } else if (wish->fill != NULL) {
        stoa_fill_declare(element, domain, wish->fill, range);
    } else {
        return stoa_fill_choose(element, domain, own, text, range, err);
    }
    return STOA_OK;
}

static stoa_status check_size(const stoa_element *element, stoa_error *err)
{
    if (element->size > STOA_MAX_FILL_BYTES) {
        return stoa_fail(err, STOA_ETYPE,
                         "an element has %zu bytes, and its fill value must be below 64 KiB in "
                         "HDF5 (HEP001 §8.5); write its parts as columns, or leave it out",
                         element->size);
    }
    return STOA_OK;
}

stoa_status stoa_dataset_create(hid_t loc, hid_t type, const stoa_element *element,
                                const stoa_domain *domain, const stoa_fill_wish *wish,
                                uint64_t extent, hid_t dcpl, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    uint8_t *own = stoa_alloc_zero(1, element->size);
    const void *fill = NULL;
    char text[2];
    stoa_fill range = {.has_range = false};

    *dataset = H5I_INVALID_HID;
    STOA_TRY(own != NULL ? STOA_OK : stoa_fail_memory(err));
    /* Booleans of two members have no fill, and other enumerations keep their own, MISSING (§8.5,
     * §8.8). */
    if (element->class != STOA_ELEMENT_ENUM && !wish->is_none) {
        STOA_TRY(check_size(element, err));
        STOA_TRY(choose_fill(element, domain, wish, own, text, &fill, &range, err));
        STOA_HDF(err, H5Pset_fill_value(dcpl, element->mem_type, fill), "set the fill value");
    }
    const bool is_chunked = H5Pget_layout(dcpl) == H5D_CHUNKED;
    STOA_HDF(err,
             space = H5Screate_simple(1, &(hsize_t){extent},
                                      is_chunked ? &(hsize_t){H5S_UNLIMITED} : NULL),
             "make a dataspace");
    STOA_HDF(err, *dataset = H5Dcreate_anon(loc, type, space, dcpl, H5P_DEFAULT),
             "create a dataset of %s", element->text);
    if (range.has_range && !element->is_bitfield) { /* bits have no range */
        STOA_TRY(stoa_range_write(*dataset, element, range.valid_min, range.valid_max, err));
    }

done:
    if (element->class == STOA_ELEMENT_VLEN) {
        stoa_element_reclaim(element, own, own != NULL ? 1 : 0);
    }
    free(own);
    status = stoa_hdf_close(&space, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return status;
}
