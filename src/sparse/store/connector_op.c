#include "sparse/store/connector_op.h"

#include <stoa/version.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/connector/connector_dataset.h"
#include "sparse/connector/connector_parts.h"

/* The number that libhdf5 assigned to the operation in this process; -1 if it is not registered. */
static int op_number(void)
{
    int number = -1;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const hid_t stack = H5Eget_current_stack();

    if (H5VLfind_opt_operation(H5VL_SUBCLS_DATASET, STOA_CONNECTOR_OP, &number) < 0) {
        number = -1;
    }
    (void)H5Eset_current_stack(stack);
    stoa_error_stack_end(&errors);
    return number;
}

herr_t stoa_connector_register_op(void)
{
    int number = op_number();

    return number >= 0
               ? 0
               : H5VLregister_opt_operation(H5VL_SUBCLS_DATASET, STOA_CONNECTOR_OP, &number);
}

bool stoa_connector_is_our_op(int op)
{
    return op >= H5VL_RESERVED_NATIVE_OPTIONAL && op == op_number();
}

herr_t stoa_connector_op(stoa_link *link, void *args)
{
    stoa_connected *connected = args;

    if (connected->size != sizeof *connected || strcmp(connected->version, stoa_version()) != 0) {
        connected->version = stoa_version();
        return 0;
    }
    connected->store = link->dataset != NULL ? link->dataset->store : NULL;
    connected->type = link->dataset != NULL ? link->dataset->below.type : H5I_INVALID_HID;
    connected->can_write = link->file != NULL && link->file->can_write;
    connected->object = link->object;
    return 0;
}

/* Whether the dataset's connector supports the operation. Just calling it is not an option: after a
 * failed operation libhdf5 1.14 cannot shut down. */
static bool is_known(hid_t dataset, int op)
{
    uint64_t flags = 0;
    bool is = false;

    if (op >= 0) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        is = H5VLquery_optional(dataset, H5VL_SUBCLS_DATASET, op, &flags) >= 0 &&
             (flags & H5VL_OPT_QUERY_SUPPORTED) != 0;
        stoa_error_stack_discard(&errors);
    }
    return is;
}

stoa_status stoa_connected_dataset(hid_t dataset, stoa_connected *connected, stoa_error *err)
{
    const char *ours = stoa_version();
    H5VL_optional_args_t args = {.op_type = op_number(), .args = connected};

    *connected =
        (stoa_connected){.size = sizeof *connected, .version = ours, .type = H5I_INVALID_HID};

    if (is_known(dataset, args.op_type)) {
        STOA_RETURN_HDF_ERROR(err, H5VLdataset_optional_op(dataset, &args, H5P_DEFAULT, H5ES_NONE),
                              "ask the connector for a dataset");
    }
    if (connected->object == NULL && connected->version != ours) {
        return stoa_fail(err, STOA_EVERSION, "the connector is of Stoa %s, this is %s",
                         connected->version, ours);
    }
    if (connected->object == NULL) {
        return stoa_fail(err, STOA_ENOTFOUND, "no dataset under Stoa's connector");
    }
    return STOA_OK;
}

stoa_status stoa_stored_chunks_of(hid_t dataset, stoa_chunk_dataset *own, stoa_chunk_io *io,
                                  stoa_error *err)
{
    stoa_connected connected;

    *own = (stoa_chunk_dataset){.id = dataset};
    *io = stoa_chunk_io_of(own);
    /* The connector refuses to list structured chunks as ordinary ones (sparse RFC §2.2.7). */
    if (stoa_connected_dataset(dataset, &connected, NULL) == STOA_OK && connected.store != NULL) {
        STOA_RETURN_NOT_OK(stoa_store_flush(connected.store, err));
        *io = *stoa_store_io(connected.store);
    }
    return STOA_OK;
}
