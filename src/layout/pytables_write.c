/* Tables as PyTables and H5TB write them. */
#include "layout/writer.h"

#include "core/error.h"

static stoa_status write_rows(const stoa_layout_source *source, hid_t file, hid_t *object,
                              stoa_error *err)
{
    (void)source;
    (void)file;
    *object = H5I_INVALID_HID;
    return stoa_fail(err, STOA_ELAYOUT, "this layout is not written yet");
}

const stoa_layout_writer stoa_layout_write_pytables = {"pytables", write_rows, NULL};
const stoa_layout_writer stoa_layout_write_h5tb = {"h5tb", write_rows, NULL};
