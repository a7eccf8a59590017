/* Cases of §10.1 to §10.4: search indexes of any kind, and CHUNK_MINMAX. */
#include <math.h>
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

#define INDEX "/t/SEARCH_INDEXES/x_minmax"
#define MORE "/t/SEARCH_INDEXES/more"

/* --- §10.1 to §10.3 -------------------------------------------------------------------------- */

static void search_indexes_holds_a_group(hid_t file)
{
    make_group(file, MORE);
}

static void a_dataset_of_search_indexes_serves_nothing(hid_t file)
{
    make_dataset(file, MORE, H5T_STD_U8LE, H5T_NATIVE_UINT8, NULL, NULL, 3, 0, H5P_DEFAULT);
}

static void a_dataset_may_serve_an_index_of_an_unknown_kind(hid_t file)
{
    a_dataset_of_search_indexes_serves_nothing(file);
    put_ascii(file, INDEX, "KIND", "CHUNK_HISTOGRAM");
}

static void kind_is_unknown(hid_t file)
{
    put_ascii(file, INDEX, "KIND", "CHUNK_HISTOGRAM");
}

static void kind_is_in_lower_case(hid_t file)
{
    put_ascii(file, INDEX, "KIND", "chunk_minmax");
}

static void kind_is_missing(hid_t file)
{
    drop(file, INDEX, "KIND");
}

static void kind_has_variable_length(hid_t file)
{
    const char *value = "CHUNK_MINMAX";
    const hid_t type = string_type(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII);

    put_value(file, INDEX, "KIND", type, type, &value);
    CHECK_H5(H5Tclose(type));
}

static void kind_is_an_array_of_one(hid_t file)
{
    put_one_string(file, INDEX, "KIND", "CHUNK_MINMAX", H5T_CSET_ASCII);
}

static void kind_is_utf8(hid_t file)
{
    put_text(file, INDEX, "KIND", "CHUNK_MINMAX");
}

static void no_column_references_the_index(hid_t file)
{
    drop(file, "/t/x", "SEARCH_INDEX_LIST");
}

static void two_columns_reference_the_index(hid_t file)
{
    const char *const targets[] = {INDEX};

    put_references(file, "/t/id", "SEARCH_INDEX_LIST", targets, 1);
}

static void the_index_has_no_description(hid_t file)
{
    drop(file, INDEX, "description");
}

static void the_description_has_variable_length(hid_t file)
{
    put_variable_string(file, INDEX, "description", "by hand");
}

static void the_description_is_an_array_of_one(hid_t file)
{
    put_one_string(file, INDEX, "description", "by hand", H5T_CSET_UTF8);
}

static void the_description_is_ascii(hid_t file)
{
    put_ascii(file, INDEX, "description", "by hand");
}

static void the_description_is_latin_1(hid_t file)
{
    put_text(file, INDEX, "description", "caf\xe9");
}

/* --- §10.4 form ------------------------------------------------------------------------------ */

/* The index with a datatype of one's own; nothing is written. */
static void retype(hid_t file, const char *const *names, const hid_t *types, size_t n)
{
    size_t size = 0;
    hid_t type = H5I_INVALID_HID;

    for (size_t i = 0; i < n; i++) {
        size += H5Tget_size(types[i]);
    }
    type = CHECK_H5(H5Tcreate(H5T_COMPOUND, size));
    size = 0;
    for (size_t i = 0; i < n; i++) {
        CHECK_H5(H5Tinsert(type, names[i], size, types[i]));
        size += H5Tget_size(types[i]);
    }
    make_dataset(file, INDEX, type, type, NULL, NULL, 3, 0, H5P_DEFAULT);
    put_ascii(file, INDEX, "KIND", "CHUNK_MINMAX");
    put_text(file, INDEX, "description", "by hand");
    const char *const targets[] = {INDEX};
    put_references(file, "/t/x", "SEARCH_INDEX_LIST", targets, 1);
    CHECK_H5(H5Tclose(type));
}

static const char *const field_names[] = {"min", "max", "nan_count", "fill_count", "n"};

static void the_counts_are_in_another_order(hid_t file)
{
    const char *const names[] = {"min", "max", "n", "nan_count", "fill_count"};
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64LE, H5T_STD_U64LE, H5T_STD_U64LE,
                           H5T_STD_U64LE};

    retype(file, names, types, 5);
}

static void there_is_a_sixth_field(hid_t file)
{
    const char *const names[] = {"min", "max", "nan_count", "fill_count", "n", "sum"};
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64LE, H5T_STD_U64LE,
                           H5T_STD_U64LE,  H5T_STD_U64LE,  H5T_IEEE_F64LE};

    retype(file, names, types, 6);
}

static void the_index_is_no_compound(hid_t file)
{
    const char *const targets[] = {INDEX};

    make_dataset(file, INDEX, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, NULL, NULL, 3, 0, H5P_DEFAULT);
    put_ascii(file, INDEX, "KIND", "CHUNK_MINMAX");
    put_text(file, INDEX, "description", "by hand");
    put_references(file, "/t/x", "SEARCH_INDEX_LIST", targets, 1);
}

static void the_bounds_have_the_other_byte_order(hid_t file)
{
    const hid_t types[] = {H5T_IEEE_F64BE, H5T_IEEE_F64BE, H5T_STD_U64LE, H5T_STD_U64LE,
                           H5T_STD_U64LE};

    retype(file, field_names, types, 5);
}

static void max_is_narrower_than_the_column(hid_t file)
{
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_U64LE, H5T_STD_U64LE,
                           H5T_STD_U64LE};

    retype(file, field_names, types, 5);
}

static void the_counts_have_32_bits(hid_t file)
{
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64LE, H5T_STD_U32LE, H5T_STD_U32LE,
                           H5T_STD_U32LE};

    retype(file, field_names, types, 5);
}

static void a_count_is_signed(hid_t file)
{
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64LE, H5T_STD_U64LE, H5T_STD_U64LE,
                           H5T_STD_I64LE};

    retype(file, field_names, types, 5);
}

static void the_index_is_scalar(hid_t file)
{
    const char *const targets[] = {INDEX};
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t old = CHECK_H5(H5Dopen2(file, INDEX, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(old));

    CHECK_H5(H5Dclose(old));
    remove_link(file, INDEX);
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, INDEX, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Sclose(space));
    put_ascii(file, INDEX, "KIND", "CHUNK_MINMAX");
    put_text(file, INDEX, "description", "by hand");
    put_references(file, "/t/x", "SEARCH_INDEX_LIST", targets, 1);
}

static void an_entry_is_missing(hid_t file)
{
    write_entries(file, x_entries, 2);
}

static void there_is_an_entry_too_many(hid_t file)
{
    const minmax entries[] = {x_entries[0], x_entries[1], x_entries[2], {1, 2, 3, 4, 5}};

    write_entries(file, entries, 4);
}

static void a_compound_column_has_an_index(hid_t file)
{
    const int fill[2] = {-1, -1};
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof fill));

    CHECK_H5(H5Tinsert(type, "a", 0, H5T_NATIVE_INT));
    CHECK_H5(H5Tinsert(type, "b", sizeof(int), H5T_NATIVE_INT));
    make_column(file, "/t/pair", type, type, fill, NULL);
    list_columns(file);
    make_minmax(file, "pair_minmax", "/t/pair", type, type, NULL, 3);
    CHECK_H5(H5Tclose(type));
}

static void a_bitfield_column_has_an_index(hid_t file)
{
    make_column(file, "/t/flags", H5T_STD_B8LE, H5T_NATIVE_B8, "\377", NULL);
    list_columns(file);
    make_minmax(file, "flags_minmax", "/t/flags", H5T_STD_B8LE, H5T_NATIVE_B8, NULL, 3);
}

/* --- §10.4 contents -------------------------------------------------------------------------- */

static void n_counts_rows_beyond_nrows(hid_t file)
{
    minmax entries[3];

    memcpy(entries, x_entries, sizeof entries);
    entries[2].n = 4;
    write_entries(file, entries, 3);
}

static void nan_count_leaves_one_out(hid_t file)
{
    minmax entries[3];

    memcpy(entries, x_entries, sizeof entries);
    entries[1].nan_count = 1;
    write_entries(file, entries, 3);
}

static void fill_count_counts_nan_as_well(hid_t file)
{
    minmax entries[3];

    memcpy(entries, x_entries, sizeof entries);
    entries[0].fill_count = 2;
    write_entries(file, entries, 3);
}

static void min_is_below_every_value(hid_t file)
{
    minmax entries[3];

    memcpy(entries, x_entries, sizeof entries);
    entries[0].min = 2.5;
    write_entries(file, entries, 3);
}

static void max_is_the_fill_value(hid_t file)
{
    minmax entries[3];

    memcpy(entries, x_entries, sizeof entries);
    entries[0].max = float_fill();
    write_entries(file, entries, 3);
}

static void max_is_nan(hid_t file)
{
    minmax entries[3];

    memcpy(entries, x_entries, sizeof entries);
    entries[0].max = NAN;
    write_entries(file, entries, 3);
}

static void an_empty_chunk_has_bounds(hid_t file)
{
    minmax entries[3];

    memcpy(entries, x_entries, sizeof entries);
    entries[1].min = 0;
    entries[1].max = 0;
    write_entries(file, entries, 3);
}

/* Notes A4: by the formula in parentheses this chunk is empty; by the sentence it is not. */
static void a_chunk_half_of_nan_is_called_empty(hid_t file)
{
    const double fill = NAN;
    const double x[N_ROWS] = {NAN, 1, NAN, 2, NAN, NAN, NAN, NAN, 5, 6};
    const minmax entries[] = {{NAN, NAN, 2, 2, 4}, {NAN, NAN, 4, 4, 4}, {5, 6, 0, 0, 2}};

    make_column(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, x);
    write_entries(file, entries, 3);
}

static void an_integer_column_counts_nan(hid_t file)
{
    const struct {
        uint64_t min, max, nan_count, fill_count, n;
    } entries[] = {{0, 3, 0, 0, 4}, {4, 7, 1, 0, 4}, {8, 9, 0, 0, 2}};

    make_minmax(file, "id_minmax", "/t/id", H5T_STD_U64LE, H5T_NATIVE_UINT64, entries, 3);
}

static const conformance_case cases[] = {
    CASE("10.1-CONTENTS", search_indexes_holds_a_group),
    CASE("10.1-UNREQUIRED", a_dataset_of_search_indexes_serves_nothing),
    CASE("10.1-UNREQUIRED-UNKNOWN 10.3-KIND-UNKNOWN",
         a_dataset_may_serve_an_index_of_an_unknown_kind),
    CASE("10.3-KIND-UNKNOWN", kind_is_unknown),
    CASE("10.3-KIND-UNKNOWN", kind_is_in_lower_case),
    CASE("10.3-KIND-PRESENT", kind_is_missing),
    CASE("10.3-KIND-TYPE", kind_has_variable_length),
    CASE("10.3-KIND-SHAPE", kind_is_an_array_of_one),
    CASE("10.3-KIND-CHARSET", kind_is_utf8),
    CASE("10.2-REFERENCED", no_column_references_the_index),
    CASE("10.2-ONE-COLUMN", two_columns_reference_the_index),
    CASE("10.3-DESCRIPTION", the_index_has_no_description),
    CASE("10.3-TEXT-TYPE", the_description_has_variable_length),
    CASE("10.3-TEXT-SHAPE", the_description_is_an_array_of_one),
    CASE("10.3-TEXT-CHARSET", the_description_is_ascii),
    CASE("10.3-TEXT-UTF8", the_description_is_latin_1),
    CASE("10.4-FIELDS", the_counts_are_in_another_order),
    CASE("10.4-FIELDS", there_is_a_sixth_field),
    CASE("10.4-FIELDS", the_index_is_no_compound),
    CASE("10.4-BOUND-TYPE", the_bounds_have_the_other_byte_order),
    CASE("10.4-BOUND-TYPE", max_is_narrower_than_the_column),
    CASE("10.4-COUNT-TYPE", the_counts_have_32_bits),
    CASE("10.4-COUNT-TYPE", a_count_is_signed),
    CASE("10.4-SHAPE", the_index_is_scalar),
    CASE("10.4-LENGTH", an_entry_is_missing),
    CASE("10.4-RESIDUE", there_is_an_entry_too_many),
    CASE("10.4-ORDERABLE", a_compound_column_has_an_index),
    CASE("10.4-ORDERABLE", a_bitfield_column_has_an_index),
    CASE("10.4-N", n_counts_rows_beyond_nrows),
    CASE("10.4-NAN-COUNT", nan_count_leaves_one_out),
    CASE("10.4-FILL-COUNT", fill_count_counts_nan_as_well),
    CASE("10.4-MIN", min_is_below_every_value),
    CASE("10.4-MAX", max_is_the_fill_value),
    CASE("10.4-MAX", max_is_nan),
    CASE("10.4-EMPTY", an_empty_chunk_has_bounds),
    CASE("10.4-MIN 10.4-MAX", a_chunk_half_of_nan_is_called_empty),
    CASE("10.4-NAN-COUNT", an_integer_column_counts_nan),
};

const case_list index_cases = {cases, sizeof cases / sizeof cases[0]};
