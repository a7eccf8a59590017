/* AnnData files joined along their observations: src/layout/anndata/concat/. What anndata makes of
 * the same files is in tests/interop/test_subsets.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>
#include <stoa/concat.h>
#include <stoa/layout.h>
#include <stoa/matrix_group.h>

#include "layout/anndata/anndata.h"
#include "layout/common/conversion.h"
#include "support/check.h"
#include "support/memory_file.h"

/* The matrices of two files: entry (r, c) exists if r + c is even. Rows are `widths` columns wide,
 * and together they fill several chunks of the result. */
enum { N_ROWS = 600, N_FILES = 2 };
static const uint64_t widths[N_FILES] = {1200, 1100};
static const char *const files[N_FILES] = {"concat0.h5ad", "concat1.h5ad"};

static float value_of(size_t file, uint64_t row, uint64_t column)
{
    return (float)(file * 2000000 + row * 2000 + column);
}

/* Write a file with the matrix as X, and as a layer of columns. */
static void put_file(size_t file)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    const uint64_t n = N_ROWS * widths[file] / 2;
    int64_t *const rows = malloc(n * sizeof *rows);
    int64_t *const columns = malloc(n * sizeof *columns);
    float *const values = malloc(n * sizeof *values);
    stoa_matrix m = {.form = STOA_MATRIX_COO,
                     .index_size = 8,
                     .n_rows = N_ROWS,
                     .n_columns = widths[file],
                     .n = n,
                     .rows = rows,
                     .columns = columns,
                     .values = values};
    stoa_sparse *array = NULL;
    uint64_t at = 0;

    CHECK(rows != NULL && columns != NULL && values != NULL);
    for (uint64_t r = 0; r < N_ROWS; r++) {
        for (uint64_t c = r % 2; c < widths[file]; c += 2) {
            rows[at] = (int64_t)r;
            columns[at] = (int64_t)c;
            values[at++] = value_of(file, r, c);
        }
    }
    const hid_t scratch = memory_file("scratch.h5", false);
    const hid_t to = memory_file(files[file], true);
    CHECK_OK(stoa_sparse_create(scratch, "/a", H5T_IEEE_F32LE, 2,
                                (const uint64_t[]){N_ROWS, widths[file]}, NULL, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_matrix_write(array, &m, H5T_NATIVE_FLOAT, STOA_MATRIX_SUM, &err), &err);
    CHECK_OK(stoa_anndata_of_matrix(array, H5I_INVALID_HID, NULL, to, &options, &err), &err);
    CHECK_OK(
        stoa_matrix_group_export(array, STOA_MATRIX_CSC, to, "/layers/columns", "deflate", &err),
        &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    stoa_matrix_clear(&m);
    CHECK_H5(H5Fclose(to));
    CHECK_H5(H5Fclose(scratch));
}

static void put_files(void)
{
    for (size_t i = 0; i < N_FILES; i++) {
        put_file(i);
    }
}

static void remove_files(void)
{
    for (size_t i = 0; i < N_FILES; i++) {
        CHECK(remove(files[i]) == 0);
    }
}

static stoa_status join(const stoa_concat_options *options, hid_t to, uint64_t *n_rows,
                        stoa_error *err)
{
    return stoa_concat_files(files, N_FILES, to, options, NULL, NULL, n_rows, err);
}

/* The numbers of a result's line are those of the files. Names of variables are their numbers; the
 * union is sorted as text. */
static int by_text(const void *a, const void *b)
{
    char texts[2][24];

    (void)snprintf(texts[0], sizeof texts[0], "%llu", (unsigned long long)*(const uint64_t *)a);
    (void)snprintf(texts[1], sizeof texts[1], "%llu", (unsigned long long)*(const uint64_t *)b);
    return strcmp(texts[0], texts[1]);
}

static uint64_t variables_of(bool outer, uint64_t *names)
{
    const uint64_t n = outer ? widths[0] : widths[1];

    for (uint64_t k = 0; k < n; k++) {
        names[k] = k;
    }
    if (outer) {
        qsort(names, (size_t)n, sizeof *names, by_text);
    }
    return n;
}

/* Check rows of X: as many entries as there should be, each with its value. */
static void check_rows(hid_t to, bool outer)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t names[1200];
    stoa_matrix m;

    const uint64_t n_columns = variables_of(outer, names);
    CHECK_OK(
        stoa_matrix_group_read(to, "/X", 0, N_FILES * (uint64_t)N_ROWS, H5T_NATIVE_FLOAT, &m, &err),
        &err);
    CHECK_U64(m.form, STOA_MATRIX_CSR);
    CHECK_U64(m.n_columns, n_columns);
    const int64_t *const ends = m.pointers;
    const int64_t *const columns = m.columns;
    uint64_t n_wrong = 0;
    for (uint64_t row = 0; row < N_FILES * (uint64_t)N_ROWS; row++) {
        const size_t file = row / N_ROWS;
        const uint64_t r = row % N_ROWS;
        const uint64_t width = outer ? widths[file] : widths[1];
        n_wrong += (uint64_t)(ends[row + 1] - ends[row]) != width / 2;
        for (int64_t k = ends[row]; k < ends[row + 1]; k++) {
            const uint64_t c = names[columns[k]];
            n_wrong += (r + c) % 2 != 0 || ((const float *)m.values)[k] != value_of(file, r, c);
        }
    }
    CHECK_U64(n_wrong, 0);
    stoa_matrix_clear(&m);
}

/* The same for columns of the layer. */
static void check_columns(hid_t to, bool outer)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t names[1200];
    uint64_t n_wrong = 0;
    stoa_matrix m;

    const uint64_t n_columns = variables_of(outer, names);
    CHECK_OK(
        stoa_matrix_group_read(to, "/layers/columns", 0, n_columns, H5T_NATIVE_FLOAT, &m, &err),
        &err);
    CHECK_U64(m.form, STOA_MATRIX_CSC);
    const int64_t *const ends = m.pointers;
    const int64_t *const rows = m.rows;
    for (uint64_t k = 0; k < n_columns; k++) {
        const uint64_t c = names[k];
        n_wrong += ends[k + 1] - ends[k] != (c < widths[1] ? N_ROWS : N_ROWS / 2);
        for (int64_t i = ends[k]; i < ends[k + 1]; i++) {
            const size_t file = (size_t)rows[i] / N_ROWS;
            const uint64_t r = (uint64_t)rows[i] % N_ROWS;
            n_wrong += (r + c) % 2 != 0 || ((const float *)m.values)[i] != value_of(file, r, c);
        }
    }
    CHECK_U64(n_wrong, 0);
    stoa_matrix_clear(&m);
}

static unsigned filters_of(hid_t file, const char *path)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    const hid_t creation = CHECK_H5(H5Dget_create_plist(dataset));
    const int n = H5Pget_nfilters(creation);

    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Dclose(dataset));
    return (unsigned)n;
}

static void check_join(const stoa_concat_options *options)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t to = memory_file("joined.h5ad", false);
    uint64_t n_rows = 0;

    CHECK_OK(join(options, to, &n_rows, &err), &err);
    CHECK_U64(n_rows, 2 * N_ROWS);
    check_rows(to, options->outer);
    check_columns(to, options->outer);
    CHECK((filters_of(to, "/X/data") > 0) == (options->codec != NULL));
    CHECK((filters_of(to, "/layers/columns/indices") > 0) == (options->codec != NULL));
    CHECK_H5(H5Fclose(to));
}

static void entries_keep_their_rows_and_variables(void)
{
    stoa_concat_options options = STOA_CONCAT_OPTIONS_INIT;

    put_files();
    for (int i = 0; i < 4; i++) {
        options.outer = (i & 1) != 0;
        options.codec = (i & 2) != 0 ? "deflate:1" : NULL;
        options.threads = i == 0 || i == 3 ? 3 : 1;
        check_join(&options);
    }
    remove_files();
}

static void indices_outside_of_the_variables_are_refused(void)
{
    stoa_concat_options options = STOA_CONCAT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    const int32_t beyond = 1200;

    put_files();
    const hid_t file = CHECK_H5(H5Fopen(files[1], H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/X/indices", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t one = CHECK_H5(H5Screate_simple(1, (const hsize_t[]){1}, NULL));
    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, (const hsize_t[]){77}));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, one, space, H5P_DEFAULT, &beyond));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    for (int outer = 0; outer < 2; outer++) {
        const hid_t to = memory_file("joined.h5ad", false);
        options.outer = outer != 0;
        CHECK_U64(join(&options, to, NULL, &err), STOA_EDATA);
        CHECK_STR(err.where, "concat1.h5ad:/X");
        CHECK_STR(err.message, "'indices' has 1200; there are 1100 columns");
        CHECK_H5(H5Fclose(to));
    }
    remove_files();
}

static void unknown_codecs_are_refused(void)
{
    stoa_concat_options options = STOA_CONCAT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    put_files();
    const hid_t to = memory_file("joined.h5ad", false);
    options.codec = "zip";
    CHECK_U64(join(&options, to, NULL, &err), STOA_EINVAL);
    CHECK(strstr(err.message, "'zip'") != NULL);
    CHECK_H5(H5Fclose(to));
    remove_files();
}

TEST_MAIN(TEST(entries_keep_their_rows_and_variables),
          TEST(indices_outside_of_the_variables_are_refused), TEST(unknown_codecs_are_refused))
