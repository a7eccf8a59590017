/* CSR and CSC groups of AnnData: both ways, of today and of before 0.7, and what is refused. For
 * src/layout/anndata/group_*.c; real ones are in tests/interop. */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

static hid_t new_file(void)
{
    return CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

/* --- groups by libhdf5 alone ----------------------------------------------------------------- */

/* What a group is made of; the defaults are of 3 x 4: (0,0) 1, (0,3) 2, (2,1) 3 as CSR. */
typedef struct making {
    const char *type_name, *type_value; /* attributes; NULL: none */
    const char *version;
    const char *shape_name;
    int64_t shape[3];
    hsize_t n_shape;
    hid_t index_type, pointer_type, value_type; /* in the file */
    int64_t pointers[8];
    hsize_t n_pointers;
    int64_t indices[8];
    hsize_t n_indices;
    double values[8];
    hsize_t n_values;
    const char *missing; /* a dataset that is not there */
} making;

static making usual(void)
{
    return (making){.type_name = "encoding-type",
                    .type_value = "csr_matrix",
                    .version = "0.1.0",
                    .shape_name = "shape",
                    .shape = {3, 4},
                    .n_shape = 2,
                    .index_type = H5T_STD_I32LE,
                    .pointer_type = H5T_STD_I32LE,
                    .value_type = H5T_IEEE_F32LE,
                    .pointers = {0, 2, 2, 3},
                    .n_pointers = 4,
                    .indices = {0, 3, 1},
                    .n_indices = 3,
                    .values = {1.0, 2.0, 3.0},
                    .n_values = 3};
}

static void put_text(hid_t group, const char *name, const char *value)
{
    if (name == NULL || value == NULL) {
        return;
    }
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, &value));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

static void put_dataset(hid_t group, const making *m, const char *name, hid_t type, hid_t given,
                        hsize_t n, const void *values)
{
    if (m->missing != NULL && strcmp(m->missing, name) == 0) {
        return;
    }
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (n > 0 && n <= 8) {
        CHECK_H5(H5Dwrite(dataset, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
}

static void make_group(hid_t file, const making *m)
{
    const hid_t group = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    put_text(group, m->type_name, m->type_value);
    put_text(group, "encoding-version", m->version);
    if (m->shape_name != NULL) {
        const hid_t space = CHECK_H5(H5Screate_simple(1, &m->n_shape, NULL));
        const hid_t shape = CHECK_H5(
            H5Acreate2(group, m->shape_name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Awrite(shape, H5T_NATIVE_INT64, m->shape));
        CHECK_H5(H5Aclose(shape));
        CHECK_H5(H5Sclose(space));
    }
    put_dataset(group, m, "data", m->value_type, H5T_NATIVE_DOUBLE, m->n_values, m->values);
    put_dataset(group, m, "indices", m->index_type, H5T_NATIVE_INT64, m->n_indices, m->indices);
    put_dataset(group, m, "indptr", m->pointer_type, H5T_NATIVE_INT64, m->n_pointers, m->pointers);
    CHECK_H5(H5Gclose(group));
}

/* The three entries, each once. */
static void holds_the_three(stoa_sparse *array, double last)
{
    static const uint64_t places[] = {0, 0, 0, 3, 2, 1};
    stoa_sparse_points points;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_DOUBLE, &points, &err), &err);
    CHECK_U64(points.n, 3);
    CHECK_MEM(points.coordinates, places, sizeof places);
    CHECK_F64(((const double *)points.values)[0], 1.0);
    CHECK_F64(((const double *)points.values)[1], 2.0);
    CHECK_F64(((const double *)points.values)[2], last);
    stoa_sparse_points_clear(&points);
}

static void is_read(const making *m, double last)
{
    const hid_t file = new_file();
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    make_group(file, m);
    CHECK(stoa_matrix_group_is_one(file, "g"));
    CHECK_OK(stoa_matrix_group_import(file, "g", file, "x", NULL, NULL, NULL, &array, &err), &err);
    holds_the_three(array, last);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

static void rows_are_read_with_indices_of_every_type(void)
{
    const hid_t types[] = {H5T_STD_I8LE,  H5T_STD_U8BE,  H5T_STD_I16BE, H5T_STD_U16LE,
                           H5T_STD_I32BE, H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64BE};
    making m = usual();

    for (size_t i = 0; i < 8; i++) {
        for (size_t k = 0; k < 8; k++) {
            m.index_type = types[i];
            m.pointer_type = types[k];
            is_read(&m, 3.0);
        }
    }
}

static void columns_are_read_and_those_of_before_anndata_0_7(void)
{
    making m = usual();

    m.type_value = "csc_matrix";
    memcpy(m.pointers, (int64_t[]){0, 1, 2, 2, 3}, 5 * sizeof(int64_t));
    m.n_pointers = 5;
    memcpy(m.indices, (int64_t[]){0, 2, 0}, 3 * sizeof(int64_t));
    memcpy(m.values, (double[]){1.0, 3.0, 2.0}, 3 * sizeof(double));
    is_read(&m, 3.0);
    m.type_name = "h5sparse_format";
    m.type_value = "csc";
    m.version = NULL;
    m.shape_name = "h5sparse_shape";
    is_read(&m, 3.0);
    m = usual();
    m.type_name = "h5sparse_format";
    m.type_value = "csr";
    m.version = NULL;
    m.shape_name = "h5sparse_shape";
    is_read(&m, 3.0);
}

static void entries_in_any_order_and_twice_are_added_up(void)
{
    making m = usual();

    memcpy(m.pointers, (int64_t[]){0, 2, 2, 5}, 4 * sizeof(int64_t));
    memcpy(m.indices, (int64_t[]){3, 0, 1, 1, 1}, 5 * sizeof(int64_t));
    memcpy(m.values, (double[]){2.0, 1.0, 3.0, 40.0, 500.0}, 5 * sizeof(double));
    m.n_indices = m.n_values = 5;
    is_read(&m, 543.0);
}

/* --- lines ----------------------------------------------------------------------------------- */

static void holds_the_lines(const stoa_matrix *matrix, const int64_t *pointers, uint64_t n_lines,
                            const int64_t *indices, const float *values)
{
    const bool is_csr = matrix->form == STOA_MATRIX_CSR;
    const uint64_t n = (uint64_t)pointers[n_lines];

    CHECK_U64(matrix->index_size, 8);
    CHECK_U64(is_csr ? matrix->n_rows : matrix->n_columns, n_lines);
    CHECK_U64(is_csr ? matrix->n_columns : matrix->n_rows, is_csr ? 4 : 3);
    CHECK_U64(matrix->n, n);
    CHECK_MEM(matrix->pointers, pointers, (n_lines + 1) * sizeof *pointers);
    CHECK_MEM(is_csr ? matrix->columns : matrix->rows, indices, n * sizeof *indices);
    CHECK_MEM(matrix->values, values, n * sizeof *values);
    CHECK((is_csr ? matrix->rows : matrix->columns) == NULL);
}

static void some_lines_are_read_as_they_are_stored(void)
{
    const hid_t file = new_file();
    making m = usual();
    stoa_matrix matrix;
    stoa_error err = STOA_ERROR_INIT;

    memcpy(m.pointers, (int64_t[]){0, 2, 2, 5}, 4 * sizeof(int64_t));
    memcpy(m.indices, (int64_t[]){0, 3, 3, 1, 1}, 5 * sizeof(int64_t));
    memcpy(m.values, (double[]){1.0, 2.0, 3.0, 40.0, 500.0}, 5 * sizeof(double));
    m.n_indices = m.n_values = 5;
    m.value_type = H5T_IEEE_F32BE;
    make_group(file, &m);
    CHECK_OK(stoa_matrix_group_read(file, "g", 0, 3, STOA_FILE_NATIVE, &matrix, &err), &err);
    holds_the_lines(&matrix, (int64_t[]){0, 2, 2, 5}, 3, (int64_t[]){0, 3, 3, 1, 1},
                    (float[]){1, 2, 3, 40, 500});
    stoa_matrix_clear(&matrix);
    CHECK_OK(stoa_matrix_group_read(file, "g", 1, 2, H5T_NATIVE_FLOAT, &matrix, &err), &err);
    holds_the_lines(&matrix, (int64_t[]){0, 0, 3}, 2, (int64_t[]){3, 1, 1}, (float[]){3, 40, 500});
    stoa_matrix_clear(&matrix);
    CHECK_OK(stoa_matrix_group_read(file, "g", 3, 0, STOA_FILE_NATIVE, &matrix, &err), &err);
    holds_the_lines(&matrix, (int64_t[]){0}, 0, NULL, NULL);
    stoa_matrix_clear(&matrix);
    CHECK_STATUS(STOA_ERANGE,
                 stoa_matrix_group_read(file, "g", 2, 2, STOA_FILE_NATIVE, &matrix, &err), &err);
    CHECK_CONTAINS(err.message, "2 rows from 2 on; there are 3");
    CHECK(matrix.pointers == NULL);
    CHECK_STATUS(STOA_ETYPE, stoa_matrix_group_read(file, "g", 0, 1, H5T_C_S1, &matrix, &err));
    CHECK_STATUS(STOA_ENOTFOUND,
                 stoa_matrix_group_read(file, "h", 0, 1, STOA_FILE_NATIVE, &matrix, &err));
    CHECK_H5(H5Fclose(file));
}

static void columns_are_lines_of_csc(void)
{
    const hid_t file = new_file();
    making m = usual();
    stoa_matrix matrix;
    stoa_error err = STOA_ERROR_INIT;

    m.type_value = "csc_matrix";
    memcpy(m.pointers, (int64_t[]){0, 1, 2, 2, 3}, 5 * sizeof(int64_t));
    m.n_pointers = 5;
    memcpy(m.indices, (int64_t[]){0, 2, 0}, 3 * sizeof(int64_t));
    make_group(file, &m);
    CHECK_OK(stoa_matrix_group_read(file, "g", 1, 3, STOA_FILE_NATIVE, &matrix, &err), &err);
    holds_the_lines(&matrix, (int64_t[]){0, 1, 1, 2}, 3, (int64_t[]){2, 0}, (float[]){2, 3});
    stoa_matrix_clear(&matrix);
    CHECK_H5(H5Fclose(file));
}

static void lines_are_refused(const making *m, uint64_t first, uint64_t count, const char *part)
{
    const hid_t file = new_file();
    stoa_matrix matrix;
    stoa_error err = STOA_ERROR_INIT;

    make_group(file, m);
    CHECK_STATUS(STOA_EDATA,
                 stoa_matrix_group_read(file, "g", first, count, STOA_FILE_NATIVE, &matrix, &err),
                 &err);
    CHECK_CONTAINS(err.message, part);
    CHECK(matrix.pointers == NULL && matrix.columns == NULL && matrix.values == NULL);
    CHECK_H5(H5Fclose(file));
}

static void lines_that_lead_astray_are_refused(void)
{
    making m = usual();

    m.indices[2] = 4;
    lines_are_refused(&m, 2, 1, "'indices' has 4; there are 4 columns");
    m.indices[2] = -1;
    lines_are_refused(&m, 2, 1, "'indices' has -1");
    m = usual();
    m.pointers[1] = 4;
    lines_are_refused(&m, 0, 2, "'indptr' has 4 at 1");
    lines_are_refused(&m, 1, 1, "'indptr' has 2 at 2, behind 4");
    m.pointers[1] = -1;
    lines_are_refused(&m, 1, 1, "'indptr' has -1 at 1");
    m.pointers[0] = 1;
    lines_are_refused(&m, 0, 1, "'indptr' has 1 at 0");
}

/* --- refusals -------------------------------------------------------------------------------- */

static void is_refused(const making *m, stoa_status expected, const char *part)
{
    const hid_t file = new_file();
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    make_group(file, m);
    CHECK_STATUS(expected,
                 stoa_matrix_group_import(file, "g", file, "x", NULL, NULL, NULL, &array, &err),
                 &err);
    CHECK_CONTAINS(err.message, part);
    CHECK(array == NULL);
    CHECK_H5(H5Fclose(file));
}

static void what_is_no_such_group_is_refused(void)
{
    stoa_sparse *array = NULL;
    making m = usual();
    stoa_error err = STOA_ERROR_INIT;

    m.type_value = "array";
    is_refused(&m, STOA_ELAYOUT, "no group of AnnData's");
    m.type_name = NULL;
    is_refused(&m, STOA_ELAYOUT, "no group of AnnData's");
    m = usual();
    m.version = "0.2.0";
    is_refused(&m, STOA_EVERSION, "version '0.2.0'");
    const hid_t file = new_file();
    CHECK(!stoa_matrix_group_is_one(file, "nothing"));
    CHECK_STATUS(STOA_ENOTFOUND, stoa_matrix_group_import(file, "nothing", file, "x", NULL, NULL,
                                                          NULL, &array, &err));
    CHECK_H5(H5Fclose(file));
}

static void a_shape_that_is_none_is_refused(void)
{
    making m = usual();

    m.shape_name = NULL;
    is_refused(&m, STOA_EDATA, "'shape' is missing");
    m = usual();
    m.n_shape = 3;
    is_refused(&m, STOA_EDATA, "is not two integers");
    m = usual();
    m.shape[1] = -4;
    is_refused(&m, STOA_EDATA, "is 3 x -4");
    m = usual();
    m.shape[1] = INT64_MAX;
    is_refused(&m, STOA_ERANGE, "");
    m = usual();
    m.shape[0] = INT64_MAX;
    is_refused(&m, STOA_EDATA, "'indptr' has 4 elements");
}

static void datasets_that_contradict_each_other_are_refused(void)
{
    static const char *const names[] = {"data", "indices", "indptr"};
    making m = usual();

    for (size_t i = 0; i < 3; i++) {
        m = usual();
        m.missing = names[i];
        is_refused(&m, STOA_EDATA, names[i]);
    }
    m = usual();
    m.n_indices = 2;
    is_refused(&m, STOA_EDATA, "'indices' has 2 elements, 'data' 3");
    m = usual();
    m.n_pointers = 5;
    is_refused(&m, STOA_EDATA, "'indptr' has 5 elements, and there are 3 rows");
    m = usual();
    m.index_type = H5T_IEEE_F32LE;
    is_refused(&m, STOA_EDATA, "'indices' has no integers");
    m = usual();
    m.pointer_type = H5T_IEEE_F64LE;
    is_refused(&m, STOA_EDATA, "'indptr' has no integers");
}

static void pointers_and_indices_that_lead_astray_are_refused(void)
{
    static const int64_t pointers[][4] = {{1, 2, 2, 3}, {0, 3, 2, 3},  {0, 2, 2, 4},
                                          {0, 2, 2, 2}, {0, -1, 2, 3}, {0, INT64_MAX, 2, 3}};
    static const char *const parts[] = {"begins with 1", "has 2 at 2",  "has 4 at 3",
                                        "ends with 2",   "has -1 at 1", "at 1, behind 0"};
    making m = usual();

    m.pointer_type = H5T_STD_I64LE;
    for (size_t i = 0; i < 6; i++) {
        memcpy(m.pointers, pointers[i], sizeof pointers[i]);
        is_refused(&m, STOA_EDATA, parts[i]);
    }
    m = usual();
    m.indices[1] = 4;
    is_refused(&m, STOA_EDATA, "column 4, of which there are 4");
    m.indices[1] = -1;
    is_refused(&m, STOA_EDATA, "column -1");
    m.type_value = "csc_matrix";
    m.n_pointers = 5;
    memcpy(m.pointers, (int64_t[]){0, 1, 2, 2, 3}, 5 * sizeof(int64_t));
    m.indices[1] = 3;
    is_refused(&m, STOA_EDATA, "row 3, of which there are 3");
}

static void a_small_file_cannot_promise_endless_pointers(void)
{
    making m = usual();

    m.shape[0] = INT64_C(1) << 40;
    m.n_pointers = (UINT64_C(1) << 40) + 1; /* never written */
    is_refused(&m, STOA_EDATA, "'indptr' has 1099511627777 elements in 0 bytes");
}

/* --- out ------------------------------------------------------------------------------------- */

static stoa_sparse *small_array(hid_t file)
{
    making m = usual();
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    make_group(file, &m);
    CHECK_OK(stoa_matrix_group_import(file, "g", file, "x", NULL, NULL, NULL, &array, &err), &err);
    return array;
}

static void has_integers(hid_t file, const char *name, hid_t type, hsize_t n,
                         const int64_t *expected)
{
    int64_t found[8];
    const hid_t dataset = CHECK_H5(H5Dopen2(file, name, H5P_DEFAULT));
    const hid_t stored = CHECK_H5(H5Dget_type(dataset));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));

    CHECK_I64(H5Sget_simple_extent_npoints(space), (int64_t)n);
    CHECK(H5Tequal(stored, type) > 0);
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, expected, (size_t)n * sizeof *expected);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(stored));
    CHECK_H5(H5Dclose(dataset));
}

static void a_group_has_three_datasets_in_order(void)
{
    const hid_t file = new_file();
    stoa_sparse *array = small_array(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_matrix_group_export(array, STOA_MATRIX_CSR, file, "a/csr", NULL, &err), &err);
    has_integers(file, "a/csr/indptr", H5T_NATIVE_INT32, 4, (int64_t[]){0, 2, 2, 3});
    has_integers(file, "a/csr/indices", H5T_NATIVE_INT32, 3, (int64_t[]){0, 3, 1});
    has_integers(file, "a/csr/data", H5T_NATIVE_FLOAT, 3, (int64_t[]){1, 2, 3});
    CHECK_OK(stoa_matrix_group_export(array, STOA_MATRIX_CSC, file, "a/csc", "deflate:1", &err),
             &err);
    has_integers(file, "a/csc/indptr", H5T_NATIVE_INT32, 5, (int64_t[]){0, 1, 2, 2, 3});
    has_integers(file, "a/csc/indices", H5T_NATIVE_INT32, 3, (int64_t[]){0, 2, 0});
    has_integers(file, "a/csc/data", H5T_NATIVE_FLOAT, 3, (int64_t[]){1, 3, 2});
    CHECK_STATUS(STOA_EEXISTS,
                 stoa_matrix_group_export(array, STOA_MATRIX_CSR, file, "a/csr", NULL, &err));
    CHECK_STATUS(STOA_EINVAL,
                 stoa_matrix_group_export(array, STOA_MATRIX_COO, file, "a/coo", NULL, NULL));
    CHECK_STATUS(STOA_EINVAL,
                 stoa_matrix_group_export(array, STOA_MATRIX_CSR, file, "a/bad", "best", NULL));
    CHECK(H5Lexists(file, "a/bad", H5P_DEFAULT) == 0);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

static hid_t swept_file;

static stoa_status there_and_back(stoa_error *err)
{
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    stoa_sparse *array = NULL;
    stoa_matrix lines = {.n = 0};
    stoa_status status = STOA_OK;

    access.threads = 1;
    STOA_TRY(stoa_matrix_group_import(swept_file, "g", swept_file, "y", NULL, &access, NULL, &array,
                                      err));
    STOA_TRY(stoa_matrix_group_export(array, STOA_MATRIX_CSC, swept_file, "z", "deflate", err));
    STOA_TRY(stoa_matrix_group_read(swept_file, "g", 1, 2, STOA_FILE_NATIVE, &lines, err));

done:
    stoa_matrix_clear(&lines);
    stoa_memory_fail_after(UINT64_MAX);
    stoa_sparse_close(array);
    for (const char *name = "yz"; *name != '\0'; name++) {
        const char path[] = {*name, '\0'};
        if (H5Lexists(swept_file, path, H5P_DEFAULT) > 0) {
            CHECK_H5(H5Ldelete(swept_file, path, H5P_DEFAULT));
        }
    }
    return status;
}

static void memory_that_runs_out_is_a_failure(void)
{
    const making m = usual();

    swept_file = new_file();
    make_group(swept_file, &m);
    CHECK(sweep_memory(there_and_back) > 20);
    CHECK_H5(H5Fclose(swept_file));
}

/* --- any matrix ------------------------------------------------------------------------------ */

enum { MOST = 60 };

static void any_matrix_comes_back(void)
{
    for (uint64_t c = 0, n_cases = check_n_cases(60); c < n_cases; c++) {
        const hid_t file = new_file();
        const uint64_t extent[] = {check_random_below(MOST), check_random_below(MOST)};
        const uint64_t chunk[] = {1 + check_random_below(20), 1 + check_random_below(20)};
        const uint64_t all = extent[0] * extent[1];
        const uint64_t n = all > 0 ? check_random_below(all) : 0;
        const stoa_matrix_form form =
            check_random_below(2) == 0 ? STOA_MATRIX_CSR : STOA_MATRIX_CSC;
        uint64_t *const at = malloc((2 * n + 1) * sizeof *at);
        double *const values = malloc((n + 1) * sizeof *values);
        stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
        stoa_sparse *from = NULL, *to = NULL;
        stoa_sparse_points before, after;
        stoa_error err = STOA_ERROR_INIT;

        options.chunk = chunk;
        for (uint64_t i = 0; i < n; i++) {
            at[2 * i] = check_random_below(extent[0]);
            at[2 * i + 1] = check_random_below(extent[1]);
            values[i] = (double)check_random_below(1000) - 500.0;
        }
        CHECK_OK(
            stoa_sparse_create(file, "x", H5T_NATIVE_INT16, 2, extent, &options, NULL, &from, &err),
            &err);
        CHECK_OK(stoa_sparse_write(from, n, at, values, H5T_NATIVE_DOUBLE, &err), &err);
        CHECK_OK(stoa_matrix_group_export(from, form, file, "g", NULL, &err), &err);
        CHECK_OK(stoa_matrix_group_import(file, "g", file, "y", NULL, NULL, NULL, &to, &err), &err);
        CHECK_OK(stoa_sparse_read(from, NULL, NULL, H5T_NATIVE_INT, &before, &err), &err);
        CHECK_OK(stoa_sparse_read(to, NULL, NULL, H5T_NATIVE_INT, &after, &err), &err);
        CHECK_U64(after.n, before.n);
        CHECK_MEM(after.coordinates, before.coordinates, 2 * before.n * sizeof *at);
        CHECK_MEM(after.values, before.values, before.n * sizeof(int));
        stoa_sparse_points_clear(&before);
        stoa_sparse_points_clear(&after);
        CHECK_OK(stoa_sparse_commit(from, &err), &err);
        CHECK_OK(stoa_sparse_commit(to, &err), &err);
        CHECK_H5(H5Fclose(file));
        free(at);
        free(values);
    }
}

TEST_MAIN(TEST(rows_are_read_with_indices_of_every_type),
          TEST(columns_are_read_and_those_of_before_anndata_0_7),
          TEST(entries_in_any_order_and_twice_are_added_up),
          TEST(some_lines_are_read_as_they_are_stored), TEST(columns_are_lines_of_csc),
          TEST(lines_that_lead_astray_are_refused), TEST(what_is_no_such_group_is_refused),
          TEST(a_shape_that_is_none_is_refused),
          TEST(datasets_that_contradict_each_other_are_refused),
          TEST(pointers_and_indices_that_lead_astray_are_refused),
          TEST(a_small_file_cannot_promise_endless_pointers),
          TEST(a_group_has_three_datasets_in_order), TEST(memory_that_runs_out_is_a_failure),
          TEST(any_matrix_comes_back))
