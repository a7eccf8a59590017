/* Creation lists of sparse datasets under the connector (sparse fact sheet §2.5, §6). */
#include "hdf/ids.h"
#include "sparse/connector_dataset.h"
#include "sparse/filter.h"
#include "sparse/fold.h"

/* Bytes of an address in the file that a link is in, an object of type `is`. */
static stoa_status address_size(const stoa_link *link, H5I_type_t is, size_t *n, stoa_error *err)
{
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = is};
    void *file = NULL;
    H5VL_object_get_args_t where = {.op_type = H5VL_OBJECT_GET_FILE};
    H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_FCPL};
    hid_t fcpl = H5I_INVALID_HID;
    size_t n_length = 0;
    stoa_status status = STOA_OK;

    where.args.get_file.file = &file;
    args.args.get_fcpl.fcpl_id = H5I_INVALID_HID;
    STOA_HDF(
        err,
        H5VLobject_get(link->object, &self, link->below, &where, H5P_DATASET_XFER_DEFAULT, NULL),
        "look up a file");
    STOA_HDF(err, H5VLfile_get(file, link->below, &args, H5P_DATASET_XFER_DEFAULT, NULL),
             "look up how a file was made");
    fcpl = args.args.get_fcpl.fcpl_id;
    STOA_HDF(err, H5Pget_sizes(fcpl, n, &n_length), "look up the size of addresses");

done:
    return stoa_hdf_close(&fcpl, status, err);
}

/*
 * The dataset's part of the parameters, where elements are of variable length themselves: libhdf5
 * 1.14 does not ask the filter then. In the file an element is 4 bytes of
 * length, an address and 4 bytes of index.
 */
static stoa_status bind_variable(const stoa_link *link, H5I_type_t is, hid_t dcpl,
                                 stoa_sparse_format *format, stoa_error *err)
{
    hid_t stored = H5I_INVALID_HID;
    size_t n_address = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(address_size(link, is, &n_address, err));
    STOA_HDF(err, stored = H5Tcreate(H5T_OPAQUE, n_address + 8), "make a datatype");
    STOA_TRY(stoa_sparse_format_bind(format, dcpl, stored, err));
    if (format->has_heap) {
        format->n_slots = 1;
        format->slots[0] = 0;
        format->slot_size = format->element_size;
    }

done:
    return stoa_hdf_close(&stored, status, err);
}

stoa_status stoa_linked_dataset_list(const stoa_link *link, H5I_type_t is, hid_t dcpl, hid_t type,
                                     hid_t *made, stoa_error *err)
{
    unsigned options = 0;
    stoa_sparse_format format;
    stoa_status status = STOA_OK;

    *made = H5I_INVALID_HID;
    if (H5Pget_layout(dcpl) != H5D_CHUNKED ||
        stoa_sparse_format_of_list(dcpl, &format, NULL) == STOA_ENOTFOUND) {
        return STOA_OK;
    }
    STOA_HDF(err, H5Pget_chunk_opts(dcpl, &options), "look up how chunks are stored");
    if ((options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0) {
        STOA_FAIL(err, STOA_EINVAL,
                  "structured chunks pass their filter at the edges, too; leave "
                  "H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS out");
    }
    STOA_TRY(stoa_sparse_format_of_list(dcpl, &format, err));
    STOA_HDF(err, *made = H5Pcopy(dcpl), "copy a creation list");
    STOA_TRY(stoa_sparse_fold(*made, &format, err));
    if (stoa_sparse_is_variable(type)) {
        STOA_TRY(bind_variable(link, is, *made, &format, err));
    }
    STOA_TRY(stoa_sparse_format_to_list(*made, &format, err));

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(made, STOA_OK, NULL);
    }
    return status;
}
