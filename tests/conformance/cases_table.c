/* Cases of §5 to §7, §9 and §12: the table group, its attributes, its contents. */
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

/* --- §5 references --------------------------------------------------------------------------- */

static void index_columns_is_of_the_deprecated_reference_type(hid_t file)
{
    put_old_reference(file, "/t", "INDEX_COLUMNS", "/t/id", false);
}

static void categories_is_of_the_deprecated_reference_type(hid_t file)
{
    put_old_reference(file, "/t/label", "CATEGORIES", "/t/CATEGORIES/labels", true);
}

static void search_index_list_is_of_the_deprecated_reference_type(hid_t file)
{
    put_old_reference(file, "/t/x", "SEARCH_INDEX_LIST", "/t/SEARCH_INDEXES/x_minmax", false);
}

static void index_columns_holds_names(hid_t file)
{
    const char *const names[] = {"id"};

    put_names(file, "/t", "INDEX_COLUMNS", names, 1, H5T_CSET_UTF8);
}

static void index_columns_holds_a_region_reference(hid_t file)
{
    const hsize_t one = 1;
    const hsize_t start = 0;
    const hsize_t count = 2;
    const hsize_t extent = N_ROWS;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, NULL));
    H5R_ref_t reference;

    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL));
    CHECK_H5(H5Rcreate_region(file, "/t/id", space, H5P_DEFAULT, &reference));
    put_values(file, "/t", "INDEX_COLUMNS", H5T_STD_REF, H5T_STD_REF, &reference, 1, &one);
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Sclose(space));
}

static void index_columns_holds_an_attribute_reference(hid_t file)
{
    const hsize_t one = 1;
    H5R_ref_t reference;

    put_text(file, "/t/id", "description", "counts rows");
    CHECK_H5(H5Rcreate_attr(file, "/t/id", "description", H5P_DEFAULT, &reference));
    put_values(file, "/t", "INDEX_COLUMNS", H5T_STD_REF, H5T_STD_REF, &reference, 1, &one);
    CHECK_H5(H5Rdestroy(&reference));
}

/* --- §7.1 CLASS ------------------------------------------------------------------------------ */

static void class_has_variable_length(hid_t file)
{
    const char *value = "COLUMN_TABLE";
    const hid_t type = string_type(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII);

    put_value(file, "/t", "CLASS", type, type, &value);
    CHECK_H5(H5Tclose(type));
}

static void class_takes_up_a_byte_too_many(hid_t file)
{
    put_string(file, "/t", "CLASS", "COLUMN_TABLE", 14, H5T_STR_NULLTERM, H5T_CSET_ASCII);
}

static void class_is_padded_with_nuls(hid_t file)
{
    put_string(file, "/t", "CLASS", "COLUMN_TABLE", 13, H5T_STR_NULLPAD, H5T_CSET_ASCII);
}

static void class_is_padded_with_spaces(hid_t file)
{
    put_string(file, "/t", "CLASS", "COLUMN_TABLE", 13, H5T_STR_SPACEPAD, H5T_CSET_ASCII);
}

static void class_is_as_h5py_writes_bytes(hid_t file)
{
    put_string(file, "/t", "CLASS", "COLUMN_TABLE", 12, H5T_STR_NULLPAD, H5T_CSET_ASCII);
}

static void class_is_utf8(hid_t file)
{
    put_text(file, "/t", "CLASS", "COLUMN_TABLE");
}

static void class_is_an_array_of_one(hid_t file)
{
    put_one_string(file, "/t", "CLASS", "COLUMN_TABLE", H5T_CSET_ASCII);
}

/* --- §7.2 VERSION ---------------------------------------------------------------------------- */

static void version_is_missing(hid_t file)
{
    drop(file, "/t", "VERSION");
}

static void version_is_a_number(hid_t file)
{
    const double version = 1.0;

    put_value(file, "/t", "VERSION", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &version);
}

static void version_is_an_array_of_one(hid_t file)
{
    put_one_string(file, "/t", "VERSION", "1.0", H5T_CSET_ASCII);
}

static void version_is_utf8(hid_t file)
{
    put_text(file, "/t", "VERSION", "1.0");
}

static void version_has_no_room_for_its_nul(hid_t file)
{
    put_string(file, "/t", "VERSION", "1.0", 3, H5T_STR_NULLTERM, H5T_CSET_ASCII);
}

static void version_has_three_parts(hid_t file)
{
    put_ascii(file, "/t", "VERSION", "1.0.0");
}

static void version_has_one_part(hid_t file)
{
    put_ascii(file, "/t", "VERSION", "1");
}

static void version_is_before_the_first(hid_t file)
{
    put_ascii(file, "/t", "VERSION", "0.9");
}

static void version_ends_in_a_letter(hid_t file)
{
    put_ascii(file, "/t", "VERSION", "1.0b");
}

static void version_is_2_0(hid_t file)
{
    put_ascii(file, "/t", "VERSION", "2.0");
    drop(file, "/t", "NROWS"); /* by rules we do not know */
}

static void version_is_10_0(hid_t file)
{
    put_ascii(file, "/t", "VERSION", "10.0");
}

static void version_is_1_10(hid_t file)
{
    put_ascii(file, "/t", "VERSION", "1.10");
}

/* --- §7.3 NROWS ------------------------------------------------------------------------------ */

static void nrows_is_missing(hid_t file)
{
    drop(file, "/t", "NROWS");
}

static void nrows_is_signed(hid_t file)
{
    const int64_t n = N_ROWS;

    put_value(file, "/t", "NROWS", H5T_STD_I64LE, H5T_NATIVE_INT64, &n);
}

static void nrows_has_32_bits(hid_t file)
{
    const uint32_t n = N_ROWS;

    put_value(file, "/t", "NROWS", H5T_STD_U32LE, H5T_NATIVE_UINT32, &n);
}

static void nrows_is_an_array_of_one(hid_t file)
{
    const hsize_t one = 1;
    const uint64_t n = N_ROWS;

    put_values(file, "/t", "NROWS", H5T_STD_U64LE, H5T_NATIVE_UINT64, &n, 1, &one);
}

static void nrows_is_null(hid_t file)
{
    const hsize_t none = 0;

    put_values(file, "/t", "NROWS", H5T_STD_U64LE, H5T_NATIVE_UINT64, NULL, 0, &none);
}

/* --- §7.4 descriptive attributes ------------------------------------------------------------- */

static void title_has_variable_length(hid_t file)
{
    put_variable_string(file, "/t", "TITLE", "ten rows");
}

static void encoding_type_is_an_integer(hid_t file)
{
    const int value = 1;

    put_value(file, "/t", "encoding-type", H5T_STD_I32LE, H5T_NATIVE_INT, &value);
}

static void description_is_an_array_of_one(hid_t file)
{
    put_one_string(file, "/t", "description", "ten rows", H5T_CSET_UTF8);
}

static void units_vocabulary_of_the_table_is_ascii(hid_t file)
{
    put_ascii(file, "/t", "units_vocabulary", "UCUM");
}

static void title_is_latin_1(hid_t file)
{
    put_text(file, "/t", "TITLE", "caf\xe9");
}

/* --- §7.4, §9 row index ---------------------------------------------------------------------- */

static void index_columns_is_scalar(hid_t file)
{
    put_reference(file, "/t", "INDEX_COLUMNS", "/t/id");
}

static void index_columns_is_null_space(hid_t file)
{
    const hsize_t none = 0;

    put_values(file, "/t", "INDEX_COLUMNS", H5T_STD_REF, H5T_STD_REF, NULL, 0, &none);
    drop(file, "/t", "_index");
}

static void index_columns_holds_a_null_reference(hid_t file)
{
    const char *const targets[] = {"/t/id", NULL};

    put_references(file, "/t", "INDEX_COLUMNS", targets, 2);
}

static void index_columns_holds_a_categories_dataset(hid_t file)
{
    const char *const targets[] = {"/t/id", "/t/CATEGORIES/labels"};

    put_references(file, "/t", "INDEX_COLUMNS", targets, 2);
}

static void index_columns_holds_the_group(hid_t file)
{
    const char *const targets[] = {"/t/id", "/t"};

    put_references(file, "/t", "INDEX_COLUMNS", targets, 2);
}

static void index_columns_dangles(hid_t file)
{
    const char *const targets[] = {"/t/id", "/gone"};

    make_dataset(file, "/gone", H5T_STD_U8LE, H5T_NATIVE_UINT8, NULL, NULL, N_ROWS, 0, H5P_DEFAULT);
    put_references(file, "/t", "INDEX_COLUMNS", targets, 2);
    remove_link(file, "/gone");
}

static void index_names_another_column_than_index_columns(hid_t file)
{
    put_text(file, "/t", "_index", "x");
}

static void index_names_no_column(hid_t file)
{
    put_text(file, "/t", "_index", "ID");
}

static void index_names_no_column_without_index_columns(hid_t file)
{
    drop(file, "/t", "INDEX_COLUMNS");
    put_text(file, "/t", "_index", "name");
}

static void index_columns_is_empty(hid_t file)
{
    put_references(file, "/t", "INDEX_COLUMNS", NULL, 0);
    drop(file, "/t", "_index");
}

/* --- §7.4, §12 column-order ------------------------------------------------------------------ */

static void column_order_is_missing(hid_t file)
{
    drop(file, "/t", "column-order");
}

static void column_order_has_variable_length(hid_t file)
{
    const hsize_t n = 3;
    const char *const names[] = {"id", "label", "x"};
    const hid_t type = variable_string_type();

    put_values(file, "/t", "column-order", type, type, names, 1, &n);
    CHECK_H5(H5Tclose(type));
}

static void column_order_is_two_dimensional(hid_t file)
{
    const hsize_t dims[] = {3, 1};
    const hid_t type = string_type(5, H5T_STR_NULLPAD, H5T_CSET_UTF8);

    put_values(file, "/t", "column-order", type, type, "id\0\0\0labelx\0\0\0", 2, dims);
    CHECK_H5(H5Tclose(type));
}

static void column_order_is_ascii(hid_t file)
{
    const char *const names[] = {"id", "label", "x"};

    put_names(file, "/t", "column-order", names, 3, H5T_CSET_ASCII);
}

static void column_order_leaves_a_column_out(hid_t file)
{
    const char *const names[] = {"id", "x"};

    put_names(file, "/t", "column-order", names, 2, H5T_CSET_UTF8);
}

static void column_order_lists_a_column_twice(hid_t file)
{
    const char *const names[] = {"id", "x", "label", "x"};

    put_names(file, "/t", "column-order", names, 4, H5T_CSET_UTF8);
}

static void column_order_lists_a_stranger(hid_t file)
{
    const char *const names[] = {"id", "x", "label", "labels"};

    put_names(file, "/t", "column-order", names, 4, H5T_CSET_UTF8);
}

static void column_order_is_empty(hid_t file)
{
    put_names(file, "/t", "column-order", NULL, 0, H5T_CSET_UTF8);
}

/* --- §7.6 contents --------------------------------------------------------------------------- */

static void a_group_lies_in_the_table(hid_t file)
{
    make_group(file, "/t/provenance");
}

static void another_table_lies_in_the_table(hid_t file)
{
    build_empty(file, "/t/inner", 0);
}

static void categories_is_marked_as_a_table(hid_t file)
{
    build_empty(file, "/t/CATEGORIES/inner", 0);
}

static void the_table_links_to_itself(hid_t file)
{
    CHECK_H5(H5Lcreate_hard(file, "/t", file, "/t/again", H5P_DEFAULT, H5P_DEFAULT));
}

static void categories_is_the_table_itself(hid_t file)
{
    drop(file, "/t/label", "CATEGORIES");
    CHECK_H5(H5Ldelete(file, "/t/CATEGORIES", H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(file, "/t", file, "/t/CATEGORIES", H5P_DEFAULT, H5P_DEFAULT));
}

static void a_named_datatype_lies_in_the_table(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I32LE));

    CHECK_H5(H5Tcommit2(file, "/t/type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Tclose(type));
}

static void a_soft_link_lies_in_the_table(hid_t file)
{
    CHECK_H5(H5Lcreate_soft("/t/x", file, "/t/y", H5P_DEFAULT, H5P_DEFAULT));
}

static void a_dangling_soft_link_lies_in_categories(hid_t file)
{
    CHECK_H5(H5Lcreate_soft("/nowhere", file, "/t/CATEGORIES/y", H5P_DEFAULT, H5P_DEFAULT));
}

static void an_external_link_lies_in_the_table(hid_t file)
{
    CHECK_H5(H5Lcreate_external("other.h5", "/x", file, "/t/y", H5P_DEFAULT, H5P_DEFAULT));
}

static void categories_holds_a_group(hid_t file)
{
    make_group(file, "/t/CATEGORIES/more");
}

static void categories_holds_what_no_column_uses(hid_t file)
{
    make_dataset(file, "/t/CATEGORIES/more", H5T_STD_I8LE, H5T_NATIVE_INT8, NULL, NULL, 3, 0,
                 H5P_DEFAULT);
}

/* A MINOR adds what older readers may ignore: it is no fault by the rules of 1.0. */
static void a_later_minor_has_a_group_of_its_own(hid_t file)
{
    version_is_1_10(file);
    make_group(file, "/t/PARTITIONS");
}

static void a_later_minor_links_its_index(hid_t file)
{
    version_is_1_10(file);
    CHECK_H5(H5Lcreate_soft("/t/x", file, "/t/SEARCH_INDEXES/y", H5P_DEFAULT, H5P_DEFAULT));
}

static void a_later_minor_has_a_table_inside(hid_t file)
{
    version_is_1_10(file);
    build_empty(file, "/t/inner", 0);
}

/* --- §12 extents ----------------------------------------------------------------------------- */

static void the_only_column_is_shorter_than_nrows(hid_t file)
{
    const uint64_t fill = UINT64_MAX;

    build_empty(file, "/t", N_ROWS + 1);
    make_column(file, "/t/id", H5T_STD_U64LE, H5T_NATIVE_UINT64, &fill, NULL);
}

static void columns_differ_in_extent(hid_t file)
{
    const uint64_t fill = UINT64_MAX;

    make_dataset(file, "/t/id", H5T_STD_U64LE, H5T_NATIVE_UINT64, &fill, NULL, N_ROWS + 2, CHUNK,
                 H5P_DEFAULT);
    drop(file, "/t", "INDEX_COLUMNS");
}

static const conformance_case cases[] = {
    CASE("5-REF-TYPE", index_columns_is_of_the_deprecated_reference_type),
    CASE("5-REF-TYPE", categories_is_of_the_deprecated_reference_type),
    CASE("5-REF-TYPE", search_index_list_is_of_the_deprecated_reference_type),
    CASE("5-REF-TYPE", index_columns_holds_names),
    CASE("5-REF-OBJECT-KIND", index_columns_holds_a_region_reference),
    CASE("5-REF-OBJECT-KIND", index_columns_holds_an_attribute_reference),
    CASE("7.1-CLASS-TYPE", class_has_variable_length),
    CASE("7.1-CLASS-SIZE", class_takes_up_a_byte_too_many),
    CASE("7.1-CLASS-PADDING", class_is_padded_with_nuls),
    CASE("7.1-CLASS-PADDING", class_is_padded_with_spaces),
    CASE("7.1-CLASS-SIZE 7.1-CLASS-PADDING", class_is_as_h5py_writes_bytes),
    CASE("7.1-CLASS-CHARSET", class_is_utf8),
    CASE("7.1-CLASS-SHAPE", class_is_an_array_of_one),
    CASE("7.2-VERSION-PRESENT", version_is_missing),
    CASE("7.2-VERSION-TYPE", version_is_a_number),
    CASE("7.2-VERSION-SHAPE", version_is_an_array_of_one),
    CASE("7.2-VERSION-CHARSET", version_is_utf8),
    CASE("7.2-VERSION-SIZE", version_has_no_room_for_its_nul),
    CASE("7.2-VERSION-VALUE", version_has_three_parts),
    CASE("7.2-VERSION-VALUE", version_has_one_part),
    CASE("7.2-VERSION-VALUE", version_is_before_the_first),
    CASE("7.2-VERSION-VALUE", version_ends_in_a_letter),
    CASE("7.2-VERSION-MAJOR", version_is_2_0),
    CASE("7.2-VERSION-MAJOR", version_is_10_0),
    CASE("7.2-VERSION-MINOR", version_is_1_10),
    CASE("7.3-NROWS-PRESENT", nrows_is_missing),
    CASE("7.3-NROWS-TYPE", nrows_is_signed),
    CASE("7.3-NROWS-TYPE", nrows_has_32_bits),
    CASE("7.3-NROWS-SHAPE", nrows_is_an_array_of_one),
    CASE("7.3-NROWS-SHAPE", nrows_is_null),
    CASE("7.4-TEXT-TYPE", title_has_variable_length),
    CASE("7.4-TEXT-TYPE", encoding_type_is_an_integer),
    CASE("7.4-TEXT-SHAPE", description_is_an_array_of_one),
    CASE("7.4-TEXT-CHARSET", units_vocabulary_of_the_table_is_ascii),
    CASE("7.4-TEXT-UTF8", title_is_latin_1),
    CASE("7.4-INDEX-COLUMNS-SHAPE", index_columns_is_scalar),
    CASE("7.4-INDEX-COLUMNS-SHAPE", index_columns_is_null_space),
    CASE("7.4-INDEX-COLUMNS-NULL", index_columns_holds_a_null_reference),
    CASE("7.4-INDEX-COLUMNS-TARGET", index_columns_holds_a_categories_dataset),
    CASE("7.4-INDEX-COLUMNS-TARGET", index_columns_holds_the_group),
    CASE("7.4-INDEX-COLUMNS-TARGET", index_columns_dangles),
    CASE("7.4-INDEX-NAME", index_names_another_column_than_index_columns),
    CASE("7.4-INDEX-NAME-COLUMN", index_names_no_column),
    CASE("7.4-INDEX-NAME-COLUMN", index_names_no_column_without_index_columns),
    CASE("9.2-INDEX-COLUMNS-EMPTY", index_columns_is_empty),
    CASE("7.4-COLUMN-ORDER-PRESENT", column_order_is_missing),
    CASE("7.4-COLUMN-ORDER-TYPE", column_order_has_variable_length),
    CASE("7.4-COLUMN-ORDER-SHAPE", column_order_is_two_dimensional),
    CASE("7.4-COLUMN-ORDER-CHARSET", column_order_is_ascii),
    CASE("12-COLUMN-ORDER-MISSING", column_order_leaves_a_column_out),
    CASE("12-COLUMN-ORDER-TWICE", column_order_lists_a_column_twice),
    CASE("12-COLUMN-ORDER-UNKNOWN", column_order_lists_a_stranger),
    CASE("12-COLUMN-ORDER-MISSING 12-COLUMN-ORDER-MISSING 12-COLUMN-ORDER-MISSING",
         column_order_is_empty),
    CASE("7.6-GROUP", a_group_lies_in_the_table),
    CASE("7.6-NESTED-TABLE", another_table_lies_in_the_table),
    CASE("7.6-NESTED-TABLE", categories_is_marked_as_a_table),
    CASE("7.6-NESTED-TABLE", the_table_links_to_itself),
    CASE("7.6-NESTED-TABLE", categories_is_the_table_itself),
    CASE("7.6-NAMED-TYPE", a_named_datatype_lies_in_the_table),
    CASE("7.6-SOFT-LINK", a_soft_link_lies_in_the_table),
    CASE("7.6-SOFT-LINK", a_dangling_soft_link_lies_in_categories),
    CASE("7.6-EXTERNAL-LINK", an_external_link_lies_in_the_table),
    CASE("7.2-VERSION-MINOR 7.6-UNDESCRIBED", a_later_minor_has_a_group_of_its_own),
    CASE("7.2-VERSION-MINOR 7.6-UNDESCRIBED", a_later_minor_links_its_index),
    CASE("7.2-VERSION-MINOR 7.6-NESTED-TABLE", a_later_minor_has_a_table_inside),
    CASE("12-CATEGORIES-CONTENTS", categories_holds_a_group),
    CASE("12-CATEGORIES-REFERENCED", categories_holds_what_no_column_uses),
    WHOLE_CASE("12-EXTENT-NROWS", the_only_column_is_shorter_than_nrows),
    CASE("12-EXTENT-EQUAL", columns_differ_in_extent),
};

const case_list table_cases = {cases, sizeof cases / sizeof cases[0]};
