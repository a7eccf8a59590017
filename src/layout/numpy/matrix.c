#include "layout/numpy/matrix.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "codec/kernels/byteswap.h"
#include "core/progress.h"
#include "hdf/ids.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/types.h"
#include "layout/numpy/npy.h"
#include "layout/text/npy.h"
#include "layout/text/zip_write.h"
#include "sparse/store/numbers.h"

/* --- types ----------------------------------------------------------------------------------- */

/* The type of an array's elements, in native byte order. The caller closes it. */
static stoa_status type_of(const stoa_npy *npy, hid_t *type, stoa_error *err)
{
    const hid_t ints[] = {H5T_NATIVE_INT8, H5T_NATIVE_INT16, H5T_NATIVE_INT32, H5T_NATIVE_INT64};
    const hid_t uints[] = {H5T_NATIVE_UINT8, H5T_NATIVE_UINT16, H5T_NATIVE_UINT32,
                           H5T_NATIVE_UINT64};
    const stoa_npy_field *const f = npy->fields;
    const size_t which = f->size == 1 ? 0 : f->size == 2 ? 1 : f->size == 4 ? 2 : 3;

    *type = H5I_INVALID_HID;
    if (npy->is_struct || strchr("biufc", f->kind) == NULL || (f->kind == 'f' && f->size == 2)) {
        return stoa_fail(err, STOA_ETYPE, "the values of the matrix are no numbers");
    }
    if (f->kind == 'b') {
        return stoa_boolean_type(type, err);
    }
    const hid_t part = f->size == 8 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    STOA_RETURN_HDF_ERROR(err,
                          *type = f->kind == 'c' ? stoa_complex_type(part)
                                  : f->kind == 'f'
                                      ? H5Tcopy(f->size == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE)
                                      : H5Tcopy(f->kind == 'i' ? ints[which] : uints[which]),
                          "make the type of entries");
    return STOA_OK;
}

/* NumPy's name of a type of entries; NULL if it has none. */
static const char *name_of(hid_t type)
{
    static const char *const names[][8] = {
        {"|i1", "<i2", "<i4", "<i8"}, {"|u1", "<u2", "<u4", "<u8"}, {NULL, NULL, "<f4", "<f8"}};
    stoa_number_form form;
    const size_t size = H5Tget_size(type);
    const size_t which = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;

    if (H5Tget_class(type) == H5T_ENUM) {
        return size == 1 ? "|b1" : NULL;
    }
    if (stoa_number_form_of(type, &form, NULL) != STOA_OK || form.is_swapped) {
        return NULL;
    }
    return form.lanes == 2 ? (form.size == 4 ? "<c8" : "<c16")
                           : names[form.class == STOA_NUMBER_SIGNED     ? 0
                                   : form.class == STOA_NUMBER_UNSIGNED ? 1
                                                                        : 2][which];
}

/* --- reading --------------------------------------------------------------------------------- */

/* Read a member of one dimension, or a scalar, in native byte order. The caller clears `npy` and
 * frees *values. */
static stoa_status read_member(stoa_zip *zip, const char *name, stoa_npy *npy, uint8_t **values,
                               stoa_error *err)
{
    stoa_bytes *bytes = NULL;
    stoa_status status = STOA_OK;

    *npy = (stoa_npy){.rank = 0};
    *values = NULL;
    const size_t i = stoa_zip_find(zip, name);
    if (i == SIZE_MAX) {
        STOA_FAIL(err, STOA_EDATA, "the matrix has no '%s'", name);
    }
    STOA_TRY(stoa_bytes_open_member(zip, i, &bytes, err));
    STOA_TRY(stoa_npy_read(bytes, npy, err));
    if (npy->rank > 1 || npy->is_struct) {
        STOA_FAIL(err, STOA_EDATA, "'%s' has more than one dimension", name);
    }
    const uint64_t n = stoa_npy_n(npy);
    *values = stoa_alloc((size_t)n + 1, npy->item_size);
    STOA_TRY(*values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_bytes_read(bytes, *values, (size_t)n * npy->item_size, err));
    if (npy->fields[0].swaps) {
        const bool is_complex = npy->fields[0].kind == 'c';
        stoa_byteswap(*values, *values, is_complex ? 2 * n : n,
                      npy->item_size / (is_complex ? 2 : 1), stoa_simd_of_cpu());
    }

done:
    stoa_bytes_close(bytes);
    return stoa_within(err, status, "%s", name);
}

/* Read integers as int64. */
static stoa_status read_integers(stoa_zip *zip, const char *name, int64_t **out, uint64_t *n,
                                 stoa_error *err)
{
    stoa_npy npy;
    uint8_t *values = NULL;
    stoa_status status = STOA_OK;

    *out = NULL;
    STOA_TRY(read_member(zip, name, &npy, &values, err));
    const stoa_npy_field *const f = npy.fields;
    if (f->kind != 'i' && f->kind != 'u') {
        STOA_FAIL(err, STOA_EDATA, "'%s' has no integers", name);
    }
    *n = stoa_npy_n(&npy);
    *out = stoa_alloc((size_t)*n + 1, sizeof **out);
    STOA_TRY(*out != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < *n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, values + i * f->size, f->size);
        const unsigned shift = (unsigned)(64 - 8 * f->size);
        (*out)[i] = f->kind == 'i' ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
    }

done:
    stoa_npy_clear(&npy);
    free(values);
    return status;
}

/* The form that a matrix says: "csr". */
static stoa_status read_form(stoa_zip *zip, stoa_matrix_form *form, stoa_error *err)
{
    static const char *const names[] = {"coo", "csr", "csc"};
    stoa_npy npy;
    uint8_t *values = NULL;
    char name[8] = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(read_member(zip, "format.npy", &npy, &values, err));
    const unsigned step = npy.fields[0].kind == 'U' ? 4 : 1; /* of Python 2: texts */
    for (unsigned i = 0; i < 7 && i * step < npy.item_size; i++) {
        name[i] = (char)values[i * step];
    }
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *form = i == 0 ? STOA_MATRIX_COO : i == 1 ? STOA_MATRIX_CSR : STOA_MATRIX_CSC;
            goto done;
        }
    }
    STOA_FAIL(err, STOA_ETYPE,
              "is a matrix in the form '%s'; csr, csc and coo are read, as matrix.tocsr() makes",
              name);

done:
    stoa_npy_clear(&npy);
    free(values);
    return status;
}

static stoa_status read_shape(stoa_zip *zip, uint64_t *shape, stoa_error *err)
{
    int64_t *both = NULL;
    uint64_t n = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(read_integers(zip, "shape.npy", &both, &n, err));
    if (n != 2 || both[0] < 0 || both[1] < 0) {
        STOA_FAIL(err, STOA_EDATA, "the matrix has no shape of two dimensions");
    }
    shape[0] = (uint64_t)both[0];
    shape[1] = (uint64_t)both[1];

done:
    free(both);
    return status;
}

/* Read the arrays of a form. Their lengths are checked; stoa_matrix_write() checks their values. */
static stoa_status read_arrays(stoa_zip *zip, stoa_matrix *m, hid_t *type, stoa_error *err)
{
    const bool is_coo = m->form == STOA_MATRIX_COO;
    const uint64_t n_lines = m->form == STOA_MATRIX_CSR ? m->n_rows : m->n_columns;
    int64_t *first = NULL;
    int64_t *second = NULL;
    uint64_t n_first = 0;
    uint64_t n_second = 0;
    uint8_t *values = NULL;
    stoa_npy npy;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(
        read_integers(zip, is_coo ? "row.npy" : "indptr.npy", &first, &n_first, err));
    status = read_integers(zip, is_coo ? "col.npy" : "indices.npy", &second, &n_second, err);
    m->index_size = sizeof *first;
    m->pointers = is_coo ? NULL : first;
    m->rows = is_coo ? first : m->form == STOA_MATRIX_CSC ? second : NULL;
    m->columns = m->form == STOA_MATRIX_CSC ? NULL : second;
    STOA_RETURN_NOT_OK(status);
    status = read_member(zip, "data.npy", &npy, &values, err);
    m->values = values;
    m->n = n_second;
    const uint64_t n_values = status == STOA_OK ? stoa_npy_n(&npy) : 0;
    status = status == STOA_OK ? type_of(&npy, type, err) : status;
    stoa_npy_clear(&npy);
    STOA_RETURN_NOT_OK(status);
    if (n_values != n_second || (is_coo ? n_first != n_second : n_first != n_lines + 1)) {
        return stoa_fail(err, STOA_EDATA, "the arrays of the matrix differ in length");
    }
    return STOA_OK;
}

bool stoa_npz_matrix_is_one(const char *file)
{
    stoa_zip *zip = NULL;
    const bool is = stoa_zip_is_one(file) && stoa_zip_open(file, &zip, NULL) == STOA_OK &&
                    stoa_zip_find(zip, "format.npy") != SIZE_MAX &&
                    stoa_zip_find(zip, "shape.npy") != SIZE_MAX;

    stoa_zip_close(zip);
    return is;
}

/* The file is at fault for what the caller of stoa_matrix_write() would be. */
static stoa_status of_file(stoa_status status, stoa_error *err)
{
    if (status == STOA_ERANGE && err != NULL) {
        err->status = STOA_EDATA;
    }
    return status == STOA_ERANGE ? STOA_EDATA : status;
}

stoa_status stoa_npz_matrix_import(const char *file, hid_t loc, const char *path,
                                   const uint64_t *chunk, const char *codec,
                                   const stoa_listener *listener, stoa_error *err)
{
    stoa_sparse_options how = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_zip *zip = NULL;
    stoa_matrix m = {.n = 0};
    hid_t type = H5I_INVALID_HID;
    uint64_t shape[2];
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_zip_open(file, &zip, err));
    STOA_TRY(stoa_report_progress(listener, &(stoa_progress){.stage = "reading"}, err));
    STOA_TRY(read_form(zip, &m.form, err));
    STOA_TRY(read_shape(zip, shape, err));
    m.n_rows = shape[0];
    m.n_columns = shape[1];
    STOA_TRY(read_arrays(zip, &m, &type, err));
    how.chunk = chunk;
    how.values = codec;
    STOA_TRY(stoa_sparse_create(loc, path, type, 2, shape, &how, NULL, &array, err));
    const bool is_number = H5Tget_class(type) != H5T_ENUM;
    STOA_TRY(of_file(
        stoa_matrix_write(array, &m, type, is_number ? STOA_MATRIX_SUM : STOA_MATRIX_LAST, err),
        err));

done : {
    const stoa_status closed = stoa_sparse_commit(array, status == STOA_OK ? err : NULL);
    status = status == STOA_OK ? closed : status;
    stoa_matrix_clear(&m);
    stoa_zip_close(zip);
    status = stoa_hdf_close(&type, status, err);
    return stoa_within(err, status, "%s", file);
}
}

/* --- writing --------------------------------------------------------------------------------- */

/* Put an array of one dimension, or a scalar if n is UINT64_MAX. */
static stoa_status put(stoa_zip_writer *zip, const char *name, const char *type, size_t size,
                       const void *values, uint64_t n, stoa_error *err)
{
    char types[16];
    char shape[32] = "()";
    stoa_buffer head = {0};
    stoa_status status = STOA_OK;

    (void)snprintf(types, sizeof types, "'%s'", type);
    if (n != UINT64_MAX) {
        (void)snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)n);
    }
    STOA_TRY(stoa_npy_head(types, shape, &head, err));
    STOA_TRY(stoa_zip_put(zip, name, head.data, head.size, values, (n == UINT64_MAX ? 1 : n) * size,
                          err));

done:
    stoa_buffer_clear(&head);
    return status;
}

stoa_status stoa_npz_matrix_write(stoa_sparse *array, stoa_matrix_form form, FILE *out,
                                  const stoa_listener *listener, uint64_t *n, stoa_error *err)
{
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_zip_writer zip = {.out = out};
    stoa_matrix m = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_describe(array, &info, err));
    if (info.rank != 2) {
        STOA_FAIL(err, STOA_EINVAL, "a matrix has 2 dimensions, this array %u", info.rank);
    }
    const char *const type = name_of(info.native_type);
    const size_t size = H5Tget_size(info.native_type);
    if (type == NULL) {
        STOA_FAIL(err, STOA_ETYPE, "SciPy has no matrices of such values");
    }
    const bool is_narrow =
        info.extent[0] <= INT32_MAX && info.extent[1] <= INT32_MAX && info.n_defined <= INT32_MAX;
    const unsigned index_size = is_narrow ? 4 : 8;
    const char *const index_type = is_narrow ? "<i4" : "<i8";
    const int64_t shape[] = {(int64_t)info.extent[0], (int64_t)info.extent[1]};
    STOA_TRY(stoa_report_progress(listener, &(stoa_progress){.stage = "reading"}, err));
    STOA_TRY(stoa_matrix_read(array, form, index_size, STOA_FILE_NATIVE, &m, err));
    const void *const indices = form == STOA_MATRIX_CSC ? m.rows : m.columns;
    const uint64_t n_lines = form == STOA_MATRIX_CSC ? m.n_columns : m.n_rows;
    const char *const name = form == STOA_MATRIX_CSC ? "csc" : "csr";
    STOA_TRY(put(&zip, "indices.npy", index_type, index_size, indices, m.n, err));
    STOA_TRY(put(&zip, "indptr.npy", index_type, index_size, m.pointers, n_lines + 1, err));
    STOA_TRY(put(&zip, "format.npy", "|S3", 3, name, UINT64_MAX, err));
    STOA_TRY(put(&zip, "shape.npy", "<i8", sizeof *shape, shape, 2, err));
    STOA_TRY(put(&zip, "data.npy", type, size, m.values, m.n, err));
    STOA_TRY(stoa_zip_end(&zip, err));
    *n = m.n;

done:
    stoa_zip_writer_clear(&zip);
    stoa_matrix_clear(&m);
    return status;
}
