#include "sparse/format/section_class.h"

#define STOA_H5SPARSE_DECLARATIONS_ONLY
#include <stoa/h5sparse.h>

#include "sparse/format/rfc_result.h"

enum { MAX_CLASSES = 32 };

/* Registered classes. libhdf5 stores a filter's class as one of its own, which knows no sections.
 * Access is serialised: libhdf5 calls us with its lock held, and a program must register filters as
 * it registers any other. */
static struct {
    H5Z_filter_t id;
    stoa_h5z_section_set_local set_local;
} classes[MAX_CLASSES];
static size_t n_classes;

static size_t find(H5Z_filter_t id)
{
    size_t i = 0;

    while (i < n_classes && classes[i].id != id) {
        i++;
    }
    return i;
}

static void forget(H5Z_filter_t id)
{
    const size_t i = find(id);

    if (i < n_classes) {
        classes[i] = classes[--n_classes];
    }
}

herr_t stoa_h5z_register3(const stoa_h5z_class3 *class)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (class == NULL || (class->version != H5Z_CLASS_T_VERS && class->version != 3)) {
        STOA_FAIL(&err, STOA_EINVAL, "no class of filters of version 3");
    }
    const H5Z_class2_t own = {.version = H5Z_CLASS_T_VERS,
                              .id = class->id,
                              .encoder_present = class->encoder_present,
                              .decoder_present = class->decoder_present,
                              .name = class->name,
                              .can_apply = class->can_apply,
                              .filter = class->filter};
    if (find(class->id) == MAX_CLASSES) {
        STOA_FAIL(&err, STOA_ERANGE, "more than %d classes of filters that know their section",
                  MAX_CLASSES);
    }
    STOA_HDF(&err, H5Zregister(&own), "register filter %d", (int)class->id);
    forget(class->id);
    if (class->set_local != NULL) {
        classes[n_classes].id = class->id;
        classes[n_classes++].set_local = class->set_local;
    }

done:
    return stoa_rfc_result(status, &err);
}

herr_t stoa_h5z_unregister(H5Z_filter_t id)
{
    const herr_t gone = H5Zunregister(id);

    if (gone >= 0) {
        forget(id);
    }
    return gone;
}

stoa_status stoa_section_classes_set_local(hid_t dcpl, hid_t type, const stoa_sparse_format *format,
                                           stoa_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    hid_t space = H5I_INVALID_HID;
    int rank = 0;
    stoa_status status = STOA_OK;

    if (n_classes == 0) {
        return STOA_OK;
    }
    STOA_HDF(err, rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk), "look up the shape of chunks");
    STOA_HDF(err, space = H5Screate_simple(rank, chunk, NULL), "make a dataspace");
    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        for (size_t k = 0; k < format->sections[i].n; k++) {
            const size_t found = find((H5Z_filter_t)format->sections[i].filters[k].id);
            if (found < n_classes &&
                classes[found].set_local(dcpl, type, space, (H5_section_type_t)i) < 0) {
                STOA_FAIL(err, STOA_EHDF5, "filter %d of section %u cannot set its parameters",
                          (int)classes[found].id, i);
            }
        }
    }

done:
    return stoa_hdf_close(&space, status, err);
}
