/* Datasets of a frame that is being written (frame.h). */
#include "layout/anndata/frame.h"

#include "layout/common/column_datasets.h"

stoa_status stoa_frame_array(const stoa_frame *f, hid_t group, const char *name, hid_t type,
                             uint64_t n_rows, hid_t *dataset, stoa_error *err)
{
    /* Filters do not help strings, of which a dataset only holds references. */
    const char *codec = type != f->text ? f->source->options->codec : NULL;

    STOA_RETURN_NOT_OK(stoa_column_dataset_make(group, name, type, n_rows, 0, codec, dataset, err));
    return stoa_anndata_encode(*dataset, type == f->text ? "string-array" : "array", "0.2.0", err);
}

stoa_status stoa_frame_type(const stoa_frame *f, stoa_kind kind, hid_t *type, stoa_error *err)
{
    if (stoa_kind_is_integer(kind) || stoa_kind_is_float(kind)) {
        return stoa_column_dataset_stored(kind, type, err);
    }
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(kind == STOA_KIND_BOOL ? f->truth : f->text),
                          "make a datatype");
    return STOA_OK;
}

bool stoa_frame_is_text(const stoa_frame *f, const stoa_frame_column *column)
{
    const stoa_kind kind = column->type.kind;

    return stoa_kind_is_string(kind) || kind == STOA_KIND_DICTIONARY ||
           (f->is_axis && column->is_index && stoa_kind_is_integer(kind));
}
