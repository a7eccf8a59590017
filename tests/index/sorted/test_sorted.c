/* The rules of HEP001 §10.5, for src/index/sorted/sorted*.c. Permutations and attributes are read
 * back by plain HDF5 calls; the expected ones are worked out by hand from the rows above them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/one_column.h"
#include "index/sorted/sorted_sort.h"
#include "support/sweep.h"

static void add_index(one_column *made)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(made->table, "x", "sorted", NULL, &err), &err);
}

static void add_covered_index(one_column *made)
{
    add_index(made);
    one_column_cover(made);
}

static void add_bare_index(one_column *made)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;

    options.bare = true;
    CHECK_OK(stoa_index_add(made->table, "x", "sorted", &options, &err), &err);
}

static uint64_t length_of(hid_t dataset)
{
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const uint64_t n = (uint64_t)CHECK_H5(H5Sget_simple_extent_npoints(space));

    CHECK_H5(H5Sclose(space));
    return n;
}

static uint64_t read_count(hid_t object, const char *name)
{
    const hid_t attr = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attr));
    const hid_t space = CHECK_H5(H5Aget_space(attr));
    uint64_t value = 0;

    /* §10.5: scalar uint64. */
    CHECK(H5Tequal(type, H5T_STD_U64LE) > 0);
    CHECK(H5Sget_simple_extent_type(space) == H5S_SCALAR);
    CHECK_H5(H5Aread(attr, H5T_NATIVE_UINT64, &value));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attr));
    return value;
}

/* The permutation is these rows, with tails of these lengths. */
static void check_rows(const one_column *made, const uint64_t *rows, uint64_t n, uint64_t n_fill,
                       uint64_t n_nan)
{
    const hid_t dataset = one_column_index(made);
    uint64_t found[64] = {0};

    CHECK_U64(length_of(dataset), n);
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (uint64_t i = 0; i < n; i++) {
        CHECK_U64(found[i], rows[i]);
    }
    CHECK_U64(read_count(dataset, "fill_tail_length"), n_fill);
    CHECK_U64(read_count(dataset, "nan_tail_length"), n_nan);
    CHECK_H5(H5Dclose(dataset));
}

/* What a scalar reference attribute of the index leads to. */
static hid_t open_cover(hid_t index, const char *name)
{
    const hid_t attr = CHECK_H5(H5Aopen(index, name, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Aget_space(attr));
    H5R_ref_t reference;

    CHECK(H5Sget_simple_extent_type(space) == H5S_SCALAR);
    CHECK_H5(H5Aread(attr, H5T_STD_REF, &reference));
    const hid_t dataset = CHECK_H5(H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Aclose(attr));
    CHECK(H5Aexists(dataset, "KIND") == 0);
    return dataset;
}

static bool verify(const one_column *made, stoa_error *err)
{
    bool same = false;

    *err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(stoa_index_verify(made->table, "x", "sorted", &same, err), err);
    return same;
}

static void check_verified(const one_column *made)
{
    stoa_error err;

    if (!verify(made, &err)) {
        FAIL("%s", err.message);
    }
}

static void check_flaw(const one_column *made, const char *words)
{
    stoa_error err;

    CHECK(!verify(made, &err));
    CHECK_CONTAINS(err.message, words);
}

/* --- order ----------------------------------------------------------------------------------- */

/* A column of n numbers without a fill among them. */
static void check_order(hid_t file_type, hid_t mem_type, const void *fill, const void *rows,
                        uint64_t n, const uint64_t *expected, uint64_t n_fill, uint64_t n_nan)
{
    const one_column_spec spec = {.file_type = file_type,
                                  .mem_type = mem_type,
                                  .fill = fill,
                                  .values = rows,
                                  .extent = n,
                                  .n_rows = n,
                                  .chunk_rows = 4};
    one_column made = one_column_make(&spec);

    add_index(&made);
    check_rows(&made, expected, n, n_fill, n_nan);
    check_verified(&made);
    one_column_free(&made);
}

static void integers_are_ordered_by_value_then_by_row(void)
{
    const int64_t fill = 99;
    const int64_t rows[] = {3, -1, 3, 99, INT64_MIN, 0, -1, INT64_MAX, 99};
    const uint64_t expected[] = {4, 1, 6, 5, 0, 2, 7, 3, 8};

    check_order(H5T_STD_I64LE, H5T_NATIVE_INT64, &fill, rows, 9, expected, 2, 0);
    check_order(H5T_STD_I64BE, H5T_NATIVE_INT64, &fill, rows, 9, expected, 2, 0);
}

static void every_width_of_integer_has_its_order(void)
{
    const int64_t fill = 9;
    const int64_t rows[] = {5, -100, 100, 9, -1, 5};
    const uint64_t expected[] = {1, 4, 0, 5, 2, 3};
    const uint64_t ufill = 9;
    const uint64_t urows[] = {5, 200, 100, 9, 0, 5};
    const uint64_t uexpected[] = {4, 0, 5, 2, 1, 3};
    const hid_t types[] = {H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_I16BE,
                           H5T_STD_I32LE, H5T_STD_I32BE, H5T_STD_I64BE};
    const hid_t utypes[] = {H5T_STD_U8LE,  H5T_STD_U16LE, H5T_STD_U16BE,
                            H5T_STD_U32LE, H5T_STD_U32BE, H5T_STD_U64BE};

    for (size_t i = 0; i < 6; i++) {
        check_order(types[i], H5T_NATIVE_INT64, &fill, rows, 6, expected, 1, 0);
        check_order(utypes[i], H5T_NATIVE_UINT64, &ufill, urows, 6, uexpected, 1, 0);
    }
}

static void unsigned_values_are_ordered_as_unsigned(void)
{
    const uint64_t fill = 7;
    const uint64_t rows[] = {UINT64_MAX, 0, 1, 7, (uint64_t)INT64_MAX + 1};
    const uint64_t expected[] = {1, 2, 4, 0, 3};

    check_order(H5T_STD_U64LE, H5T_NATIVE_UINT64, &fill, rows, 5, expected, 1, 0);
}

static void zeros_are_one_value_and_nan_comes_last(void)
{
    const double fill = -9.0;
    const double rows[] = {0.0, NAN, -0.0, -9.0, INFINITY, -1.5, -NAN, 0.0, -INFINITY, -9.0};
    const uint64_t expected[] = {8, 5, 0, 2, 7, 4, 3, 9, 1, 6};

    check_order(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, rows, 10, expected, 2, 2);
    check_order(H5T_IEEE_F32BE, H5T_NATIVE_DOUBLE, &fill, rows, 10, expected, 2, 2);
    check_order(H5T_IEEE_F16LE, H5T_NATIVE_DOUBLE, &fill, rows, 10, expected, 2, 2);
}

static void with_a_nan_fill_all_that_is_missing_is_in_the_nan_tail(void)
{
    const double fill = NAN;
    const double rows[] = {NAN, 2.0, -NAN, 1.0};
    const uint64_t expected[] = {3, 1, 0, 2};

    check_order(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, rows, 4, expected, 0, 2);
}

/* A fill of 0.0 is missing by its bits (notes A5); -0.0 is data, and equal to no other row. */
static void a_negative_zero_is_not_a_fill_of_zero(void)
{
    const double fill = 0.0;
    const double rows[] = {1.0, 0.0, -0.0, -1.0};
    const uint64_t expected[] = {3, 2, 0, 1};

    check_order(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, rows, 4, expected, 1, 0);
}

static hid_t fixed_text(size_t size, H5T_str_t padding)
{
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, size));
    CHECK_H5(H5Tset_strpad(text, padding));
    CHECK_H5(H5Tset_cset(text, H5T_CSET_UTF8));
    return text;
}

static void fixed_strings_are_ordered_without_their_padding(void)
{
    /* Bytes, not letters: "z" is below "\xc3\xa9", "a" below "a b". */
    const char fill[10] = "?";
    const char rows[6][10] = {"z", "\xc3\xa9", "a b",
                              "a", "?",        {'l', 'o', 'n', 'g', 'w', 'o', 'r', 'd', 's', 'B'}};
    const uint64_t expected[] = {3, 2, 5, 0, 1, 4};
    const char spaced_fill[] = "?         ";
    const char spaced[] = "z         "
                          "\xc3\xa9        "
                          "a b       "
                          "a         "
                          "?         "
                          "longwordsB";
    const hid_t null_padded = fixed_text(10, H5T_STR_NULLPAD);
    const hid_t null_ended = fixed_text(10, H5T_STR_NULLTERM);
    const hid_t space_padded = fixed_text(10, H5T_STR_SPACEPAD);

    check_order(null_padded, 0, fill, rows, 6, expected, 1, 0);
    check_order(null_ended, 0, fill, rows, 6, expected, 1, 0);
    check_order(space_padded, 0, spaced_fill, spaced, 6, expected, 1, 0);
    CHECK_H5(H5Tclose(null_padded));
    CHECK_H5(H5Tclose(null_ended));
    CHECK_H5(H5Tclose(space_padded));
}

/* NULLTERM ends at the first NUL (notes C7): "a\0z" and "a\0b" are one string, ordered by row. */
static void bytes_after_the_end_of_a_string_do_not_count(void)
{
    const char fill[4] = "?";
    const char rows[3][4] = {"b", "a\0z", "a\0b"};
    const uint64_t expected[] = {1, 2, 0};
    const hid_t text = fixed_text(4, H5T_STR_NULLTERM);

    check_order(text, 0, fill, rows, 3, expected, 0, 0);
    CHECK_H5(H5Tclose(text));
}

static void variable_strings_are_ordered_by_all_their_bytes(void)
{
    const char *const fill = "";
    const char *const rows[] = {"heronheron2", "", "heronheron10", "wren", "heronheron1",
                                "\xc3\xa9",    "", "Owl",          "wren"};
    const uint64_t expected[] = {7, 4, 2, 0, 3, 8, 5, 1, 6};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    check_order(text, 0, &fill, rows, 9, expected, 2, 0);
    CHECK_H5(H5Tclose(text));
}

static void opaque_values_and_enum_codes_are_ordered(void)
{
    const uint8_t fill[3] = {0, 0, 0};
    const uint8_t rows[4][3] = {{200, 0, 1}, {0, 0, 1}, {0, 0, 0}, {200, 0, 0}};
    const uint64_t expected[] = {1, 3, 0, 2};
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 3));
    const int16_t enum_fill = -1;
    const int16_t codes[] = {30, 10, -1, -20, 10};
    const uint64_t by_code[] = {3, 1, 4, 0, 2};
    const hid_t colour = CHECK_H5(H5Tenum_create(H5T_STD_I16BE));
    const int16_t members[] = {30, 10, -20, -1};
    const char *const names[] = {"A", "B", "C", "MISSING"};

    CHECK_H5(H5Tset_tag(opaque, "three"));
    check_order(opaque, 0, fill, rows, 4, expected, 1, 0);
    CHECK_H5(H5Tclose(opaque));
    for (int i = 0; i < 4; i++) {
        int16_t code = members[i];
        CHECK_H5(H5Tconvert(H5T_NATIVE_INT16, H5T_STD_I16BE, 1, &code, NULL, H5P_DEFAULT));
        CHECK_H5(H5Tenum_insert(colour, names[i], &code));
    }
    const hid_t native = CHECK_H5(H5Tget_native_type(colour, H5T_DIR_ASCEND));
    check_order(colour, native, &enum_fill, codes, 5, by_code, 1, 0);
    CHECK_H5(H5Tclose(native));
    CHECK_H5(H5Tclose(colour));
}

static void what_has_no_order_is_refused(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t pair = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8));
    const int32_t rows[4] = {1, 2, 3, 4};
    const int32_t fill[2] = {0, 0};

    CHECK_H5(H5Tinsert(pair, "a", 0, H5T_STD_I32LE));
    CHECK_H5(H5Tinsert(pair, "b", 4, H5T_STD_I32LE));
    const one_column_spec spec = {
        .file_type = pair, .fill = fill, .values = rows, .extent = 2, .n_rows = 2};
    one_column made = one_column_make(&spec);
    CHECK_STATUS(STOA_ETYPE, stoa_index_add(made.table, "x", "sorted", NULL, &err));
    CHECK_CONTAINS(err.message, "HEP001 §10.5");
    CHECK(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
    one_column_free(&made);
    CHECK_H5(H5Tclose(pair));
}

/* --- what is stored -------------------------------------------------------------------------- */

static one_column make_numbers(uint64_t n_rows)
{
    static const double fill = -9.0;
    static const double rows[] = {5.0, -9.0, 2.0, NAN, 8.0, 2.0, -9.0, 1.0, NAN, 5.0};
    const one_column_spec spec = {.file_type = H5T_IEEE_F64BE,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 10,
                                  .n_rows = n_rows,
                                  .chunk_rows = 4};

    return one_column_make(&spec);
}

static void the_index_says_what_it_is(void)
{
    one_column made = make_numbers(10);
    const uint64_t expected[] = {7, 2, 5, 0, 9, 4, 1, 6, 3, 8};
    int8_t ordered = 0;

    add_index(&made);
    check_rows(&made, expected, 10, 2, 2);
    const hid_t dataset = one_column_index(&made);
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    CHECK(H5Tget_class(type) == H5T_INTEGER);
    CHECK(H5Tget_sign(type) == H5T_SGN_NONE);
    CHECK_U64(H5Tget_size(type), 4);
    const hid_t attr = CHECK_H5(H5Aopen(dataset, "ordered", H5P_DEFAULT));
    const hid_t boolean = CHECK_H5(H5Aget_type(attr));
    CHECK(H5Tget_class(boolean) == H5T_ENUM);
    CHECK_H5(H5Aread(attr, boolean, &ordered));
    CHECK_I64(ordered, 1);
    CHECK_H5(H5Tclose(boolean));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

static uint64_t n_links(const one_column *made)
{
    H5G_info_t info = {.nlinks = 0};

    if (H5Lexists(made->group, "SEARCH_INDEXES", H5P_DEFAULT) > 0) {
        CHECK_H5(H5Gget_info_by_name(made->group, "SEARCH_INDEXES", &info, H5P_DEFAULT));
    }
    return info.nlinks;
}

/* The fences of an index, padded to a power of two; their number is returned. */
static uint64_t read_fences(const one_column *made, uint64_t fences[2048][2])
{
    const hid_t dataset = one_column_index(made);
    const hid_t attr = CHECK_H5(H5Aopen(dataset, "stoa_fences", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attr));
    const hid_t space = CHECK_H5(H5Aget_space(attr));
    hsize_t shape[2];
    uint64_t n = 0;

    CHECK(H5Tequal(type, H5T_STD_U64LE) > 0);
    CHECK_I64(H5Sget_simple_extent_dims(space, shape, NULL), 2);
    CHECK(shape[0] <= 2048 && (shape[0] & (shape[0] - 1)) == 0);
    CHECK_U64(shape[1], 2);
    CHECK_H5(H5Aread(attr, H5T_NATIVE_UINT64, fences));
    while (n < shape[0] && fences[n][1] != UINT64_MAX) {
        n++;
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Dclose(dataset));
    return n;
}

static uint64_t fences_read[2048][2];

/* §10.1: no object but indexes, and what they require. So fences are in an attribute. */
static void fences_are_in_an_attribute(void)
{
    one_column made = make_numbers(10);
    const double lowest = 1.0;
    uint64_t key = 0;

    add_index(&made);
    CHECK_U64(n_links(&made), 1);
    CHECK_U64(read_fences(&made, fences_read), 1);
    memcpy(&key, &lowest, sizeof key);
    CHECK_U64(fences_read[0][0], key | UINT64_C(1) << 63); /* positive floats: the sign bit */
    CHECK_U64(fences_read[0][1], 0);
    one_column_free(&made);
}

static void a_dropped_index_takes_its_company_along(void)
{
    one_column made = make_numbers(10);
    stoa_error err = STOA_ERROR_INIT;

    add_covered_index(&made);
    CHECK_U64(n_links(&made), 3);
    CHECK_OK(stoa_index_drop(made.table, "x", "sorted", &err), &err);
    CHECK(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
    add_bare_index(&made);
    CHECK_U64(n_links(&made), 1);
    check_verified(&made);
    one_column_free(&made);
}

static bool has_fences(const one_column *made)
{
    const hid_t dataset = one_column_index(made);
    const bool has = CHECK_H5(H5Aexists(dataset, "stoa_fences")) > 0;

    CHECK_H5(H5Dclose(dataset));
    return has;
}

static void an_index_without_fences_is_built_again_without(void)
{
    one_column made = make_numbers(10);
    stoa_error err = STOA_ERROR_INIT;

    add_bare_index(&made);
    CHECK_OK(stoa_index_rebuild_all(made.group, made.column, 10, &err), &err);
    CHECK(!has_fences(&made));
    CHECK_OK(stoa_index_drop(made.table, "x", "sorted", &err), &err);
    add_index(&made);
    CHECK_OK(stoa_index_rebuild_all(made.group, made.column, 10, &err), &err);
    CHECK(has_fences(&made));
    one_column_free(&made);
}

static void a_repair_leaves_no_datasets_beside_it(void)
{
    one_column made = make_numbers(10);
    stoa_error err = STOA_ERROR_INIT;

    add_covered_index(&made);
    CHECK_OK(stoa_index_repair(made.table, NULL, NULL, &err), &err);
    CHECK_U64(n_links(&made), 1);
    CHECK(has_fences(&made));
    check_verified(&made);
    one_column_free(&made);
}

/* Whatever changes it: the datasets beside it go, and fences come. */
static void an_index_of_older_stoa_is_built_anew_when_it_changes(void)
{
    static const uint64_t to[] = {6, 4};

    for (size_t i = 0; i < 2; i++) {
        one_column made = make_numbers(5);
        stoa_error err = STOA_ERROR_INIT;

        add_covered_index(&made);
        check_verified(&made);
        CHECK_U64(n_links(&made), 3);
        one_column_reopen(&made, to[i]);
        CHECK_OK(stoa_index_extend_all(made.group, made.column, 5, to[i], &err), &err);
        CHECK_U64(n_links(&made), 1);
        CHECK(has_fences(&made));
        check_verified(&made);
        one_column_free(&made);
    }
}

static void rows_in_the_tail_of_the_column_are_not_there(void)
{
    one_column made = make_numbers(3);
    const uint64_t expected[] = {2, 0, 1};

    add_index(&made);
    check_rows(&made, expected, 3, 1, 0);
    one_column_free(&made);
}

static void a_sort_uses_768_mebibytes_unless_told_otherwise(void)
{
    static const uint64_t most = UINT64_C(768) << 20;
    one_column made = make_numbers(10);
    const stoa_listener none = {NULL, NULL};
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t memory = 0; memory <= 2 * most; memory += 2 * most) {
        stoa_row_sorter sorter = {.column = NULL};
        CHECK_OK(stoa_row_sorter_run(&sorter, made.column, 0, 10, memory, &none, &err), &err);
        CHECK(memory == 0 ? sorter.memory <= most : sorter.memory == memory);
        stoa_row_sorter_clear(&sorter);
    }
    one_column_free(&made);
}

static void an_index_of_nothing_is_an_index(void)
{
    one_column made = make_numbers(0);
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    check_rows(&made, NULL, 0, 0, 0);
    check_verified(&made);
    one_column_reopen(&made, 10);
    CHECK_OK(stoa_index_extend_all(made.group, made.column, 0, 10, &err), &err);
    check_verified(&made);
    one_column_free(&made);
}

static bool stop(void *context, const stoa_progress *progress)
{
    (void)progress;
    return --*(int *)context > 0;
}

static void a_cancelled_build_leaves_nothing(void)
{
    one_column made = make_numbers(10);
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    int calls = 0;
    stoa_status status = STOA_ECANCELLED;

    options.listener = (stoa_listener){stop, &calls};
    for (int allowed = 1; allowed < 20 && status == STOA_ECANCELLED; allowed++) {
        calls = allowed;
        status = stoa_index_add(made.table, "x", "sorted", &options, NULL);
        if (status == STOA_ECANCELLED) {
            CHECK(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
            CHECK(H5Aexists(made.column->dataset, "SEARCH_INDEX_LIST") == 0);
        }
    }
    CHECK_OK(status);
    one_column_free(&made);
}

/* --- damage ---------------------------------------------------------------------------------- */

static void write_row(const one_column *made, uint64_t rank, uint64_t row)
{
    const hid_t dataset = one_column_index(made);
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t one = CHECK_H5(H5Screate_simple(1, &(hsize_t){1}, NULL));

    CHECK_H5(
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){rank}, NULL, &(hsize_t){1}, NULL));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_UINT64, one, space, H5P_DEFAULT, &row));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
}

static void write_cover(const one_column *made, const char *name, uint64_t rank, double value)
{
    const hid_t dataset = one_column_index(made);
    const hid_t cover = open_cover(dataset, name);
    const hid_t space = CHECK_H5(H5Dget_space(cover));
    const hid_t one = CHECK_H5(H5Screate_simple(1, &(hsize_t){1}, NULL));

    CHECK_H5(
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){rank}, NULL, &(hsize_t){1}, NULL));
    CHECK_H5(H5Dwrite(cover, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(cover));
    CHECK_H5(H5Dclose(dataset));
}

static void write_count(const one_column *made, const char *name, uint64_t value)
{
    const hid_t dataset = one_column_index(made);
    const hid_t attr = CHECK_H5(H5Aopen(dataset, name, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attr, H5T_NATIVE_UINT64, &value));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Dclose(dataset));
}

static stoa_status open_index(const one_column *made, stoa_index **index, stoa_error *err)
{
    const hid_t dataset = one_column_index(made);
    const stoa_status status =
        stoa_index_sorted.open(made->column, dataset, stoa_table_n_rows(made->table), index, err);

    CHECK_H5(H5Dclose(dataset));
    return status;
}

static stoa_interval at(double value)
{
    const stoa_scalar bound = {.kind = STOA_SCALAR_F64, .as.f64 = value};

    return (stoa_interval){.has_low = true, .has_high = true, .low = bound, .high = bound};
}

static stoa_status look_up(const one_column *made, double value, stoa_rowset *rows, stoa_error *err)
{
    stoa_index *index = NULL;
    stoa_rowset certain = {0};
    const stoa_interval interval = at(value);
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};

    rows->n_ranges = 0;
    stoa_status status = open_index(made, &index, err);
    if (status == STOA_OK) {
        status = stoa_index_sorted.prune(index, &test, rows, &certain, err);
        stoa_index_sorted.close(index);
    }
    stoa_rowset_clear(&certain);
    return status;
}

/* Rows 2 and 5 hold the two. */
static void check_finds_twos(const one_column *made)
{
    stoa_rowset rows = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(look_up(made, 2.0, &rows, &err), &err);
    CHECK_U64(rows.n_ranges, 2);
    CHECK_U64(rows.ranges[0].first, 2);
    CHECK_U64(rows.ranges[1].first, 5);
    CHECK_U64(stoa_rowset_count(&rows), 2);
    stoa_rowset_clear(&rows);
}

/* What a listener heard of one stage. */
typedef struct heard {
    const char *stage;
    size_t n;
    uint64_t first; /* rows */
    uint64_t total;
} heard;

static bool hear(void *context, const stoa_progress *progress)
{
    heard *h = context;

    if (strcmp(progress->stage, h->stage) == 0 && h->n++ == 0) {
        h->first = progress->rows;
        h->total = progress->total_rows;
    }
    return true;
}

static void check_heard(one_column *made, const char *stage, uint64_t memory, uint64_t total)
{
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    heard h = {.stage = stage, .first = UINT64_MAX};
    stoa_error err = STOA_ERROR_INIT;

    options.listener = (stoa_listener){hear, &h};
    options.memory = memory;
    CHECK_OK(stoa_index_add(made->table, "x", "sorted", &options, &err), &err);
    CHECK_U64(h.first, 0);
    CHECK_U64(h.total, total);
}

static void listeners_hear_of_writing_and_merging_before_the_first_row(void)
{
    enum { MANY = 5000 };
    static int32_t rows[MANY];
    one_column made = make_numbers(10);

    check_heard(&made, "writing", 0, 6);
    one_column_free(&made);
    for (int32_t i = 0; i < MANY; i++) {
        rows[i] = -i;
    }
    made = one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                              .values = rows,
                                              .extent = MANY,
                                              .n_rows = MANY,
                                              .chunk_rows = 1000});
    check_heard(&made, "merging", 1, MANY);
    one_column_free(&made);
}

static void a_value_is_found_with_fences_cover_and_neither(void)
{
    one_column made = make_numbers(10);
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    check_finds_twos(&made);
    one_column_cover(&made);
    check_finds_twos(&made);
    CHECK_OK(stoa_index_drop(made.table, "x", "sorted", &err), &err);
    add_bare_index(&made);
    check_finds_twos(&made);
    one_column_free(&made);
}

enum { MANY = 20000 };
static double many[MANY];

/* Values that are not spread evenly, so that the search does not begin where they are; none, one,
 * two or hundreds of rows have each, over several blocks between fences. */
static one_column make_many(void)
{
    for (uint64_t i = 0; i < MANY; i++) {
        const double place = (double)(i * 7919 % MANY); /* 7919 is prime: each place once */
        many[i] = place < 100     ? -pow(10, 300) * place
                  : place < 14000 ? pow(place, 5)
                  : place < 15000 ? pow(14000, 5)
                                  : 1e250 * place;
    }
    many[7] = many[4001];
    return one_column_make(&(one_column_spec){.file_type = H5T_IEEE_F64LE,
                                              .mem_type = H5T_NATIVE_DOUBLE,
                                              .values = many,
                                              .extent = MANY,
                                              .n_rows = MANY,
                                              .chunk_rows = 3000});
}

/* Look for values, some of which occur. */
static void check_finds_many(const one_column *made)
{
    stoa_rowset rows = {0};
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t i = 0; i < MANY; i += 37) {
        uint64_t n = 0;
        for (uint64_t k = 0; k < MANY; k++) {
            n += many[k] == many[i];
        }
        CHECK_OK(look_up(made, many[i], &rows, &err), &err);
        CHECK_U64(stoa_rowset_count(&rows), n);
        CHECK(rows.ranges[0].first <= i);
        CHECK_OK(look_up(made, nextafter(many[i], INFINITY), &rows, &err), &err);
        CHECK_U64(rows.n_ranges, 0);
    }
    CHECK_OK(look_up(made, many[7], &rows, &err), &err);
    CHECK_U64(rows.ranges[0].first, 7);
    stoa_rowset_clear(&rows);
}

static void values_that_are_not_spread_evenly_are_found(void)
{
    one_column made = make_many();

    add_index(&made);
    check_finds_many(&made);
    one_column_cover(&made);
    check_finds_many(&made);
    one_column_free(&made);
}

static void write_fences(const one_column *made, uint64_t (*fences)[2])
{
    const hid_t dataset = one_column_index(made);
    const hid_t attr = CHECK_H5(H5Aopen(dataset, "stoa_fences", H5P_DEFAULT));

    CHECK_H5(H5Awrite(attr, H5T_NATIVE_UINT64, fences));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Dclose(dataset));
}

/* Fences are hints, and anybody can write them. */
static void wrong_fences_change_no_answer(void)
{
    one_column made = make_many();
    static uint64_t right[2048][2];

    add_index(&made);
    const uint64_t n = read_fences(&made, right);
    CHECK(n > 30);
    for (int way = 0; way < 6; way++) {
        memcpy(fences_read, right, sizeof right);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t *const fence = fences_read[i];
            fence[1] += way == 0 ? 100 : 0;                   /* too high a rank */
            fence[1] -= way == 1 && i > 0 ? 100 : 0;          /* too low */
            fence[0] = way == 2 ? right[n / 2][0] : fence[0]; /* one key */
            fence[0] = way == 3 ? UINT64_MAX : fence[0];      /* NaN */
            fence[0] = way == 4 ? 0 : fence[0];
            fence[1] = way == 5 ? right[n - 1 - i][1] : fence[1]; /* no order */
        }
        write_fences(&made, fences_read);
        check_finds_many(&made);
        check_flaw(&made, "stoa_fences: ");
    }
    write_fences(&made, right);
    check_verified(&made);
    one_column_free(&made);
}

/* Fences that are true at first stay so, and close enough, whatever is added or cut off. */
static void fences_stay_true_in_edits(void)
{
    uint64_t n_rows = 1000;
    one_column made = make_many();
    stoa_error err = STOA_ERROR_INIT;

    one_column_reopen(&made, n_rows);
    add_index(&made);
    for (int i = 0; i < 60; i++) {
        const uint64_t to = i % 4 == 3 ? n_rows - n_rows / 5 : n_rows + check_random_below(1200);
        one_column_reopen(&made, to < MANY ? to : MANY);
        CHECK_OK(stoa_index_extend_all(made.group, made.column, n_rows,
                                       stoa_table_n_rows(made.table), &err),
                 &err);
        n_rows = stoa_table_n_rows(made.table);
        check_verified(&made);
        const uint64_t n = read_fences(&made, fences_read);
        for (uint64_t k = 0; k < n; k++) {
            const uint64_t end = k + 1 < n ? fences_read[k + 1][1] : n_rows;
            CHECK(end - fences_read[k][1] <= 1024); /* four times their distance in a new index */
        }
        CHECK(fences_read[0][1] <= 1024);
    }
    one_column_free(&made);
}

static void a_row_that_does_not_exist_is_damage(void)
{
    one_column made = make_numbers(10);
    stoa_rowset rows = {0};
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    write_row(&made, 1, 4000000000);
    CHECK_STATUS(STOA_EDATA, look_up(&made, 2.0, &rows, &err));
    CHECK_CONTAINS(err.message, "rank 1");
    check_flaw(&made, "rank 1");
    stoa_rowset_clear(&rows);
    one_column_free(&made);
}

static void every_wrong_rank_is_found_by_verifying(void)
{
    const uint64_t right[] = {7, 2, 5, 0, 9, 4, 1, 6, 3, 8};
    one_column made = make_numbers(10);
    char words[32];

    add_index(&made);
    for (uint64_t rank = 0; rank < 10; rank++) {
        write_row(&made, rank, (right[rank] + 1) % 10);
        (void)snprintf(words, sizeof words, "rank %u is row", (unsigned)rank);
        check_flaw(&made, words);
        write_row(&made, rank, right[rank]);
    }
    check_verified(&made);
    one_column_free(&made);
}

/* Verifying works in pieces of 65,536 ranks and in blocks of 1,048,576. Values are 0 0 1 1 2 2 and
 * so on, from the last row on, then missing rows. So rows of equal values can be exchanged as well.
 */
static void a_wrong_rank_at_the_end_of_a_piece_is_found(void)
{
    enum { N = 1100000, N_MISSING = 1000 };
    static const uint64_t ends[] = {65536, 65537, 131072, 1048576, 1048577, N - N_MISSING, N - 1};
    static int32_t values[N];
    static const int32_t fill = -1;
    const int32_t last = (N - N_MISSING - 1) / 2;

    for (int32_t i = 0; i < N; i++) {
        values[i] = i < N - N_MISSING ? last - i / 2 : fill;
    }
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                                         .fill = &fill,
                                                         .values = values,
                                                         .extent = N,
                                                         .n_rows = N,
                                                         .chunk_rows = 50000});
    add_index(&made);
    check_verified(&made);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const uint64_t rank = ends[i] - 1;
        uint64_t pair[2];
        for (uint64_t k = 0; k < 2; k++) {
            const uint64_t at = rank + k;
            pair[k] = at < N - N_MISSING ? N - N_MISSING - 2 - 2 * (at / 2) + at % 2 : at;
        }
        write_row(&made, rank, pair[1]);
        write_row(&made, rank + 1, pair[0]);
        check_flaw(&made, "is row");
        write_row(&made, rank + 1, pair[1]); /* twice */
        check_flaw(&made, "is row");
        write_row(&made, rank, pair[0]);
        check_verified(&made);
    }
    one_column_free(&made);
}

static void wrong_tails_are_found_and_never_passed(void)
{
    one_column made = make_numbers(10);
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    write_count(&made, "fill_tail_length", 1);
    check_flaw(&made, "fill_tail_length is 1, the column says 2");
    write_count(&made, "fill_tail_length", UINT64_MAX);
    CHECK_STATUS(STOA_EDATA, open_index(&made, &index, &err));
    check_flaw(&made, "10.5");
    write_count(&made, "fill_tail_length", 2);
    write_count(&made, "nan_tail_length", 3);
    check_flaw(&made, "nan_tail_length is 3, the column says 2");
    write_count(&made, "nan_tail_length", 9);
    CHECK_STATUS(STOA_EDATA, open_index(&made, &index, NULL));
    one_column_free(&made);
}

static void a_missing_attribute_is_damage(void)
{
    static const char *const names[] = {"fill_tail_length", "nan_tail_length", "ordered"};

    for (size_t i = 0; i < 3; i++) {
        one_column made = make_numbers(10);
        stoa_index *index = NULL;
        stoa_error err = STOA_ERROR_INIT;

        add_index(&made);
        const hid_t dataset = one_column_index(&made);
        CHECK_H5(H5Adelete(dataset, names[i]));
        CHECK_H5(H5Dclose(dataset));
        CHECK_STATUS(STOA_EDATA, open_index(&made, &index, &err));
        CHECK_CONTAINS(err.message, "10.5");
        check_flaw(&made, "10.5");
        one_column_free(&made);
    }
}

/* The cover is optional: what is wrong with it is told by verifying, and done without. */
static void write_reference(hid_t dataset, const char *name, hid_t target)
{
    const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attr =
        CHECK_H5(H5Acreate2(dataset, name, H5T_STD_REF, one, H5P_DEFAULT, H5P_DEFAULT));
    H5R_ref_t reference;

    CHECK_H5(H5Rcreate_object(target, ".", H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(one));
}

static void a_damaged_cover_is_done_without(void)
{
    one_column made = make_numbers(10);

    add_covered_index(&made);
    write_cover(&made, "sorted_values", 2, 3.0);
    check_flaw(&made, "sorted_values: rank 2");
    write_cover(&made, "sorted_values", 2, 2.0);
    write_cover(&made, "fence_keys", 0, 3.0);
    check_flaw(&made, "fence_keys: rank 0");
    write_cover(&made, "fence_keys", 0, 1.0);
    check_verified(&made);

    const hid_t dataset = one_column_index(&made);
    const hid_t cover = open_cover(dataset, "sorted_values");
    CHECK_H5(H5Dset_extent(cover, &(hsize_t){5}));
    CHECK_H5(H5Dclose(cover));
    check_flaw(&made, "'sorted_values' has 5 entries, it needs 6");
    check_finds_twos(&made);

    CHECK_H5(H5Adelete(dataset, "sorted_values"));
    write_reference(dataset, "sorted_values", dataset); /* of row numbers */
    check_flaw(&made, "datatype");
    check_finds_twos(&made);

    CHECK_H5(H5Adelete(dataset, "sorted_values"));
    write_reference(dataset, "sorted_values", made.group);
    check_flaw(&made, "'sorted_values' does not lead to a dataset");
    check_finds_twos(&made);

    CHECK_H5(H5Adelete(dataset, "sorted_values"));
    check_flaw(&made, "come together");
    check_finds_twos(&made);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

static void an_index_that_is_too_short_is_of_no_use(void)
{
    one_column made = make_numbers(10);
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    const hid_t dataset = one_column_index(&made);
    CHECK_H5(H5Dset_extent(dataset, &(hsize_t){9}));
    CHECK_H5(H5Dclose(dataset));
    CHECK_STATUS(STOA_EDATA, open_index(&made, &index, &err));
    CHECK_CONTAINS(err.message, "9 entries, the table 10 rows");
    check_flaw(&made, "9 entries");
    one_column_free(&made);
}

/* Entries beyond NROWS are residue (§11.1, notes A2 and A3). */
static void residue_is_ignored(void)
{
    one_column made = make_numbers(10);

    add_covered_index(&made);
    const hid_t dataset = one_column_index(&made);
    const hid_t cover = open_cover(dataset, "sorted_values");
    CHECK_H5(H5Dset_extent(dataset, &(hsize_t){13}));
    CHECK_H5(H5Dset_extent(cover, &(hsize_t){9}));
    CHECK_H5(H5Dclose(cover));
    CHECK_H5(H5Dclose(dataset));
    write_row(&made, 11, 77);
    check_verified(&made);
    check_finds_twos(&made);
    one_column_free(&made);
}

/* The index of another program in the place of ours: without cover, its rows of another type. */
static void put_theirs(const one_column *made, hid_t row_type, const uint64_t *rows, hsize_t n)
{
    static const char *const names[] = {"KIND", "ordered", "fill_tail_length", "nan_tail_length"};
    stoa_error err = STOA_ERROR_INIT;
    const hid_t ours = one_column_index(made);
    const hid_t indexes = CHECK_H5(H5Gopen2(made->group, "SEARCH_INDEXES", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t theirs = CHECK_H5(
        H5Dcreate2(indexes, "theirs", row_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Dwrite(theirs, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    for (size_t i = 0; i < 4; i++) {
        char value[64] = {0};
        const hid_t from = CHECK_H5(H5Aopen(ours, names[i], H5P_DEFAULT));
        const hid_t type = CHECK_H5(H5Aget_type(from));
        const hid_t shape = CHECK_H5(H5Aget_space(from));
        const hid_t to =
            CHECK_H5(H5Acreate2(theirs, names[i], type, shape, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Aread(from, type, value));
        CHECK_H5(H5Awrite(to, type, value));
        CHECK_H5(H5Aclose(to));
        CHECK_H5(H5Sclose(shape));
        CHECK_H5(H5Tclose(type));
        CHECK_H5(H5Aclose(from));
    }
    CHECK_OK(stoa_index_link_add(made->column, theirs, &err), &err);
    CHECK_OK(stoa_index_link_remove(made->column, ours, &err), &err);
    CHECK_H5(H5Dclose(ours));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Gclose(indexes));
    CHECK_H5(H5Dclose(theirs));
}

static void an_index_of_another_producer_is_used(void)
{
    one_column made = make_numbers(10);
    const uint64_t rows[] = {7, 2, 5, 0, 9, 4, 1, 6, 3, 8};
    stoa_error err = STOA_ERROR_INIT;

    add_bare_index(&made);
    put_theirs(&made, H5T_STD_U64BE, rows, 10);
    check_verified(&made);
    check_finds_twos(&made);
    /* It cannot grow, so it is replaced. */
    one_column_reopen(&made, 9);
    CHECK_OK(stoa_index_extend_all(made.group, made.column, 10, 9, &err), &err);
    check_verified(&made);
    one_column_free(&made);
}

/* Of three bits are the rows of eight, not those of nine. */
static void rows_that_their_type_cannot_address_are_of_no_use(void)
{
    const uint64_t rows[] = {7, 2, 5, 0, 4, 1, 6, 3, 0};
    const hid_t type = H5Tcopy(H5T_STD_U8LE);

    CHECK_H5(H5Tset_precision(type, 3));
    for (hsize_t n = 8; n <= 9; n++) {
        one_column made = make_numbers((size_t)n);
        stoa_index *index = NULL;
        stoa_error err = STOA_ERROR_INIT;

        add_bare_index(&made);
        put_theirs(&made, type, rows, n);
        if (n == 8) {
            CHECK_OK(open_index(&made, &index, &err), &err);
            stoa_index_sorted.close(index);
        } else {
            CHECK_STATUS(STOA_EDATA, open_index(&made, &index, &err));
            CHECK_CONTAINS(err.message, "cannot address 9 rows");
        }
        one_column_free(&made);
    }
    CHECK_H5(H5Tclose(type));
}

/* --- looked up ------------------------------------------------------------------------------- */

static void missing_rows_and_nan_are_in_the_tails(void)
{
    one_column made = make_numbers(10);
    stoa_index *index = NULL;
    stoa_rowset rows = {0};
    stoa_rowset certain = {0};
    uint64_t n[3] = {0};
    uint64_t ranked[4] = {0};
    char low[32];
    char high[32];

    add_index(&made);
    CHECK_OK(open_index(&made, &index, NULL));
    CHECK_OK(stoa_index_sorted.prune(index, &(stoa_test){.missing = true}, &rows, &certain, NULL));
    CHECK_U64(rows.n_ranges, 2);
    CHECK_U64(rows.ranges[0].first, 1);
    CHECK_U64(rows.ranges[1].first, 6);
    CHECK_U64(stoa_rowset_count(&certain), 2);
    CHECK_OK(stoa_index_sorted.prune(index, &(stoa_test){.nan = true}, &rows, &certain, NULL));
    CHECK_U64(rows.n_ranges, 2);
    CHECK_U64(rows.ranges[0].first, 3);
    CHECK_U64(rows.ranges[1].first, 8);
    stoa_index_sorted.ranks(index, &n[0], &n[1], &n[2]);
    CHECK_U64(n[0], 6);
    CHECK_U64(n[1], 2);
    CHECK_U64(n[2], 2);
    CHECK_OK(stoa_index_sorted.ranked(index, 4, 4, ranked, NULL));
    CHECK_MEM(ranked, ((const uint64_t[]){9, 4, 1, 6}), sizeof ranked);
    CHECK_STATUS(STOA_ERANGE, stoa_index_sorted.ranked(index, 8, 3, ranked, NULL));
    CHECK(stoa_index_sorted.summary(index, &n[0], low, high, sizeof low));
    CHECK_U64(n[0], 2);
    CHECK_STR(low, "1.0");
    CHECK_STR(high, "8.0");
    stoa_index_sorted.close(index);
    stoa_rowset_clear(&rows);
    stoa_rowset_clear(&certain);
    one_column_free(&made);
}

/* With a NaN fill, NaN is missing, and none of it is data. */
static void nan_that_is_missing_is_no_nan(void)
{
    const double fill = NAN;
    const double rows[] = {NAN, 2.0, NAN, 1.0};
    const one_column_spec spec = {.file_type = H5T_IEEE_F64LE,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 4,
                                  .n_rows = 4};
    one_column made = one_column_make(&spec);
    stoa_index *index = NULL;
    stoa_rowset found = {0};
    stoa_rowset certain = {0};
    uint64_t n[3] = {0};

    add_index(&made);
    CHECK_OK(open_index(&made, &index, NULL));
    CHECK_OK(stoa_index_sorted.prune(index, &(stoa_test){.nan = true}, &found, &certain, NULL));
    CHECK_U64(stoa_rowset_count(&found), 0);
    CHECK_OK(stoa_index_sorted.prune(index, &(stoa_test){.missing = true}, &found, &certain, NULL));
    CHECK_U64(stoa_rowset_count(&found), 2);
    stoa_index_sorted.ranks(index, &n[0], &n[1], &n[2]);
    CHECK_U64(n[1], 2);
    CHECK_U64(n[2], 0);
    stoa_index_sorted.close(index);
    stoa_rowset_clear(&found);
    stoa_rowset_clear(&certain);
    one_column_free(&made);
}

static uint64_t estimate(const stoa_index *index, const stoa_interval *interval)
{
    uint64_t n = 0;

    CHECK_OK(stoa_index_sorted.estimate(index, &(stoa_test){interval, 1, false, false}, &n, NULL));
    return n;
}

static void a_list_of_1024_rows_is_made_whatever_part_of_all_they_are(void)
{
    enum { N = 2000, FEW = 1024 };
    int32_t rows[N];
    const int32_t fill = -1;
    stoa_index *index = NULL;
    stoa_interval below = {
        .has_high = true, .high_open = true, .high = {.kind = STOA_SCALAR_I64, .as.i64 = FEW}};

    for (int32_t i = 0; i < N; i++) {
        rows[i] = i;
    }
    const one_column_spec spec = {.file_type = H5T_STD_I32LE,
                                  .mem_type = H5T_NATIVE_INT32,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = N,
                                  .n_rows = N};
    one_column made = one_column_make(&spec);

    add_index(&made);
    CHECK_OK(open_index(&made, &index, NULL));
    CHECK_U64(estimate(index, &below), FEW);
    below.high.as.i64 = FEW + 1;
    CHECK_U64(estimate(index, &below), N);
    stoa_index_sorted.close(index);
    one_column_free(&made);
}

static void too_long_a_list_is_not_made(void)
{
    enum { N = 10000 };
    int32_t *rows = calloc(N, sizeof *rows);
    const int32_t fill = -1;
    stoa_index *index = NULL;
    stoa_rowset found = {0};
    stoa_rowset certain = {0};

    CHECK(rows != NULL);
    for (int32_t i = 0; i < N; i++) {
        rows[i] = (int32_t)((int64_t)i * 7919 % N);
    }
    const one_column_spec spec = {.file_type = H5T_STD_I32LE,
                                  .mem_type = H5T_NATIVE_INT32,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = N,
                                  .n_rows = N,
                                  .chunk_rows = 1000};
    one_column made = one_column_make(&spec);
    const stoa_interval below = {
        .has_high = true, .high_open = true, .high = {.kind = STOA_SCALAR_I64, .as.i64 = N / 8}};
    const stoa_interval up_to = {.has_high = true,
                                 .high = {.kind = STOA_SCALAR_I64, .as.i64 = N / 8}};

    add_index(&made);
    CHECK_OK(open_index(&made, &index, NULL));
    CHECK_U64(estimate(index, &below), N / 8);
    CHECK_OK(stoa_index_sorted.prune(index, &(stoa_test){&below, 1, false, false}, &found, &certain,
                                     NULL));
    CHECK_U64(stoa_rowset_count(&found), N / 8);
    CHECK_U64(stoa_rowset_count(&certain), N / 8);
    CHECK_U64(estimate(index, &up_to), N);
    CHECK_OK(stoa_index_sorted.prune(index, &(stoa_test){&up_to, 1, false, false}, &found, &certain,
                                     NULL));
    CHECK_U64(found.n_ranges, 1);
    CHECK_U64(stoa_rowset_count(&found), N);
    CHECK_U64(stoa_rowset_count(&certain), 0);
    stoa_index_sorted.close(index);
    stoa_rowset_clear(&found);
    stoa_rowset_clear(&certain);
    one_column_free(&made);
    free(rows);
}

/* --- memory ---------------------------------------------------------------------------------- */

static one_column swept;

static stoa_status add_and_drop(stoa_error *err)
{
    const stoa_status status = stoa_index_add(swept.table, "x", "sorted", NULL, err);

    stoa_memory_fail_after(UINT64_MAX);
    if (status == STOA_OK) {
        CHECK_OK(stoa_index_drop(swept.table, "x", "sorted", NULL));
    }
    CHECK(H5Lexists(swept.group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
    CHECK(H5Aexists(swept.column->dataset, "SEARCH_INDEX_LIST") == 0);
    return status;
}

static void a_build_without_memory_leaves_nothing(void)
{
    const char *const fill = "";
    const char *const rows[] = {"owl", "", "heron", "wren"};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    swept = make_numbers(10);
    CHECK(sweep_memory(add_and_drop) > 10);
    one_column_free(&swept);
    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    const one_column_spec spec = {
        .file_type = text, .fill = &fill, .values = rows, .extent = 4, .n_rows = 4};
    swept = one_column_make(&spec);
    CHECK(sweep_memory(add_and_drop) > 10);
    one_column_free(&swept);
    CHECK_H5(H5Tclose(text));
}

static stoa_status drop_it(stoa_error *err)
{
    const stoa_status status = stoa_index_drop(swept.table, "x", "sorted", err);

    stoa_memory_fail_after(UINT64_MAX);
    if (status != STOA_OK) {
        check_verified(&swept);
        CHECK_U64(n_links(&swept), 3);
    }
    return status;
}

static void an_index_is_dropped_whole_or_memory_ran_out(void)
{
    swept = make_numbers(10);
    add_covered_index(&swept);
    CHECK(sweep_memory(drop_it) > 5);
    CHECK_U64(n_links(&swept), 0);
    one_column_free(&swept);
}

/* Whatever an append comes to: the index is right, or it is not there. */
static void an_append_without_memory_leaves_no_wrong_index(void)
{
    for (uint64_t n = 0; n < 300; n++) {
        one_column made = make_numbers(6);
        stoa_error err = STOA_ERROR_INIT;

        add_index(&made);
        one_column_reopen(&made, 10);
        stoa_memory_fail_after(n);
        const stoa_status status = stoa_index_extend_all(made.group, made.column, 6, 10, &err);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || status == STOA_ENOMEM);
        if (H5Aexists(made.column->dataset, "SEARCH_INDEX_LIST") > 0) {
            CHECK_U64(n_links(&made), 1);
            bool same = false;
            CHECK_OK(stoa_index_verify(made.table, "x", "sorted", &same, &err), &err);
            CHECK(same || status != STOA_OK);
        } else {
            CHECK_U64(n_links(&made), 0);
        }
        one_column_free(&made);
    }
}

static stoa_status open_and_prune(stoa_error *err)
{
    stoa_index *index = NULL;
    stoa_rowset rows = {0};
    stoa_rowset certain = {0};
    const stoa_interval interval = at(2.0);
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    const hid_t dataset = one_column_index(&swept);
    stoa_status status = stoa_index_sorted.open(swept.column, dataset, 10, &index, err);

    if (status == STOA_OK) {
        status = stoa_index_sorted.prune(index, &test, &rows, &certain, err);
    }
    stoa_index_sorted.close(index);
    stoa_rowset_clear(&rows);
    stoa_rowset_clear(&certain);
    CHECK_H5(H5Dclose(dataset));
    return status;
}

static void a_look_up_without_memory_fails_cleanly(void)
{
    swept = make_numbers(10);
    add_index(&swept);
    CHECK(sweep_memory(open_and_prune) > 5);
    one_column_free(&swept);
}

static stoa_status verify_it(stoa_error *err)
{
    bool same = false;
    const stoa_status status = stoa_index_verify(swept.table, "x", "sorted", &same, err);

    CHECK(status != STOA_OK || same);
    return status;
}

static void verifying_without_memory_fails_cleanly(void)
{
    swept = make_numbers(10);
    add_index(&swept);
    CHECK(sweep_memory(verify_it) > 5);
    one_column_free(&swept);
}

TEST_MAIN(
    TEST(integers_are_ordered_by_value_then_by_row), TEST(every_width_of_integer_has_its_order),
    TEST(unsigned_values_are_ordered_as_unsigned), TEST(zeros_are_one_value_and_nan_comes_last),
    TEST(with_a_nan_fill_all_that_is_missing_is_in_the_nan_tail),
    TEST(a_negative_zero_is_not_a_fill_of_zero),
    TEST(fixed_strings_are_ordered_without_their_padding),
    TEST(bytes_after_the_end_of_a_string_do_not_count),
    TEST(variable_strings_are_ordered_by_all_their_bytes),
    TEST(opaque_values_and_enum_codes_are_ordered), TEST(what_has_no_order_is_refused),
    TEST(the_index_says_what_it_is), TEST(fences_are_in_an_attribute),
    TEST(a_dropped_index_takes_its_company_along),
    TEST(an_index_without_fences_is_built_again_without),
    TEST(an_index_of_older_stoa_is_built_anew_when_it_changes),
    TEST(a_repair_leaves_no_datasets_beside_it), TEST(rows_in_the_tail_of_the_column_are_not_there),
    TEST(a_sort_uses_768_mebibytes_unless_told_otherwise), TEST(an_index_of_nothing_is_an_index),
    TEST(a_cancelled_build_leaves_nothing),
    TEST(listeners_hear_of_writing_and_merging_before_the_first_row),
    TEST(a_value_is_found_with_fences_cover_and_neither),
    TEST(values_that_are_not_spread_evenly_are_found), TEST(wrong_fences_change_no_answer),
    TEST(fences_stay_true_in_edits), TEST(a_row_that_does_not_exist_is_damage),
    TEST(every_wrong_rank_is_found_by_verifying), TEST(a_wrong_rank_at_the_end_of_a_piece_is_found),
    TEST(wrong_tails_are_found_and_never_passed), TEST(a_missing_attribute_is_damage),
    TEST(a_damaged_cover_is_done_without), TEST(an_index_that_is_too_short_is_of_no_use),
    TEST(residue_is_ignored), TEST(an_index_of_another_producer_is_used),
    TEST(rows_that_their_type_cannot_address_are_of_no_use),
    TEST(missing_rows_and_nan_are_in_the_tails), TEST(nan_that_is_missing_is_no_nan),
    TEST(too_long_a_list_is_not_made),
    TEST(a_list_of_1024_rows_is_made_whatever_part_of_all_they_are),
    TEST(a_build_without_memory_leaves_nothing), TEST(an_index_is_dropped_whole_or_memory_ran_out),
    TEST(an_append_without_memory_leaves_no_wrong_index),
    TEST(a_look_up_without_memory_fails_cleanly), TEST(verifying_without_memory_fails_cleanly))
