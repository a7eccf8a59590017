#include "layout/common/column_datasets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"

/* --- datasets -------------------------------------------------------------------------------- */

enum { CHUNK_ROWS = 65536 };

/* The level of "deflate" or "deflate:N"; 0 for none; -1 if the codec is unknown. */
static int level_of(const char *codec)
{
    if (codec == NULL || strcmp(codec, "none") == 0) {
        return 0;
    }
    if (strcmp(codec, "deflate") == 0) {
        return 4;
    }
    return strncmp(codec, "deflate:", 8) == 0 && codec[8] >= '1' && codec[8] <= '9' && !codec[9]
               ? codec[8] - '0'
               : -1;
}

/* @param chunk_rows  of a dataset that must have chunks; 0: only filters need them */
static stoa_status make_properties(const hsize_t *dims, int rank, uint64_t chunk_rows,
                                   const char *codec, hid_t *dcpl, stoa_error *err)
{
    const int level = level_of(codec);
    hsize_t chunk[2] = {dims[0] < CHUNK_ROWS ? dims[0] : CHUNK_ROWS, 1};

    if (level < 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "no codec '%s' is written there; there are none, deflate[:1-9]", codec);
    }
    chunk[0] = chunk_rows > 0 ? chunk_rows : chunk[0];
    STOA_RETURN_HDF_ERROR(err, *dcpl = H5Pcreate(H5P_DATASET_CREATE), "make a property list");
    if (chunk_rows > 0 || (level > 0 && dims[0] > 0)) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(*dcpl, rank, chunk), "set the chunks");
    }
    if (level > 0 && chunk[0] > 0) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_shuffle(*dcpl), "set a filter");
        STOA_RETURN_HDF_ERROR(err, H5Pset_deflate(*dcpl, (unsigned)level), "set a filter");
    }
    return STOA_OK;
}

static stoa_status make_dataset(hid_t group, const char *name, hid_t type, const hsize_t *dims,
                                const hsize_t *most, int rank, uint64_t chunk_rows,
                                const char *codec, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;

    STOA_TRY(make_properties(dims, rank, chunk_rows, codec, &dcpl, err));
    STOA_HDF(err, space = H5Screate_simple(rank, dims, most), "make a dataspace");
    STOA_HDF(err, *dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT),
             "make dataset '%s'", name);

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_column_dataset_make(hid_t group, const char *name, hid_t type, uint64_t n_rows,
                                     hsize_t n_columns, const char *codec, hid_t *dataset,
                                     stoa_error *err)
{
    const hsize_t dims[] = {n_rows, n_columns};

    return make_dataset(group, name, type, dims, NULL, n_columns > 0 ? 2 : 1, 0, codec, dataset,
                        err);
}

stoa_status stoa_column_dataset_make_growing(hid_t group, const char *name, hid_t type,
                                             const char *codec, hid_t *dataset, stoa_error *err)
{
    const hsize_t none = 0;
    const hsize_t most = H5S_UNLIMITED;

    return make_dataset(group, name, type, &none, &most, 1, CHUNK_ROWS, codec, dataset, err);
}

stoa_status stoa_column_dataset_grow(hid_t dataset, uint64_t n_rows, stoa_error *err)
{
    const hsize_t extent = n_rows;

    STOA_RETURN_HDF_ERROR(err, H5Dset_extent(dataset, &extent), "extend a dataset");
    return STOA_OK;
}

stoa_status stoa_column_dataset_write(hid_t dataset, hid_t mem_type, uint64_t first, uint64_t n,
                                      const void *values, stoa_error *err)
{
    return n == 0 ? STOA_OK
                  : stoa_dataset_write(dataset, mem_type, (const hsize_t[]){first, 0},
                                       (const hsize_t[]){n, 1}, values, "rows", err);
}

/* --- types ----------------------------------------------------------------------------------- */

hid_t stoa_column_dataset_native(stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_INT8:
        return H5T_NATIVE_INT8;
    case STOA_KIND_INT16:
        return H5T_NATIVE_INT16;
    case STOA_KIND_INT32:
        return H5T_NATIVE_INT32;
    case STOA_KIND_INT64:
        return H5T_NATIVE_INT64;
    case STOA_KIND_UINT8:
        return H5T_NATIVE_UINT8;
    case STOA_KIND_UINT16:
        return H5T_NATIVE_UINT16;
    case STOA_KIND_UINT32:
        return H5T_NATIVE_UINT32;
    case STOA_KIND_UINT64:
        return H5T_NATIVE_UINT64;
    case STOA_KIND_FLOAT32:
        return H5T_NATIVE_FLOAT;
    case STOA_KIND_FLOAT64:
        return H5T_NATIVE_DOUBLE;
    default:
        return H5I_INVALID_HID;
    }
}

/* IEEE 754 binary16. */
static stoa_status make_float16(hid_t *type, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(H5T_IEEE_F32LE), "make a datatype");
    STOA_RETURN_HDF_ERROR(err, H5Tset_fields(*type, 15, 10, 5, 0, 10), "make a datatype");
    STOA_RETURN_HDF_ERROR(err, H5Tset_precision(*type, 16), "make a datatype");
    STOA_RETURN_HDF_ERROR(err, H5Tset_ebias(*type, 15), "make a datatype");
    STOA_RETURN_HDF_ERROR(err, H5Tset_size(*type, 2), "make a datatype");
    return STOA_OK;
}

stoa_status stoa_column_dataset_stored(stoa_kind kind, hid_t *type, stoa_error *err)
{
    if (kind == STOA_KIND_FLOAT16) {
        return make_float16(type, err);
    }
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(stoa_column_dataset_native(kind)),
                          "make a datatype");
    STOA_RETURN_HDF_ERROR(err, H5Tset_order(*type, H5T_ORDER_LE), "make a datatype");
    return STOA_OK;
}

/* --- values ---------------------------------------------------------------------------------- */

/* NaN of a float kind; 0 for other kinds. */
static void missing_value(stoa_kind kind, uint8_t *value)
{
    memset(value, 0, 8);
    if (kind == STOA_KIND_FLOAT16) {
        memcpy(value, &(uint16_t){0x7e00}, 2);
    } else if (kind == STOA_KIND_FLOAT32) {
        memcpy(value, &(float){NAN}, 4);
    } else if (kind == STOA_KIND_FLOAT64) {
        memcpy(value, &(double){NAN}, 8);
    }
}

void stoa_column_dataset_numbers(const stoa_view *view, void *out)
{
    const size_t width = (size_t)stoa_kind_width(view->type.kind);
    uint8_t *const to = out;
    uint8_t missing[8];

    if (view->length > 0) {
        memcpy(to, (const uint8_t *)view->values + (size_t)view->offset * width,
               (size_t)view->length * width);
    }
    missing_value(view->type.kind, missing);
    for (int64_t i = 0; view->null_count > 0 && i < view->length; i++) {
        if (stoa_view_is_null(view, i)) {
            memcpy(to + (size_t)i * width, missing, width);
        }
    }
}

void stoa_column_dataset_bools(const stoa_view *view, uint8_t *out)
{
    for (int64_t i = 0; i < view->length; i++) {
        out[i] = !stoa_view_is_null(view, i) && stoa_view_i64(view, i) != 0;
    }
}

void stoa_column_dataset_mask(const stoa_view *view, uint8_t *out)
{
    for (int64_t i = 0; i < view->length; i++) {
        out[i] = stoa_view_is_null(view, i);
    }
}

/* --- strings --------------------------------------------------------------------------------- */

const char *stoa_column_dataset_text(const stoa_view *view, const stoa_view *labels, int64_t i,
                                     size_t *length)
{
    if (stoa_view_is_null(view, i)) {
        return NULL;
    }
    if (view->type.kind != STOA_KIND_DICTIONARY) {
        return stoa_view_bytes(view, i, length);
    }
    const int64_t code = stoa_view_i64(view, i);
    return stoa_view_is_null(labels, code) ? NULL : stoa_view_bytes(labels, code, length);
}

stoa_status stoa_column_dataset_texts(const stoa_view *view, stoa_buffer *texts, char ***pointers,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels = {.length = 0};
    char **made = stoa_alloc((size_t)view->length, sizeof *made);

    *pointers = NULL;
    STOA_TRY(made != NULL ? STOA_OK : stoa_fail_memory(err));
    if (view->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(stoa_view_dictionary(view, &labels, err));
    }
    texts->size = 0;
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        const char *const text = stoa_column_dataset_text(view, &labels, i, &length);
        STOA_TRY(
            stoa_buffer_append(texts, text != NULL ? text : "", text != NULL ? length : 0, err));
        STOA_TRY(stoa_buffer_append(texts, "", 1, err));
    }
    char *at = (char *)texts->data;
    for (int64_t i = 0; i < view->length; i++) {
        made[i] = at;
        at += strlen(at) + 1;
    }
    *pointers = made;
    made = NULL;

done:
    free(made);
    return status;
}
