/* Saves, restores and copies attributes; see also attributes.h. */
#include "hdf/metadata/saved_attribute.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"

/* Larger attributes are damage. */
#define MAX_COPIED_BYTES ((uint64_t)1 << 30)

static stoa_status read_value(hid_t attribute, const char *name, stoa_saved_attribute *kept,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hssize_t n = 0;

    STOA_RETURN_HDF_ERROR(err, n = H5Sget_simple_extent_npoints(kept->space),
                          "get the shape of attribute '%s'", name);
    const size_t size = H5Tget_size(kept->type);
    if (size == 0 || (uint64_t)n > MAX_COPIED_BYTES / size ||
        !stoa_attribute_fits(attribute, kept->type, (uint64_t)n)) {
        return stoa_fail(err, STOA_EDATA,
                         "attribute '%s' is not of the size it claims: the file is damaged", name);
    }
    if (n == 0) {
        return status; /* an empty attribute has only its type and shape */
    }
    kept->value = stoa_alloc_zero((size_t)n, size);
    STOA_RETURN_NO_MEMORY(err, kept->value);
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool is_read = H5Aread(attribute, kept->type, kept->value) >= 0;
    if (!is_read) {
        free(kept->value); /* holds no memory of libhdf5 */
        kept->value = NULL;
        status = stoa_hdf_fail(err, "read attribute '%s'", name);
    }
    stoa_error_stack_end(&errors);
    return status;
}

stoa_status stoa_attribute_save(hid_t object, const char *name, stoa_saved_attribute *kept,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;

    if (!stoa_attribute_exists(object, name)) {
        return STOA_OK;
    }
    STOA_HDF(err, attribute = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, kept->type = H5Aget_type(attribute), "get the type of attribute '%s'", name);
    STOA_HDF(err, kept->space = H5Aget_space(attribute), "get the shape of attribute '%s'", name);
    STOA_TRY(read_value(attribute, name, kept, err));

done:
    return stoa_hdf_close(&attribute, status, err);
}

stoa_status stoa_attribute_put_back(hid_t object, const char *name,
                                    const stoa_saved_attribute *kept, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;

    STOA_TRY(stoa_attribute_delete(object, name, err));
    if (kept->type < 0) {
        goto done; /* there was none */
    }
    STOA_TRY(stoa_attribute_make(object, name, kept->type, kept->space, &attribute, err));
    if (kept->value != NULL) {
        STOA_HDF(err, H5Awrite(attribute, kept->type, kept->value), "write attribute '%s'", name);
    }

done:
    return stoa_hdf_close(&attribute, status, err);
}

void stoa_saved_attribute_clear(stoa_saved_attribute *kept)
{
    if (kept->value != NULL) {
        (void)H5Treclaim(kept->type, kept->space, H5P_DEFAULT, kept->value);
        free(kept->value);
    }
    (void)stoa_hdf_close(&kept->space, STOA_OK, NULL);
    (void)stoa_hdf_close(&kept->type, STOA_OK, NULL);
    *kept = (stoa_saved_attribute)STOA_SAVED_ATTRIBUTE_INIT;
}

/* Iteration over an object's attributes. */
typedef struct copying {
    hid_t to;
    const char *const *except;
    bool is_lax; /* skip attributes that cannot be read */
    stoa_error *err;
    stoa_status status;
} copying;

static herr_t copy_unless_excepted(hid_t from, const char *name, const H5A_info_t *info,
                                   void *context)
{
    copying *copy = context;
    stoa_saved_attribute kept = STOA_SAVED_ATTRIBUTE_INIT;

    (void)info;
    if (stoa_is_listed(name, copy->except)) {
        return 0;
    }
    copy->status = stoa_attribute_save(from, name, &kept, copy->is_lax ? NULL : copy->err);
    if (copy->status == STOA_OK) {
        copy->status = stoa_attribute_put_back(copy->to, name, &kept, copy->err);
    } else if (copy->is_lax) {
        copy->status = copy->status == STOA_ENOMEM ? stoa_fail_memory(copy->err) : STOA_OK;
    }
    stoa_saved_attribute_clear(&kept);
    return copy->status == STOA_OK ? 0 : -1;
}

static stoa_status copy_all(hid_t from, hid_t to, const char *const *except, bool is_lax,
                            stoa_error *err)
{
    copying copy = {.to = to, .except = except, .is_lax = is_lax, .err = err};
    hsize_t position = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t walked =
        H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, &position, copy_unless_excepted, &copy);

    if (walked < 0 && copy.status == STOA_OK) {
        copy.status = stoa_hdf_fail(err, "list the attributes");
    }
    stoa_error_stack_discard(&errors);
    return copy.status;
}

stoa_status stoa_attributes_copy(hid_t from, hid_t to, const char *const *except, stoa_error *err)
{
    return copy_all(from, to, except, false, err);
}

stoa_status stoa_attributes_copy_readable(hid_t from, hid_t to, const char *const *except,
                                          stoa_error *err)
{
    return copy_all(from, to, except, true, err);
}
