#include "layout/common/extent.h"

#include "hdf/metadata/links.h"

stoa_status stoa_extent_read(hid_t dataset, int *rank, hsize_t *extent, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;

    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    STOA_HDF(err, *rank = H5Sget_simple_extent_dims(space, extent, NULL), "get the shape");
    *rank = H5Sget_simple_extent_type(space) == H5S_NULL ? -1 : *rank;

done:
    return stoa_hdf_close(&space, status, err);
}

int stoa_extent_rank(hid_t dataset)
{
    hid_t space = H5Dget_space(dataset);
    const int rank = space >= 0 && H5Sget_simple_extent_type(space) != H5S_NULL
                         ? H5Sget_simple_extent_ndims(space)
                         : -1;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    return rank;
}

stoa_status stoa_extent_print(hid_t dataset, stoa_buffer *out, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_NOT_OK(stoa_extent_read(dataset, &rank, extent, err));
    if (rank <= 0) {
        return stoa_buffer_print(out, err, "scalar");
    }
    for (int i = 0; i < rank; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%s%llu", i > 0 ? " x " : "",
                                             (unsigned long long)extent[i]));
    }
    return STOA_OK;
}

H5T_class_t stoa_class_of(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;

    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    return class;
}

/* A damaged file may contain a group in itself, many times. */
enum { MAX_WEIGHED = 100000 };

typedef struct weight {
    uint64_t n_bytes;
    unsigned n_seen;
    int depth; /* levels of groups left to enter */
} weight;

static herr_t weigh(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    weight *const w = context;
    hid_t part = info->type == H5L_TYPE_HARD ? stoa_object_open(group, name) : H5I_INVALID_HID;

    if (part >= 0 && H5Iget_type(part) == H5I_DATASET) {
        w->n_bytes += H5Dget_storage_size(part);
    } else if (part >= 0 && H5Iget_type(part) == H5I_GROUP && w->depth > 0) {
        w->depth--;
        (void)!stoa_links_visit(part, weigh, w, NULL);
        w->depth++;
    }
    (void)stoa_hdf_close(&part, STOA_OK, NULL);
    return ++w->n_seen > MAX_WEIGHED;
}

uint64_t stoa_bytes_within(hid_t object, int depth)
{
    weight w = {.depth = depth};

    if (H5Iget_type(object) == H5I_DATASET) {
        return H5Dget_storage_size(object);
    }
    (void)!stoa_links_visit(object, weigh, &w, NULL);
    return w.n_bytes;
}
