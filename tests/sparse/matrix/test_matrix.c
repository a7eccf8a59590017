/* What matrices refuse, and what they make of NaN, of complex numbers and of memory that runs out.
 * For src/sparse/matrix/matrix_*.c and numbers.c. */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <stoa/sparse_matrix.h>
#include <string.h>

#include "sparse/format/filter.h"
#include "support/check.h"
#include "support/sweep.h"

static hid_t new_file(void)
{
    return CHECK_H5(H5Fcreate(check_path("m.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static stoa_sparse *new_array(hid_t file, hid_t type, unsigned rank)
{
    const uint64_t extent[] = {3, 4, 2};
    const uint64_t chunk[] = {2, 2, 2};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    CHECK_OK(stoa_sparse_create(file, "x", type, rank, extent, &options, NULL, &array, &err), &err);
    return array;
}

static void end(stoa_sparse *array, hid_t file)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

/* (0,0) 1, (0,3) 2, (2,1) 3 as CSR. */
static int32_t pointers[] = {0, 2, 2, 3};
static int32_t columns[] = {0, 3, 1};
static double values[] = {1.0, 2.0, 3.0};

static stoa_matrix small_csr(void)
{
    return (stoa_matrix){.form = STOA_MATRIX_CSR,
                         .index_size = 4,
                         .n_rows = 3,
                         .n_columns = 4,
                         .n = 3,
                         .pointers = pointers,
                         .columns = columns,
                         .values = values};
}

static void is_refused(stoa_sparse *array, const stoa_matrix *matrix, stoa_status expected,
                       const char *part)
{
    uint64_t n = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_error unused = STOA_ERROR_INIT;

    CHECK_STATUS(expected,
                 stoa_matrix_write(array, matrix, H5T_NATIVE_DOUBLE, STOA_MATRIX_LAST, &err));
    CHECK_CONTAINS(err.message, part);
    CHECK_OK(stoa_matrix_count(array, STOA_MATRIX_ALL, &n, &unused), &unused);
    CHECK_U64(n, 0);
}

static void a_matrix_that_contradicts_itself_is_not_written(void)
{
    const hid_t file = new_file();
    stoa_sparse *array = new_array(file, H5T_NATIVE_DOUBLE, 2);
    int32_t bad_columns[] = {0, 4, 1};
    int32_t negative[] = {0, -1, 1};
    int32_t down[] = {0, 3, 2, 3};
    int32_t beyond[] = {0, 2, 2, 4};
    int32_t late[] = {1, 2, 2, 3};
    stoa_matrix m = small_csr();

    m.columns = bad_columns;
    is_refused(array, &m, STOA_ERANGE, "entry 1 is in column 4, of which there are 4");
    m.columns = negative;
    is_refused(array, &m, STOA_ERANGE, "entry 1 is in column -1");
    m = small_csr();
    m.pointers = down;
    is_refused(array, &m, STOA_ERANGE, "pointer 2 does not ascend");
    m.pointers = beyond;
    is_refused(array, &m, STOA_ERANGE, "from 0 to the 3 entries");
    m.pointers = late;
    is_refused(array, &m, STOA_ERANGE, "from 0 to the 3 entries");
    m = small_csr();
    m.n_columns = 5;
    is_refused(array, &m, STOA_ERANGE, "3 x 5 does not fit into 3 x 4");
    m = small_csr();
    m.index_size = 2;
    is_refused(array, &m, STOA_EINVAL, "form");
    m = small_csr();
    m.form = STOA_MATRIX_CSC;
    is_refused(array, &m, STOA_EINVAL, "form");
    end(array, file);
}

static void an_array_of_three_dimensions_is_no_matrix(void)
{
    const hid_t file = new_file();
    stoa_sparse *array = new_array(file, H5T_NATIVE_DOUBLE, 3);
    const stoa_matrix m = small_csr();
    stoa_matrix found;
    double x[4] = {0.0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EINVAL,
                 stoa_matrix_write(array, &m, H5T_NATIVE_DOUBLE, STOA_MATRIX_LAST, &err));
    CHECK_CONTAINS(err.message, "a matrix has 2 dimensions, this array 3");
    CHECK_STATUS(STOA_EINVAL,
                 stoa_matrix_read(array, STOA_MATRIX_CSR, 8, STOA_FILE_NATIVE, &found, &err));
    CHECK(found.pointers == NULL);
    CHECK_STATUS(STOA_EINVAL, stoa_matrix_multiply(array, x, x, &err));
    CHECK_STATUS(STOA_EINVAL, stoa_matrix_reduce(array, STOA_MATRIX_MIN, STOA_MATRIX_ALL, x, &err));
    end(array, file);
}

static void more_rows_than_an_index_counts_are_refused(void)
{
    const hid_t file = new_file();
    const uint64_t extent[] = {UINT64_C(1) << 31, 4};
    const uint64_t chunk[] = {8, 4};
    const uint64_t at[] = {(UINT64_C(1) << 31) - 1, 2};
    const double value = 5.0;
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_matrix m;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    CHECK_OK(
        stoa_sparse_create(file, "x", H5T_NATIVE_DOUBLE, 2, extent, &options, NULL, &array, &err),
        &err);
    CHECK_OK(stoa_sparse_write(array, 1, at, &value, H5T_NATIVE_DOUBLE, &err), &err);
    CHECK_STATUS(STOA_ERANGE,
                 stoa_matrix_read(array, STOA_MATRIX_COO, 4, STOA_FILE_NATIVE, &m, &err));
    CHECK_CONTAINS(err.message, "2147483648 rows");
    CHECK_OK(stoa_matrix_read(array, STOA_MATRIX_COO, 8, STOA_FILE_NATIVE, &m, NULL));
    CHECK_U64(m.n, 1);
    CHECK_I64(((const int64_t *)m.rows)[0], (1LL << 31) - 1);
    stoa_matrix_clear(&m);
    end(array, file);
}

static void nan_is_the_least_and_the_greatest(void)
{
    const hid_t file = new_file();
    stoa_sparse *array = new_array(file, H5T_NATIVE_FLOAT, 2);
    const uint64_t at[] = {0, 0, 0, 1, 0, 3, 2, 0};
    const double given[] = {1.0, (double)NAN, -7.0, -(double)INFINITY};
    double out[4];
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_write(array, 4, at, given, H5T_NATIVE_DOUBLE, &err), &err);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_MIN, STOA_MATRIX_DOWN, out, &err), &err);
    CHECK_F64(out[0], -(double)INFINITY);
    CHECK_F64(out[1], (double)NAN);
    CHECK_F64(out[2], (double)NAN); /* nothing is there */
    CHECK_F64(out[3], -7.0);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_MAX, STOA_MATRIX_ACROSS, out, &err), &err);
    CHECK_F64(out[0], (double)NAN);
    CHECK_F64(out[2], -(double)INFINITY);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_MIN, STOA_MATRIX_ALL, out, &err), &err);
    CHECK_F64(out[0], (double)NAN);
    end(array, file);
}

typedef struct complex_number {
    double r, i;
} complex_number;

static hid_t complex_type(void)
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(complex_number)));

    CHECK_H5(H5Tinsert(type, "r", offsetof(complex_number, r), H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "i", offsetof(complex_number, i), H5T_NATIVE_DOUBLE));
    return type;
}

static void complex_numbers_are_added_up_but_have_no_minimum(void)
{
    const hid_t file = new_file();
    const hid_t type = complex_type();
    stoa_sparse *array = new_array(file, type, 2);
    int64_t rows[] = {1, 0, 1}, places[] = {2, 0, 2};
    complex_number given[] = {{1.0, 2.0}, {5.0, 5.0}, {10.0, -3.0}};
    stoa_matrix m = {.form = STOA_MATRIX_COO,
                     .index_size = 8,
                     .n_rows = 3,
                     .n_columns = 4,
                     .n = 3,
                     .rows = rows,
                     .columns = places,
                     .values = given};
    stoa_matrix found;
    double out[4];
    uint64_t counts[4];
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_matrix_write(array, &m, type, STOA_MATRIX_SUM, &err), &err);
    CHECK_OK(stoa_matrix_read(array, STOA_MATRIX_CSC, 4, type, &found, &err), &err);
    CHECK_U64(found.n, 2);
    CHECK_F64(((const complex_number *)found.values)[1].r, 11.0);
    CHECK_F64(((const complex_number *)found.values)[1].i, -1.0);
    stoa_matrix_clear(&found);
    CHECK_OK(stoa_matrix_count(array, STOA_MATRIX_DOWN, counts, &err), &err);
    CHECK_U64(counts[2], 1);
    CHECK_STATUS(STOA_ETYPE,
                 stoa_matrix_reduce(array, STOA_MATRIX_MIN, STOA_MATRIX_DOWN, out, &err));
    CHECK_H5(H5Tclose(type));
    end(array, file);
}

static void what_is_no_number_is_not_added_up(void)
{
    const hid_t file = new_file();
    const hid_t type = CHECK_H5(H5Tcreate(H5T_OPAQUE, 8));
    stoa_sparse *array = new_array(file, type, 2);
    const stoa_matrix m = small_csr();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ETYPE, stoa_matrix_write(array, &m, type, STOA_MATRIX_SUM, &err));
    CHECK_OK(stoa_matrix_write(array, &m, type, STOA_MATRIX_LAST, NULL));
    CHECK_H5(H5Tclose(type));
    end(array, file);
}

/* Integers of every width and order: 100 + 27 in each lane. */
static void integers_of_every_form_add_up(void)
{
    const hid_t types[] = {H5T_STD_I8LE,  H5T_STD_U8BE,  H5T_STD_I16BE, H5T_STD_U16LE,
                           H5T_STD_I32BE, H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64BE};
    int32_t rows[] = {2, 2}, places[] = {3, 3};
    int given[] = {100, 27};
    const stoa_matrix m = {.form = STOA_MATRIX_COO,
                           .index_size = 4,
                           .n_rows = 3,
                           .n_columns = 4,
                           .n = 2,
                           .rows = rows,
                           .columns = places,
                           .values = given};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const hid_t file = new_file();
        stoa_sparse *array = new_array(file, types[i], 2);
        double out = 0.0;
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(stoa_matrix_write(array, &m, H5T_NATIVE_INT, STOA_MATRIX_SUM, &err), &err);
        CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_TOTAL, STOA_MATRIX_ALL, &out, &err), &err);
        CHECK_F64(out, 127.0);
        given[0] = -given[0];
        if (i % 2 == 0) {
            CHECK_OK(stoa_matrix_write(array, &m, H5T_NATIVE_INT, STOA_MATRIX_SUM, &err), &err);
            CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_MIN, STOA_MATRIX_ALL, &out, &err), &err);
            CHECK_F64(out, -73.0);
        }
        given[0] = 100;
        end(array, file);
    }
}

enum { TALL = 38, WIDE = 20 };

/* Of a matrix with some rows full and others empty, more of them than a chunk has. */
static bool is_full(uint64_t row)
{
    return (row >= 8 && row < 12) || (row >= 30 && row < 33) || row == 36;
}

static double entry_at(uint64_t row, uint64_t column)
{
    return (double)(row * 100 + column);
}

static stoa_sparse *array_of_full_rows(hid_t file, const char *codec)
{
    const uint64_t extent[] = {TALL, WIDE};
    const uint64_t chunk[] = {4, 6};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    options.values = codec;
    CHECK_OK(
        stoa_sparse_create(file, codec, H5T_NATIVE_DOUBLE, 2, extent, &options, NULL, &array, &err),
        &err);
    for (uint64_t row = 0; row < TALL; row++) {
        for (uint64_t column = 0; is_full(row) && column < WIDE; column++) {
            const uint64_t at[] = {row, column};
            const double value = entry_at(row, column);
            CHECK_OK(stoa_sparse_write(array, 1, at, &value, H5T_NATIVE_DOUBLE, &err), &err);
        }
    }
    return array;
}

static void full_rows_come_between_empty_ones(void)
{
    static const char *const codecs[] = {"none", "deflate:1"};
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;

    for (int i = 0; i < 2; i++) {
        stoa_sparse *array = array_of_full_rows(file, codecs[i]);
        stoa_matrix m;
        int64_t n = 0;
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_OK(stoa_sparse_open(file, codecs[i], NULL, &array, &err), &err);
        CHECK_OK(stoa_matrix_read(array, STOA_MATRIX_CSR, 8, H5T_NATIVE_DOUBLE, &m, &err), &err);
        for (uint64_t row = 0; row < TALL; row++) {
            CHECK_I64(((const int64_t *)m.pointers)[row], n);
            for (uint64_t column = 0; is_full(row) && column < WIDE; column++, n++) {
                CHECK_U64(((const uint64_t *)m.columns)[n], column);
                CHECK_F64(((const double *)m.values)[n], entry_at(row, column));
            }
        }
        CHECK_I64(((const int64_t *)m.pointers)[TALL], n);
        CHECK_U64(m.n, (uint64_t)n);
        stoa_matrix_clear(&m);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
    }
    CHECK_H5(H5Fclose(file));
}

static unsigned n_undone;

/* Of positions: the second time they are read, all are in the second row. */
static size_t move_down(unsigned flags, size_t n_words, const unsigned words[], size_t n_bytes,
                        size_t *size, void **buf)
{
    static const uint8_t upper_and_lower[] = {5, 0x03, 0x03}; /* docs/sparse-format.md: a bitmap */
    static const uint8_t lower[] = {5, 0x00, 0x0f};

    (void)n_words;
    (void)words;
    (void)size;
    if ((flags & H5Z_FLAG_REVERSE) != 0 && ++n_undone == 2) {
        CHECK_U64(n_bytes, sizeof lower);
        CHECK_MEM(*buf, upper_and_lower, sizeof lower);
        memcpy(*buf, lower, sizeof lower);
    }
    return n_bytes;
}

static void a_file_that_changes_between_two_looks_is_an_error(void)
{
    enum { FILTER = 260 };
    const H5Z_class2_t class = {.version = H5Z_CLASS_T_VERS,
                                .id = FILTER,
                                .encoder_present = 1,
                                .decoder_present = 1,
                                .name = "move down",
                                .filter = move_down};
    stoa_sparse_format format = {.is_sparse = true};
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    const hsize_t shape[] = {2, 8};
    const uint64_t at[] = {0, 0, 0, 1, 1, 0, 1, 1};
    const double given[] = {1.0, 2.0, 3.0, 4.0};
    const hid_t file = new_file();
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(2, shape, NULL));
    stoa_sparse *array = NULL;
    stoa_matrix found;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_filter_register(&err), &err);
    CHECK_H5(H5Zregister(&class));
    format.sections[0].filters[format.sections[0].n++] = (stoa_filter){.id = FILTER};
    CHECK_H5(H5Pset_chunk(dcpl, 2, shape));
    CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, &err), &err);
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_OK(stoa_sparse_open(file, "x", NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_write(array, 4, at, given, H5T_NATIVE_DOUBLE, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    access.cache_bytes = 1; /* too little to keep what was read first */
    CHECK_OK(stoa_sparse_open(file, "x", &access, &array, &err), &err);
    n_undone = 0;
    CHECK_STATUS(STOA_EDATA,
                 stoa_matrix_read(array, STOA_MATRIX_CSR, 4, STOA_FILE_NATIVE, &found, &err));
    CHECK_U64(n_undone, 2);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    end(array, file);
    CHECK_H5(H5Zunregister(FILTER));
}

static stoa_status all_calls(stoa_error *err)
{
    const hid_t file = new_file();
    const uint64_t extent[] = {3, 4};
    const uint64_t chunk[] = {1, 4}; /* so full that rows are merged */
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    const stoa_matrix m = small_csr();
    stoa_matrix found = {.n = 0};
    double out[4], x[4] = {1.0, 1.0, 1.0, 1.0};
    uint64_t counts[4];
    stoa_status status = STOA_OK;

    access.threads = 1;
    options.chunk = chunk;
    STOA_TRY(
        stoa_sparse_create(file, "x", H5T_NATIVE_FLOAT, 2, extent, &options, &access, &array, err));
    STOA_TRY(stoa_matrix_write(array, &m, H5T_NATIVE_DOUBLE, STOA_MATRIX_SUM, err));
    for (unsigned form = 0; form < 3; form++) {
        STOA_TRY(
            stoa_matrix_read(array, (stoa_matrix_form)form, 4, H5T_NATIVE_DOUBLE, &found, err));
        stoa_matrix_clear(&found);
    }
    STOA_TRY(stoa_matrix_multiply_transposed(array, x, out, err));
    STOA_TRY(stoa_matrix_reduce(array, STOA_MATRIX_MAX, STOA_MATRIX_ALL, out, err));
    STOA_TRY(stoa_matrix_count(array, STOA_MATRIX_DOWN, counts, err));

done:
    stoa_memory_fail_after(UINT64_MAX);
    CHECK(found.values == NULL);
    stoa_sparse_close(array);
    CHECK_H5(H5Fclose(file));
    return status;
}

static void memory_that_runs_out_is_a_failure(void)
{
    CHECK(sweep_memory(all_calls) > 20);
}

TEST_MAIN(TEST(a_matrix_that_contradicts_itself_is_not_written),
          TEST(an_array_of_three_dimensions_is_no_matrix),
          TEST(more_rows_than_an_index_counts_are_refused), TEST(nan_is_the_least_and_the_greatest),
          TEST(complex_numbers_are_added_up_but_have_no_minimum),
          TEST(what_is_no_number_is_not_added_up), TEST(integers_of_every_form_add_up),
          TEST(full_rows_come_between_empty_ones),
          TEST(a_file_that_changes_between_two_looks_is_an_error),
          TEST(memory_that_runs_out_is_a_failure))
