/* The arrays of pandas' fixed format (fixed_write.h). */
#include "layout/pandas/fixed_write.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/column_datasets.h"
#include "layout/pandas/pandas.h"
#include "layout/pytables/pytables.h"

/* --- nodes ----------------------------------------------------------------------------------- */

static stoa_status write_truth(hid_t object, const char *name, bool value, stoa_error *err)
{
    const uint8_t bits = value;

    return stoa_attribute_write_scalar(object, name, H5T_STD_B8LE, H5T_NATIVE_B8, &bits, err);
}

stoa_status stoa_pandas_write_count(hid_t object, const char *name, int64_t value, stoa_error *err)
{
    return stoa_attribute_write_scalar(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value, err);
}

stoa_status stoa_pandas_mark_array(hid_t dataset, const char *class, const char *version,
                                   stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "CLASS", class, err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "VERSION", version, err));
    STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "TITLE", "", err));
    if (strcmp(class, "VLARRAY") != 0) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(dataset, "FLAVOR", "numpy", err));
    }
    return write_truth(dataset, "transposed", true, err);
}

/* The storage type of plain values. The caller closes it. */
static stoa_status stored_type(stoa_kind kind, hid_t *type, stoa_error *err)
{
    if (kind != STOA_KIND_BOOL) {
        return stoa_column_dataset_stored(kind, type, err);
    }
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(H5T_STD_B8LE), "make a datatype");
    return STOA_OK;
}

stoa_status stoa_pandas_fixed_put(hid_t dataset, stoa_kind kind, uint64_t first, uint64_t n,
                                  const void *values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err,
             type = kind == STOA_KIND_BOOL      ? H5Tcopy(H5T_NATIVE_B8)
                    : kind == STOA_KIND_FLOAT16 ? H5Dget_type(dataset)
                                                : H5Tcopy(stoa_column_dataset_native(kind)),
             "make a datatype");
    STOA_TRY(stoa_column_dataset_write(dataset, type, first, n, values, err));

done:
    return stoa_hdf_close(&type, status, err);
}

/* An axis of length 0 is one element, with its true shape and type as attributes. */
static stoa_status write_empty(hid_t dataset, const char *dtype, bool is_column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    const char *const shape = is_column ? "(I0\nI1\nt." : "(I0\nt.";

    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, strlen(shape)), "size a string type");
    STOA_TRY(stoa_attribute_write_scalar(dataset, "shape", type, type, shape, err));
    STOA_TRY(stoa_pytables_write_text(dataset, "value_type", dtype, err));

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status make_array(const stoa_pandas_fixed *f, const char *name, hid_t type,
                              const char *dtype, uint64_t n, bool is_column, hid_t *dataset,
                              stoa_error *err)
{
    const char *const codec = n > 0 ? f->source->options->codec : NULL;
    const bool is_packed = codec != NULL && strcmp(codec, "none") != 0;

    STOA_RETURN_NOT_OK(stoa_column_dataset_make(f->group, name, type, n > 0 ? n : 1, is_column,
                                                codec, dataset, err));
    STOA_RETURN_NOT_OK(stoa_pandas_mark_array(*dataset, is_packed ? "CARRAY" : "ARRAY",
                                              is_packed ? "1.1" : "2.4", err));
    if (n == 0) {
        STOA_RETURN_NOT_OK(write_empty(*dataset, dtype, is_column, err));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_fixed_make(const stoa_pandas_fixed *f, const char *name, stoa_kind kind,
                                   const char *dtype, uint64_t n, bool is_column, hid_t *dataset,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(stored_type(kind, &type, err));
    STOA_TRY(make_array(f, name, type, dtype, n, is_column, dataset, err));

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_pandas_fixed_make_complex(const stoa_pandas_fixed *f, const char *name,
                                           stoa_pandas_column_writer *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t part = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(stored_type(column->shape.kind, &part, err));
    STOA_HDF(err, type = stoa_complex_type(part), "make a compound type");
    STOA_TRY(make_array(f, name, type, column->shape.name, f->source->n_rows, !f->is_series,
                        &column->dataset, err));

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&part, status, err);
}

stoa_status stoa_pandas_fixed_texts(const stoa_pandas_fixed *f, const char *name, size_t width,
                                    const void *texts, uint64_t n, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, width), "size a string type");
    STOA_TRY(stoa_column_dataset_make(f->group, name, type, n, 0, NULL, dataset, err));
    STOA_TRY(stoa_pandas_mark_array(*dataset, "ARRAY", "2.4", err));
    STOA_TRY(stoa_column_dataset_write(*dataset, type, 0, n, texts, err));

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_pandas_fixed_objects(const stoa_pandas_fixed *f, const char *name,
                                      const stoa_buffer *pickle, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hsize_t one = 1;
    const hsize_t unlimited = H5S_UNLIMITED;
    const hvl_t row = {pickle->size, pickle->data};
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Tvlen_create(H5T_STD_U8LE), "make a datatype");
    STOA_HDF(err, space = H5Screate_simple(1, &one, &unlimited), "make a dataspace");
    STOA_HDF(err, dcpl = H5Pcreate(H5P_DATASET_CREATE), "make a property list");
    STOA_HDF(err, H5Pset_chunk(dcpl, 1, &one), "set the chunks");
    STOA_HDF(err,
             *dataset = H5Dcreate2(f->group, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT),
             "make dataset '%s'", name);
    STOA_HDF(err, H5Dwrite(*dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &row), "write '%s'",
             name);
    STOA_TRY(stoa_pandas_mark_array(*dataset, "VLARRAY", "1.4", err));
    STOA_TRY(stoa_pytables_write_text(*dataset, "PSEUDOATOM", "object", err));

done:
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_pandas_write_levels(const stoa_pandas_fixed *f, const char *axis, size_t n_levels,
                                     stoa_error *err)
{
    char count[48];

    STOA_RETURN_NOT_OK(
        stoa_pandas_write_of(f->group, axis, "_variety", n_levels > 1 ? "multi" : "regular", err));
    (void)snprintf(count, sizeof count, "%s_nlevels", axis);
    return n_levels > 1 ? stoa_pandas_write_count(f->group, count, (int64_t)n_levels, err)
                        : STOA_OK;
}
