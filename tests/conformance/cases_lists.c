/* Cases of list columns (HEP001-2026-07 §9). Sections are July's. */
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

/* --- what breaks no rule --------------------------------------------------------------------- */

static void a_list_of_floats(hid_t file)
{
    build_list(file);
}

static void a_list_without_mask(hid_t file)
{
    build_list(file);
    remove_link(file, LIST "/MASK");
}

static void a_list_of_strings(hid_t file)
{
    build_string_list(file);
}

static void a_list_of_fixed_strings(hid_t file)
{
    const hid_t type = string_type(4, H5T_STR_NULLPAD, H5T_CSET_UTF8);

    build_list(file);
    make_dataset(file, LIST "/VALUES", type, type, "\0\0\0\0", NULL, N_ELEMENTS, CHUNK,
                 H5P_DEFAULT);
    CHECK_H5(H5Tclose(type));
}

static void a_list_of_booleans(hid_t file)
{
    const int8_t data[N_ELEMENTS] = {0, 1, 1};
    const hid_t type = boolean_type(H5T_STD_I8LE);

    build_list(file);
    make_dataset(file, LIST "/VALUES", type, type, NULL, data, N_ELEMENTS, CHUNK, H5P_DEFAULT);
    CHECK_H5(H5Tclose(type));
}

static void a_list_of_compounds_and_arrays(hid_t file)
{
    const hsize_t two = 2;
    const float fill[3] = {-1, -1, -1};
    const hid_t pair = CHECK_H5(H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &two));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8));

    CHECK_H5(H5Tinsert(type, "re", 0, H5T_NATIVE_FLOAT));
    CHECK_H5(H5Tinsert(type, "im", 4, H5T_NATIVE_FLOAT));
    build_list(file);
    make_dataset(file, LIST "/VALUES", type, type, fill, NULL, N_ELEMENTS, CHUNK, H5P_DEFAULT);
    make_list(file, "/t/pairs");
    make_offsets(file, "/t/pairs", list_offsets, N_ROWS + 1);
    make_dataset(file, "/t/pairs/VALUES", pair, pair, fill, NULL, N_ELEMENTS, 0, H5P_DEFAULT);
    list_columns(file);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(pair));
}

/* The twelve elements of the list as lists of 0, 1 and 2 in turn. */
static const uint64_t inner_offsets[N_ELEMENTS + 1] = {0, 0, 1, 3, 3, 4, 6, 6, 7, 9, 9, 10, 12};

static void nest(hid_t file)
{
    const int16_t fill = -32767;

    build_list(file);
    remove_link(file, LIST "/VALUES");
    make_list(file, LIST "/VALUES");
    make_offsets(file, LIST "/VALUES", inner_offsets, N_ELEMENTS + 1);
    make_dataset(file, LIST "/VALUES/VALUES", H5T_STD_I16LE, H5T_NATIVE_INT16, &fill, NULL, 12,
                 CHUNK, H5P_DEFAULT);
}

static void a_list_of_lists(hid_t file)
{
    const uint8_t mask[N_ELEMENTS] = {0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1};

    nest(file);
    make_mask(file, LIST "/VALUES", mask, N_ELEMENTS);
}

static void a_list_of_lists_of_strings(hid_t file)
{
    const uint64_t offsets[13] = {0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3};

    nest(file);
    remove_link(file, LIST "/VALUES/VALUES");
    make_strings(file, LIST "/VALUES/VALUES");
    make_offsets(file, LIST "/VALUES/VALUES", offsets, 13);
    make_chars(file, LIST "/VALUES/VALUES", "abc", 3);
}

static void a_list_of_a_table_without_rows(hid_t file)
{
    const uint64_t zero = 0;
    const float fill = -1;

    build_empty(file, "/t", 0);
    make_list(file, LIST);
    make_offsets(file, LIST, &zero, 1);
    make_dataset(file, LIST "/VALUES", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &fill, NULL, 0, 0,
                 H5P_DEFAULT);
}

/* What lies beyond the rows, their elements and their bytes does not count. */
static void every_member_of_a_list_has_a_reserved_tail(hid_t file)
{
    const uint64_t offsets[N_ROWS + 3] = {0, 2, 2, 2, 5, 6, 6, 7, 7, 9, 12, 5, 99};
    const uint64_t ends[N_ELEMENTS + 3] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 1, 7};
    const uint8_t mask[N_ROWS + 2] = {1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 9};

    build_string_list(file);
    make_offsets(file, LIST, offsets, N_ROWS + 3);
    make_mask(file, LIST, mask, N_ROWS + 2);
    make_offsets(file, LIST_STRINGS, ends, N_ELEMENTS + 3);
    make_chars(file, LIST_STRINGS, "abcdefghi\xff\xfe", 11);
}

static void offsets_are_big_endian(hid_t file)
{
    build_list(file);
    make_dataset(file, LIST "/OFFSETS", H5T_STD_U64BE, H5T_NATIVE_UINT64, NULL, list_offsets,
                 N_ROWS + 1, 0, H5P_DEFAULT);
}

static void a_list_is_described(hid_t file)
{
    const float low = 0;
    const float high = 100;

    build_list(file);
    put_text(file, LIST, "description", "hits");
    put_text(file, LIST, "units", "MeV");
    put_text(file, LIST, "units_vocabulary", "UCUM");
    put_text(file, LIST "/VALUES", "units", "MeV");
    put_value(file, LIST "/VALUES", "valid_min", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &low);
    put_value(file, LIST "/VALUES", "valid_max", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &high);
}

/* --- §7.4, §13 the table ---------------------------------------------------------------------- */

static void index_columns_holds_a_list(hid_t file)
{
    const char *const targets[] = {LIST};

    build_list(file);
    put_references(file, "/t", "INDEX_COLUMNS", targets, 1);
    drop(file, "/t", "_index");
}

static void column_order_leaves_a_list_out(hid_t file)
{
    const char *const names[] = {"id", "label", "x"};

    build_list(file);
    put_names(file, "/t", "column-order", names, 3, H5T_CSET_UTF8);
}

static void column_order_lists_a_member(hid_t file)
{
    const char *const names[] = {"id", "label", "x", "list", "list/VALUES"};

    build_list(file);
    put_names(file, "/t", "column-order", names, 5, H5T_CSET_UTF8);
}

static void a_list_and_a_column_have_no_column_order(hid_t file)
{
    a_list_of_a_table_without_rows(file);
    make_dataset(file, "/t/x", H5T_STD_I8LE, H5T_NATIVE_INT8, "\x81", NULL, 0, 4, H5P_DEFAULT);
}

static void a_list_is_called_bitmap(hid_t file)
{
    build_list(file);
    CHECK_H5(H5Lmove(file, LIST, file, "/t/BITMAP", H5P_DEFAULT, H5P_DEFAULT));
    list_columns(file);
}

static void a_list_lies_among_the_categories(hid_t file)
{
    make_list(file, "/t/CATEGORIES/list");
}

/* --- §9.1 ------------------------------------------------------------------------------------- */

static void class_of_a_list_is_padded_with_nuls(hid_t file)
{
    build_list(file);
    put_string(file, LIST, "CLASS", "LIST_COLUMN", 12, H5T_STR_NULLPAD, H5T_CSET_ASCII);
}

static void class_of_a_list_is_utf8(hid_t file)
{
    build_list(file);
    put_text(file, LIST, "CLASS", "LIST_COLUMN");
}

static void class_of_a_list_has_variable_length(hid_t file)
{
    build_list(file);
    put_variable_string(file, LIST, "CLASS", "LIST_COLUMN");
}

static void class_of_an_inner_list_is_an_array(hid_t file)
{
    nest(file);
    put_one_string(file, LIST "/VALUES", "CLASS", "LIST_COLUMN", H5T_CSET_ASCII);
}

static void class_of_a_list_has_no_room_for_its_nul(hid_t file)
{
    build_list(file);
    put_string(file, LIST, "CLASS", "LIST_COLUMN", 11, H5T_STR_NULLTERM, H5T_CSET_ASCII);
}

static void a_list_has_no_kind(hid_t file)
{
    build_list(file);
    drop(file, LIST, "KIND");
}

static void kind_of_a_list_is_utf8(hid_t file)
{
    build_list(file);
    put_text(file, LIST, "KIND", "OFFSETS");
}

static void kind_of_a_list_is_unknown(hid_t file)
{
    build_list(file);
    put_ascii(file, LIST, "KIND", "RAGGED");
    remove_link(file, LIST "/OFFSETS");
}

/* --- §9.2 ------------------------------------------------------------------------------------- */

static void a_list_has_no_offsets(hid_t file)
{
    build_list(file);
    remove_link(file, LIST "/OFFSETS");
}

static void a_list_has_no_values(hid_t file)
{
    build_list(file);
    remove_link(file, LIST "/VALUES");
}

static void a_list_holds_a_dataset_more(hid_t file)
{
    build_list(file);
    make_dataset(file, LIST "/LENGTHS", H5T_STD_U8LE, H5T_NATIVE_UINT8, NULL, NULL, 3, 0,
                 H5P_DEFAULT);
}

static void a_list_holds_a_group_more(hid_t file)
{
    build_list(file);
    make_group(file, LIST "/more");
}

static void a_list_holds_a_soft_link(hid_t file)
{
    build_list(file);
    CHECK_H5(H5Lcreate_soft("/t/x", file, LIST "/x", H5P_DEFAULT, H5P_DEFAULT));
}

static void offsets_are_signed(hid_t file)
{
    build_list(file);
    make_dataset(file, LIST "/OFFSETS", H5T_STD_I64LE, H5T_NATIVE_UINT64, NULL, list_offsets,
                 N_ROWS + 1, 0, H5P_DEFAULT);
}

static void make_square(hid_t file, const char *path, hid_t type)
{
    const hsize_t dims[] = {12, 12};
    const hid_t space = CHECK_H5(H5Screate_simple(2, dims, NULL));

    remove_link(file, path);
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
}

static void offsets_are_two_dimensional(hid_t file)
{
    build_list(file);
    make_square(file, LIST "/OFFSETS", H5T_STD_U64LE);
}

static void there_are_as_many_offsets_as_rows(hid_t file)
{
    build_list(file);
    make_offsets(file, LIST, list_offsets, N_ROWS);
}

static void there_are_no_offsets_in_a_table_without_rows(hid_t file)
{
    a_list_of_a_table_without_rows(file);
    make_dataset(file, LIST "/OFFSETS", H5T_STD_U64LE, H5T_NATIVE_UINT64, NULL, NULL, 0, 4,
                 H5P_DEFAULT);
}

static void inner_offsets_are_too_few(hid_t file)
{
    nest(file);
    make_offsets(file, LIST "/VALUES", inner_offsets, N_ELEMENTS);
}

static void offsets_begin_with_one(hid_t file)
{
    const uint64_t offsets[N_ROWS + 1] = {1, 2, 2, 2, 5, 6, 6, 7, 7, 9, 12};

    build_list(file);
    make_offsets(file, LIST, offsets, N_ROWS + 1);
}

static void offsets_decrease(hid_t file)
{
    const uint64_t offsets[N_ROWS + 1] = {0, 2, 2, 5, 3, 6, 6, 7, 7, 9, 12};

    build_list(file);
    make_offsets(file, LIST, offsets, N_ROWS + 1);
}

/* In a list of lists that cannot be told apart, only the outer one is judged by its contents. */
static void outer_offsets_decrease(hid_t file)
{
    const uint64_t offsets[N_ROWS + 1] = {0, 2, 2, 5, 3, 6, 6, 7, 7, 9, 12};

    nest(file);
    make_offsets(file, LIST, offsets, N_ROWS + 1);
    make_offsets(file, LIST "/VALUES", offsets, N_ROWS + 1);
}

static void the_values_of_a_list_are_two_dimensional(hid_t file)
{
    build_list(file);
    make_square(file, LIST "/VALUES", H5T_IEEE_F32LE);
}

static void the_values_of_a_list_are_any_group(hid_t file)
{
    build_list(file);
    remove_link(file, LIST "/VALUES");
    make_group(file, LIST "/VALUES");
}

static void there_are_fewer_values_than_offsets_say(hid_t file)
{
    const float fill = -1;

    build_list(file);
    make_dataset(file, LIST "/VALUES", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &fill, NULL,
                 N_ELEMENTS - 1, CHUNK, H5P_DEFAULT);
}

static void the_mask_of_a_list_is_of_uint8(hid_t file)
{
    build_list(file);
    make_dataset(file, LIST "/MASK", H5T_STD_U8LE, H5T_NATIVE_UINT8, NULL, list_mask, N_ROWS, 0,
                 H5P_DEFAULT);
}

static void the_mask_of_a_list_is_unsigned(hid_t file)
{
    const hid_t type = boolean_type(H5T_STD_U8LE);

    build_list(file);
    make_dataset(file, LIST "/MASK", type, type, NULL, list_mask, N_ROWS, 0, H5P_DEFAULT);
    CHECK_H5(H5Tclose(type));
}

static void the_mask_of_a_list_is_too_short(hid_t file)
{
    build_list(file);
    make_mask(file, LIST, list_mask, N_ROWS - 1);
}

static void an_element_of_a_mask_is_two(hid_t file)
{
    const uint8_t mask[N_ROWS] = {1, 0, 1, 2, 1, 1, 1, 0, 1, 1};

    build_list(file);
    make_mask(file, LIST, mask, N_ROWS);
}

static void a_null_list_has_elements(hid_t file)
{
    const uint8_t mask[N_ROWS] = {1, 0, 1, 1, 1, 1, 1, 0, 1, 0};

    build_list(file);
    make_mask(file, LIST, mask, N_ROWS);
}

static void a_null_string_has_bytes(hid_t file)
{
    const uint8_t mask[N_ELEMENTS] = {1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0};

    build_string_list(file);
    make_mask(file, LIST_STRINGS, mask, N_ELEMENTS);
}

/* Both masks of which nothing was written: all is null. */
static void a_mask_was_never_written(hid_t file)
{
    build_list(file);
    make_mask(file, LIST, NULL, N_ROWS);
}

/* --- §8.5, §8.8, §9.3 the leaf ---------------------------------------------------------------- */

static void a_leaf_has_no_fill_value(hid_t file)
{
    build_list(file);
    make_dataset(file, LIST "/VALUES", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, NULL, NULL, N_ELEMENTS,
                 CHUNK, H5P_DEFAULT);
}

static void the_fill_value_of_a_leaf_is_in_its_range(hid_t file)
{
    const float low = -1;
    const float high = 100;

    build_list(file);
    put_value(file, LIST "/VALUES", "valid_min", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &low);
    put_value(file, LIST "/VALUES", "valid_max", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &high);
}

static void leaf_of_booleans(hid_t file, hid_t base, const void *fill, int8_t last)
{
    const int8_t data[N_ELEMENTS] = {0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, last};
    const hid_t type = boolean_type(base);

    build_list(file);
    make_dataset(file, LIST "/VALUES", type, type, fill, data, N_ELEMENTS, CHUNK, H5P_DEFAULT);
    CHECK_H5(H5Tclose(type));
}

static void a_boolean_of_a_list_is_minus_one(hid_t file)
{
    leaf_of_booleans(file, H5T_STD_I8LE, NULL, -1);
}

static void booleans_of_a_list_are_unsigned(hid_t file)
{
    leaf_of_booleans(file, H5T_STD_U8LE, NULL, 1);
}

static void booleans_of_a_list_have_a_fill_value(hid_t file)
{
    leaf_of_booleans(file, H5T_STD_I8LE, "\2", 1);
}

/* --- §9.4 strings ----------------------------------------------------------------------------- */

static void class_of_strings_is_padded_with_nuls(hid_t file)
{
    build_string_list(file);
    put_string(file, LIST_STRINGS, "CLASS", "STRING_VALUES", 14, H5T_STR_NULLPAD, H5T_CSET_ASCII);
}

static void strings_have_no_chars(hid_t file)
{
    build_string_list(file);
    remove_link(file, LIST_STRINGS "/CHARS");
}

static void strings_hold_values(hid_t file)
{
    build_string_list(file);
    make_dataset(file, LIST_STRINGS "/VALUES", H5T_STD_U8LE, H5T_NATIVE_UINT8, NULL, NULL, 3, 0,
                 H5P_DEFAULT);
}

static void strings_carry_kind(hid_t file)
{
    build_string_list(file);
    put_ascii(file, LIST_STRINGS, "KIND", "OFFSETS");
}

static void chars_are_signed(hid_t file)
{
    build_string_list(file);
    make_dataset(file, LIST_STRINGS "/CHARS", H5T_STD_I8LE, H5T_NATIVE_INT8, NULL, NULL, 21, 0,
                 H5P_DEFAULT);
}

static void there_are_fewer_chars_than_offsets_say(hid_t file)
{
    build_string_list(file);
    make_chars(file, LIST_STRINGS, "abcdefghijklmnopqrst", 20);
}

static void a_string_is_latin_1(hid_t file)
{
    build_string_list(file);
    make_chars(file, LIST_STRINGS, "abcdefghijklmno\xe9qrstu", 21);
}

/* The bytes are valid, but the second string ends within a character. */
static void a_character_is_cut_in_two(hid_t file)
{
    const uint64_t offsets[N_ELEMENTS + 1] = {0, 1, 2, 6, 7, 9, 12, 13, 15, 18, 19, 21, 21};

    build_string_list(file);
    make_offsets(file, LIST_STRINGS, offsets, N_ELEMENTS + 1);
}

static void the_last_string_ends_in_a_character(hid_t file)
{
    build_string_list(file);
    make_chars(file, LIST_STRINGS, "abcdefghijklmnopqrst\xe2", 21);
}

/* --- §9.5, §9.6 ------------------------------------------------------------------------------- */

static void a_leaf_has_variable_length_strings(hid_t file)
{
    const char *fill = "";
    const hid_t type = variable_string_type();

    build_list(file);
    make_dataset(file, LIST "/VALUES", type, type, &fill, NULL, N_ELEMENTS, CHUNK, H5P_DEFAULT);
    CHECK_H5(H5Tclose(type));
}

static void a_field_of_a_leaf_has_variable_length(hid_t file)
{
    const struct {
        int32_t n;
        hvl_t values;
    } fill = {-1, {0, NULL}};
    const hid_t sequence = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof fill));

    CHECK_H5(H5Tinsert(type, "n", 0, H5T_NATIVE_INT));
    CHECK_H5(H5Tinsert(type, "values", 8, sequence));
    build_list(file);
    make_dataset(file, LIST "/VALUES", type, type, &fill, NULL, N_ELEMENTS, CHUNK, H5P_DEFAULT);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(sequence));
}

static void a_list_has_a_search_index(hid_t file)
{
    const char *const targets[] = {"/t/SEARCH_INDEXES/x_minmax"};

    build_list(file);
    put_references(file, LIST, "SEARCH_INDEX_LIST", targets, 1);
}

static void units_of_a_list_have_variable_length(hid_t file)
{
    build_list(file);
    put_variable_string(file, LIST, "units", "MeV");
}

static void a_list_carries_nrows(hid_t file)
{
    build_list(file);
    put_u64(file, LIST, "NROWS", H5T_STD_U64LE, N_ROWS);
}

/* A link leads back, so that the list never ends. The inner level needs as many offsets as there
 * are elements. */
static void a_list_is_an_element_of_itself(hid_t file)
{
    const uint64_t offsets[N_ROWS + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

    build_list(file);
    remove_link(file, LIST "/MASK");
    make_offsets(file, LIST, offsets, N_ROWS + 1);
    remove_link(file, LIST "/VALUES");
    CHECK_H5(H5Lcreate_hard(file, LIST, file, LIST "/VALUES", H5P_DEFAULT, H5P_DEFAULT));
}

/* --- June ------------------------------------------------------------------------------------- */

static void june_has_no_list_columns(hid_t file)
{
    build_list(file);
    put_names(file, "/t", "column-order", (const char *const[]){"id", "label", "x"}, 3,
              H5T_CSET_UTF8);
}

static const conformance_case cases[] = {
    JULY_CASE("", a_list_of_floats),
    JULY_CASE("", a_list_without_mask),
    JULY_CASE("", a_list_of_strings),
    JULY_CASE("", a_list_of_fixed_strings),
    JULY_CASE("", a_list_of_booleans),
    JULY_CASE("", a_list_of_compounds_and_arrays),
    JULY_CASE("", a_list_of_lists),
    JULY_CASE("", a_list_of_lists_of_strings),
    JULY_WHOLE_CASE("", a_list_of_a_table_without_rows),
    JULY_CASE("", every_member_of_a_list_has_a_reserved_tail),
    JULY_CASE("", offsets_are_big_endian),
    JULY_CASE("", a_list_is_described),
    JULY_CASE("J7.4-INDEX-COLUMNS-LIST", index_columns_holds_a_list),
    JULY_CASE("12-COLUMN-ORDER-MISSING", column_order_leaves_a_list_out),
    JULY_CASE("12-COLUMN-ORDER-UNKNOWN", column_order_lists_a_member),
    JULY_WHOLE_CASE("7.4-COLUMN-ORDER-PRESENT", a_list_and_a_column_have_no_column_order),
    JULY_CASE("13.1-COLUMN-NAME", a_list_is_called_bitmap),
    JULY_CASE("12-CATEGORIES-CONTENTS", a_list_lies_among_the_categories),
    JULY_CASE("J9.1-CLASS", class_of_a_list_is_padded_with_nuls),
    JULY_CASE("J9.1-CLASS", class_of_a_list_is_utf8),
    JULY_CASE("J9.1-CLASS", class_of_a_list_has_variable_length),
    JULY_CASE("J9.1-CLASS", class_of_an_inner_list_is_an_array),
    JULY_CASE("J9.1-CLASS", class_of_a_list_has_no_room_for_its_nul),
    JULY_CASE("J9.1-KIND-PRESENT", a_list_has_no_kind),
    JULY_CASE("J9.1-KIND", kind_of_a_list_is_utf8),
    JULY_CASE("J9.1-KIND-UNKNOWN", kind_of_a_list_is_unknown),
    JULY_CASE("J9.2-MEMBERS", a_list_has_no_offsets),
    JULY_CASE("J9.2-MEMBERS", a_list_has_no_values),
    JULY_CASE("J9.2-MEMBERS", a_list_holds_a_dataset_more),
    JULY_CASE("J9.2-MEMBERS", a_list_holds_a_group_more),
    JULY_CASE("7.6-SOFT-LINK", a_list_holds_a_soft_link),
    JULY_CASE("J9.2-OFFSETS", offsets_are_signed),
    JULY_CASE("J9.2-OFFSETS", offsets_are_two_dimensional),
    JULY_CASE("J9.2-OFFSETS-EXTENT", there_are_as_many_offsets_as_rows),
    JULY_WHOLE_CASE("J9.2-OFFSETS-EXTENT", there_are_no_offsets_in_a_table_without_rows),
    JULY_CASE("J9.2-OFFSETS-EXTENT", inner_offsets_are_too_few),
    JULY_CASE("J9.2-OFFSETS-FIRST", offsets_begin_with_one),
    JULY_CASE("J9.2-OFFSETS-ORDER", offsets_decrease),
    JULY_CASE("J9.2-OFFSETS-ORDER", outer_offsets_decrease),
    JULY_CASE("J9.2-VALUES", the_values_of_a_list_are_two_dimensional),
    JULY_CASE("J9.2-VALUES", the_values_of_a_list_are_any_group),
    JULY_CASE("J9.2-VALUES-EXTENT", there_are_fewer_values_than_offsets_say),
    JULY_CASE("J9.2-MASK", the_mask_of_a_list_is_of_uint8),
    JULY_CASE("J9.2-MASK", the_mask_of_a_list_is_unsigned),
    JULY_CASE("J9.2-MASK-EXTENT", the_mask_of_a_list_is_too_short),
    JULY_CASE("J9.2-MASK-VALUE", an_element_of_a_mask_is_two),
    JULY_CASE("J9.2-NULL-SLICE", a_null_list_has_elements),
    JULY_CASE("J9.2-NULL-SLICE", a_null_string_has_bytes),
    JULY_CASE("J9.2-NULL-SLICE", a_mask_was_never_written),
    JULY_CASE("J9.3-LEAF-FILL", a_leaf_has_no_fill_value),
    JULY_CASE("8.5-FILL-IN-RANGE", the_fill_value_of_a_leaf_is_in_its_range),
    JULY_CASE("J8.8-VALUE", a_boolean_of_a_list_is_minus_one),
    JULY_CASE("J8.8-BASE", booleans_of_a_list_are_unsigned),
    JULY_CASE("J8.8-FILL", booleans_of_a_list_have_a_fill_value),
    JULY_CASE("J9.4-CLASS", class_of_strings_is_padded_with_nuls),
    JULY_CASE("J9.4-MEMBERS", strings_have_no_chars),
    JULY_CASE("J9.4-MEMBERS", strings_hold_values),
    JULY_CASE("13.1-ATTRIBUTE", strings_carry_kind),
    JULY_CASE("J9.4-CHARS", chars_are_signed),
    JULY_CASE("J9.4-CHARS-EXTENT", there_are_fewer_chars_than_offsets_say),
    JULY_CASE("J9.4-UTF8", a_string_is_latin_1),
    JULY_CASE("J9.4-UTF8", a_character_is_cut_in_two),
    JULY_CASE("J9.4-UTF8", the_last_string_ends_in_a_character),
    JULY_CASE("J9.5-VLEN", a_leaf_has_variable_length_strings),
    JULY_CASE("J9.5-VLEN", a_field_of_a_leaf_has_variable_length),
    JULY_CASE("J9.6-SEARCH_INDEX_LIST", a_list_has_a_search_index),
    JULY_CASE("8.6-TEXT-TYPE", units_of_a_list_have_variable_length),
    JULY_CASE("13.1-ATTRIBUTE", a_list_carries_nrows),
    JULY_CASE("2-NOT-READ", a_list_is_an_element_of_itself),
    CASE("7.6-GROUP", june_has_no_list_columns),
};

const case_list list_cases = {cases, sizeof cases / sizeof cases[0]};
