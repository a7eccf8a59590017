/* Atomic edits of files under the connector. */
#include <stoa/sparse.h>

#include "hdf/file/file.h"
#include "sparse/connector/connector.h"

stoa_status stoa_sparse_file_open_with(const char *name, stoa_file_mode mode,
                                       const stoa_file_options *options, stoa_file **file,
                                       stoa_error *err)
{
    hid_t connector = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    *file = NULL;
    STOA_TRY(stoa_connector_register(&connector, err));
    STOA_TRY(stoa_file_open_under(name, mode, connector, options, file, err));

done:
    if (connector >= 0) {
        (void)H5VLclose(connector); /* the file holds a reference to it */
    }
    return status;
}

stoa_status stoa_sparse_file_open(const char *name, stoa_file_mode mode, stoa_file **file,
                                  stoa_error *err)
{
    return stoa_sparse_file_open_with(name, mode, NULL, file, err);
}
