/* The two encoding attributes that every element of AnnData has (anndata.h). */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/anndata/anndata.h"
#include "table/open/table.h"

stoa_status stoa_anndata_text_type(hid_t *type, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(H5T_C_S1), "make a datatype");
    STOA_RETURN_HDF_ERROR(err, H5Tset_size(*type, H5T_VARIABLE), "make a datatype");
    STOA_RETURN_HDF_ERROR(err, H5Tset_cset(*type, H5T_CSET_UTF8), "make a datatype");
    return STOA_OK;
}

stoa_status stoa_anndata_write_text(hid_t object, const char *name, const char *value,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t text = H5I_INVALID_HID;

    STOA_TRY(stoa_anndata_text_type(&text, err));
    STOA_TRY(stoa_attribute_write_scalar(object, name, text, text, &value, err));

done:
    return stoa_hdf_close(&text, status, err);
}

stoa_status stoa_anndata_encode(hid_t object, const char *type, const char *version,
                                stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_anndata_write_text(object, "encoding-type", type, err));
    return stoa_anndata_write_text(object, "encoding-version", version, err);
}

/* The encoding of a dataset, from its elements and shape. Only "null" has version 0.1.0. */
static stoa_status encoding_of(hid_t dataset, const char **encoding, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Dget_type(dataset), "get the type");
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    const H5T_class_t class = H5Tget_class(type);
    const H5S_class_t form = H5Sget_simple_extent_type(space);
    if (form == H5S_NULL) {
        *encoding = "null";
    } else if (class == H5T_STRING) {
        *encoding = form == H5S_SCALAR ? "string" : "string-array";
    } else if (class == H5T_COMPOUND && form == H5S_SIMPLE) {
        *encoding = "rec-array";
    } else {
        *encoding = form == H5S_SCALAR ? "numeric-scalar" : "array";
    }

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_anndata_encode_plain(hid_t object, stoa_error *err)
{
    const char *encoding = "dict";

    if (stoa_attribute_exists(object, "encoding-type")) {
        return STOA_OK;
    }
    if (H5Iget_type(object) == H5I_DATASET) {
        STOA_RETURN_NOT_OK(encoding_of(object, &encoding, err));
    }
    const bool is_first = strcmp(encoding, "dict") == 0 || strcmp(encoding, "null") == 0;
    return stoa_anndata_encode(object, encoding, is_first ? "0.1.0" : "0.2.0", err);
}

/* --- original columns ------------------------------------------------------------------------ */

bool stoa_anndata_was_nullable(const stoa_table *table, const char *column, char **na_value)
{
    hid_t object = H5I_INVALID_HID;
    char *encoding = NULL;
    bool is = false;

    *na_value = NULL;
    if (H5Iget_type(table->group) == H5I_GROUP) { /* otherwise it is a table of rows */
        object = stoa_object_open(table->group, column);
    }
    if (object >= 0) {
        encoding = stoa_attribute_optional(object, "encoding-type");
        is = encoding != NULL && strncmp(encoding, "nullable-", 9) == 0;
        *na_value = is ? stoa_attribute_optional(object, "na-value") : NULL;
    }
    free(encoding);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

static stoa_status note_nullable(const stoa_table *frame, const char *name, hid_t table,
                                 stoa_error *err)
{
    static const char *const notes[] = {"encoding-type", "encoding-version", "na-value"};
    stoa_status status = STOA_OK;
    hid_t from = stoa_object_open(frame->group, name);
    hid_t to = stoa_object_open(table, name);
    char *text = NULL;

    for (size_t i = 0; from >= 0 && to >= 0 && i < sizeof notes / sizeof *notes; i++) {
        STOA_TRY(stoa_attribute_read_optional(from, notes[i], &text, err));
        if (text != NULL) {
            STOA_TRY(stoa_anndata_write_text(to, notes[i], text, err));
        }
        free(text);
        text = NULL;
    }

done:
    free(text);
    status = stoa_hdf_close(&to, status, err);
    return stoa_hdf_close(&from, status, err);
}

stoa_status stoa_anndata_save_columns(const stoa_table *frame, hid_t loc, const char *path,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t table = H5I_INVALID_HID;

    STOA_HDF(err, table = stoa_open_here(loc, path), "open the table");
    for (size_t i = 0; i < frame->n_columns; i++) {
        const char *const name = stoa_column_name(frame->columns[i]);
        char *na_value = NULL;
        if (stoa_anndata_was_nullable(frame, name, &na_value)) {
            status = note_nullable(frame, name, table, err);
        }
        free(na_value);
        STOA_TRY(status);
    }

done:
    return stoa_hdf_close(&table, status, err);
}

stoa_status stoa_anndata_save_metadata(const stoa_table *from, hid_t loc, const char *path,
                                       hid_t table, stoa_error *err)
{
    (void)table;
    return from->layout != NULL && strcmp(from->layout, "anndata") == 0
               ? stoa_anndata_save_columns(from, loc, path, err)
               : STOA_OK;
}
