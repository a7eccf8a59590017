/* The dimension scale of a dataset's rows (HDF5 dimension scales 1.0, netCDF-4's use of them). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/references.h"
#include "layout/plain/plain.h"

/* The NAME of a scale that netCDF-4 writes for a dimension without a variable begins so. */
#define BARE_DIMENSION "This is a netCDF dimension but not a netCDF variable"

static bool is_scale(hid_t dataset)
{
    return stoa_attribute_is(dataset, "CLASS", "DIMENSION_SCALE");
}

bool stoa_plain_is_bare_dimension(hid_t dataset)
{
    char *name = is_scale(dataset) ? stoa_attribute_optional(dataset, "NAME") : NULL;
    const bool is = name != NULL && strncmp(name, BARE_DIMENSION, strlen(BARE_DIMENSION)) == 0;

    free(name);
    return is;
}

stoa_status stoa_plain_scale_of(hid_t dataset, bool *has_one, H5O_token_t *scale, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t target = H5I_INVALID_HID;
    H5O_info2_t info;

    *has_one = false;
    STOA_TRY(stoa_reference_open_first(dataset, "DIMENSION_LIST", &target, err));
    const hid_t own = target >= 0 ? target : is_scale(dataset) ? dataset : H5I_INVALID_HID;
    if (own >= 0) {
        STOA_HDF(err, H5Oget_info3(own, &info, H5O_INFO_BASIC), "look at a dimension scale");
        *has_one = true;
        *scale = info.token;
    }

done:
    return stoa_hdf_close(&target, status, err);
}
