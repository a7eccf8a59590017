/* Cases of §13: names. */
#include "conformance/cases.h"
#include "support/check.h"

static void a_column_is_called_bitmap(hid_t file)
{
    const double fill = float_fill();

    make_column(file, "/t/BITMAP", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, NULL);
    list_columns(file);
}

static void a_column_is_called_valid_min(hid_t file)
{
    const double fill = float_fill();

    make_column(file, "/t/valid_min", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, NULL);
    list_columns(file);
}

static void a_column_is_called_categories(hid_t file)
{
    const double fill = float_fill();

    build_empty(file, "/t", N_ROWS);
    make_column(file, "/t/CATEGORIES", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, NULL);
}

static void an_index_is_called_kind(hid_t file)
{
    CHECK_H5(H5Lmove(file, "/t/SEARCH_INDEXES/x_minmax", file, "/t/SEARCH_INDEXES/KIND",
                     H5P_DEFAULT, H5P_DEFAULT));
}

static void a_categories_dataset_is_called_values(hid_t file)
{
    CHECK_H5(H5Lmove(file, "/t/CATEGORIES/labels", file, "/t/CATEGORIES/VALUES", H5P_DEFAULT,
                     H5P_DEFAULT));
}

static void a_column_is_a_dimension_scale(hid_t file)
{
    put_ascii(file, "/t/x", "CLASS", "DIMENSION_SCALE");
}

static void the_table_carries_kind(hid_t file)
{
    put_ascii(file, "/t", "KIND", "CHUNK_MINMAX");
}

static void a_column_carries_sorted_rows(hid_t file)
{
    put_ascii(file, "/t/x", "SORTED_ROWS", "yes");
}

static void categories_carry_valid_max(hid_t file)
{
    put_ascii(file, "/t/CATEGORIES/labels", "valid_max", "z");
}

static void the_categories_group_carries_title(hid_t file)
{
    put_text(file, "/t/CATEGORIES", "TITLE", "labels");
}

static void a_min_max_index_carries_values(hid_t file)
{
    put_ascii(file, "/t/SEARCH_INDEXES/x_minmax", "VALUES", "none");
}

static void units_are_capitalised(hid_t file)
{
    put_text(file, "/t/x", "Units", "MeV");
}

static void column_order_is_spelled_with_an_underscore(hid_t file)
{
    put_text(file, "/t", "column_order", "id, label, x");
}

static void nrows_is_there_in_lower_case_too(hid_t file)
{
    put_text(file, "/t", "nrows", "10");
}

static void a_column_carries_ordered(hid_t file)
{
    put_text(file, "/t/x", "ordered", "by time");
}

static void a_column_carries_column_order(hid_t file)
{
    put_text(file, "/t/x", "column-order", "third");
}

static const conformance_case cases[] = {
    CASE("13.1-COLUMN-NAME", a_column_is_called_bitmap),
    CASE("13.1-COLUMN-NAME", a_column_is_called_valid_min),
    WHOLE_CASE("13.1-COLUMN-NAME", a_column_is_called_categories),
    CASE("13.1-INDEX-NAME", an_index_is_called_kind),
    CASE("13.1-OTHER-NAME", a_categories_dataset_is_called_values),
    CASE("13.1-ATTRIBUTE", a_column_is_a_dimension_scale),
    CASE("13.1-ATTRIBUTE", the_table_carries_kind),
    CASE("13.1-ATTRIBUTE", a_column_carries_sorted_rows),
    CASE("13.1-ATTRIBUTE", categories_carry_valid_max),
    CASE("13.1-ATTRIBUTE", the_categories_group_carries_title),
    CASE("13.1-ATTRIBUTE", a_min_max_index_carries_values),
    CASE("13.1-CASE", units_are_capitalised),
    CASE("13.1-CASE", column_order_is_spelled_with_an_underscore),
    CASE("13.1-CASE", nrows_is_there_in_lower_case_too),
    CASE("13.3-REPURPOSED", a_column_carries_ordered),
    CASE("13.3-REPURPOSED", a_column_carries_column_order),
};

const case_list name_cases = {cases, sizeof cases / sizeof cases[0]};
