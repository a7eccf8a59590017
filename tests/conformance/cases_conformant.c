/* Tables that break no rule, of every kind the specification allows. */
#include <math.h>
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

#define X "/t/extra"

static void extra(hid_t file, hid_t file_type, hid_t memory_type, const void *fill,
                  const void *data)
{
    make_column(file, X, file_type, memory_type, fill, data);
    list_columns(file);
}

static void the_usual_table(hid_t file)
{
    (void)file;
}

/* --- §7 the group ---------------------------------------------------------------------------- */

static void an_empty_table_without_columns(hid_t file)
{
    build_empty(file, "/t", 0);
}

static void rows_without_columns(hid_t file)
{
    build_empty(file, "/t", 7);
}

static void the_root_group_is_the_table(hid_t file)
{
    const double fill = float_fill();

    build_empty(file, "/", N_ROWS);
    make_column(file, "/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, x_values);
}

static void a_table_lies_deep_beside_other_things(hid_t file)
{
    const double fill = float_fill();

    make_group(file, "/run");
    make_group(file, "/run/1");
    build_empty(file, "/run/1/hits", N_ROWS);
    make_column(file, "/run/1/hits/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, x_values);
    make_column(file, "/run/1/image", H5T_STD_I16LE, H5T_NATIVE_INT16, NULL, NULL);
    CHECK_H5(H5Lcreate_soft("/run/1/hits", file, "/latest", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external("none.h5", "/t", file, "/other", H5P_DEFAULT, H5P_DEFAULT));
}

static void groups_link_in_a_circle(hid_t file)
{
    make_group(file, "/a");
    CHECK_H5(H5Lcreate_hard(file, "/", file, "/a/up", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(file, "/a", file, "/b", H5P_DEFAULT, H5P_DEFAULT));
}

static void nrows_is_big_endian(hid_t file)
{
    const uint64_t n = N_ROWS;

    put_value(file, "/t", "NROWS", H5T_STD_U64BE, H5T_NATIVE_UINT64, &n);
}

static void version_is_padded_with_nuls(hid_t file)
{
    put_string(file, "/t", "VERSION", "1.0", 3, H5T_STR_NULLPAD, H5T_CSET_ASCII);
}

static void version_is_padded_with_spaces(hid_t file)
{
    put_string(file, "/t", "VERSION", "1.0", 8, H5T_STR_SPACEPAD, H5T_CSET_ASCII);
}

static void everything_optional_is_there(hid_t file)
{
    const int user = 42;

    put_text(file, "/t", "description", "ten rows, \xc3\xa0 la carte");
    put_text(file, "/t", "units_vocabulary", "UDUNITS-2");
    put_text(file, "/t", "encoding-type", "dataframe");
    put_text(file, "/t", "encoding-version", "0.2.0");
    put_text(file, "/t/x", "units_vocabulary", "UCUM");
    put_text(file, "/t/x", "description", "energy");
    put_text(file, "/t/x", "encoding-type", "array");
    put_string(file, "/t", "TITLE", "padded", 12, H5T_STR_SPACEPAD, H5T_CSET_UTF8);
    put_value(file, "/t", "user attribute", H5T_STD_I32LE, H5T_NATIVE_INT, &user);
    put_variable_string(file, "/t/x", "comment", "any type will do");
}

static void a_single_column_without_column_order(hid_t file)
{
    const double fill = float_fill();

    build_empty(file, "/t", N_ROWS);
    make_column(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, x_values);
}

/* --- §9 row index ---------------------------------------------------------------------------- */

static void no_row_index(hid_t file)
{
    drop(file, "/t", "INDEX_COLUMNS");
    drop(file, "/t", "_index");
}

static void a_row_index_of_two_levels_without_a_name(hid_t file)
{
    const char *const targets[] = {"/t/label", "/t/id"};

    put_references(file, "/t", "INDEX_COLUMNS", targets, 2);
    drop(file, "/t", "_index");
}

static void a_row_index_of_three_levels(hid_t file)
{
    const char *const targets[] = {"/t/id", "/t/x", "/t/label"};

    put_references(file, "/t", "INDEX_COLUMNS", targets, 3);
}

static void two_names_for_one_column(hid_t file)
{
    CHECK_H5(H5Lcreate_hard(file, "/t/id", file, "/t/key", H5P_DEFAULT, H5P_DEFAULT));
    list_columns(file);
    put_text(file, "/t", "_index", "key");
}

/* --- §8 columns ------------------------------------------------------------------------------ */

static void every_integer_of_every_width_and_order(hid_t file)
{
    const hid_t types[] = {H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE,
                           H5T_STD_I8BE, H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE,
                           H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE,
                           H5T_STD_U8BE, H5T_STD_U16BE, H5T_STD_U32BE, H5T_STD_U64BE};
    const int64_t fill = 100;
    const int64_t data[N_ROWS] = {0, 1, 2, 3, 4, 5, 6, 100, 8, 9};
    const int64_t low = 0;
    const int64_t high = 99;
    char path[] = "/t/a";

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++, path[3]++) {
        make_column(file, path, types[i], H5T_NATIVE_INT64, &fill, data);
        put_value(file, path, "valid_min", types[i], H5T_NATIVE_INT64, &low);
        put_value(file, path, "valid_max", types[i], H5T_NATIVE_INT64, &high);
    }
    list_columns(file);
}

static void every_integer_with_its_recommended_fill_value(hid_t file)
{
    /* Table 1, byte for byte, little-endian. */
    make_column(file, "/t/a", H5T_STD_I8LE, H5T_STD_I8LE, "\x81", NULL);
    make_column(file, "/t/b", H5T_STD_I16LE, H5T_STD_I16LE, "\x01\x80", NULL);
    make_column(file, "/t/c", H5T_STD_I32LE, H5T_STD_I32LE, "\x01\0\0\x80", NULL);
    make_column(file, "/t/d", H5T_STD_I64LE, H5T_STD_I64LE, "\x01\0\0\0\0\0\0\x80", NULL);
    make_column(file, "/t/e", H5T_STD_U8LE, H5T_STD_U8LE, "\xff", NULL);
    make_column(file, "/t/f", H5T_STD_U64LE, H5T_STD_U64LE, "\xff\xff\xff\xff\xff\xff\xff\xff",
                NULL);
    list_columns(file);
}

static void the_sentinel_is_data_inside_a_declared_range(hid_t file)
{
    const int16_t fill = -32768;
    const int16_t low = -32767;
    const int16_t high = 32767;
    const int16_t data[N_ROWS] = {-32767, 32767, -32768};

    extra(file, H5T_STD_I16LE, H5T_NATIVE_INT16, &fill, data);
    put_value(file, X, "valid_min", H5T_STD_I16LE, H5T_NATIVE_INT16, &low);
    put_value(file, X, "valid_max", H5T_STD_I16LE, H5T_NATIVE_INT16, &high);
}

static void the_sentinel_lies_only_beyond_nrows(hid_t file)
{
    const int16_t fill = -1;
    const int16_t data[N_ROWS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, -32767};
    const uint64_t n = N_ROWS - 1;

    extra(file, H5T_STD_I16LE, H5T_NATIVE_INT16, &fill, data);
    put_value(file, "/t", "NROWS", H5T_STD_U64LE, H5T_NATIVE_UINT64, &n);
    drop(file, "/t/x", "SEARCH_INDEX_LIST");
    remove_link(file, "/t/SEARCH_INDEXES");
}

static void floats_of_every_width_with_fill_values_of_both_kinds(hid_t file)
{
    const float nan_fill = NAN;
    const float float_data[N_ROWS] = {0, NAN, 1, -INFINITY};
    const double double_fill = -9.0;
    const hid_t half = CHECK_H5(H5Tcopy(H5T_IEEE_F32LE));

    CHECK_H5(H5Tset_fields(half, 15, 10, 5, 0, 10));
    CHECK_H5(H5Tset_size(half, 2));
    CHECK_H5(H5Tset_ebias(half, 15));
    make_column(file, "/t/a", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, &nan_fill, float_data);
    make_column(file, "/t/b", half, H5T_NATIVE_FLOAT, &nan_fill, float_data);
    make_column(file, "/t/c", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, &double_fill, x_values);
    list_columns(file);
    CHECK_H5(H5Tclose(half));
    /* x_values hold the recommended sentinel, which column c does not use as its fill. */
    const double low = -2.0;
    const double high = 1e37;
    put_value(file, "/t/c", "valid_min", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, &low);
    put_value(file, "/t/c", "valid_max", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, &high);
}

static void strings_of_every_padding_and_character_set(hid_t file)
{
    const H5T_str_t paddings[] = {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD};
    char path[] = "/t/a";

    for (size_t i = 0; i < 6; i++, path[3]++) {
        const hid_t type = string_type(5, paddings[i % 3], i < 3 ? H5T_CSET_ASCII : H5T_CSET_UTF8);
        make_column(file, path, type, type, i % 3 == 2 ? "     " : "\0\0\0\0\0", NULL);
        CHECK_H5(H5Tclose(type));
    }
    list_columns(file);
}

static void a_boolean_column_as_uint8(hid_t file)
{
    const uint8_t data[N_ROWS] = {0, 1, 2, 1, 0, 1, 1, 0, 0, 1};

    extra(file, H5T_STD_U8LE, H5T_NATIVE_UINT8, "\2", data);
}

static void an_enumeration_with_missing(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));
    const int8_t data[N_ROWS] = {0, 1, 2, 1, 0, 1, 1, 0, 0, 1};

    CHECK_H5(H5Tenum_insert(type, "RED", "\0"));
    CHECK_H5(H5Tenum_insert(type, "GREEN", "\1"));
    CHECK_H5(H5Tenum_insert(type, "MISSING", "\2"));
    extra(file, type, type, "\2", data);
    CHECK_H5(H5Tclose(type));
}

static void an_enumeration_without_missing_that_misses_nothing(hid_t file)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);
    const int8_t data[N_ROWS] = {0, 1, 0, 1, 0, 1, 1, 0, 0, 1};

    extra(file, type, type, "\5", data);
    CHECK_H5(H5Tclose(type));
}

static void opaque_compound_and_array_columns(hid_t file)
{
    const hsize_t three = 3;
    const float fill[3] = {-1, -1, -1};
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 6));
    const hid_t compound = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8));
    const hid_t array = CHECK_H5(H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &three));

    CHECK_H5(H5Tinsert(compound, "re", 0, H5T_NATIVE_FLOAT));
    CHECK_H5(H5Tinsert(compound, "im", 4, H5T_NATIVE_FLOAT));
    make_column(file, "/t/a", opaque, opaque, "\0\0\0\0\0\0", NULL);
    make_column(file, "/t/b", compound, compound, fill, NULL);
    make_column(file, "/t/c", array, array, fill, NULL);
    list_columns(file);
    CHECK_H5(H5Tclose(opaque));
    CHECK_H5(H5Tclose(compound));
    CHECK_H5(H5Tclose(array));
}

static void a_column_of_a_named_datatype_from_outside(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I32LE));
    const int fill = -2147483647;

    CHECK_H5(H5Tcommit2(file, "/number", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    extra(file, type, H5T_NATIVE_INT, &fill, NULL);
    CHECK_H5(H5Tclose(type));
}

static void columns_of_every_layout(hid_t file)
{
    const int fill = -2147483647;
    const int data[N_ROWS] = {1, 2, 3};
    const hid_t compact = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t filtered = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_layout(compact, H5D_COMPACT));
    CHECK_H5(H5Pset_shuffle(filtered));
    CHECK_H5(H5Pset_deflate(filtered, 6));
    make_dataset(file, "/t/a", H5T_STD_I32LE, H5T_NATIVE_INT, &fill, data, N_ROWS, 0, H5P_DEFAULT);
    make_dataset(file, "/t/b", H5T_STD_I32LE, H5T_NATIVE_INT, &fill, data, N_ROWS, 0, compact);
    make_dataset(file, "/t/c", H5T_STD_I32LE, H5T_NATIVE_INT, &fill, data, N_ROWS, 7, filtered);
    list_columns(file);
    CHECK_H5(H5Pclose(compact));
    CHECK_H5(H5Pclose(filtered));
}

static void spare_rows_hold_garbage(hid_t file)
{
    const uint64_t n = 6;
    /* Rows 6 to 9 of every column are spare now; the second chunk ends at row 6. */
    const minmax entries[] = {x_entries[0], {float_fill(), float_fill(), 0, 2, 2}};

    put_value(file, "/t", "NROWS", H5T_STD_U64LE, H5T_NATIVE_UINT64, &n);
    write_entries(file, entries, 2);
}

static void a_zero_length_table(hid_t file)
{
    const int fill = -2147483647;
    const uint64_t none = 0;

    build_empty(file, "/t", none);
    make_dataset(file, "/t/a", H5T_STD_I32LE, H5T_NATIVE_INT, &fill, NULL, 0, 4, H5P_DEFAULT);
}

/* --- §8.7 categories ------------------------------------------------------------------------- */

static void two_columns_share_their_categories(hid_t file)
{
    const uint16_t fill = 65535;
    const uint16_t codes[N_ROWS] = {0, 1, 2, 65535};

    extra(file, H5T_STD_U16BE, H5T_NATIVE_UINT16, &fill, codes);
    put_reference(file, X, "CATEGORIES", "/t/CATEGORIES/labels");
}

static void categories_are_ordered(hid_t file)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);

    put_value(file, "/t/CATEGORIES/labels", "ordered", type, type, "\1");
    CHECK_H5(H5Tclose(type));
}

static void categories_are_variable_strings_and_numbers(hid_t file)
{
    const char *const labels[] = {"a", "b", ""};
    const int8_t fill = -1;
    const int8_t codes[N_ROWS] = {0, 1, 2, -1};
    const hid_t type = variable_string_type();

    make_dataset(file, "/t/CATEGORIES/more", type, type, NULL, labels, 3, 0, H5P_DEFAULT);
    extra(file, H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes);
    put_reference(file, X, "CATEGORIES", "/t/CATEGORIES/more");
    CHECK_H5(H5Tclose(type));
}

static void a_code_out_of_range_lies_beyond_nrows(hid_t file)
{
    const int8_t fill = -127;
    const int8_t codes[N_ROWS] = {0, 1, 2, 0, 0, 0, 0, 0, 0, 99};
    const uint64_t n = N_ROWS - 1;
    minmax entries[3];

    make_column(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes);
    put_reference(file, "/t/label", "CATEGORIES", "/t/CATEGORIES/labels");
    put_value(file, "/t", "NROWS", H5T_STD_U64LE, H5T_NATIVE_UINT64, &n);
    memcpy(entries, x_entries, sizeof entries);
    entries[2] = (minmax){-1.0, -1.0, 0, 0, 1};
    write_entries(file, entries, 3);
}

/* --- §10.4 CHUNK_MINMAX ---------------------------------------------------------------------- */

typedef struct entry_u64 {
    uint64_t min, max, nan_count, fill_count, n;
} entry_u64;

static void min_and_max_of_a_contiguous_column(hid_t file)
{
    const uint64_t fill = UINT64_MAX;
    const uint64_t data[N_ROWS] = {5, 4, 3, 2, 1, 2, 3, 4, UINT64_MAX, 9};
    const entry_u64 entry = {1, 9, 0, 1, N_ROWS};

    make_dataset(file, X, H5T_STD_U64BE, H5T_NATIVE_UINT64, &fill, data, N_ROWS, 0, H5P_DEFAULT);
    list_columns(file);
    make_minmax(file, "extra_minmax", X, H5T_STD_U64BE, H5T_NATIVE_UINT64, &entry, 1);
}

static void min_and_max_of_chunks_that_were_never_written(hid_t file)
{
    const uint64_t fill = UINT64_MAX;
    const entry_u64 entries[] = {{UINT64_MAX, UINT64_MAX, 0, 4, 4},
                                 {UINT64_MAX, UINT64_MAX, 0, 4, 4},
                                 {UINT64_MAX, UINT64_MAX, 0, 2, 2}};

    extra(file, H5T_STD_U64LE, H5T_NATIVE_UINT64, &fill, NULL);
    make_minmax(file, "extra_minmax", X, H5T_STD_U64LE, H5T_NATIVE_UINT64, entries, 3);
}

static void min_and_max_of_a_column_filled_with_nan(hid_t file)
{
    const double fill = NAN;
    const double x[N_ROWS] = {NAN, 1, NAN, 2, NAN, NAN, NAN, NAN, -0.0, 0.0};
    const minmax entries[] = {{1, 2, 2, 2, 4}, {-NAN, NAN, 4, 4, 4}, {0.0, -0.0, 0, 0, 2}};

    make_column(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, x);
    write_entries(file, entries, 3);
}

static void min_and_max_of_infinities(hid_t file)
{
    const double fill = float_fill();
    const double x[N_ROWS] = {INFINITY, 1, -INFINITY, 2, 0, 0, 0, 0, 0, 0};
    const minmax entries[] = {{-INFINITY, INFINITY, 0, 0, 4}, {0, 0, 0, 0, 4}, {0, 0, 0, 0, 2}};

    make_column(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, x);
    write_entries(file, entries, 3);
}

static void min_and_max_of_codes(hid_t file)
{
    const struct {
        int8_t min, max;
        char counts[24];
    } entries[] = {{0, 2, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4}},
                   {0, 2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4}},
                   {1, 2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}}};

    make_minmax(file, "label_minmax", "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, entries, 3);
}

/* §10.5: padding is stripped, bytes compare unsigned, shorter sorts first. */
static void min_and_max_of_fixed_strings(hid_t file)
{
    const hid_t type = string_type(4, H5T_STR_SPACEPAD, H5T_CSET_UTF8);
    const char data[] = "b   ab  \xc3\xa9  B   "
                        "                "
                        "zz  z   ";
    struct {
        char min[4], max[4];
        uint64_t nan_count, fill_count, n;
    } entries[] = {{.n = 4}, {.fill_count = 4, .n = 4}, {.n = 2}};
    const char *const bounds[][2] = {{"B   ", "\xc3\xa9  "}, {"    ", "    "}, {"z   ", "zz  "}};

    for (int k = 0; k < 3; k++) {
        memcpy(entries[k].min, bounds[k][0], 4);
        memcpy(entries[k].max, bounds[k][1], 4);
    }
    extra(file, type, type, "    ", data);
    make_minmax(file, "extra_minmax", X, type, type, entries, 3);
    CHECK_H5(H5Tclose(type));
}

static void min_and_max_of_variable_strings(hid_t file)
{
    const hid_t type = variable_string_type();
    const char *fill = "";
    const char *const data[N_ROWS] = {"b", "ab", "\xc3\xa9", "B", "", "", "", "", "zz", "z"};
    const struct {
        const char *min, *max;
        uint64_t nan_count, fill_count, n;
    } entries[] = {{"B", "\xc3\xa9", 0, 0, 4}, {"", "", 0, 4, 4}, {"z", "zz", 0, 0, 2}};

    extra(file, type, type, &fill, data);
    make_minmax(file, "extra_minmax", X, type, type, entries, 3);
    CHECK_H5(H5Tclose(type));
}

static void min_and_max_of_an_enumeration_and_of_opaque_bytes(hid_t file)
{
    const hid_t colour = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 1));
    const int8_t codes[N_ROWS] = {-3, 0, 5, 5, 5, 5, 5, 5, 0, -3};
    const struct {
        int8_t min, max;
        char counts[24];
    } of_codes[] = {{-3, 0, {0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4}},
                    {5, 5, {0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4}},
                    {-3, 0, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}}};
    /* The same bytes: as opaque ones, 0xfd is the largest. */
    const struct {
        uint8_t min, max;
        char counts[24];
    } of_bytes[] = {{0, 0xfd, {0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4}},
                    {5, 5, {0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4}},
                    {0, 0xfd, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}}};

    CHECK_H5(H5Tenum_insert(colour, "COLD", "\xfd"));
    CHECK_H5(H5Tenum_insert(colour, "WARM", "\0"));
    CHECK_H5(H5Tenum_insert(colour, "MISSING", "\5"));
    make_column(file, "/t/colour", colour, colour, "\5", codes);
    make_column(file, "/t/opaque", opaque, opaque, "\5", codes);
    list_columns(file);
    make_minmax(file, "colour_minmax", "/t/colour", colour, colour, of_codes, 3);
    make_minmax(file, "opaque_minmax", "/t/opaque", opaque, opaque, of_bytes, 3);
    CHECK_H5(H5Tclose(colour));
    CHECK_H5(H5Tclose(opaque));
}

static const conformance_case cases[] = {
    CASE("", the_usual_table),
    WHOLE_CASE("", an_empty_table_without_columns),
    WHOLE_CASE("", rows_without_columns),
    WHOLE_CASE("", the_root_group_is_the_table),
    WHOLE_CASE("", a_table_lies_deep_beside_other_things),
    CASE("", groups_link_in_a_circle),
    CASE("", nrows_is_big_endian),
    CASE("", version_is_padded_with_nuls),
    CASE("", version_is_padded_with_spaces),
    CASE("", everything_optional_is_there),
    WHOLE_CASE("", a_single_column_without_column_order),
    CASE("", no_row_index),
    CASE("", a_row_index_of_two_levels_without_a_name),
    CASE("", a_row_index_of_three_levels),
    CASE("", two_names_for_one_column),
    CASE("", every_integer_of_every_width_and_order),
    CASE("", every_integer_with_its_recommended_fill_value),
    CASE("", the_sentinel_is_data_inside_a_declared_range),
    CASE("", the_sentinel_lies_only_beyond_nrows),
    CASE("", floats_of_every_width_with_fill_values_of_both_kinds),
    CASE("", strings_of_every_padding_and_character_set),
    CASE("", a_boolean_column_as_uint8),
    CASE("", an_enumeration_with_missing),
    CASE("", an_enumeration_without_missing_that_misses_nothing),
    CASE("", opaque_compound_and_array_columns),
    CASE("", a_column_of_a_named_datatype_from_outside),
    CASE("", columns_of_every_layout),
    CASE("", spare_rows_hold_garbage),
    WHOLE_CASE("", a_zero_length_table),
    CASE("", two_columns_share_their_categories),
    CASE("", categories_are_ordered),
    CASE("", categories_are_variable_strings_and_numbers),
    CASE("", a_code_out_of_range_lies_beyond_nrows),
    CASE("", min_and_max_of_a_contiguous_column),
    CASE("", min_and_max_of_chunks_that_were_never_written),
    CASE("", min_and_max_of_a_column_filled_with_nan),
    CASE("", min_and_max_of_infinities),
    CASE("", min_and_max_of_codes),
    CASE("", min_and_max_of_fixed_strings),
    CASE("8.3-VLEN", min_and_max_of_variable_strings),
    CASE("", min_and_max_of_an_enumeration_and_of_opaque_bytes),
};

const case_list conformant_cases = {cases, sizeof cases / sizeof cases[0]};
