/* H5Tconvert() over elements in a buffer that may have to grow. */
#include <stdlib.h>

#include "hdf/ids.h"
#include "sparse/array/array.h"

static bool has_members(hid_t type)
{
    return H5Tdetect_class(type, H5T_COMPOUND) > 0;
}

stoa_status stoa_elements_must_convert(hid_t from, hid_t to, stoa_error *err)
{
    H5T_cdata_t *path = NULL;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool has_path = H5Tfind(from, to, &path) != NULL;

    stoa_error_stack_discard(&errors);
    return has_path ? STOA_OK
                    : stoa_fail(err, STOA_ETYPE,
                                "libhdf5 does not convert these elements into each other");
}

stoa_status stoa_elements_convert(hid_t from, hid_t to, uint64_t n, uint8_t **values,
                                  stoa_error *err)
{
    const size_t from_size = H5Tget_size(from);
    const size_t to_size = H5Tget_size(to);
    void *background = NULL;
    stoa_status status = STOA_OK;

    if (from_size == 0 || to_size == 0) {
        STOA_FAIL(err, STOA_ETYPE, "no datatype of elements");
    }
    if (n == 0 || H5Tequal(from, to) > 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_elements_must_convert(from, to, err));
    if (to_size > from_size) {
        uint8_t *longer = stoa_realloc(*values, (size_t)n, to_size);
        STOA_TRY(longer != NULL ? STOA_OK : stoa_fail_memory(err));
        *values = longer;
    }
    if (has_members(from) || has_members(to)) {
        background = stoa_alloc_zero((size_t)n, to_size);
        STOA_TRY(background != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_HDF(err, H5Tconvert(from, to, (size_t)n, *values, background, H5P_DEFAULT),
             "convert elements");

done:
    free(background);
    return status;
}
