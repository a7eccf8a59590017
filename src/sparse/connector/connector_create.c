/* Creation property lists of sparse datasets under the connector (sparse fact sheet §2.5, §6). */
#include "hdf/ids.h"
#include "sparse/connector/connector_dataset.h"
#include "sparse/format/filter.h"
#include "sparse/format/filter_list.h"
#include "sparse/format/section_class.h"

stoa_status stoa_below_file(const stoa_link *link, H5I_type_t is, void **file, stoa_error *err)
{
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = is};
    H5VL_object_get_args_t where = {.op_type = H5VL_OBJECT_GET_FILE};

    *file = NULL;
    where.args.get_file.file = file;
    STOA_RETURN_HDF_ERROR(
        err,
        H5VLobject_get(link->object, &self, link->below, &where, H5P_DATASET_XFER_DEFAULT, NULL),
        "look up a file");
    return STOA_OK;
}

stoa_status stoa_below_address_size(const stoa_link *link, H5I_type_t is, size_t *n,
                                    stoa_error *err)
{
    void *file = NULL;
    H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_FCPL};
    hid_t fcpl = H5I_INVALID_HID;
    size_t n_length = 0;
    stoa_status status = STOA_OK;

    args.args.get_fcpl.fcpl_id = H5I_INVALID_HID;
    STOA_TRY(stoa_below_file(link, is, &file, err));
    STOA_HDF(err, H5VLfile_get(file, link->below, &args, H5P_DATASET_XFER_DEFAULT, NULL),
             "look up how a file was made");
    fcpl = args.args.get_fcpl.fcpl_id;
    STOA_HDF(err, H5Pget_sizes(fcpl, n, &n_length), "look up the size of addresses");

done:
    return stoa_hdf_close(&fcpl, status, err);
}

stoa_status stoa_below_space(const stoa_link *link, hid_t *space, stoa_error *err)
{
    return stoa_object_get(link->object, link->below, H5VL_DATASET_GET_SPACE, space, err);
}

stoa_status stoa_below_get(const stoa_link *link, H5VL_dataset_get_t what, hid_t *id,
                           stoa_error *err)
{
    return stoa_object_get(link->object, link->below, what, id, err);
}

/* Choose where variable-length data go. The default is section 2. They go to the file's global heap
 * if the program requests it, or if only libhdf5 can find all of them. */
static stoa_status choose_storage(stoa_sparse_format *format, hid_t type, stoa_error *err)
{
    stoa_vlen_layout *layout = NULL;
    hid_t memory = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, memory = H5Tcopy(type), "copy a datatype");
    status = stoa_vlen_layout_of(memory, H5I_INVALID_HID, &layout, err);
    format->has_references = format->has_references || status == STOA_ETYPE;
    format->has_heap = !format->has_references;
    status = status == STOA_ETYPE ? STOA_OK : status;
    stoa_vlen_layout_free(layout);

done:
    return stoa_hdf_close(&memory, status, err);
}

/*
 * Bind the dataset's part of the parameters for variable-length elements, because libhdf5 1.14 does
 * not call set_local for these. In the file each slot is 4 bytes of length, an address, and 4 bytes
 * of index.
 */
static stoa_status bind_variable(const stoa_link *link, H5I_type_t is, hid_t dcpl, hid_t type,
                                 stoa_sparse_format *format, stoa_error *err)
{
    size_t n_address = 0;

    STOA_RETURN_NOT_OK(stoa_below_address_size(link, is, &n_address, err));
    return stoa_sparse_format_bind(format, dcpl, type, n_address + 8, err);
}

stoa_status stoa_linked_dataset_list(const stoa_link *link, H5I_type_t is, hid_t dcpl, hid_t type,
                                     hid_t *made, stoa_error *err)
{
    unsigned options = 0;
    stoa_sparse_format format;
    stoa_status status = STOA_OK;

    *made = H5I_INVALID_HID;
    if (H5Pget_layout(dcpl) != H5D_CHUNKED || !stoa_list_is_structured(dcpl)) {
        return STOA_OK;
    }
    STOA_HDF(err, H5Pget_chunk_opts(dcpl, &options), "look up how chunks are stored");
    STOA_TRY(stoa_sparse_format_of_list(dcpl, &format, err));
    STOA_HDF(err, *made = H5Pcopy(dcpl), "copy a creation list");
    if ((options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0) {
        /* Partial edge chunks would pass no filter, so they would not be structured. */
        format.asks_for_plain_edges = true;
        options &= ~(unsigned)H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS;
        STOA_HDF(err, H5Pset_chunk_opts(*made, options), "set how chunks are stored");
    }
    const bool is_variable = stoa_vlen_is_in(type);
    const bool is_new = !format.is_bound;
    if (is_variable) {
        STOA_TRY(choose_storage(&format, type, err));
    }
    STOA_TRY(stoa_sparse_fold(*made, &format, stoa_sparse_n_sections(&format), err));
    if (is_variable) {
        STOA_TRY(bind_variable(link, is, *made, type, &format, err));
    }
    STOA_TRY(stoa_sparse_format_to_list(*made, &format, err));
    if (is_variable && is_new) { /* otherwise libhdf5 calls the filter's set_local, which does it */
        STOA_TRY(stoa_section_classes_set_local(*made, type, &format, err));
    }

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(made, STOA_OK, NULL);
    }
    return status;
}
