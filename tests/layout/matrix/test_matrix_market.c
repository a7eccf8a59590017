/* Matrix Market files in and out, sound and not. For src/layout/matrix/market_*.c; the rules are
 * those of NISTIR 5935. */
#include "layout/matrix/market.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

#define HEAD "%%MatrixMarket matrix "

static const char *text_file(const char *text)
{
    const char *const name = check_path("m.mtx");
    FILE *const file = fopen(name, "wb");

    CHECK(file != NULL);
    CHECK(fwrite(text, 1, strlen(text), file) == strlen(text));
    CHECK(fclose(file) == 0);
    return name;
}

/* 3 x 3, complex in every case, what is not there is 0. */
static void reads(const char *text, uint64_t n, const double real[3][3], const double imag[3][3])
{
    const stoa_listener listener = {NULL, NULL};
    double found[3][3][2] = {{{0.0}}};
    hid_t type = H5I_INVALID_HID;
    stoa_matrix m;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_mtx_read(text_file(text), &listener, &m, &type, &err), &err);
    CHECK_U64(m.n, n);
    CHECK_U64(m.n_rows, 3);
    CHECK_U64(m.n_columns, 3);
    for (uint64_t i = 0; i < n; i++) {
        double *at = found[((int64_t *)m.rows)[i]][((int64_t *)m.columns)[i]];
        if (H5Tget_class(type) == H5T_COMPOUND) {
            at[0] = ((stoa_complex *)m.values)[i].r;
            at[1] = ((stoa_complex *)m.values)[i].i;
        } else if (H5Tget_class(type) == H5T_FLOAT) {
            at[0] = ((double *)m.values)[i];
        } else if (H5Tget_size(type) == 8) {
            at[0] = (double)((int64_t *)m.values)[i];
        } else {
            at[0] = ((uint8_t *)m.values)[i];
        }
    }
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            CHECK_F64(found[i][j][0], real[i][j]);
            CHECK_F64(found[i][j][1], imag != NULL ? imag[i][j] : 0.0);
        }
    }
    CHECK_H5(H5Tclose(type));
    stoa_matrix_clear(&m);
}

static void coordinates_of_every_field_are_read(void)
{
    const double one[3][3] = {{1.5, 0, 0}, {0, 0, -2}, {0, 0, 0}};
    const double whole[3][3] = {{7, 0, 0}, {0, 0, -9}, {0, 0, 0}};
    const double pattern[3][3] = {{1, 0, 0}, {0, 0, 1}, {0, 0, 0}};
    const double imag[3][3] = {{-4, 0, 0}, {0, 0, 0.25}, {0, 0, 0}};

    reads(HEAD "coordinate real general\n%c\n\n3 3 2\n1 1 1.5\n\n%x\n2 3 -2\n", 2, one, NULL);
    reads(HEAD "coordinate integer general\n3 3 2\r\n1\t1  7\r\n2 3 -9", 2, whole, NULL);
    reads("%%MatrixMarket MATRIX Coordinate Pattern General\n3 3 2\n1 1\n2 3\n", 2, pattern, NULL);
    reads(HEAD "coordinate complex general\n 3 3 2\n1 1 1.5 -4\n2 3 -2 .25\n", 2, one, imag);
}

static void the_other_half_of_symmetric_matrices_is_put_in(void)
{
    const double symmetric[3][3] = {{5, 2, 0}, {2, 0, 0}, {0, 0, 0}};
    const double skew[3][3] = {{0, -2, 0}, {2, 0, 0}, {0, 0, 0}};
    const double even[3][3] = {{1, 2, 0}, {2, 0, 0}, {0, 0, 0}};
    const double odd[3][3] = {{0, -3, 0}, {3, 0, 0}, {0, 0, 0}};
    const double signs[3][3] = {{0, -2, 0}, {2, 0, 0}, {0, 0, 0}};

    reads(HEAD "coordinate real symmetric\n3 3 2\n1 1 5\n2 1 2\n", 3, symmetric, NULL);
    reads(HEAD "coordinate integer skew-symmetric\n3 3 1\n2 1 2\n", 2, skew, NULL);
    reads(HEAD "coordinate complex hermitian\n3 3 2\n1 1 1 0\n2 1 2 3\n", 3, even, odd);
    reads(HEAD "coordinate complex skew-symmetric\n3 3 1\n2 1 2 3\n", 2, signs, odd);
}

static void arrays_go_down_the_columns_and_zeros_are_no_entries(void)
{
    const double general[3][3] = {{1, 4, 7}, {2, 0, 8}, {3, 6, 9}};
    const double symmetric[3][3] = {{1, 2, 3}, {2, 4, 5}, {3, 5, 6}};
    const double skew[3][3] = {{0, -1, -2}, {1, 0, -3}, {2, 3, 0}};

    reads(HEAD "array real general\n3 3\n1\n2\n3\n4\n0\n6\n7\n8\n9\n", 8, general, NULL);
    reads(HEAD "array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 9, symmetric, NULL);
    reads(HEAD "array real skew-symmetric\n3 3\n1\n2\n3\n", 6, skew, NULL);
}

static void refuses(const char *text, unsigned line, const char *part)
{
    const stoa_listener listener = {NULL, NULL};
    const char *const name = text_file(text);
    char where[512];
    hid_t type = H5I_INVALID_HID;
    stoa_matrix m;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EDATA, stoa_mtx_read(name, &listener, &m, &type, &err));
    CHECK_CONTAINS(err.message, part);
    (void)snprintf(where, sizeof where, "m.mtx:%u", line);
    CHECK_CONTAINS(err.where, where);
    CHECK(m.rows == NULL && m.values == NULL);
}

static void a_bad_head_is_refused(void)
{
    refuses("", 0, "does not begin with %%MatrixMarket");
    refuses("1 2 3\n", 1, "does not begin with %%MatrixMarket");
    refuses(HEAD "coordinate real\n", 1, "the banner is not");
    refuses("%%MatrixMarket vector coordinate real general\n", 1, "the banner is not");
    refuses(HEAD "sparse real general\n", 1, "the format 'sparse'");
    refuses(HEAD "coordinate quaternion general\n", 1, "the field 'quaternion'");
    refuses(HEAD "coordinate real upper\n", 1, "the symmetry 'upper'");
    refuses(HEAD "array pattern general\n", 1, "'array pattern' says nothing");
    refuses(HEAD "coordinate real hermitian\n", 1, "only complex");
    refuses(HEAD "coordinate pattern skew-symmetric\n", 1, "no signs");
    refuses(HEAD "coordinate real general\n%only comments\n", 2, "the sizes are missing");
    refuses(HEAD "coordinate real general\n3 3\n", 2, "rows, columns, entries");
    refuses(HEAD "coordinate real general\n3 -3 1\n", 2, "'-3' is no size");
    refuses(HEAD "coordinate real general\n3 9223372036854775808 1\n", 2, "is no size");
    refuses(HEAD "coordinate real symmetric\n3 4 1\n", 2, "3 x 4 is not square");
    refuses(HEAD "array real general\n4000000000 4000000000\n", 2, "more elements");
}

static void a_bad_entry_is_refused(void)
{
    refuses(HEAD "coordinate real general\n3 3 2\n1 1 1\n", 3, "ends after 1 of 2 entries");
    refuses(HEAD "coordinate real general\n3 3 1\n4 1 1\n", 3, "row 4 is outside of 1 to 3");
    refuses(HEAD "coordinate real general\n3 3 1\n1 0 1\n", 3, "column 0 is outside of 1 to 3");
    refuses(HEAD "coordinate real general\n3 3 1\n1.5 1 1\n", 3, "'1.5' is no row");
    refuses(HEAD "coordinate real general\n3 3 1\n%\n1 1 1x\n", 4, "'1x' is not a number");
    refuses(HEAD "coordinate integer general\n3 3 1\n1 1 1.5\n", 3, "'1.5' is not an integer");
    refuses(HEAD "coordinate integer general\n3 3 1\n1 1 9223372036854775808\n", 3, "64 bits");
    refuses(HEAD "coordinate complex general\n3 3 1\n1 1 1\n", 3, "4 numbers, this line 3 words");
    refuses(HEAD "coordinate pattern general\n3 3 1\n1 1 1\n", 3, "2 numbers, this line 3 words");
    refuses(HEAD "coordinate real general\n3 3 1\n1 1 1\n\n2 2 2\n", 5,
            "'2' follows the 1 entries");
    refuses(HEAD "coordinate real skew-symmetric\n3 3 1\n1 1 1\n", 3, "in the diagonal");
    refuses(HEAD "coordinate integer skew-symmetric\n3 3 1\n2 1 -9223372036854775808\n", 3,
            "no negative");
    refuses(HEAD "array real general\n2 2\n1\n2\n3\n", 5, "ends after 3 of 4 entries");
}

static void what_is_announced_takes_no_memory(void)
{
    refuses(HEAD "coordinate real general\n9000000000000000000 9000000000000000000 "
                 "9000000000000000000\n1 1 1\n",
            3, "ends after 1 of 9000000000000000000");
    refuses(HEAD "array real general\n1000000000 1000000000\n1\n", 3,
            "ends after 1 of 1000000000000000000");
}

static void a_line_without_an_end_is_refused(void)
{
    char *text = calloc(200001, 1);

    memset(text, 'x', 200000);
    memcpy(text, HEAD, strlen(HEAD));
    refuses(text, 1, "more than 65536 bytes");
    free(text);
}

/* Every beginning of a file is a clear failure, unless only the last line's end is missing. */
static void no_beginning_of_a_file_is_taken_for_all_of_it(void)
{
    const char *const text = HEAD "coordinate complex hermitian\n%c\n3 3 2\n1 1 7 0\n3 2 -1 20\n";
    const stoa_listener listener = {NULL, NULL};
    const size_t most = strlen(text) - 3;
    char part[200] = "";

    for (size_t n = 0; n < most; n++) {
        hid_t type = H5I_INVALID_HID;
        stoa_matrix m;
        stoa_error err = STOA_ERROR_INIT;

        memcpy(part, text, n);
        part[n] = '\0';
        CHECK_STATUS(STOA_EDATA, stoa_mtx_read(text_file(part), &listener, &m, &type, &err));
    }
}

static hid_t new_file(void)
{
    return CHECK_H5(H5Fcreate(check_path("m.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static void entries_at_one_place_are_added_up_but_those_of_patterns(void)
{
    const hid_t file = new_file();
    const stoa_mtx_options options = {.chunk = NULL};
    uint64_t rows, columns, n;
    double sum[1];
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(
        stoa_mtx_import(text_file(HEAD "coordinate real general\n2 5 3\n1 1 1\n2 5 4\n1 1 2\n"),
                        file, "sum", &options, &rows, &columns, &n, &err),
        &err);
    CHECK_U64(rows, 2);
    CHECK_U64(columns, 5);
    CHECK_U64(n, 2);
    CHECK_OK(stoa_sparse_open(file, "sum", NULL, &array, &err), &err);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_MIN, STOA_MATRIX_ALL, sum, &err), &err);
    CHECK_F64(sum[0], 3.0);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_OK(stoa_mtx_import(text_file(HEAD "coordinate pattern general\n2 5 2\n1 1\n1 1\n"), file,
                             "pattern", &options, &rows, &columns, &n, &err),
             &err);
    CHECK_U64(n, 1);
    CHECK_OK(stoa_sparse_open(file, "pattern", NULL, &array, &err), &err);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_TOTAL, STOA_MATRIX_ALL, sum, &err), &err);
    CHECK_F64(sum[0], 1.0);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

/* Import a text, write it again. */
static void writes(const char *text, const char *expected)
{
    const hid_t file = new_file();
    const stoa_mtx_options options = {.chunk = (const uint64_t[]){2, 2}};
    char found[500] = "";
    uint64_t rows, columns, n;
    stoa_sparse *array = NULL;
    FILE *out = tmpfile();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_mtx_import(text_file(text), file, "x", &options, &rows, &columns, &n, &err),
             &err);
    CHECK_OK(stoa_sparse_open(file, "x", NULL, &array, &err), &err);
    CHECK_OK(stoa_mtx_write(array, STOA_MATRIX_CSR, out, NULL, &n, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
    rewind(out);
    found[fread(found, 1, sizeof found - 1, out)] = '\0';
    CHECK(fclose(out) == 0);
    CHECK_STR(found, expected);
}

static void what_was_read_is_written(void)
{
    writes(HEAD "coordinate real general\n3 3 3\n3 3 0.1\n1 2 -1e-30\n1 1 nan\n",
           HEAD "coordinate real general\n3 3 3\n1 1 nan\n1 2 -1e-30\n3 3 0.1\n");
    writes(HEAD "coordinate integer symmetric\n3 3 1\n3 1 -9\n",
           HEAD "coordinate integer general\n3 3 2\n1 3 -9\n3 1 -9\n");
    writes(HEAD "coordinate complex general\n1 1 1\n1 1 2 -0.5\n",
           HEAD "coordinate complex general\n1 1 1\n1 1 2.0 -0.5\n");
    writes(HEAD "coordinate real general\n0 7 0\n", HEAD "coordinate real general\n0 7 0\n");
}

static stoa_status import_it(stoa_error *err)
{
    const stoa_mtx_options options = {.chunk = (const uint64_t[]){2, 2}};
    const hid_t file = new_file();
    uint64_t rows, columns, n;
    const stoa_status status =
        stoa_mtx_import(check_path("m.mtx"), file, "x", &options, &rows, &columns, &n, err);

    stoa_memory_fail_after(UINT64_MAX);
    CHECK_H5(H5Fclose(file));
    return status;
}

static void memory_that_runs_out_is_a_failure(void)
{
    (void)text_file(HEAD "coordinate complex hermitian\n3 3 2\n1 1 7 0\n3 2 -1 20\n");
    CHECK(sweep_memory(import_it) > 10);
}

TEST_MAIN(TEST(coordinates_of_every_field_are_read),
          TEST(the_other_half_of_symmetric_matrices_is_put_in),
          TEST(arrays_go_down_the_columns_and_zeros_are_no_entries), TEST(a_bad_head_is_refused),
          TEST(a_bad_entry_is_refused), TEST(what_is_announced_takes_no_memory),
          TEST(a_line_without_an_end_is_refused),
          TEST(no_beginning_of_a_file_is_taken_for_all_of_it),
          TEST(entries_at_one_place_are_added_up_but_those_of_patterns),
          TEST(what_was_read_is_written), TEST(memory_that_runs_out_is_a_failure))
