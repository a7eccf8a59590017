/* stoa_layout_write_by(): writes the rows of a table as an object. It collects statistics, writes
 * the rows, then names the object. */
#include "hdf/copy/object_storage.h"
#include "layout/common/conversion.h"
#include "table/write/target.h"

static stoa_status make_object(stoa_layout_conversion *conversion, const stoa_layout_writer *writer,
                               hid_t loc, const char *path, hid_t *object, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_layout_conversion_learn(conversion, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_drop(conversion, &writer->missing, err));
    if (writer->recall_fields != NULL) {
        STOA_RETURN_NOT_OK(writer->recall_fields(conversion->table, &conversion->schema, err));
    }
    STOA_RETURN_NOT_OK(stoa_layout_conversion_labels(conversion, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_fill(conversion, &writer->missing, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_narrow(conversion, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_read(conversion, err));
    stoa_layout_source source = stoa_layout_conversion_source(conversion);
    source.path = path;
    return writer->write(&source, loc, object, err);
}

static stoa_status mark_root(const stoa_layout_writer *writer, hid_t loc, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t root = H5I_INVALID_HID;

    if (writer->mark != NULL) {
        STOA_HDF(err, root = H5Gopen2(loc, "/", H5P_DEFAULT), "open '/'");
        STOA_TRY(writer->mark(root, err));
    }

done:
    return stoa_hdf_close(&root, status, err);
}

static stoa_status name_object(const stoa_layout_writer *writer, hid_t object, hid_t loc,
                               const char *path, const stoa_layout_options *options,
                               stoa_status (*make_way)(hid_t, const char *, stoa_error *),
                               stoa_error *err)
{
    if (make_way != NULL) {
        STOA_RETURN_NOT_OK(make_way(loc, path, err));
    }
    STOA_RETURN_NOT_OK(stoa_table_link(object, loc, path, err));
    return writer->settle != NULL && !options->unlisted ? writer->settle(loc, &path, 1, err)
                                                        : STOA_OK;
}

stoa_status stoa_layout_write_by(const stoa_layout_writer *writer, stoa_table *from,
                                 const struct ArrowSchema *notes, hid_t loc, const char *path,
                                 const stoa_layout_options *options,
                                 stoa_status (*make_way)(hid_t loc, const char *path,
                                                         stoa_error *err),
                                 uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_conversion j = {
        .table = from, .options = options, .notes = notes, .plain = writer->plain};
    hid_t object = H5I_INVALID_HID;

    STOA_TRY(make_object(&j, writer, loc, path, &object, err));
    if (writer->take_notes != NULL) {
        STOA_TRY(writer->take_notes(from, object, err));
    }
    STOA_TRY(mark_root(writer, loc, err));
    STOA_TRY(name_object(writer, object, loc, path, options, make_way, err));
    STOA_HDF(err, stoa_flush(loc), "flush the file");
    *n_rows = j.n_rows;

done:
    stoa_layout_conversion_end(&j);
    status = stoa_hdf_close(&object, status, err);
    return stoa_layout_error_at(loc, path, status, err);
}
