/* The layout of structured chunks in a creation property list (RFC §2.1). */
#include "sparse/rfc/rfc.h"

#include "sparse/format/filter_list.h"

/* The list's format, or that of a new structured list: sparse, without filters. */
static stoa_status format_or_new(hid_t plist, stoa_sparse_format *format, stoa_error *err)
{
    const stoa_status status = stoa_sparse_format_of_list(plist, format, NULL);

    if (status == STOA_ENOTFOUND) {
        *format = (stoa_sparse_format){.is_sparse = true};
        return STOA_OK;
    }
    return status == STOA_OK ? STOA_OK : stoa_sparse_format_of_list(plist, format, err);
}

static stoa_status structure(hid_t plist, unsigned flag, stoa_error *err)
{
    stoa_sparse_format format;

    if (flag != H5D_SPARSE_CHUNK && flag != H5D_VL_CHUNK &&
        flag != (H5D_SPARSE_DATA | H5D_VL_DATA)) {
        return stoa_fail(err, STOA_EINVAL, "%u is no kind of structured chunk (RFC §2.1.1)", flag);
    }
    STOA_RETURN_NOT_OK(stoa_sparse_filter_register(err));
    STOA_RETURN_NOT_OK(format_or_new(plist, &format, err));
    format.is_bound = false; /* the list may be used for another dataset */
    format.is_sparse = (flag & H5D_SPARSE_DATA) != 0;
    format.has_heap = (flag & H5D_VL_DATA) != 0;
    /* Whether there is a section 2 is unknown until a dataset is created (RFC §2.3.3). */
    STOA_RETURN_NOT_OK(stoa_sparse_fold(plist, &format, STOA_MAX_SECTIONS, err));
    format.has_heap = format.has_heap || format.sections[STOA_SECTION_HEAP].n > 0;
    return stoa_sparse_format_to_list(plist, &format, err);
}

herr_t stoa_h5p_set_struct_chunk(hid_t plist, int ndims, const hsize_t *dim, unsigned flag)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    /* Start with the call that may fail, before anything has changed. */
    STOA_HDF(&err, H5Pset_chunk(plist, ndims, dim), "set the shape of structured chunks");
    STOA_TRY(structure(plist, flag, &err));

done:
    return stoa_rfc_result(status, &err);
}

int stoa_h5p_get_struct_chunk(hid_t plist, int max_ndims, hsize_t *dim, unsigned *flag)
{
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;
    int rank = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_format_of_list(plist, &format, &err));
    STOA_HDF(&err, rank = H5Pget_chunk(plist, max_ndims, dim), "look up the shape of chunks");
    if (flag != NULL) {
        *flag = format.is_sparse ? H5D_SPARSE_CHUNK : H5D_VL_CHUNK;
    }

done:
    return status == STOA_OK ? rank : stoa_rfc_result(status, &err);
}

herr_t stoa_h5p_get_struct_chunk_sections(hid_t plist, int *num, H5_section_type_t *sections)
{
    static const H5_section_type_t all[] = {H5_SECTION_SELECTION, H5_SECTION_FIXED, H5_SECTION_VL};
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_format_of_list(plist, &format, &err));
    const int n = (int)stoa_sparse_n_sections(&format);
    for (int i = 0; sections != NULL && i < n; i++) {
        sections[i] = all[i];
    }
    if (num != NULL) {
        *num = n;
    }

done:
    return stoa_rfc_result(status, &err);
}

herr_t stoa_h5p_set_vl_storage(hid_t plist, stoa_vl_storage storage)
{
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (storage != STOA_VL_SECTION && storage != STOA_VL_GLOBAL_HEAP) {
        STOA_FAIL(&err, STOA_EINVAL, "%d is no place for data of variable length", (int)storage);
    }
    STOA_TRY(stoa_sparse_filter_register(&err));
    STOA_TRY(format_or_new(plist, &format, &err));
    format.is_bound = false;
    format.has_references = storage == STOA_VL_GLOBAL_HEAP;
    STOA_TRY(stoa_sparse_format_to_list(plist, &format, &err));

done:
    return stoa_rfc_result(status, &err);
}

herr_t stoa_h5p_get_vl_storage(hid_t plist, stoa_vl_storage *storage)
{
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_format_of_list(plist, &format, &err));
    if (storage != NULL) {
        *storage = format.has_references ? STOA_VL_GLOBAL_HEAP : STOA_VL_SECTION;
    }

done:
    return stoa_rfc_result(status, &err);
}

herr_t stoa_h5p_set_layout(hid_t plist, int layout)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (layout == (int)H5D_STRUCT_CHUNK || layout == (int)H5D_VL_CHUNK) {
        /* Keep a shape that was set before. */
        if (H5Pget_layout(plist) != H5D_CHUNKED) {
            STOA_HDF(&err, H5Pset_layout(plist, H5D_CHUNKED), "set the layout");
        }
        STOA_TRY(structure(plist, (unsigned)layout, &err));
        goto done;
    }
    if (stoa_list_is_structured(plist)) { /* other layouts have no sections */
        STOA_HDF(&err, H5Premove_filter(plist, STOA_SPARSE_FILTER), "leave structured chunks");
    }
    return H5Pset_layout(plist, (H5D_layout_t)layout);

done:
    return stoa_rfc_result(status, &err);
}

H5D_layout_t stoa_h5p_get_layout(hid_t plist)
{
    const H5D_layout_t layout = H5Pget_layout(plist);

    return layout == H5D_CHUNKED && stoa_list_is_structured(plist) ? H5D_STRUCT_CHUNK : layout;
}

/* Edge chunks are structured too. The option is recorded in the filter's parameters, and hidden
 * from libhdf5. */
herr_t stoa_h5p_set_chunk_opts(hid_t plist, unsigned options)
{
    const bool asks = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (!stoa_list_is_structured(plist)) {
        return H5Pset_chunk_opts(plist, options);
    }
    if (H5Pset_chunk_opts(plist, options & ~(unsigned)H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) < 0) {
        return -1;
    }
    STOA_TRY(stoa_sparse_format_of_list(plist, &format, &err));
    format.asks_for_plain_edges = asks;
    STOA_TRY(stoa_sparse_format_to_list(plist, &format, &err));

done:
    return stoa_rfc_result(status, &err);
}

herr_t stoa_h5p_get_chunk_opts(hid_t plist, unsigned *options)
{
    stoa_sparse_format format;

    if (H5Pget_chunk_opts(plist, options) < 0) {
        return -1;
    }
    if (options != NULL && stoa_list_is_structured(plist) &&
        stoa_sparse_format_of_list(plist, &format, NULL) == STOA_OK &&
        format.asks_for_plain_edges) {
        *options |= H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS;
    }
    return 0;
}
