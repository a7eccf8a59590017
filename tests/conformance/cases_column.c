/* Cases of §6, §8 and §2: columns, categories, what cannot be read. */
#include <math.h>
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

#define X "/t/extra"

/* One more column of ten rows; it is in column-order when the case ends. */
static void extra(hid_t file, hid_t file_type, hid_t memory_type, const void *fill,
                  const void *data)
{
    make_column(file, X, file_type, memory_type, fill, data);
    list_columns(file);
}

static void extra_i16(hid_t file, int16_t fill, const int16_t *data)
{
    extra(file, H5T_STD_I16LE, H5T_NATIVE_INT16, &fill, data);
}

static void bounds_i16(hid_t file, int16_t low, int16_t high)
{
    put_value(file, X, "valid_min", H5T_STD_I16LE, H5T_NATIVE_INT16, &low);
    put_value(file, X, "valid_max", H5T_STD_I16LE, H5T_NATIVE_INT16, &high);
}

/* --- §2 what cannot be judged ---------------------------------------------------------------- */

static void a_filter_of_the_codes_is_not_available(hid_t file)
{
    const int8_t fill = -127;
    const int8_t codes[N_ROWS] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
    const hid_t plist = lost_filter();

    make_dataset(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes, N_ROWS, CHUNK,
                 plist);
    put_reference(file, "/t/label", "CATEGORIES", "/t/CATEGORIES/labels");
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Zunregister(LOST_FILTER));
}

/* The codes in chunks of four, the first of which unpacks to one. */
static void shorten_codes(hid_t file, hid_t plist)
{
    const int8_t fill = -127;
    const int8_t codes[N_ROWS] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};

    make_dataset(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes, N_ROWS, CHUNK,
                 plist);
    put_reference(file, "/t/label", "CATEGORIES", "/t/CATEGORIES/labels");
    shorten_chunk(file, "/t/label", plist, 1);
    CHECK_H5(H5Pclose(plist));
}

static void a_deflated_chunk_unpacks_to_less_than_its_rows(hid_t file)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_deflate(plist, 1));
    shorten_codes(file, plist);
}

static void a_checked_chunk_unpacks_to_less_than_its_rows(hid_t file)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_shuffle(plist));
    CHECK_H5(H5Pset_deflate(plist, 1));
    CHECK_H5(H5Pset_fletcher32(plist));
    shorten_codes(file, plist);
}

static void a_chunk_is_nothing_but_a_short_checksum(hid_t file)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_fletcher32(plist));
    shorten_codes(file, plist);
}

/* Undoing shuffle first, as this asks for, would take unpacking the chunk to know its length. */
static void chunks_are_deflated_before_they_are_shuffled(hid_t file)
{
    const int8_t fill = -127;
    const int8_t codes[N_ROWS] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_deflate(plist, 1));
    CHECK_H5(H5Pset_shuffle(plist));
    make_dataset(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes, N_ROWS, CHUNK,
                 plist);
    put_reference(file, "/t/label", "CATEGORIES", "/t/CATEGORIES/labels");
    CHECK_H5(H5Pclose(plist));
}

static void the_codes_lie_in_another_file(hid_t file)
{
    const int8_t fill = -127;
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_external(plist, "codes.bin", 0, N_ROWS));
    make_dataset(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, NULL, N_ROWS, 0, plist);
    put_reference(file, "/t/label", "CATEGORIES", "/t/CATEGORIES/labels");
    CHECK_H5(H5Pclose(plist));
}

static void units_take_up_17_mib(hid_t file)
{
    const hid_t type = string_type((size_t)17 << 20, H5T_STR_NULLTERM, H5T_CSET_UTF8);

    put_value(file, "/t/x", "units", type, type, NULL);
    CHECK_H5(H5Tclose(type));
}

/* --- §5 -------------------------------------------------------------------------------------- */

static void a_column_holds_deprecated_references(hid_t file)
{
    const hobj_ref_t fill = 0;

    extra(file, H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, &fill, NULL);
}

/* --- §6 booleans ----------------------------------------------------------------------------- */

#define LABELS "/t/CATEGORIES/labels"

static void ordered_is_an_integer(hid_t file)
{
    const int8_t value = 1;

    put_value(file, LABELS, "ordered", H5T_STD_I8LE, H5T_NATIVE_INT8, &value);
}

static void put_ordered(hid_t file, hid_t base, const void *value)
{
    const hid_t type = boolean_type(base);

    put_value(file, LABELS, "ordered", type, type, value);
    CHECK_H5(H5Tclose(type));
}

static void ordered_is_unsigned(hid_t file)
{
    put_ordered(file, H5T_STD_U8LE, "\1");
}

static void ordered_is_big_endian(hid_t file)
{
    put_ordered(file, H5T_STD_I8BE, "\1");
}

static void ordered_is_two_bytes_wide(hid_t file)
{
    put_ordered(file, H5T_STD_I16LE, "\1\0");
}

static void ordered_is_named_in_lower_case(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));

    CHECK_H5(H5Tenum_insert(type, "false", "\0"));
    CHECK_H5(H5Tenum_insert(type, "true", "\1"));
    put_value(file, LABELS, "ordered", type, type, "\1");
    CHECK_H5(H5Tclose(type));
}

static void ordered_has_a_third_member(hid_t file)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);

    CHECK_H5(H5Tenum_insert(type, "PERHAPS", "\2"));
    put_value(file, LABELS, "ordered", type, type, "\1");
    CHECK_H5(H5Tclose(type));
}

static void ordered_swaps_false_and_true(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));

    CHECK_H5(H5Tenum_insert(type, "FALSE", "\1"));
    CHECK_H5(H5Tenum_insert(type, "TRUE", "\0"));
    put_value(file, LABELS, "ordered", type, type, "\1");
    CHECK_H5(H5Tclose(type));
}

static void ordered_is_neither_false_nor_true(hid_t file)
{
    put_ordered(file, H5T_STD_I8LE, "\5");
}

static void ordered_is_an_array_of_one(hid_t file)
{
    const hsize_t one = 1;
    const hid_t type = boolean_type(H5T_STD_I8LE);

    put_values(file, LABELS, "ordered", type, type, "\1", 1, &one);
    CHECK_H5(H5Tclose(type));
}

/* --- §8.1 ------------------------------------------------------------------------------------ */

static void an_image_lies_among_the_columns(hid_t file)
{
    const hsize_t dims[] = {N_ROWS, 2};
    const hid_t space = CHECK_H5(H5Screate_simple(2, dims, NULL));

    CHECK_H5(H5Dclose(CHECK_H5(H5Dcreate2(file, "/t/image", H5T_STD_I16LE, space, H5P_DEFAULT,
                                          H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
}

static void make_shapeless(hid_t file, H5S_class_t class)
{
    const hid_t space = CHECK_H5(H5Screate(class));

    CHECK_H5(H5Dclose(CHECK_H5(H5Dcreate2(file, "/t/shapeless", H5T_STD_I16LE, space, H5P_DEFAULT,
                                          H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
}

static void a_scalar_lies_among_the_columns(hid_t file)
{
    make_shapeless(file, H5S_SCALAR);
}

static void a_null_dataspace_lies_among_the_columns(hid_t file)
{
    make_shapeless(file, H5S_NULL);
}

static void a_name_begins_with_an_underscore(hid_t file)
{
    const double fill = float_fill();

    make_column(file, "/t/_score", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, NULL);
    list_columns(file);
}

static void a_name_is_latin_1(hid_t file)
{
    const double fill = float_fill();

    build_empty(file, "/t", N_ROWS);
    make_column(file, "/t/caf\xe9", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, NULL);
}

/* --- §8.3 ------------------------------------------------------------------------------------ */

static void a_column_holds_variable_length_strings(hid_t file)
{
    const char *fill = "";
    const hid_t type = variable_string_type();

    extra(file, type, type, &fill, NULL);
    CHECK_H5(H5Tclose(type));
}

static void a_compound_column_holds_arrays(hid_t file)
{
    const hsize_t two = 2;
    const int fill[3] = {-1, -1, -1};
    const hid_t pair = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT, 1, &two));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof fill));

    CHECK_H5(H5Tinsert(type, "n", 0, H5T_NATIVE_INT));
    CHECK_H5(H5Tinsert(type, "pair", sizeof(int), pair));
    extra(file, type, type, fill, NULL);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(pair));
}

/* --- §8.4 storage ---------------------------------------------------------------------------- */

/* libhdf5 packs a chunk; one that Stoa packed, of nothing but fills, has a minimum of no bytes. */
static void a_chunk_was_rounded_by_another_program(hid_t file)
{
    const double fill = -1;
    const double data[N_ROWS] = {1.234, 2};
    const uint8_t exact[22] = {0};
    const hsize_t offset = CHUNK;
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_scaleoffset(plist, H5Z_SO_FLOAT_DSCALE, 2));
    make_dataset(file, X, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, data, N_ROWS, CHUNK, plist);
    list_columns(file);
    const hid_t dataset = CHECK_H5(H5Dopen2(file, X, H5P_DEFAULT));
    CHECK_H5(H5Dflush(dataset));
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, sizeof exact, exact));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(plist));
}

/* --- §8.5 fill value and range --------------------------------------------------------------- */

static void a_column_has_the_librarys_fill_value(hid_t file)
{
    extra(file, H5T_STD_I16LE, H5T_NATIVE_INT16, NULL, NULL);
}

static void a_column_has_an_undefined_fill_value(hid_t file)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_fill_value(plist, H5T_NATIVE_INT16, NULL));
    make_dataset(file, X, H5T_STD_I16LE, H5T_NATIVE_INT16, NULL, NULL, N_ROWS, CHUNK, plist);
    list_columns(file);
    CHECK_H5(H5Pclose(plist));
}

static void the_fill_value_is_valid_min(hid_t file)
{
    extra_i16(file, -1, NULL);
    bounds_i16(file, -1, 100);
}

static void the_fill_value_lies_inside_the_range(hid_t file)
{
    extra_i16(file, 0, NULL);
    bounds_i16(file, -1, 100);
}

static void valid_min_is_wider_than_the_column(hid_t file)
{
    const int32_t low = 0;

    extra_i16(file, -1, NULL);
    bounds_i16(file, 0, 100);
    put_value(file, X, "valid_min", H5T_STD_I32LE, H5T_NATIVE_INT32, &low);
}

static void valid_max_has_the_other_byte_order(hid_t file)
{
    const int16_t high = 100;

    extra_i16(file, -1, NULL);
    bounds_i16(file, 0, 100);
    put_value(file, X, "valid_max", H5T_STD_I16BE, H5T_NATIVE_INT16, &high);
}

static void valid_min_is_an_array_of_one(hid_t file)
{
    const hsize_t one = 1;
    const int16_t low = 0;

    extra_i16(file, -1, NULL);
    bounds_i16(file, 0, 100);
    put_values(file, X, "valid_min", H5T_STD_I16LE, H5T_NATIVE_INT16, &low, 1, &one);
}

static void valid_min_stands_alone(hid_t file)
{
    extra_i16(file, -1, NULL);
    bounds_i16(file, 0, 100);
    drop(file, X, "valid_max");
}

static void valid_min_is_above_valid_max(hid_t file)
{
    extra_i16(file, -1, NULL);
    bounds_i16(file, 100, 0);
}

static void valid_max_is_nan(hid_t file)
{
    const double fill = -1;
    const double low = 0;
    const double high = NAN;

    extra(file, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, NULL);
    put_value(file, X, "valid_min", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &low);
    put_value(file, X, "valid_max", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &high);
}

static void a_value_lies_outside_the_range(hid_t file)
{
    const int16_t data[N_ROWS] = {0, 1, -1, 100, 101, 0, 0, 0, 0, 0};

    extra_i16(file, -1, data);
    bounds_i16(file, 0, 100);
}

static void the_sentinel_of_int16_is_data(hid_t file)
{
    const int16_t data[N_ROWS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, -32767};

    extra_i16(file, -1, data);
}

static void the_sentinel_of_uint8_is_data(hid_t file)
{
    const uint8_t fill = 2;
    const uint8_t data[N_ROWS] = {0, 1, 255};

    extra(file, H5T_STD_U8LE, H5T_NATIVE_UINT8, &fill, data);
}

static void the_sentinel_of_a_big_endian_int64_is_data(hid_t file)
{
    const int64_t fill = INT64_MIN;
    const int64_t data[N_ROWS] = {0, 1, -INT64_MAX};

    extra(file, H5T_STD_I64BE, H5T_NATIVE_INT64, &fill, data);
}

static void the_sentinel_of_float32_is_data_beside_nan(hid_t file)
{
    const uint32_t bits = 0x7CF00000;
    const float fill = NAN;
    float data[N_ROWS] = {0, 1, NAN};

    memcpy(&data[5], &bits, sizeof bits);
    extra(file, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &fill, data);
}

static hid_t colours(bool with_missing)
{
    const int16_t codes[] = {0, 1, 7};
    const hid_t type = CHECK_H5(H5Tenum_create(H5T_STD_I16BE));
    const char *const names[] = {"RED", "GREEN", "MISSING"};

    for (int i = 0; i < (with_missing ? 3 : 2); i++) {
        int16_t code = codes[i];
        CHECK_H5(H5Tconvert(H5T_NATIVE_INT16, H5T_STD_I16BE, 1, &code, NULL, H5P_DEFAULT));
        CHECK_H5(H5Tenum_insert(type, names[i], &code));
    }
    return type;
}

/* Fill and rows are codes, big-endian as the type is. */
static void extra_colours(hid_t file, bool with_missing, uint8_t fill, uint8_t fifth)
{
    const hid_t type = colours(with_missing);
    const uint8_t fill_bytes[2] = {0, fill};
    uint8_t data[2 * N_ROWS] = {0};

    data[2 * 5 + 1] = fifth;
    extra(file, type, type, fill_bytes, data);
    CHECK_H5(H5Tclose(type));
}

static void an_enumeration_misses_a_row_and_has_no_missing(hid_t file)
{
    extra_colours(file, false, 9, 9);
}

static void an_enumeration_was_never_written_and_has_no_missing(hid_t file)
{
    const hid_t type = colours(false);

    extra(file, type, type, "\0\11", NULL);
    CHECK_H5(H5Tclose(type));
}

static void an_enumeration_has_a_missing_that_is_not_the_fill(hid_t file)
{
    extra_colours(file, true, 9, 0);
}

static void an_enumeration_is_filled_with_red(hid_t file)
{
    extra_colours(file, false, 0, 1);
}

static void a_column_has_one_bit(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_U8LE));
    const uint8_t fill = 0;

    CHECK_H5(H5Tset_precision(type, 1));
    extra(file, type, type, &fill, NULL);
    CHECK_H5(H5Tclose(type));
}

/* --- §8.6 ------------------------------------------------------------------------------------ */

static void units_have_variable_length(hid_t file)
{
    put_variable_string(file, "/t/x", "units", "MeV");
}

static void units_are_an_array_of_one(hid_t file)
{
    put_one_string(file, "/t/x", "units", "MeV", H5T_CSET_UTF8);
}

static void description_of_a_column_is_ascii(hid_t file)
{
    put_ascii(file, "/t/x", "description", "energy");
}

static void units_vocabulary_of_a_column_is_latin_1(hid_t file)
{
    put_text(file, "/t/x", "units_vocabulary", "caf\xe9");
}

static void search_index_list_is_scalar(hid_t file)
{
    put_reference(file, "/t/x", "SEARCH_INDEX_LIST", "/t/SEARCH_INDEXES/x_minmax");
}

static void search_index_list_leads_to_a_column(hid_t file)
{
    const char *const targets[] = {"/t/SEARCH_INDEXES/x_minmax", "/t/id"};

    put_references(file, "/t/x", "SEARCH_INDEX_LIST", targets, 2);
}

static void search_index_list_holds_a_null_reference(hid_t file)
{
    const char *const targets[] = {"/t/SEARCH_INDEXES/x_minmax", NULL};

    put_references(file, "/t/x", "SEARCH_INDEX_LIST", targets, 2);
}

/* --- §8.7 categorical columns ---------------------------------------------------------------- */

static void categories_of_a_column_is_an_array(hid_t file)
{
    const char *const targets[] = {LABELS};

    put_references(file, "/t/label", "CATEGORIES", targets, 1);
}

static void a_float_column_has_categories(hid_t file)
{
    put_reference(file, "/t/x", "CATEGORIES", LABELS);
}

static void an_enumeration_has_categories(hid_t file)
{
    extra_colours(file, true, 7, 0);
    put_reference(file, X, "CATEGORIES", LABELS);
}

static void a_code_is_past_the_labels(hid_t file)
{
    const int8_t fill = -127;
    const int8_t codes[N_ROWS] = {0, 1, 2, 3};

    make_column(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes);
    put_reference(file, "/t/label", "CATEGORIES", LABELS);
}

static void a_code_is_negative(hid_t file)
{
    const int8_t fill = -127;
    const int8_t codes[N_ROWS] = {0, 1, 2, -1};

    make_column(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes);
    put_reference(file, "/t/label", "CATEGORIES", LABELS);
}

static void the_fill_value_is_a_code(hid_t file)
{
    const int8_t fill = 2;
    const int8_t codes[N_ROWS] = {0, 1, 2};

    make_column(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes);
    put_reference(file, "/t/label", "CATEGORIES", LABELS);
}

static void categories_lead_outside_the_table(hid_t file)
{
    make_dataset(file, "/labels", H5T_STD_I8LE, H5T_NATIVE_INT8, NULL, NULL, 3, 0, H5P_DEFAULT);
    put_reference(file, "/t/label", "CATEGORIES", "/labels");
    CHECK_H5(H5Ldelete(file, LABELS, H5P_DEFAULT));
}

static void categories_are_two_dimensional(hid_t file)
{
    const hsize_t dims[] = {3, 2};
    const hid_t space = CHECK_H5(H5Screate_simple(2, dims, NULL));

    remove_link(file, LABELS);
    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(file, LABELS, H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
    put_reference(file, "/t/label", "CATEGORIES", LABELS);
}

static const conformance_case cases[] = {
    CASE("2-UNREADABLE", a_filter_of_the_codes_is_not_available),
    CASE("2-UNREADABLE", a_deflated_chunk_unpacks_to_less_than_its_rows),
    CASE("2-UNREADABLE", a_checked_chunk_unpacks_to_less_than_its_rows),
    CASE("2-UNREADABLE", a_chunk_is_nothing_but_a_short_checksum),
    CASE("2-NOT-READ", chunks_are_deflated_before_they_are_shuffled),
    CASE("2-NOT-READ", the_codes_lie_in_another_file),
    CASE("2-NOT-READ", units_take_up_17_mib),
    CASE("5-REF-COLUMN", a_column_holds_deprecated_references),
    CASE("6-BOOL-TYPE", ordered_is_an_integer),
    CASE("6-BOOL-BASE", ordered_is_unsigned),
    CASE("6-BOOL-BASE", ordered_is_big_endian),
    CASE("6-BOOL-BASE", ordered_is_two_bytes_wide),
    CASE("6-BOOL-MEMBERS", ordered_is_named_in_lower_case),
    CASE("6-BOOL-MEMBERS", ordered_has_a_third_member),
    CASE("6-BOOL-MEMBERS", ordered_swaps_false_and_true),
    CASE("6-BOOL-VALUE", ordered_is_neither_false_nor_true),
    CASE("8.7-ORDERED-SHAPE", ordered_is_an_array_of_one),
    CASE("8.1-RANK", an_image_lies_among_the_columns),
    CASE("8.1-RANK", a_scalar_lies_among_the_columns),
    CASE("8.1-RANK", a_null_dataspace_lies_among_the_columns),
    CASE("8.1-NAME-UNDERSCORE", a_name_begins_with_an_underscore),
    WHOLE_CASE("8.1-NAME-UTF8", a_name_is_latin_1),
    CASE("8.3-VLEN", a_column_holds_variable_length_strings),
    CASE("8.3-COMPOUND-ATOMIC", a_compound_column_holds_arrays),
    CASE("8.4-ROUNDED", a_chunk_was_rounded_by_another_program),
    CASE("8.5-FILL-DEFINED", a_column_has_the_librarys_fill_value),
    CASE("8.5-FILL-DEFINED", a_column_has_an_undefined_fill_value),
    CASE("8.5-FILL-IN-RANGE", the_fill_value_is_valid_min),
    CASE("8.5-FILL-IN-RANGE", the_fill_value_lies_inside_the_range),
    CASE("8.5-VALID-TYPE", valid_min_is_wider_than_the_column),
    CASE("8.5-VALID-TYPE", valid_max_has_the_other_byte_order),
    CASE("8.5-VALID-SHAPE", valid_min_is_an_array_of_one),
    CASE("8.5-VALID-PAIR", valid_min_stands_alone),
    CASE("8.5-VALID-PAIR", valid_min_is_above_valid_max),
    CASE("8.5-VALID-PAIR", valid_max_is_nan),
    CASE("8.5-VALID-VALUE", a_value_lies_outside_the_range),
    CASE("8.5-OVERRIDE-RANGE", the_sentinel_of_int16_is_data),
    CASE("8.5-OVERRIDE-RANGE", the_sentinel_of_uint8_is_data),
    CASE("8.5-OVERRIDE-RANGE", the_sentinel_of_a_big_endian_int64_is_data),
    CASE("8.5-OVERRIDE-RANGE", the_sentinel_of_float32_is_data_beside_nan),
    CASE("8.5-ENUM-MISSING", an_enumeration_misses_a_row_and_has_no_missing),
    CASE("8.5-ENUM-MISSING", an_enumeration_was_never_written_and_has_no_missing),
    CASE("8.5-ENUM-FILL", an_enumeration_has_a_missing_that_is_not_the_fill),
    CASE("8.5-ENUM-FILL", an_enumeration_is_filled_with_red),
    CASE("8.5-BOOL-WIDEN", a_column_has_one_bit),
    CASE("8.6-TEXT-TYPE", units_have_variable_length),
    CASE("8.6-TEXT-SHAPE", units_are_an_array_of_one),
    CASE("8.6-TEXT-CHARSET", description_of_a_column_is_ascii),
    CASE("8.6-TEXT-UTF8", units_vocabulary_of_a_column_is_latin_1),
    CASE("8.6-INDEX-LIST-SHAPE", search_index_list_is_scalar),
    CASE("12-INDEX-LIST-TARGET", search_index_list_leads_to_a_column),
    CASE("12-INDEX-LIST-TARGET", search_index_list_holds_a_null_reference),
    CASE("8.7-CATEGORIES-SHAPE", categories_of_a_column_is_an_array),
    CASE("8.7-CODE-TYPE", a_float_column_has_categories),
    CASE("8.7-CODE-TYPE", an_enumeration_has_categories),
    CASE("8.7-CODE-RANGE", a_code_is_past_the_labels),
    CASE("8.7-CODE-RANGE", a_code_is_negative),
    CASE("12-FILL-CODE", the_fill_value_is_a_code),
    CASE("12-CATEGORIES-TARGET", categories_lead_outside_the_table),
    CASE("8.7-CATEGORIES-RANK", categories_are_two_dimensional),
};

const case_list column_cases = {cases, sizeof cases / sizeof cases[0]};
