/* Open sparse datasets under the connector, and their stores. */
#include <stdlib.h>

#include "hdf/ids.h"
#include "sparse/connector/connector_dataset.h"
#include "sparse/connector/connector_parts.h"
#include "sparse/format/filter.h"
#include "sparse/store/dataset.h"

/* --- dataset identity ------------------------------------------------------------------------ */

/* Get the file's number and the dataset's token. */
static stoa_status identify(const stoa_link *link, H5O_info2_t *info, stoa_error *err)
{
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_DATASET};
    H5VL_object_get_args_t args = {.op_type = H5VL_OBJECT_GET_INFO};

    args.args.get_info.oinfo = info;
    args.args.get_info.fields = H5O_INFO_BASIC;
    STOA_RETURN_HDF_ERROR(
        err,
        H5VLobject_get(link->object, &self, link->below, &args, H5P_DATASET_XFER_DEFAULT, NULL),
        "look at an object");
    return STOA_OK;
}

/* Whether elements refer to data that only libhdf5 can create and follow, because the format does
 * not say where they are. */
static bool is_elsewhere(hid_t type, const stoa_sparse_format *format)
{
    return (stoa_vlen_is_in(type) && !format->has_heap && !format->has_references) ||
           H5Tdetect_class(type, H5T_REFERENCE) != 0;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_linked_dataset *find(const stoa_link *link, const H5O_token_t *token)
{
    for (stoa_linked_dataset *d = link->file->datasets; d != NULL; d = d->next) {
        int order = 1;
        if (H5VLtoken_cmp(link->object, link->below, &d->token, token, &order) >= 0 && order == 0) {
            return d;
        }
    }
    return NULL;
}

/* The first handle of a dataset serves its store. */
static void set_first(stoa_linked_dataset *dataset, stoa_link *link)
{
    dataset->links = link;
    dataset->below.object = link->object;
    dataset->below.connector = link->below;
}

static void hold(stoa_link *link, stoa_linked_dataset *dataset)
{
    link->dataset = dataset;
    link->next = dataset->links;
    set_first(dataset, link);
}

/* Open the store of a dataset that is not open yet. */
static stoa_status open_store(stoa_link *link, hid_t dcpl, const stoa_sparse_format *format,
                              const H5O_token_t *token, stoa_error *err)
{
    stoa_linked_dataset *dataset = stoa_alloc_zero(1, sizeof *dataset);
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, dataset);
    dataset->below = (stoa_chunk_dataset){.id = H5I_INVALID_HID, .type = H5I_INVALID_HID};
    dataset->token = *token;
    const stoa_chunk_io io = stoa_chunk_io_of(&dataset->below);
    STOA_TRY(stoa_below_get(link, H5VL_DATASET_GET_TYPE, &dataset->below.type, err));
    STOA_TRY(stoa_below_space(link, &space, err));
    if (is_elsewhere(dataset->below.type, format)) {
        STOA_FAIL(err, STOA_ETYPE, "elements refer to data elsewhere");
    }
    STOA_TRY(stoa_store_of(&io, dcpl, dataset->below.type, space, link->file->cache_bytes,
                           &dataset->store, err));
    dataset->next = link->file->datasets;
    link->file->datasets = dataset;
    hold(link, dataset);
    dataset = NULL;

done:
    if (dataset != NULL) {
        (void)stoa_hdf_close(&dataset->below.type, STOA_OK, NULL);
        free(dataset);
    }
    return stoa_hdf_close(&space, status, err);
}

static stoa_status open_dataset(stoa_link *link, stoa_error *err)
{
    hid_t dcpl = H5I_INVALID_HID;
    H5O_info2_t info;
    stoa_sparse_format format;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_below_get(link, H5VL_DATASET_GET_DCPL, &dcpl, err));
    if (H5Pget_layout(dcpl) != H5D_CHUNKED ||
        stoa_sparse_format_of_list(dcpl, &format, NULL) != STOA_OK) {
        goto done;
    }
    STOA_TRY(identify(link, &info, err));
    /* An external link may have led to another file. */
    if (info.fileno != link->file->number &&
        stoa_linked_file_move(link, info.fileno, link->file->can_write) < 0) {
        status = stoa_fail_memory(err);
        goto done;
    }
    stoa_linked_dataset *old = find(link, &info.token);
    if (old != NULL) {
        hold(link, old);
    } else {
        STOA_TRY(open_store(link, dcpl, &format, &info.token, err));
    }

done:
    return stoa_hdf_close(&dcpl, status, err);
}

herr_t stoa_linked_dataset_open(stoa_link *link)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_status status = link->file != NULL ? open_dataset(link, &err) : STOA_OK;

    switch (status) {
    case STOA_OK:
    case STOA_ELAYOUT: /* such datasets are dense, as the filter decodes them */
    case STOA_ETYPE:
    case STOA_EDATA:
    case STOA_ERANGE:
        return 0;
    default:
        return stoa_link_fail(&err);
    }
}

void stoa_linked_dataset_leave(stoa_link *link)
{
    stoa_linked_dataset *dataset = link->dataset;

    if (dataset == NULL) {
        return;
    }
    for (stoa_link **at = &dataset->links; *at != NULL; at = &(*at)->next) {
        if (*at == link) {
            *at = link->next;
            break;
        }
    }
    link->dataset = NULL;
    if (dataset->links != NULL) {
        set_first(dataset, dataset->links);
        return;
    }
    for (stoa_linked_dataset **at = &link->file->datasets; *at != NULL; at = &(*at)->next) {
        if (*at == dataset) {
            *at = dataset->next;
            break;
        }
    }
    stoa_store_close(dataset->store);
    (void)stoa_hdf_close(&dataset->below.type, STOA_OK, NULL);
    free(dataset);
}

/* --- flush and refresh ----------------------------------------------------------------------- */

herr_t stoa_linked_dataset_flush(stoa_link *link)
{
    stoa_error err = STOA_ERROR_INIT;

    return stoa_store_flush(link->dataset->store, &err) == STOA_OK ? 0 : stoa_link_fail(&err);
}

herr_t stoa_linked_file_flush(stoa_linked_file *file)
{
    herr_t result = 0;

    for (stoa_linked_dataset *d = file->datasets; d != NULL; d = d->next) {
        if (stoa_linked_dataset_flush(d->links) < 0) {
            result = -1; /* the other datasets are written nevertheless */
        }
    }
    return result;
}

/* Whether the extent below still equals the store's. */
static stoa_status compare_extents(const stoa_link *link, hid_t space, bool *are_equal,
                                   stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(link->dataset->store);
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_HDF_ERROR(err, rank = H5Sget_simple_extent_dims(space, extent, NULL),
                          "look up the extent");
    *are_equal = (unsigned)rank == shape->rank;
    for (int i = 0; i < rank && *are_equal; i++) {
        *are_equal = extent[i] == shape->extent[i];
    }
    return STOA_OK;
}

/* Another program may have changed the chunks and the extent. */
static stoa_status refresh(stoa_link *link, stoa_error *err)
{
    stoa_linked_dataset *dataset = link->dataset;
    const stoa_chunk_io io = stoa_chunk_io_of(&dataset->below);
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    stoa_store *made = NULL;
    bool is_same = false;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_below_space(link, &space, err));
    STOA_TRY(compare_extents(link, space, &is_same, err));
    if (is_same) {
        STOA_TRY(stoa_store_refresh(dataset->store, err));
    } else {
        STOA_TRY(stoa_below_get(link, H5VL_DATASET_GET_DCPL, &dcpl, err));
        STOA_TRY(stoa_store_of(&io, dcpl, dataset->below.type, space, link->file->cache_bytes,
                               &made, err));
        stoa_store_become(dataset->store, made); /* others hold a pointer to it (connector_op.h) */
    }

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

herr_t stoa_linked_dataset_refresh(stoa_link *link)
{
    stoa_error err = STOA_ERROR_INIT;

    return refresh(link, &err) == STOA_OK ? 0 : stoa_link_fail(&err);
}
