/* The rules of HEP001 §10.6, for src/index/bitmap/bitmap*.c. Bits and values are read back by plain
 * HDF5 calls; the expected ones are worked out by hand from the rows above them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "index/bitmap/bitmap_values.h"
#include "index/one_column.h"

static void add_index(one_column *made)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(made->table, "x", "bitmap", NULL, &err), &err);
}

/* What `VALUES` leads to; to be closed. */
static hid_t values_of(hid_t bitmap)
{
    const hid_t attr = CHECK_H5(H5Aopen(bitmap, "VALUES", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attr));
    const hid_t space = CHECK_H5(H5Aget_space(attr));
    H5R_ref_t reference;

    CHECK(H5Tequal(type, H5T_STD_REF) > 0);
    CHECK(H5Sget_simple_extent_type(space) == H5S_SCALAR);
    CHECK_H5(H5Aread(attr, H5T_STD_REF, &reference));
    const hid_t values = CHECK_H5(H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attr));
    return values;
}

static void check_shape(hid_t dataset, int rank, hsize_t first, hsize_t second)
{
    hsize_t dims[2] = {0, 0};
    const hid_t space = CHECK_H5(H5Dget_space(dataset));

    CHECK_I64(H5Sget_simple_extent_ndims(space), rank);
    CHECK_H5(H5Sget_simple_extent_dims(space, dims, NULL));
    CHECK_U64(dims[0], first);
    CHECK_U64(dims[1], second);
    CHECK_H5(H5Sclose(space));
}

/* The bitmap must be of K rows of n bytes, these; its values, in `type`, these K. */
static void check_bitmap(const one_column *made, hsize_t k, hsize_t n, const uint8_t *bits,
                         hid_t type, const void *values)
{
    const hid_t bitmap = one_column_index(made);
    const hid_t beside = values_of(bitmap);
    const size_t size = H5Tget_size(type);
    uint8_t *found = calloc(k * n + k * size + 1, 1);

    check_shape(bitmap, 2, k, n);
    check_shape(beside, 1, k, 0);
    CHECK_H5(H5Dread(bitmap, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, bits, k * n);
    CHECK_H5(H5Dread(beside, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, values, k * size);
    free(found);
    CHECK_H5(H5Dclose(beside));
    CHECK_H5(H5Dclose(bitmap));
}

static const int32_t int_fill = -99;

static one_column make_ints(const int32_t *rows, uint64_t extent, uint64_t n_rows)
{
    return one_column_make(&(one_column_spec){.file_type = H5T_STD_I32BE,
                                              .mem_type = H5T_NATIVE_INT32,
                                              .fill = &int_fill,
                                              .values = rows,
                                              .extent = extent,
                                              .n_rows = n_rows,
                                              .chunk_rows = 4});
}

static void a_bit_is_set_where_the_value_is(void)
{
    const int32_t rows[] = {7, -2, 7, -99, 30, -2, 7, 30, 7, -99, 1000};
    const int32_t values[] = {-2, 7, 30};
    /* -2: rows 1, 5; 7: rows 0, 2, 6, 8; 30: rows 4, 7. Row 10 lies beyond NROWS. */
    const uint8_t bits[] = {0x22, 0x00, 0x45, 0x01, 0x90, 0x00};
    one_column made = make_ints(rows, 11, 10);

    add_index(&made);
    check_bitmap(&made, 3, 2, bits, H5T_NATIVE_INT32, values);
    one_column_free(&made);
}

static void floats_equal_by_value_and_nan_is_nowhere(void)
{
    const double fill = -9.0;
    const double rows[] = {-0.0, NAN, 0.0, -9.0, -INFINITY, 0.5, -0.0, NAN, 0.5};
    const double values[] = {-INFINITY, 0.0, 0.5};
    const uint8_t bits[] = {0x10, 0x00, 0x45, 0x00, 0x20, 0x01};
    one_column made = one_column_make(&(one_column_spec){
        .file_type = H5T_IEEE_F64LE, .fill = &fill, .values = rows, .extent = 9, .n_rows = 9});

    add_index(&made);
    check_bitmap(&made, 3, 2, bits, H5T_NATIVE_DOUBLE, values);
    one_column_free(&made);
}

static void strings_equal_without_their_padding(void)
{
    /* After the first NUL, a null-terminated element is over (notes C7). */
    const char rows[4][4] = {"b\0x", "a", "b\0y", "ab"};
    const char values[3][4] = {"a", "ab", "b"};
    const uint8_t bits[] = {0x02, 0x08, 0x05};
    const char fill[4] = "";
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, 4));
    one_column made = one_column_make(&(one_column_spec){
        .file_type = text, .fill = fill, .values = rows, .extent = 4, .n_rows = 4});
    add_index(&made);
    check_bitmap(&made, 3, 1, bits, text, values);
    one_column_free(&made);

    const char spaced[] = "b   " /* of four bytes each */
                          "a b "
                          "b   ";
    const char spaced_values[] = "a b "
                                 "b   ";
    CHECK_H5(H5Tset_strpad(text, H5T_STR_SPACEPAD));
    made = one_column_make(&(one_column_spec){
        .file_type = text, .fill = "    ", .values = spaced, .extent = 3, .n_rows = 3});
    add_index(&made);
    check_bitmap(&made, 2, 1, (const uint8_t[]){0x02, 0x05}, text, spaced_values);
    one_column_free(&made);
    CHECK_H5(H5Tclose(text));
}

static void variable_strings_may_be_indexed(void)
{
    const char *const fill = "";
    const char *const rows[] = {"owl", "", "heron", "owl", ""};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    char *values[2];
    uint8_t bits[2];
    bool same = false;

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    one_column made = one_column_make(&(one_column_spec){
        .file_type = text, .fill = &fill, .values = rows, .extent = 5, .n_rows = 5});
    add_index(&made);
    const hid_t bitmap = one_column_index(&made);
    const hid_t beside = values_of(bitmap);
    check_shape(bitmap, 2, 2, 1);
    CHECK_H5(H5Dread(bitmap, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits));
    CHECK_MEM(bits, ((uint8_t[]){0x04, 0x09}), 2);
    CHECK_H5(H5Dread(beside, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_STR(values[0], "heron");
    CHECK_STR(values[1], "owl");
    CHECK_H5(H5free_memory(values[0]));
    CHECK_H5(H5free_memory(values[1]));
    CHECK_OK(stoa_index_verify(made.table, "x", "bitmap", &same, NULL));
    CHECK(same);
    CHECK_H5(H5Dclose(beside));
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    CHECK_H5(H5Tclose(text));
}

static void enums_and_opaque_values_may_be_indexed(void)
{
    const hid_t colour = CHECK_H5(H5Tenum_create(H5T_STD_I16BE));
    CHECK_H5(H5Tenum_insert(colour, "red", "\xff\xfd"));  /* -3, big-endian */
    CHECK_H5(H5Tenum_insert(colour, "blue", "\x00\x05")); /* 5 */
    const uint8_t enum_rows[][2] = {{0, 5}, {0x80, 1}, {0xff, 0xfd}, {0, 5}};
    one_column made = one_column_make(&(one_column_spec){
        .file_type = colour, .fill = "\x80\x01", .values = enum_rows, .extent = 4, .n_rows = 4});
    add_index(&made);
    check_bitmap(&made, 2, 1, (const uint8_t[]){0x04, 0x09}, colour, "\xff\xfd\x00\x05");
    one_column_free(&made);
    CHECK_H5(H5Tclose(colour));

    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 2));
    CHECK_H5(H5Tset_tag(opaque, "pair"));
    made = one_column_make(&(one_column_spec){.file_type = opaque,
                                              .fill = "\0\0",
                                              .values = "\x80\x01\x01\xff\x80\x01\0\0",
                                              .extent = 4,
                                              .n_rows = 4});
    add_index(&made);
    check_bitmap(&made, 2, 1, (const uint8_t[]){0x02, 0x05}, opaque, "\x01\xff\x80\x01");
    one_column_free(&made);
    CHECK_H5(H5Tclose(opaque));
}

static void an_array_column_is_refused(void)
{
    const hid_t array = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT, 1, &(hsize_t){2}));
    const int rows[4] = {1, 2, 3, 4};
    one_column made = one_column_make(&(one_column_spec){
        .file_type = array, .fill = rows, .values = rows, .extent = 2, .n_rows = 2});
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ETYPE, stoa_index_add(made.table, "x", "bitmap", NULL, &err));
    CHECK_CONTAINS(err.message, "'x'");
    CHECK_CONTAINS(err.message, "array[2] of int32");
    CHECK_CONTAINS(err.message, "§10.6");
    one_column_free(&made);
    CHECK_H5(H5Tclose(array));
}

static void check_bool(hid_t object, const char *name, bool value)
{
    const hid_t attr = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attr));
    const hid_t base = CHECK_H5(H5Tget_super(type));
    int8_t stored = -1;

    CHECK(H5Tequal(base, H5T_STD_I8LE) > 0);
    CHECK_I64(H5Tget_nmembers(type), 2);
    CHECK_H5(H5Aread(attr, type, &stored));
    CHECK_I64(stored, value);
    CHECK_H5(H5Tclose(base));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attr));
}

static void the_datasets_are_what_the_section_says(void)
{
    const int32_t rows[] = {3, 1, 2, 3};
    one_column made = make_ints(rows, 4, 4);

    add_index(&made);
    const hid_t bitmap = one_column_index(&made);
    const hid_t beside = values_of(bitmap);
    const hid_t type = CHECK_H5(H5Dget_type(bitmap));
    const hid_t values_type = CHECK_H5(H5Dget_type(beside));
    const hid_t kind = CHECK_H5(H5Aopen(bitmap, "KIND", H5P_DEFAULT));
    char text[8] = "";

    CHECK(H5Tequal(type, H5T_STD_U8LE) > 0);
    CHECK(H5Tequal(values_type, H5T_STD_I32BE) > 0);
    const hid_t kind_type = CHECK_H5(H5Aget_type(kind));
    CHECK_H5(H5Aread(kind, kind_type, text));
    CHECK_STR(text, "BITMAP");
    check_bool(bitmap, "ordered", true);
    CHECK_I64(CHECK_H5(H5Aexists(beside, "KIND")), 0);
    CHECK_I64(CHECK_H5(H5Lexists(made.group, "SEARCH_INDEXES/x__bitmap_values", H5P_DEFAULT)), 1);
    CHECK_H5(H5Tclose(kind_type));
    CHECK_H5(H5Aclose(kind));
    CHECK_H5(H5Tclose(values_type));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(beside));
    CHECK_H5(H5Dclose(bitmap));

    /* Its values go with it. */
    CHECK_OK(stoa_index_drop(made.table, "x", "bitmap", NULL));
    CHECK_I64(CHECK_H5(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT)), 0);
    one_column_free(&made);
}

static void an_empty_table_has_an_empty_bitmap(void)
{
    one_column made = make_ints(NULL, 0, 0);
    bool same = false;

    add_index(&made);
    check_bitmap(&made, 0, 0, (const uint8_t *)"", H5T_NATIVE_INT32, "");
    CHECK_OK(stoa_index_verify(made.table, "x", "bitmap", &same, NULL));
    CHECK(same);
    one_column_free(&made);
}

/* Rows enough for several blocks and chunks of bits; values that come and go. */
enum { MANY = 150000 };

static int32_t *many_rows(void)
{
    int32_t *rows = malloc(MANY * sizeof *rows);

    CHECK(rows != NULL);
    for (int32_t i = 0; i < MANY; i++) {
        rows[i] = i % 17 == 0 ? int_fill : i / 9000 % 5 + i % 3 * 100;
    }
    return rows;
}

static one_column make_many(const int32_t *rows, uint64_t n_rows)
{
    return one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                              .fill = &int_fill,
                                              .values = rows,
                                              .extent = MANY,
                                              .n_rows = n_rows,
                                              .chunk_rows = 1000});
}

/* The bitmap as a naive reading of §10.6 makes it of rows [0, n_rows), whose values are those that
 * rows [0, n_valued) hold. */
static void check_naive(const one_column *made, const int32_t *rows, uint64_t n_rows,
                        uint64_t n_valued)
{
    const uint64_t n = (n_rows + 7) / 8;
    int32_t values[1000];
    uint64_t k = 0;

    for (int32_t value = 0; value < 1000; value++) {
        for (uint64_t i = 0; i < n_valued; i++) {
            if (rows[i] == value) {
                values[k++] = value;
                break;
            }
        }
    }
    uint8_t *bits = calloc(k * n + 1, 1);
    for (uint64_t i = 0; i < n_rows; i++) {
        for (uint64_t row = 0; row < k; row++) {
            if (rows[i] == values[row]) {
                bits[row * n + i / 8] |= (uint8_t)(1 << i % 8);
            }
        }
    }
    check_bitmap(made, k, n, bits, H5T_NATIVE_INT32, values);
    free(bits);
}

static void try_append(const int32_t *rows, uint64_t n_old, uint64_t n_rows)
{
    one_column made = make_many(rows, n_old);
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    const hid_t dataset = one_column_index(&made);
    CHECK_OK(stoa_index_bitmap.append(made.column, dataset, n_old, n_rows, &err), &err);
    check_naive(&made, rows, n_rows, n_old > n_rows ? n_old : n_rows);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

static void an_append_leaves_what_a_fresh_build_would(void)
{
    int32_t *rows = many_rows();

    try_append(rows, 0, MANY);
    try_append(rows, 100000, 100001); /* no new value, within a byte */
    try_append(rows, 60004, 140009);  /* no new value, over borders of chunks */
    try_append(rows, 65536, 131072);
    try_append(rows, 5000, 9001); /* one new value, in the midst */
    try_append(rows, 10, MANY);
    free(rows);
}

static void a_truncation_clears_what_lies_behind(void)
{
    int32_t *rows = many_rows();

    try_append(rows, 100000, 70001);
    try_append(rows, MANY, 8);
    try_append(rows, MANY, 3);
    try_append(rows, 100, 0);
    free(rows);
}

/* Rows that a truncation has left behind come back with an append; nothing of them may shine
 * through. */
static void an_append_after_a_truncation_is_right(void)
{
    int32_t *rows = many_rows();
    one_column made = make_many(rows, MANY);

    add_index(&made);
    const hid_t dataset = one_column_index(&made);
    CHECK_OK(stoa_index_bitmap.append(made.column, dataset, MANY, 65539, NULL));
    CHECK_OK(stoa_index_bitmap.append(made.column, dataset, 65539, 65543, NULL));
    check_naive(&made, rows, 65543, MANY);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
    free(rows);
}

/* Bits and values by somebody else: scripts for a foreign bitmap of an int32 column. */
static hid_t make_foreign_of(one_column *made, hid_t stored, hid_t type, const void *values,
                             hsize_t k, const uint8_t *bits, hsize_t n)
{
    const hid_t group =
        CHECK_H5(H5Gcreate2(made->group, "SEARCH_INDEXES", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t plane = CHECK_H5(H5Screate_simple(2, (hsize_t[]){k, n}, NULL));
    const hid_t list = CHECK_H5(H5Screate_simple(1, &k, NULL));
    const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t name = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t bitmap = CHECK_H5(
        H5Dcreate2(group, "b", H5T_STD_U8LE, plane, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t beside =
        CHECK_H5(H5Dcreate2(group, "v", stored, list, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5R_ref_t reference;

    CHECK_H5(H5Dwrite(bitmap, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits));
    CHECK_H5(H5Dwrite(beside, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Tset_size(name, 7));
    hid_t attr = CHECK_H5(H5Acreate2(bitmap, "KIND", name, one, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attr, name, "BITMAP"));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Rcreate_object(made->group, "SEARCH_INDEXES/v", H5P_DEFAULT, &reference));
    attr = CHECK_H5(H5Acreate2(bitmap, "VALUES", H5T_STD_REF, one, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Dclose(beside));
    CHECK_H5(H5Tclose(name));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(list));
    CHECK_H5(H5Sclose(plane));
    CHECK_H5(H5Gclose(group));
    return bitmap;
}

static hid_t make_foreign(one_column *made, const int32_t *values, hsize_t k, const uint8_t *bits,
                          hsize_t n)
{
    return make_foreign_of(made, H5T_STD_I32BE, H5T_NATIVE_INT32, values, k, bits, n);
}

static bool verifies(const one_column *made, hid_t bitmap, uint64_t n_rows, char *problem)
{
    stoa_error err = STOA_ERROR_INIT;
    bool same = false;

    CHECK_OK(stoa_index_bitmap.verify(made->column, bitmap, n_rows, NULL, &same, problem, &err),
             &err);
    return same;
}

/* The candidates and the certain rows of `= value`, as bits. */
static void ask(const one_column *made, hid_t bitmap, uint64_t n_rows, const stoa_test *test,
                uint64_t *candidates, uint64_t *certain)
{
    stoa_rowset sets[2] = {{0}, {0}};
    uint64_t *const out[2] = {candidates, certain};
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t estimate = UINT64_MAX;

    CHECK_OK(stoa_index_bitmap.open(made->column, bitmap, n_rows, &index, &err), &err);
    CHECK_OK(stoa_index_bitmap.prune(index, test, &sets[0], &sets[1], &err), &err);
    CHECK_OK(stoa_index_bitmap.estimate(index, test, &estimate, &err), &err);
    CHECK_U64(estimate, stoa_rowset_count(&sets[0])); /* so few rows are counted */
    stoa_index_bitmap.close(index);
    for (int s = 0; s < 2; s++) {
        *out[s] = 0;
        for (size_t i = 0; i < sets[s].n_ranges; i++) {
            for (uint64_t row = 0; row < sets[s].ranges[i].count; row++) {
                *out[s] |= UINT64_C(1) << (sets[s].ranges[i].first + row);
            }
        }
        stoa_rowset_clear(&sets[s]);
    }
}

static void ask_value(const one_column *made, hid_t bitmap, uint64_t n_rows, int64_t value,
                      uint64_t *candidates, uint64_t *certain)
{
    const stoa_scalar point = {.kind = STOA_SCALAR_I64, .as.i64 = value};
    const stoa_interval interval = {.has_low = true, .has_high = true, .low = point, .high = point};

    ask(made, bitmap, n_rows, &(stoa_test){.intervals = &interval, .n_intervals = 1}, candidates,
        certain);
}

/* Rows as bits -------------------------------------------------------------------------------- */

static stoa_row_bits *rows_of(const stoa_index *index, int64_t low, int64_t high)
{
    const stoa_interval interval = {.has_low = true,
                                    .has_high = true,
                                    .low = {.kind = STOA_SCALAR_I64, .as.i64 = low},
                                    .high = {.kind = STOA_SCALAR_I64, .as.i64 = high}};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    stoa_row_bits *rows = NULL;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t estimate = 0;

    CHECK_OK(stoa_index_bitmap.estimate(index, &test, &estimate, &err), &err);
    CHECK_OK(stoa_index_bitmap.rows(index, &test, &rows, &err), &err);
    return rows;
}

static void check_rows(const stoa_row_bits *rows, const int32_t *values, uint64_t n, int32_t low,
                       int32_t high)
{
    CHECK_U64(rows->n_rows, n);
    for (uint64_t i = 0; i < n; i++) {
        CHECK(stoa_bit_get(rows->bits, i) == (values[i] >= low && values[i] <= high));
    }
}

/* Unpacking them costs as much as a scan, so that it must be wanted more than once. */
static void who_asks_again_is_given_the_rows_as_bits(void)
{
    int32_t *rows = many_rows();
    one_column made = make_many(rows, MANY - 3);
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    const hid_t bitmap = one_column_index(&made);
    CHECK_OK(stoa_index_bitmap.open(made.column, bitmap, MANY - 3, &index, &err), &err);
    CHECK(rows_of(index, 1, 3) == NULL);
    CHECK(rows_of(index, 100, 100) == NULL);
    stoa_row_bits *some = rows_of(index, 1, 3);
    stoa_row_bits *one = rows_of(index, 100, 100);
    CHECK(some != NULL && one != NULL);
    check_rows(one, rows, MANY - 3, 100, 100);
    stoa_row_bits *same = rows_of(index, 1, 3);
    CHECK(same == some);
    stoa_row_bits_release(same);
    /* So many other tests that it is forgotten; who holds it has it. */
    for (int64_t low = 0; low < 5; low++) {
        for (int64_t high = low; high < 5; high++) {
            stoa_row_bits_release(low == 1 && high == 3 ? NULL : rows_of(index, low, high));
        }
    }
    CHECK(rows_of(index, 1, 3) == NULL);
    stoa_index_bitmap.close(index);
    check_rows(some, rows, MANY - 3, 1, 3);
    stoa_row_bits_release(some);
    stoa_row_bits_release(one);
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    free(rows);
}

static void bits_that_do_not_say_all_are_not_given(void)
{
    const int32_t rows[] = {5, 6, -99, 5, 7, 6, 5, -99};
    const int32_t values[] = {6, -99, 5};
    const uint8_t bits[] = {0x22, 0x84, 0x49};
    one_column made = make_ints(rows, 8, 8);
    stoa_index *index = NULL;
    stoa_row_bits *missing = NULL;
    stoa_error err = STOA_ERROR_INIT;

    /* Row 4 is marked nowhere. */
    hid_t bitmap = make_foreign(&made, values, 3, bits, 1);
    CHECK_OK(stoa_index_bitmap.open(made.column, bitmap, 8, &index, &err), &err);
    for (int i = 0; i < 3; i++) {
        CHECK(rows_of(index, 5, 5) == NULL);
    }
    stoa_index_bitmap.close(index);
    CHECK_H5(H5Dclose(bitmap));
    CHECK_H5(H5Ldelete(made.group, "SEARCH_INDEXES", H5P_DEFAULT));

    add_index(&made);
    bitmap = one_column_index(&made);
    CHECK_OK(stoa_index_bitmap.open(made.column, bitmap, 8, &index, &err), &err);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(stoa_index_bitmap.rows(index, &(stoa_test){.missing = true}, &missing, &err),
                 &err);
        CHECK(missing == NULL);
        CHECK(rows_of(index, 8, 9) == NULL); /* none: a list says it */
    }
    stoa_index_bitmap.close(index);
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
}

static void a_foreign_bitmap_need_not_cover_all_values(void)
{
    const int32_t rows[] = {5, 6, -99, 5, 7, 6, 5, -99, 6, 7};
    /* Not in order, without 7, with the fill; residue behind row 9 and in a third byte. */
    const int32_t values[] = {6, -99, 5};
    const uint8_t bits[] = {0x22, 0xfd, 0xff, 0x84, 0x00, 0x00, 0x49, 0x00, 0x01};
    one_column made = make_ints(rows, 10, 10);
    const hid_t bitmap = make_foreign(&made, values, 3, bits, 3);
    char problem[256];
    uint64_t candidates;
    uint64_t certain;

    CHECK(verifies(&made, bitmap, 10, problem));
    /* Rows 4 and 9 are marked nowhere and may hold anything (notes D6). */
    ask_value(&made, bitmap, 10, 5, &candidates, &certain);
    CHECK_U64(candidates, 0x49 | 0x210);
    CHECK_U64(certain, 0x49);
    ask_value(&made, bitmap, 10, 7, &candidates, &certain);
    CHECK_U64(candidates, 0x210);
    CHECK_U64(certain, 0);
    /* The fill's row marks missing rows, which equal nothing. */
    ask_value(&made, bitmap, 10, -99, &candidates, &certain);
    CHECK_U64(candidates, 0x84 | 0x210);
    CHECK_U64(certain, 0);
    ask(&made, bitmap, 10, &(stoa_test){.missing = true}, &candidates, &certain);
    CHECK_U64(candidates, 0x84 | 0x210);
    CHECK_U64(certain, 0);
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
}

static void our_bitmap_knows_missing_rows_too(void)
{
    const int32_t rows[] = {5, 6, -99, 5, -99};
    one_column made = make_ints(rows, 5, 5);
    uint64_t candidates;
    uint64_t certain;

    add_index(&made);
    const hid_t bitmap = one_column_index(&made);
    ask_value(&made, bitmap, 5, 7, &candidates, &certain);
    CHECK_U64(candidates, 0);
    ask(&made, bitmap, 5, &(stoa_test){.missing = true}, &candidates, &certain);
    CHECK_U64(candidates, 0x14);
    CHECK_U64(certain, 0x14);
    ask(&made, bitmap, 5, &(stoa_test){.nan = true}, &candidates, &certain);
    CHECK_U64(candidates, 0);
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
}

/* Notes D6: the row of a NaN marks no row, or every NaN. */
static void a_nan_may_mark_every_nan_or_no_row(void)
{
    static const struct {
        uint8_t bits[2];
        bool is_right;
    } cases[] = {{{0x00, 0x00}, true},  {{0x05, 0x02}, true},  {{0x04, 0x02}, false},
                 {{0x05, 0x00}, false}, {{0x07, 0x02}, false}, {{0x10, 0x00}, false}};
    const double fill = -9.0;
    const double rows[] = {NAN, 1, NAN, 1, 1, 1, 1, 1, 1, NAN};
    const double values[] = {1, NAN};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t bits[] = {0xfa, 0x01, cases[i].bits[0], cases[i].bits[1]};
        one_column made = one_column_make(&(one_column_spec){.file_type = H5T_IEEE_F64LE,
                                                             .fill = &fill,
                                                             .values = rows,
                                                             .extent = 10,
                                                             .n_rows = 10});
        const hid_t bitmap =
            make_foreign_of(&made, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, 2, bits, 2);
        char problem[256] = "";
        CHECK(verifies(&made, bitmap, 10, problem) == cases[i].is_right);
        CHECK((strstr(problem, "NaN") != NULL) == !cases[i].is_right);
        CHECK_H5(H5Dclose(bitmap));
        one_column_free(&made);
    }
}

static void verify_finds_each_wrong_bit(void)
{
    const int32_t rows[] = {5, 6, -99, 5, 7, 6, 5, -99, 6, 7};
    const int32_t values[] = {5, 6, 7};
    const uint8_t right[] = {0x49, 0x00, 0x22, 0x01, 0x10, 0x02};

    for (unsigned wrong = 0; wrong < 48; wrong++) {
        one_column made = make_ints(rows, 10, 10);
        uint8_t bits[6];
        char problem[256] = "";
        memcpy(bits, right, 6);
        bits[wrong / 8] ^= (uint8_t)(1 << wrong % 8);
        const hid_t bitmap = make_foreign(&made, values, 3, bits, 2);
        const unsigned row = wrong % 16;
        const bool same = verifies(&made, bitmap, 10, problem);
        CHECK(same == (row >= 10)); /* residue (notes A3) */
        if (!same) {
            char text[16];
            (void)snprintf(text, sizeof text, "row %u is", row);
            CHECK_CONTAINS(problem, text);
        }
        CHECK_H5(H5Dclose(bitmap));
        one_column_free(&made);
    }
}

/* The row of the fill equals no value, and -0.0 equals 0.0: both are said of it (notes D6). */
static void a_fill_of_zero_may_mark_missing_rows_or_not(void)
{
    static const double fill = 0.0;
    static const double rows[] = {0.0, -0.0, 1.0}; /* the first one is missing */
    static const double values[] = {0.0, 1.0};
    static const struct {
        uint8_t bits[2];
        bool same;
    } cases[] = {{{3, 4}, true}, {{2, 4}, true}, {{1, 4}, false}, {{6, 4}, false}, {{3, 5}, false}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        one_column made = one_column_make(&(one_column_spec){.file_type = H5T_IEEE_F64LE,
                                                             .mem_type = H5T_NATIVE_DOUBLE,
                                                             .fill = &fill,
                                                             .values = rows,
                                                             .extent = 3,
                                                             .n_rows = 3,
                                                             .chunk_rows = 3});
        const hid_t bitmap =
            make_foreign_of(&made, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, 2, cases[i].bits, 1);
        char problem[256];
        CHECK(verifies(&made, bitmap, 3, problem) == cases[i].same);
        CHECK_H5(H5Dclose(bitmap));
        one_column_free(&made);
    }
}

/* What a scan says of a row: the zero of the other sign than the fill is a value, and equals 0. */
static bool matches(const stoa_test *test, double fill, double value)
{
    const bool is_missing = isnan(fill) ? isnan(value) : memcmp(&fill, &value, sizeof fill) == 0;

    if (is_missing || isnan(value)) {
        return is_missing ? test->missing : test->nan;
    }
    for (size_t i = 0; i < test->n_intervals; i++) {
        const stoa_interval *in = &test->intervals[i];
        if ((!in->has_low || value > in->low.as.f64 ||
             (value == in->low.as.f64 && !in->low_open)) &&
            (!in->has_high || value < in->high.as.f64 ||
             (value == in->high.as.f64 && !in->high_open))) {
            return true;
        }
    }
    return false;
}

/* Each test of a zero: equal, less, at least, other, any value, missing, NaN and both. */
static void ask_of_zero(const one_column *made, hid_t bitmap, double fill, const double *rows,
                        uint64_t n)
{
    for (int zero = 0; zero < 2; zero++) {
        const stoa_scalar z = {.kind = STOA_SCALAR_F64, .as.f64 = zero == 0 ? 0.0 : -0.0};
        const stoa_interval point = {.has_low = true, .has_high = true, .low = z, .high = z};
        const stoa_interval other[] = {{.has_high = true, .high_open = true, .high = z},
                                       {.has_low = true, .low_open = true, .low = z}};
        const stoa_interval least = {.has_low = true, .low = z};
        const stoa_interval any = {.has_low = false};
        const stoa_test tests[] = {{.intervals = &point, .n_intervals = 1},
                                   {.intervals = other, .n_intervals = 1},
                                   {.intervals = other, .n_intervals = 2},
                                   {.intervals = &least, .n_intervals = 1},
                                   {.intervals = &any, .n_intervals = 1},
                                   {.intervals = &any, .n_intervals = 1, .nan = true},
                                   {.intervals = &point, .n_intervals = 1, .missing = true},
                                   {.missing = true},
                                   {.nan = true},
                                   {.missing = true, .nan = true}};
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
            uint64_t candidates = 0;
            uint64_t certain = 0;
            uint64_t right = 0;
            ask(made, bitmap, n, &tests[i], &candidates, &certain);
            for (uint64_t row = 0; row < n; row++) {
                right |= (uint64_t)matches(&tests[i], fill, rows[row]) << row;
            }
            CHECK_U64(right & ~candidates, 0);
            CHECK_U64(certain & ~right, 0);
        }
    }
}

/* All rows of three, by Stoa's bitmap and by others' with one zero or both among their values. */
static void zeros_are_found_whatever_the_sign_of_the_fill(void)
{
    const double kinds[] = {0.0, -0.0, 1.0, (double)NAN};
    static const double lists[][3] = {{0.0, 1.0}, {-0.0, 1.0}, {1.0}, {0.0, -0.0, 1.0}};
    static const hsize_t n_values[] = {2, 2, 1, 3};

    for (int pattern = 0; pattern < 64 * 3 * 5; pattern++) {
        const double fill = (double[]){0.0, -0.0, (double)NAN}[pattern / 64 % 3];
        const int writer = pattern / 64 / 3; /* the last one is Stoa */
        double rows[3];
        uint8_t bits[3] = {0};
        for (int i = 0; i < 3; i++) {
            rows[i] = kinds[pattern % 64 >> (2 * i) & 3];
            for (hsize_t k = 0; writer < 4 && k < n_values[writer]; k++) {
                bits[k] |= (uint8_t)((rows[i] == lists[writer][k]) << i);
            }
        }
        one_column made = one_column_make(&(one_column_spec){.file_type = H5T_IEEE_F64LE,
                                                             .mem_type = H5T_NATIVE_DOUBLE,
                                                             .fill = &fill,
                                                             .values = rows,
                                                             .extent = 3,
                                                             .n_rows = 3,
                                                             .chunk_rows = 3});
        hid_t bitmap = H5I_INVALID_HID;
        char problem[256];
        if (writer < 4) {
            bitmap = make_foreign_of(&made, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, lists[writer],
                                     n_values[writer], bits, 1);
        } else {
            add_index(&made);
            bitmap = one_column_index(&made);
        }
        /* A query takes no bitmap that lists a value twice (HEP001 §10.6), unless told to trust it.
         */
        CHECK(verifies(&made, bitmap, 3, problem) == (writer != 3));
        ask_of_zero(&made, bitmap, fill, rows, 3);
        CHECK_H5(H5Dclose(bitmap));
        one_column_free(&made);
    }
}

static void a_bitmap_that_says_it_is_complete_must_be(void)
{
    const int32_t rows[] = {5, 6};
    one_column made = make_ints(rows, 2, 2);
    char problem[256];

    add_index(&made);
    const hid_t bitmap = one_column_index(&made);
    const hid_t beside = values_of(bitmap);
    CHECK_H5(H5Dset_extent(beside, &(hsize_t){1}));
    CHECK_H5(H5Dset_extent(bitmap, (hsize_t[]){1, 1}));
    CHECK(!verifies(&made, bitmap, 2, problem));
    CHECK_CONTAINS(problem, "row 1");
    CHECK_H5(H5Dclose(beside));
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
}

static bool read_exhaustive(const one_column *made)
{
    const hid_t bitmap = one_column_index(made);
    const hid_t attr = CHECK_H5(H5Aopen(bitmap, "exhaustive", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attr));
    int8_t value = -1;

    CHECK(H5Tget_class(type) == H5T_ENUM && H5Tget_nmembers(type) == 2);
    CHECK_H5(H5Aread(attr, type, &value));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Dclose(bitmap));
    return value == 1;
}

/* HEP001-2026-07 §11.6: NaN that is not missing is a value, and is not indexed. */
static void a_bitmap_says_whether_it_is_exhaustive(void)
{
    const double rows[] = {1.0, -9.0, 2.0, NAN, 1.0};
    const double fills[] = {-9.0, NAN};
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < 2; i++) {
        const bool is_missing = isnan(fills[i]);
        one_column made = one_column_make(&(one_column_spec){.file_type = H5T_IEEE_F64LE,
                                                             .mem_type = H5T_NATIVE_DOUBLE,
                                                             .fill = &fills[i],
                                                             .values = rows,
                                                             .extent = 5,
                                                             .n_rows = 3,
                                                             .chunk_rows = 3});
        add_index(&made);
        CHECK(read_exhaustive(&made));
        one_column_reopen(&made, 5);
        CHECK_OK(stoa_index_extend_all(made.group, made.column, 3, 5, &err), &err);
        CHECK(read_exhaustive(&made) == is_missing);
        CHECK_OK(stoa_index_rebuild_all(made.group, made.column, 5, &err), &err);
        CHECK(read_exhaustive(&made) == is_missing);
        one_column_free(&made);
    }
}

static void write_exhaustive(hid_t bitmap, bool value)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_attribute_write_bool(bitmap, "exhaustive", value, &err), &err);
}

/* A value that is not among those of a bitmap is in no row if the bitmap is exhaustive. Otherwise
 * rows without a bit may have it. */
static void what_an_exhaustive_bitmap_does_not_list_is_in_no_row(void)
{
    const int32_t rows[] = {5, 6, 5, int_fill};
    const int32_t values[] = {5, 6};
    const uint8_t bits[] = {0x05, 0x02};
    const stoa_scalar seven = {.kind = STOA_SCALAR_I64, .as.i64 = 7};
    const stoa_interval interval = {.has_low = true, .has_high = true, .low = seven, .high = seven};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    one_column made = make_ints(rows, 4, 4);
    const hid_t bitmap = make_foreign(&made, values, 2, bits, 1);
    stoa_error err = STOA_ERROR_INIT;
    uint64_t candidates = 0;
    uint64_t certain = 0;
    char problem[256];

    for (int i = 0; i < 2; i++) {
        write_exhaustive(bitmap, i == 1);
        ask(&made, bitmap, 4, &test, &candidates, &certain);
        CHECK_U64(candidates, i == 1 ? 0 : 8);
        CHECK(verifies(&made, bitmap, 4, problem));
    }
    /* It is another program's, so it is not brought along. */
    CHECK_STATUS(STOA_EDATA, stoa_index_bitmap.append(made.column, bitmap, 4, 4, &err));
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
}

static void a_bitmap_that_says_it_is_exhaustive_must_be(void)
{
    const int32_t rows[] = {5, 6};
    const int32_t values[] = {5};
    const uint8_t bits[] = {0x01};
    one_column made = make_ints(rows, 2, 2);
    const hid_t bitmap = make_foreign(&made, values, 1, bits, 1);
    char problem[256];

    CHECK(verifies(&made, bitmap, 2, problem));
    write_exhaustive(bitmap, true);
    CHECK(!verifies(&made, bitmap, 2, problem));
    CHECK_CONTAINS(problem, "row 1");
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
}

static void damage_is_told_and_does_not_spread(void)
{
    const int32_t rows[] = {5, 6, 5, 6, 5, 6, 5, 6, 5};
    const int32_t values[] = {5, 6};
    const int32_t twins[] = {5, 5};
    const uint8_t bits[] = {0xff, 0xff, 0xff, 0xff};
    one_column made = make_ints(rows, 9, 9);
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;
    char problem[256];
    uint64_t candidates;
    uint64_t certain;

    /* Too short for NROWS. */
    hid_t bitmap = make_foreign(&made, values, 2, bits, 1);
    CHECK_STATUS(STOA_EDATA, stoa_index_bitmap.open(made.column, bitmap, 9, &index, &err));
    CHECK_CONTAINS(err.message, "§10.6");
    CHECK(index == NULL);
    CHECK(!verifies(&made, bitmap, 9, problem));
    CHECK_STATUS(STOA_EDATA, stoa_index_bitmap.append(made.column, bitmap, 9, 9, NULL));
    /* A list of values that is not there, or has another length. */
    CHECK_OK(stoa_index_bitmap.open(made.column, bitmap, 8, &index, NULL));
    stoa_index_bitmap.close(index);
    CHECK_H5(H5Ldelete(made.group, "SEARCH_INDEXES/v", H5P_DEFAULT));
    CHECK_STATUS(STOA_EDATA, stoa_index_bitmap.open(made.column, bitmap, 8, &index, NULL));
    CHECK_H5(H5Adelete(bitmap, "VALUES"));
    CHECK_STATUS(STOA_EDATA, stoa_index_bitmap.open(made.column, bitmap, 8, &index, NULL));
    CHECK_H5(H5Dclose(bitmap));
    CHECK_H5(H5Ldelete(made.group, "SEARCH_INDEXES", H5P_DEFAULT));

    /* A value twice, and every row under both: wrong, but harmless. */
    bitmap = make_foreign(&made, twins, 2, bits, 2);
    CHECK(!verifies(&made, bitmap, 9, problem));
    CHECK_CONTAINS(problem, "twice");
    ask_value(&made, bitmap, 9, 5, &candidates, &certain);
    CHECK_U64(candidates, 0x1ff);
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
}

static void a_bitmap_of_another_type_is_refused(void)
{
    const int32_t rows[] = {5, 6};
    one_column made = make_ints(rows, 2, 2);
    const hid_t space = CHECK_H5(H5Screate_simple(2, (hsize_t[]){2, 1}, NULL));
    const hid_t signed_one = CHECK_H5(
        H5Dcreate2(made.file, "s", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t flat = CHECK_H5(H5Screate_simple(1, (hsize_t[]){2}, NULL));
    const hid_t flat_one = CHECK_H5(
        H5Dcreate2(made.file, "f", H5T_STD_U8LE, flat, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EDATA, stoa_index_bitmap.open(made.column, signed_one, 2, &index, &err));
    CHECK_CONTAINS(err.message, "uint8");
    CHECK_STATUS(STOA_EDATA, stoa_index_bitmap.open(made.column, flat_one, 2, &index, NULL));
    CHECK_H5(H5Dclose(flat_one));
    CHECK_H5(H5Sclose(flat));
    CHECK_H5(H5Dclose(signed_one));
    CHECK_H5(H5Sclose(space));
    one_column_free(&made);
}

/* An append to a bitmap in another form than ours leaves one in ours, or none. */
static void an_append_to_a_foreign_bitmap_is_right_or_refused(void)
{
    const int32_t rows[] = {5, 6, -99, 5, 7, 6, 5, -99, 6, 7};
    const int32_t values[] = {6, -99, 5};
    const uint8_t bits[] = {0x02, 0x04, 0x09};
    one_column made = make_ints(rows, 10, 4);
    const hid_t bitmap = make_foreign(&made, values, 3, bits, 1);
    char problem[256];

    CHECK(verifies(&made, bitmap, 4, problem));
    /* Its extent is fixed. */
    CHECK(stoa_index_bitmap.append(made.column, bitmap, 4, 10, NULL) != STOA_OK);
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
}

static one_column make_distinct(uint64_t n_rows, int32_t **rows)
{
    *rows = malloc(n_rows * sizeof **rows);
    CHECK(*rows != NULL);
    for (uint64_t i = 0; i < n_rows; i++) {
        (*rows)[i] = (int32_t)i;
    }
    return one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                              .fill = &int_fill,
                                              .values = *rows,
                                              .extent = n_rows,
                                              .n_rows = n_rows,
                                              .chunk_rows = 4096});
}

static void too_many_values_are_refused_with_the_number(void)
{
    int32_t *rows = NULL;
    one_column made = make_distinct(70000, &rows);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ERANGE, stoa_index_add(made.table, "x", "bitmap", NULL, &err));
    CHECK_CONTAINS(err.message, "more than 65536 distinct values");
    one_column_free(&made);
    free(rows);

    /* 30000 values of 30000 rows: 30000 * 3750 bytes, more than 64 MiB. */
    made = make_distinct(30000, &rows);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ERANGE, stoa_index_add(made.table, "x", "bitmap", NULL, &err));
    CHECK_CONTAINS(err.message, "30000 distinct values in 30000 rows");
    CHECK_CONTAINS(err.message, "4096 values and 64 MiB");
    CHECK_I64(CHECK_H5(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT)), 0);
    one_column_free(&made);
    free(rows);
}

static void thousands_of_values_are_fine(void)
{
    int32_t *rows = NULL;
    one_column made = make_distinct(9000, &rows);
    bool same = false;
    uint64_t n_set = 0;
    static uint8_t bits[9000 * 1125];

    add_index(&made);
    CHECK_OK(stoa_index_verify(made.table, "x", "bitmap", &same, NULL));
    CHECK(same);
    const hid_t bitmap = one_column_index(&made);
    check_shape(bitmap, 2, 9000, 1125);
    CHECK_H5(H5Dread(bitmap, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits));
    for (uint64_t i = 0; i < 9000; i++) {
        CHECK((bits[i * 1125 + i / 8] >> i % 8 & 1) == 1);
    }
    for (size_t i = 0; i < sizeof bits; i++) {
        n_set += bits[i] != 0;
    }
    CHECK_U64(n_set, 9000);
    CHECK(H5Dget_storage_size(bitmap) < 500000); /* 10 MB of bits, most of them zero */
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    free(rows);
}

/* Every second row is a range of its own: more of them than anybody wants to have as a list. */
static void a_foreign_bitmap_has_a_million_values_at_most(void)
{
    enum { MOST = 1 << 20 };
    static int32_t values[MOST];
    one_column made = make_ints((const int32_t[]){5, 6}, 2, 2);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){MOST}, NULL));
    const hid_t list = CHECK_H5(
        H5Dcreate2(made.group, "v", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    stoa_bitmap_values read = {.n = 0};
    stoa_error err = STOA_ERROR_INIT;

    for (int32_t i = 0; i < MOST; i++) {
        values[i] = i;
    }
    CHECK_H5(H5Dwrite(list, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_OK(stoa_bitmap_values_read(&read, made.column, list, MOST, &err), &err);
    CHECK_U64(read.n, MOST);
    CHECK_I64(read.items[MOST - 1].scalar.as.i64, MOST - 1);
    stoa_bitmap_values_clear(&read);
    CHECK_STATUS(STOA_ERANGE, stoa_bitmap_values_read(&read, made.column, list, MOST + 1, &err));
    CHECK_CONTAINS(err.message, "1048577 values");
    stoa_bitmap_values_clear(&read);
    CHECK_H5(H5Dclose(list));
    CHECK_H5(H5Sclose(space));
    one_column_free(&made);
}

static void a_very_long_list_of_ranges_becomes_a_rough_one(void)
{
    enum { N = 2200000 };
    uint8_t *rows = malloc(N);
    const uint8_t fill = 255;
    const stoa_scalar one = {.kind = STOA_SCALAR_U64, .as.u64 = 1};
    const stoa_interval interval = {.has_low = true, .has_high = true, .low = one, .high = one};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    stoa_rowset candidates = {0};
    stoa_rowset certain = {0};
    stoa_index *index = NULL;

    CHECK(rows != NULL);
    for (uint64_t i = 0; i < N; i++) {
        rows[i] = i % 2;
    }
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_STD_U8LE,
                                                         .fill = &fill,
                                                         .values = rows,
                                                         .extent = N,
                                                         .n_rows = N,
                                                         .chunk_rows = 65536});
    add_index(&made);
    const hid_t bitmap = one_column_index(&made);
    CHECK_OK(stoa_index_bitmap.open(made.column, bitmap, N, &index, NULL));
    CHECK_OK(stoa_index_bitmap.prune(index, &test, &candidates, &certain, NULL));
    CHECK_U64(candidates.n_ranges, 1);
    CHECK_U64(candidates.ranges[0].first, 1);
    CHECK_U64(candidates.ranges[0].count, N - 1);
    CHECK_U64(certain.n_ranges, 0);
    stoa_rowset_clear(&candidates);
    stoa_rowset_clear(&certain);
    stoa_index_bitmap.close(index);
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    free(rows);
}

/* A value in the first half of the rows, and another one in the second: two chunks of bits each. */
static void chunks_without_a_bit_are_not_stored(void)
{
    enum { N = 2 * 65536 };
    int32_t *rows = malloc(N * sizeof *rows);
    hsize_t n_chunks = 0;

    CHECK(rows != NULL);
    for (int32_t i = 0; i < N; i++) {
        rows[i] = i < N / 2 ? 1 : 2;
    }
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                                         .fill = &int_fill,
                                                         .values = rows,
                                                         .extent = N,
                                                         .n_rows = N,
                                                         .chunk_rows = 1000});
    add_index(&made);
    const hid_t bitmap = one_column_index(&made);
    CHECK_H5(H5Dget_num_chunks(bitmap, H5S_ALL, &n_chunks));
    CHECK_U64(n_chunks, 2);
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    free(rows);
}

/* Bits of random rows do not shrink. Still no chunk has a filter mask, which libhdf5 1.14 may lose.
 */
static void chunks_that_do_not_shrink_are_packed_too(void)
{
    enum { N = 65536 + 1000 };
    const uint64_t n = (N + 7) / 8;
    int32_t *rows = malloc(N * sizeof *rows);
    uint8_t *bits = calloc(2 * n, 1);
    uint64_t random = 1;
    hsize_t n_chunks = 0;

    CHECK(rows != NULL && bits != NULL);
    for (uint64_t i = 0; i < N; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        rows[i] = (int32_t)(random >> 63);
        bits[(uint64_t)rows[i] * n + i / 8] |= (uint8_t)(1 << i % 8);
    }
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                                         .fill = &int_fill,
                                                         .values = rows,
                                                         .extent = N,
                                                         .n_rows = N,
                                                         .chunk_rows = 1000});
    add_index(&made);
    check_bitmap(&made, 2, n, bits, H5T_NATIVE_INT32, (const int32_t[]){0, 1});
    const hid_t bitmap = one_column_index(&made);
    CHECK_H5(H5Dget_num_chunks(bitmap, H5S_ALL, &n_chunks));
    CHECK_U64(n_chunks, 4);
    for (hsize_t i = 0; i < n_chunks; i++) {
        hsize_t offset[2];
        unsigned mask = 1;
        CHECK_H5(H5Dget_chunk_info(bitmap, H5S_ALL, i, offset, &mask, NULL, NULL));
        CHECK_U64(mask, 0);
    }
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    free(bits);
    free(rows);
}

/* What it says of as many rows, scattered or in four runs. */
static void scattered_rows_are_estimated_as_all_of_them(void)
{
    enum { N = 20000 };
    static uint8_t rows[N];
    const uint8_t fill = 255;
    const stoa_scalar one = {.kind = STOA_SCALAR_U64, .as.u64 = 1};
    const stoa_interval interval = {.has_low = true, .has_high = true, .low = one, .high = one};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};

    for (int scattered = 0; scattered < 2; scattered++) {
        stoa_index *index = NULL;
        uint64_t estimate = 0;
        for (int i = 0; i < N; i++) {
            rows[i] = scattered ? i % 2 : i / 2500 % 2;
        }
        one_column made = one_column_make(&(one_column_spec){.file_type = H5T_STD_U8LE,
                                                             .fill = &fill,
                                                             .values = rows,
                                                             .extent = N,
                                                             .n_rows = N,
                                                             .chunk_rows = 65536});
        add_index(&made);
        const hid_t bitmap = one_column_index(&made);
        CHECK_OK(stoa_index_bitmap.open(made.column, bitmap, N, &index, NULL));
        CHECK_OK(stoa_index_bitmap.estimate(index, &test, &estimate, NULL));
        CHECK_U64(estimate, scattered ? N : N / 2);
        stoa_index_bitmap.close(index);
        CHECK_H5(H5Dclose(bitmap));
        one_column_free(&made);
    }
}

static bool stop(void *context, const stoa_progress *progress)
{
    (void)progress;
    return --*(int *)context > 0;
}

static void a_cancelled_build_leaves_nothing(void)
{
    const int32_t rows[] = {1, 2};
    one_column made = make_ints(rows, 2, 2);

    for (int left = 1; left <= 2; left++) { /* while values are found, while bits are set */
        int n = left;
        stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
        stoa_error err = STOA_ERROR_INIT;
        options.listener = (stoa_listener){stop, &n};
        CHECK_STATUS(STOA_ECANCELLED, stoa_index_add(made.table, "x", "bitmap", &options, &err));
        CHECK_I64(CHECK_H5(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT)), 0);
    }
    one_column_free(&made);
}

/* Build, append, verify, ask. */
static stoa_status live(one_column *made, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_scalar six = {.kind = STOA_SCALAR_I64, .as.i64 = 6};
    const stoa_interval interval = {.has_low = true, .low = six};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1, .missing = true};
    stoa_index_link *links = NULL;
    size_t n = 0;
    stoa_rowset sets[2] = {{0}, {0}};
    stoa_index *index = NULL;
    bool same = false;
    char problem[256];
    const stoa_test points = {.intervals = &interval, .n_intervals = 1};
    stoa_row_bits *rows = NULL;
    uint64_t estimate;

    STOA_TRY(stoa_index_build(made->group, made->column, &stoa_index_bitmap, 3, NULL, err));
    STOA_TRY(stoa_index_links(made->column, &links, &n, err));
    STOA_TRY(stoa_index_bitmap.append(made->column, links[0].dataset, 3, 4, err));
    STOA_TRY(stoa_index_bitmap.append(made->column, links[0].dataset, 4, 9, err));
    STOA_TRY(stoa_index_bitmap.append(made->column, links[0].dataset, 9, 7, err));
    STOA_TRY(
        stoa_index_bitmap.verify(made->column, links[0].dataset, 7, NULL, &same, problem, err));
    CHECK(same);
    STOA_TRY(stoa_index_bitmap.open(made->column, links[0].dataset, 7, &index, err));
    STOA_TRY(stoa_index_bitmap.estimate(index, &test, &estimate, err));
    STOA_TRY(stoa_index_bitmap.prune(index, &test, &sets[0], &sets[1], err));
    STOA_TRY(stoa_index_bitmap.estimate(index, &points, &estimate, err));
    STOA_TRY(stoa_index_bitmap.rows(index, &points, &rows, err));
    CHECK(rows == NULL);
    STOA_TRY(stoa_index_bitmap.rows(index, &points, &rows, err));
    CHECK((rows->bits[0] & 0x7f) == 0x32); /* rows 1, 4 and 5 */

done:
    stoa_row_bits_release(rows);
    if (index != NULL) {
        stoa_index_bitmap.close(index);
    }
    stoa_rowset_clear(&sets[0]);
    stoa_rowset_clear(&sets[1]);
    stoa_index_links_clear(links, n);
    return status;
}

/* A sweep with a table of its own for every try: what a failed try leaves is no business of the
 * next. */
static void memory_that_runs_out_is_told(void)
{
    const int32_t rows[] = {5, 6, -99, 5, 7, 6, 5, -99, 6};
    stoa_status status = STOA_ENOMEM;
    uint64_t n = 0;

    for (; status != STOA_OK; n++) {
        one_column made = make_ints(rows, 9, 9);
        stoa_error err = STOA_ERROR_INIT;
        stoa_memory_fail_after(n);
        status = live(&made, &err);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || (status == STOA_ENOMEM && err.status == STOA_ENOMEM));
        CHECK(n < 1000);
        one_column_free(&made);
    }
    CHECK(n > 50);
}

TEST_MAIN(TEST(a_bit_is_set_where_the_value_is), TEST(floats_equal_by_value_and_nan_is_nowhere),
          TEST(strings_equal_without_their_padding), TEST(variable_strings_may_be_indexed),
          TEST(enums_and_opaque_values_may_be_indexed), TEST(an_array_column_is_refused),
          TEST(the_datasets_are_what_the_section_says), TEST(an_empty_table_has_an_empty_bitmap),
          TEST(an_append_leaves_what_a_fresh_build_would),
          TEST(a_truncation_clears_what_lies_behind), TEST(an_append_after_a_truncation_is_right),
          TEST(a_foreign_bitmap_need_not_cover_all_values), TEST(our_bitmap_knows_missing_rows_too),
          TEST(who_asks_again_is_given_the_rows_as_bits),
          TEST(bits_that_do_not_say_all_are_not_given), TEST(verify_finds_each_wrong_bit),
          TEST(a_nan_may_mark_every_nan_or_no_row),
          TEST(a_fill_of_zero_may_mark_missing_rows_or_not),
          TEST(zeros_are_found_whatever_the_sign_of_the_fill),
          TEST(a_bitmap_that_says_it_is_complete_must_be),
          TEST(a_bitmap_says_whether_it_is_exhaustive),
          TEST(what_an_exhaustive_bitmap_does_not_list_is_in_no_row),
          TEST(a_bitmap_that_says_it_is_exhaustive_must_be),
          TEST(damage_is_told_and_does_not_spread), TEST(a_bitmap_of_another_type_is_refused),
          TEST(an_append_to_a_foreign_bitmap_is_right_or_refused),
          TEST(too_many_values_are_refused_with_the_number), TEST(thousands_of_values_are_fine),
          TEST(a_foreign_bitmap_has_a_million_values_at_most),
          TEST(a_very_long_list_of_ranges_becomes_a_rough_one),
          TEST(chunks_without_a_bit_are_not_stored), TEST(chunks_that_do_not_shrink_are_packed_too),
          TEST(scattered_rows_are_estimated_as_all_of_them), TEST(a_cancelled_build_leaves_nothing),
          TEST(memory_that_runs_out_is_told))
