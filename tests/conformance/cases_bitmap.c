/* Cases of §10.6: BITMAP. */
#include <math.h>
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

static const int8_t codes[3] = {0, 1, 2};

static void map_label(hid_t file, const uint8_t *bits, uint64_t n_bytes)
{
    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, codes, 3, bits, n_bytes);
}

static void make_whole(hid_t file)
{
    map_label(file, label_bits[0], 2);
}

/* --- references ------------------------------------------------------------------------------ */

static void there_are_no_values(hid_t file)
{
    make_whole(file);
    drop(file, BITMAP, "VALUES");
    remove_link(file, VALUES);
}

static void values_is_an_array(hid_t file)
{
    const char *const targets[] = {VALUES};

    make_whole(file);
    put_references(file, BITMAP, "VALUES", targets, 1);
}

static void the_values_are_a_column(hid_t file)
{
    make_whole(file);
    put_reference(file, BITMAP, "VALUES", "/t/label");
    remove_link(file, VALUES);
}

static void values_is_null(hid_t file)
{
    make_whole(file);
    put_reference(file, BITMAP, "VALUES", NULL);
    remove_link(file, VALUES);
}

static void values_is_of_the_deprecated_reference_type(hid_t file)
{
    make_whole(file);
    put_old_reference(file, BITMAP, "VALUES", VALUES, true);
}

static void the_values_carry_kind(hid_t file)
{
    make_whole(file);
    put_ascii(file, VALUES, "KIND", "CHUNK_HISTOGRAM");
    put_text(file, VALUES, "description", "by hand");
}

static void ordered_of_a_bitmap_is_an_array(hid_t file)
{
    const hsize_t one = 1;
    const hid_t type = boolean_type(H5T_STD_I8LE);

    make_whole(file);
    put_values(file, BITMAP, "ordered", type, type, "\1", 1, &one);
    CHECK_H5(H5Tclose(type));
}

static void ordered_of_a_bitmap_is_an_integer(hid_t file)
{
    make_whole(file);
    put_value(file, BITMAP, "ordered", H5T_STD_I8LE, H5T_NATIVE_INT8, "\1");
}

/* --- form ------------------------------------------------------------------------------------ */

/* The index as another dataset of rank 1 or 2; nothing is written. */
static void remake(hid_t file, hid_t type, int rank, const hsize_t *dims)
{
    const hid_t space = CHECK_H5(H5Screate_simple(rank, dims, NULL));

    make_whole(file);
    remove_link(file, BITMAP);
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, BITMAP, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
    put_ascii(file, BITMAP, "KIND", "BITMAP");
    put_text(file, BITMAP, "description", "by hand");
    put_reference(file, BITMAP, "VALUES", VALUES);
    link_index(file, "/t/label", BITMAP);
}

static void the_bits_are_one_dimensional(hid_t file)
{
    const hsize_t dims[] = {6};

    remake(file, H5T_STD_U8LE, 1, dims);
}

static void the_bits_are_signed(hid_t file)
{
    const hsize_t dims[] = {3, 2};

    remake(file, H5T_STD_I8LE, 2, dims);
}

static void the_bits_come_in_words(hid_t file)
{
    const hsize_t dims[] = {3, 2};

    remake(file, H5T_STD_U16LE, 2, dims);
}

static void two_rows_have_no_bits(hid_t file)
{
    const uint8_t bits[3] = {0x91, 0x22, 0x44};

    map_label(file, bits, 1);
}

static void there_is_a_byte_too_many(hid_t file)
{
    const uint8_t bits[3][3] = {{0x91, 0, 0xff}, {0x22, 1, 0}, {0x44, 2, 0}};

    map_label(file, bits[0], 3);
}

static void bits_past_nrows_are_set(hid_t file)
{
    const uint8_t bits[3][2] = {{0x91, 0x00}, {0x22, 0x01}, {0x44, 0x82}};

    map_label(file, bits[0], 2);
}

static void the_values_are_two_dimensional(hid_t file)
{
    const hsize_t dims[] = {3, 1};
    const hid_t space = CHECK_H5(H5Screate_simple(2, dims, NULL));

    make_whole(file);
    remove_link(file, VALUES);
    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(file, VALUES, H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
    put_reference(file, BITMAP, "VALUES", VALUES);
}

static void a_value_has_no_row(hid_t file)
{
    const int8_t values[4] = {0, 1, 2, 3};

    make_whole(file);
    make_dataset(file, VALUES, H5T_STD_I8LE, H5T_NATIVE_INT8, NULL, values, 4, 0, H5P_DEFAULT);
    put_reference(file, BITMAP, "VALUES", VALUES);
}

static void the_values_are_wider_than_the_column(hid_t file)
{
    make_bitmap(file, "/t/label", H5T_STD_I16LE, H5T_NATIVE_INT8, codes, 3, label_bits[0], 2);
}

/* --- contents -------------------------------------------------------------------------------- */

static void a_bit_is_missing(hid_t file)
{
    const uint8_t bits[3][2] = {{0x90, 0x00}, {0x22, 0x01}, {0x44, 0x02}};

    map_label(file, bits[0], 2);
}

static void a_bit_is_set_in_two_rows(hid_t file)
{
    const uint8_t bits[3][2] = {{0x91, 0x00}, {0x22, 0x01}, {0x44, 0x03}};

    map_label(file, bits[0], 2);
}

static void bits_begin_with_the_highest(hid_t file)
{
    const uint8_t bits[3][2] = {{0x89, 0x00}, {0x44, 0x01}, {0x22, 0x02}};

    map_label(file, bits[0], 2);
}

static void a_missing_row_has_a_bit(hid_t file)
{
    const uint8_t bits[3][2] = {{0x99, 0x00}, {0x22, 0x01}, {0x44, 0x02}};

    map_label(file, bits[0], 2);
}

/* x is 3 NaN . 7.5 . . NaN NaN -1 2: NaN is in rows 1, 6 and 7. */
static void nan_marks_one_nan_of_three(hid_t file)
{
    const double values[5] = {3, 7.5, -1, 2, NAN};
    const uint8_t bits[5][2] = {{0x01, 0}, {0x08, 0}, {0, 1}, {0, 2}, {0x02, 0}};

    make_bitmap(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, 5, bits[0], 2);
}

static void a_value_is_indexed_twice(hid_t file)
{
    const int8_t values[3] = {0, 1, 1};
    const uint8_t bits[3][2] = {{0x91, 0x00}, {0x22, 0x01}, {0x22, 0x01}};

    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, values, 3, bits[0], 2);
}

static void both_zeros_are_indexed(hid_t file)
{
    const double fill = float_fill();
    const double data[N_ROWS] = {0.0, -0.0, 0, 0, 0, 0, 0, 0, 0, 0};
    const double values[2] = {0.0, -0.0};
    const uint8_t bits[2][2] = {{0xff, 3}, {0xff, 3}};

    make_column(file, "/t/extra", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, data);
    list_columns(file);
    make_bitmap(file, "/t/extra", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, 2, bits[0], 2);
}

static void a_value_is_not_indexed(hid_t file)
{
    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, codes, 2, label_bits[0], 2);
}

static void the_bits_unpack_to_less_than_their_rows(hid_t file)
{
    const hsize_t dims[] = {3, 2};
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(2, dims, NULL));

    CHECK_H5(H5Pset_chunk(plist, 2, dims));
    CHECK_H5(H5Pset_deflate(plist, 1));
    make_whole(file);
    remove_link(file, BITMAP);
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, BITMAP, H5T_STD_U8LE, space, H5P_DEFAULT, plist, H5P_DEFAULT))));
    put_ascii(file, BITMAP, "KIND", "BITMAP");
    put_text(file, BITMAP, "description", "by hand");
    put_reference(file, BITMAP, "VALUES", VALUES);
    link_index(file, "/t/label", BITMAP);
    shorten_chunk(file, BITMAP, plist, 1);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(plist));
}

static const conformance_case cases[] = {
    CASE("10.6-VALUES-PRESENT", there_are_no_values),
    CASE("10.6-VALUES-SHAPE", values_is_an_array),
    CASE("10.6-VALUES-TARGET", the_values_are_a_column),
    CASE("10.6-VALUES-TARGET", values_is_null),
    CASE("5-REF-TYPE", values_is_of_the_deprecated_reference_type),
    CASE("10.1-ACCOMPANYING-KIND 10.3-KIND-UNKNOWN", the_values_carry_kind),
    CASE("10.6-ORDERED-SHAPE", ordered_of_a_bitmap_is_an_array),
    CASE("6-BOOL-TYPE", ordered_of_a_bitmap_is_an_integer),
    CASE("10.6-SHAPE", the_bits_are_one_dimensional),
    CASE("10.6-DATATYPE", the_bits_are_signed),
    CASE("10.6-DATATYPE", the_bits_come_in_words),
    CASE("10.6-LENGTH", two_rows_have_no_bits),
    CASE("10.6-RESIDUE", there_is_a_byte_too_many),
    CASE("10.6-RESIDUE", bits_past_nrows_are_set),
    CASE("10.6-VALUES-RANK", the_values_are_two_dimensional),
    CASE("10.6-VALUES-LENGTH", a_value_has_no_row),
    CASE("10.6-VALUES-TYPE", the_values_are_wider_than_the_column),
    CASE("10.6-BITS", a_bit_is_missing),
    CASE("10.6-BITS", a_bit_is_set_in_two_rows),
    CASE("10.6-BITS", bits_begin_with_the_highest),
    CASE("10.6-BITS", a_missing_row_has_a_bit),
    CASE("10.6-BITS", nan_marks_one_nan_of_three),
    CASE("10.6-DISTINCT", a_value_is_indexed_twice),
    CASE("10.6-DISTINCT", both_zeros_are_indexed),
    CASE("2-UNREADABLE", the_bits_unpack_to_less_than_their_rows),
    CASE("10.6-COVERAGE", a_value_is_not_indexed),
};

const case_list bitmap_cases = {cases, sizeof cases / sizeof cases[0]};
