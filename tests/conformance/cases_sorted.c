/* Cases of §10.5: SORTED_ROWS. */
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

static void sort_x(hid_t file, const uint64_t *rows, uint64_t n)
{
    make_sorted(file, "/t/x", H5T_STD_U64LE, rows, n, 3, 3);
}

/* --- form ------------------------------------------------------------------------------------ */

static void a_compound_column_is_sorted(hid_t file)
{
    const int fill[2] = {-1, -1};
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof fill));

    CHECK_H5(H5Tinsert(type, "a", 0, H5T_NATIVE_INT));
    CHECK_H5(H5Tinsert(type, "b", sizeof(int), H5T_NATIVE_INT));
    make_column(file, "/t/pair", type, type, fill, NULL);
    list_columns(file);
    make_sorted(file, "/t/pair", H5T_STD_U64LE, x_sorted, N_ROWS, 3, 3);
    CHECK_H5(H5Tclose(type));
}

static void an_array_column_is_sorted(hid_t file)
{
    const hsize_t two = 2;
    const int fill[2] = {-1, -1};
    const hid_t type = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT, 1, &two));

    make_column(file, "/t/pair", type, type, fill, NULL);
    list_columns(file);
    make_sorted(file, "/t/pair", H5T_STD_U64LE, x_sorted, N_ROWS, 3, 3);
    CHECK_H5(H5Tclose(type));
}

/* The index again, with the attributes it had, in another shape. */
static void reshape(hid_t file, int rank, const hsize_t *dims)
{
    const hid_t space = CHECK_H5(H5Screate_simple(rank, dims, NULL));

    remove_link(file, SORTED);
    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(file, SORTED, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
    put_ascii(file, SORTED, "KIND", "SORTED_ROWS");
    put_text(file, SORTED, "description", "by hand");
    put_u64(file, SORTED, "nan_tail_length", H5T_STD_U64LE, 3);
    put_u64(file, SORTED, "fill_tail_length", H5T_STD_U64LE, 3);
    put_bool(file, SORTED, "ordered", true);
    link_index(file, "/t/x", SORTED);
}

static void the_rows_are_two_dimensional(hid_t file)
{
    const hsize_t dims[] = {N_ROWS, 1};

    sort_x(file, x_sorted, N_ROWS);
    reshape(file, 2, dims);
}

static void a_row_has_no_entry(hid_t file)
{
    sort_x(file, x_sorted, N_ROWS - 1);
}

static void there_is_an_entry_past_nrows(hid_t file)
{
    uint64_t rows[N_ROWS + 1];

    memcpy(rows, x_sorted, sizeof x_sorted);
    rows[N_ROWS] = N_ROWS;
    sort_x(file, rows, N_ROWS + 1);
}

static void the_rows_are_signed(hid_t file)
{
    make_sorted(file, "/t/x", H5T_STD_I64LE, x_sorted, N_ROWS, 3, 3);
}

static void the_rows_are_floats(hid_t file)
{
    make_sorted(file, "/t/x", H5T_IEEE_F64LE, x_sorted, N_ROWS, 3, 3);
}

static void the_rows_have_three_bits(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_U8LE));

    CHECK_H5(H5Tset_precision(type, 3));
    make_sorted(file, "/t/x", type, x_sorted, N_ROWS, 3, 3);
    CHECK_H5(H5Tclose(type));
}

static void nan_tail_length_is_missing(hid_t file)
{
    sort_x(file, x_sorted, N_ROWS);
    drop(file, SORTED, "nan_tail_length");
}

static void fill_tail_length_is_missing(hid_t file)
{
    sort_x(file, x_sorted, N_ROWS);
    drop(file, SORTED, "fill_tail_length");
}

static void nan_tail_length_is_signed(hid_t file)
{
    sort_x(file, x_sorted, N_ROWS);
    put_u64(file, SORTED, "nan_tail_length", H5T_STD_I64LE, 3);
}

static void fill_tail_length_has_32_bits(hid_t file)
{
    sort_x(file, x_sorted, N_ROWS);
    put_u64(file, SORTED, "fill_tail_length", H5T_STD_U32LE, 3);
}

static void nan_tail_length_is_an_array_of_one(hid_t file)
{
    const hsize_t one = 1;
    const uint64_t three = 3;

    sort_x(file, x_sorted, N_ROWS);
    put_values(file, SORTED, "nan_tail_length", H5T_STD_U64LE, H5T_NATIVE_UINT64, &three, 1, &one);
}

static void ordered_is_missing(hid_t file)
{
    sort_x(file, x_sorted, N_ROWS);
    drop(file, SORTED, "ordered");
}

static void ordered_is_an_array_of_one(hid_t file)
{
    const hsize_t one = 1;
    const hid_t type = boolean_type(H5T_STD_I8LE);

    sort_x(file, x_sorted, N_ROWS);
    put_values(file, SORTED, "ordered", type, type, "\1", 1, &one);
    CHECK_H5(H5Tclose(type));
}

static void ordered_is_false(hid_t file)
{
    sort_x(file, x_sorted, N_ROWS);
    put_bool(file, SORTED, "ordered", false);
}

/* --- contents -------------------------------------------------------------------------------- */

static void a_row_is_named_twice(hid_t file)
{
    const uint64_t rows[N_ROWS] = {8, 9, 0, 3, 2, 4, 4, 1, 6, 7};

    sort_x(file, rows, N_ROWS);
}

static void a_row_past_nrows_is_named(hid_t file)
{
    const uint64_t rows[N_ROWS] = {8, 9, 0, 3, 2, 4, 5, 1, 6, 10};

    sort_x(file, rows, N_ROWS);
}

static void a_row_is_lost_behind_one_past_nrows(hid_t file)
{
    const uint64_t rows[N_ROWS + 1] = {8, 9, 0, 3, 2, 4, 10, 1, 6, 7, 7};

    sort_x(file, rows, N_ROWS + 1);
}

/* §11.2: a crash between steps 4 and 5 of an append of rows 8 and 9 leaves this (notes A1). */
static void an_append_was_not_committed(hid_t file)
{
    write_entries(file, x_entries, 2);
    put_u64(file, "/t", "NROWS", H5T_STD_U64LE, 8);
    sort_x(file, x_sorted, N_ROWS);
}

static void two_values_are_exchanged(hid_t file)
{
    const uint64_t rows[N_ROWS] = {8, 0, 9, 3, 2, 4, 5, 1, 6, 7};

    sort_x(file, rows, N_ROWS);
}

/* 0xfd is the code -3: as an unsigned number it would be the largest. */
static void codes_are_sorted_as_unsigned(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));
    const int8_t codes[N_ROWS] = {-3, 0, 5, 5, 5, 5, 5, 5, 5, 5};
    const uint64_t rows[N_ROWS] = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9};

    CHECK_H5(H5Tenum_insert(type, "COLD", "\xfd"));
    CHECK_H5(H5Tenum_insert(type, "WARM", "\0"));
    CHECK_H5(H5Tenum_insert(type, "MISSING", "\5"));
    make_column(file, "/t/extra", type, type, "\5", codes);
    list_columns(file);
    make_sorted(file, "/t/extra", H5T_STD_U64LE, rows, N_ROWS, 8, 0);
    CHECK_H5(H5Tclose(type));
}

static void equal_values_are_in_falling_order(hid_t file)
{
    const uint64_t rows[N_ROWS] = {4, 0, 7, 1, 5, 8, 2, 6, 9, 3};

    make_sorted(file, "/t/label", H5T_STD_U64LE, rows, N_ROWS, 1, 0);
}

/* -0.0 and 0.0 are equal, so the row decides. */
static void zeros_are_sorted_by_their_sign(hid_t file)
{
    const double fill = float_fill();
    const double data[N_ROWS] = {0.0, -0.0, 1, 1, 1, 1, 1, 1, 1, 1};
    const uint64_t rows[N_ROWS] = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9};

    make_column(file, "/t/extra", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, data);
    list_columns(file);
    make_sorted(file, "/t/extra", H5T_STD_U64LE, rows, N_ROWS, 0, 0);
}

static void a_missing_row_stands_among_the_values(hid_t file)
{
    const uint64_t rows[N_ROWS] = {8, 9, 0, 2, 3, 4, 5, 1, 6, 7};

    sort_x(file, rows, N_ROWS);
}

static void missing_rows_are_in_falling_order(hid_t file)
{
    const uint64_t rows[N_ROWS] = {8, 9, 0, 3, 2, 5, 4, 1, 6, 7};

    sort_x(file, rows, N_ROWS);
}

static void fill_tail_length_is_too_small(hid_t file)
{
    make_sorted(file, "/t/x", H5T_STD_U64LE, x_sorted, N_ROWS, 2, 3);
}

static void nan_stands_before_missing_rows(hid_t file)
{
    const uint64_t rows[N_ROWS] = {8, 9, 0, 3, 1, 6, 7, 2, 4, 5};

    sort_x(file, rows, N_ROWS);
}

static void nan_rows_are_in_falling_order(hid_t file)
{
    const uint64_t rows[N_ROWS] = {8, 9, 0, 3, 2, 4, 5, 7, 6, 1};

    sort_x(file, rows, N_ROWS);
}

static void nan_tail_length_is_too_large(hid_t file)
{
    make_sorted(file, "/t/x", H5T_STD_U64LE, x_sorted, N_ROWS, 3, 6);
}

static void the_filter_of_the_rows_is_not_available(hid_t file)
{
    const hid_t plist = lost_filter();

    sort_x(file, x_sorted, N_ROWS);
    make_dataset(file, SORTED, H5T_STD_U64LE, H5T_NATIVE_UINT64, NULL, x_sorted, N_ROWS, 4, plist);
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Zunregister(LOST_FILTER));
    put_ascii(file, SORTED, "KIND", "SORTED_ROWS");
    put_text(file, SORTED, "description", "by hand");
    put_u64(file, SORTED, "nan_tail_length", H5T_STD_U64LE, 3);
    put_u64(file, SORTED, "fill_tail_length", H5T_STD_U64LE, 3);
    put_bool(file, SORTED, "ordered", true);
    link_index(file, "/t/x", SORTED);
}

static const conformance_case cases[] = {
    CASE("10.5-ORDERABLE", a_compound_column_is_sorted),
    CASE("10.5-ORDERABLE", an_array_column_is_sorted),
    CASE("10.5-SHAPE", the_rows_are_two_dimensional),
    CASE("10.5-LENGTH", a_row_has_no_entry),
    CASE("10.5-RESIDUE", there_is_an_entry_past_nrows),
    CASE("10.5-DATATYPE", the_rows_are_signed),
    CASE("10.5-DATATYPE", the_rows_are_floats),
    CASE("10.5-WIDTH", the_rows_have_three_bits),
    CASE("10.5-TAIL-PRESENT", nan_tail_length_is_missing),
    CASE("10.5-TAIL-PRESENT", fill_tail_length_is_missing),
    CASE("10.5-TAIL-TYPE", nan_tail_length_is_signed),
    CASE("10.5-TAIL-TYPE", fill_tail_length_has_32_bits),
    CASE("10.5-TAIL-SHAPE", nan_tail_length_is_an_array_of_one),
    CASE("10.5-ORDERED-PRESENT", ordered_is_missing),
    CASE("10.5-ORDERED-SHAPE", ordered_is_an_array_of_one),
    CASE("10.5-ORDERED-TRUE", ordered_is_false),
    CASE("10.5-PERMUTATION", a_row_is_named_twice),
    CASE("10.5-PERMUTATION", a_row_past_nrows_is_named),
    CASE("10.5-PERMUTATION 10.5-RESIDUE", a_row_is_lost_behind_one_past_nrows),
    CASE("10.5-INTERLEAVED 10.5-RESIDUE", an_append_was_not_committed),
    CASE("10.5-ORDER", two_values_are_exchanged),
    CASE("10.5-ORDER", codes_are_sorted_as_unsigned),
    CASE("10.5-TIES", equal_values_are_in_falling_order),
    CASE("10.5-TIES", zeros_are_sorted_by_their_sign),
    CASE("10.5-FILL-TAIL", a_missing_row_stands_among_the_values),
    CASE("10.5-FILL-TAIL", missing_rows_are_in_falling_order),
    CASE("10.5-FILL-TAIL-LENGTH", fill_tail_length_is_too_small),
    CASE("10.5-NAN-TAIL", nan_stands_before_missing_rows),
    CASE("10.5-NAN-TAIL", nan_rows_are_in_falling_order),
    CASE("10.5-NAN-TAIL-LENGTH", nan_tail_length_is_too_large),
    CASE("2-UNREADABLE", the_filter_of_the_rows_is_not_available),
};

const case_list sorted_cases = {cases, sizeof cases / sizeof cases[0]};
