/*
 * Cases of HEP001 of July 2026: tokens, booleans, bitmaps, filters over enumerations, names. List
 * columns are in cases_lists.c. Sections are July's.
 */
#include <math.h>
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

#define X "/t/extra"
#define INDEX "/t/SEARCH_INDEXES/x_minmax"

static void extra(hid_t file, hid_t type, const void *fill, const void *data)
{
    make_column(file, X, type, type, fill, data);
    list_columns(file);
}

/* --- what breaks no rule --------------------------------------------------------------------- */

static void the_usual_table_with_tokens(hid_t file)
{
    (void)file;
}

static void tokens_are_big_endian(hid_t file)
{
    put_u64(file, "/t", "GENERATION", H5T_STD_U64BE, GENERATION);
    put_u64(file, INDEX, "SOURCE_NROWS", H5T_STD_U64BE, N_ROWS);
}

static void a_table_without_indexes_has_a_generation(hid_t file)
{
    const double fill = float_fill();

    build_empty(file, "/t", N_ROWS);
    make_column(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, x_values);
    put_u64(file, "/t", "GENERATION", H5T_STD_U64LE, UINT64_MAX);
}

static void a_table_without_indexes_has_no_generation(hid_t file)
{
    const double fill = float_fill();

    build_empty(file, "/t", N_ROWS);
    make_column(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, x_values);
}

static const int8_t booleans[N_ROWS] = {0, 1, 0, 1, 1, 1, 0, 0, 1, 0};

static void extra_boolean(hid_t file, hid_t base, const void *fill, const void *data)
{
    const hid_t type = boolean_type(base);

    extra(file, type, fill, data);
    CHECK_H5(H5Tclose(type));
}

static void a_boolean_column_has_no_fill_value(hid_t file)
{
    extra_boolean(file, H5T_STD_I8LE, NULL, booleans);
}

static void a_boolean_column_was_never_written(hid_t file)
{
    extra_boolean(file, H5T_STD_I8LE, NULL, NULL);
}

static void a_boolean_column_holds_another_number_beyond_nrows(hid_t file)
{
    const int8_t data[N_ROWS] = {0, 1, 0, 1, 1, 1, 0, 0, 1, 9};
    const hid_t type = boolean_type(H5T_STD_I8LE);

    build_empty(file, "/t", N_ROWS - 1);
    make_column(file, "/t/extra", type, type, NULL, data);
    CHECK_H5(H5Tclose(type));
}

static void booleans_of_two_bytes_are_an_enumeration_as_any(hid_t file)
{
    const int16_t fill = 7;
    const hid_t type = boolean_type(H5T_STD_I16LE);

    extra(file, type, &fill, (const int16_t[N_ROWS]){0, 1});
    CHECK_H5(H5Tclose(type));
}

static void extra_nullable(hid_t file, int8_t missing, int8_t fill)
{
    const int8_t data[N_ROWS] = {0, 1, 0, 1, 1, 1, 0, 0, 1, 0};
    const hid_t type = nullable_type(missing);

    extra(file, type, &fill, data);
    CHECK_H5(H5Tclose(type));
}

static void nullable_booleans_are_an_enumeration_of_three(hid_t file)
{
    extra_nullable(file, 2, 2);
}

static void nullable_booleans_are_uint8_filled_with_255(hid_t file)
{
    make_column(file, X, H5T_STD_U8LE, H5T_NATIVE_UINT8, "\377", booleans);
    list_columns(file);
}

static void a_bit_of_a_bitfield_is_no_boolean(hid_t file)
{
    make_column(file, X, H5T_STD_B8LE, H5T_NATIVE_B8, "\377", booleans);
    list_columns(file);
}

static const uint8_t boolean_bits[2][2] = {{0xc5, 0x02}, {0x3a, 0x01}};

static void put_boolean_bitmap(hid_t file, const uint8_t *values, uint64_t n, const uint8_t *bits)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);

    a_boolean_column_has_no_fill_value(file);
    make_bitmap(file, X, type, type, values, n, bits, 2);
    put_tokens(file, BITMAP, GENERATION, N_ROWS);
    CHECK_H5(H5Tclose(type));
}

static void booleans_have_a_bitmap_of_two(hid_t file)
{
    put_boolean_bitmap(file, (const uint8_t[]){0, 1}, 2, boolean_bits[0]);
    put_bool(file, BITMAP, "exhaustive", true);
}

static void booleans_have_a_bitmap_of_one(hid_t file)
{
    put_boolean_bitmap(file, (const uint8_t[]){1}, 1, boolean_bits[1]);
    put_bool(file, BITMAP, "exhaustive", false);
}

static void booleans_have_one_byte_filters(hid_t file)
{
    uint8_t filters[3][X_FILTER] = {{0}};

    a_boolean_column_has_no_fill_value(file);
    for (int row = 0; row < N_ROWS; row++) {
        bloom_insert(filters[row / CHUNK], X_FILTER, 3, 0, &booleans[row], 1, false);
    }
    make_bloom(file, X, filters[0], 3, X_FILTER, 3, 0);
    put_tokens(file, BLOOM, GENERATION, N_ROWS);
}

static void enumerations_have_filters_of_their_codes(hid_t file)
{
    const int8_t codes[N_ROWS] = {0, 1, 2, 2, 1, 1, 2, 2, 2, 2};
    const int8_t missing = 2;
    const hid_t type = nullable_type(2);
    uint8_t filters[3][X_FILTER] = {{0}};

    extra(file, type, &missing, codes);
    for (int row = 0; row < N_ROWS; row++) {
        if (codes[row] != missing) {
            bloom_insert(filters[row / CHUNK], X_FILTER, 3, 0, &codes[row], 1, false);
        }
    }
    make_bloom(file, X, filters[0], 3, X_FILTER, 3, 0);
    put_tokens(file, BLOOM, GENERATION, N_ROWS);
    CHECK_H5(H5Tclose(type));
}

/* In their canonical order, which is little-endian. */
static void big_endian_enumerations_have_filters_of_their_codes(hid_t file)
{
    const uint8_t data[2 * N_ROWS] = {0, 0, 0, 1};
    const hid_t type = boolean_type(H5T_STD_I16BE);
    uint8_t filters[3][X_FILTER] = {{0}};

    extra(file, type, "\0\7", data);
    for (int row = 0; row < N_ROWS; row++) {
        const uint8_t code[2] = {data[2 * row + 1], 0};
        bloom_insert(filters[row / CHUNK], X_FILTER, 3, 0, code, 2, false);
    }
    make_bloom(file, X, filters[0], 3, X_FILTER, 3, 0);
    put_tokens(file, BLOOM, GENERATION, N_ROWS);
    CHECK_H5(H5Tclose(type));
}

static void label_bitmap(hid_t file)
{
    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, (const int8_t[]){0, 1, 2}, 3,
                label_bits[0], 2);
    put_tokens(file, BITMAP, GENERATION, N_ROWS);
}

static void an_exhaustive_bitmap_has_every_value(hid_t file)
{
    label_bitmap(file);
    put_bool(file, BITMAP, "exhaustive", true);
}

static void two_values_bitmap(hid_t file)
{
    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, (const int8_t[]){0, 1}, 2,
                label_bits[0], 2);
    put_tokens(file, BITMAP, GENERATION, N_ROWS);
}

static void a_bitmap_that_is_not_exhaustive_lacks_a_value(hid_t file)
{
    two_values_bitmap(file);
    put_bool(file, BITMAP, "exhaustive", false);
}

/* --- §8.5, §8.8 ------------------------------------------------------------------------------ */

static void a_column_carries_mask(hid_t file)
{
    put_reference(file, "/t/x", "MASK", "/t/label");
}

static void booleans_are_unsigned(hid_t file)
{
    extra_boolean(file, H5T_STD_U8LE, NULL, booleans);
}

static void a_boolean_is_two(hid_t file)
{
    const int8_t data[N_ROWS] = {0, 1, 0, 1, 1, 1, 0, 0, 1, 2};

    extra_boolean(file, H5T_STD_I8LE, NULL, data);
}

static void booleans_have_a_fill_value_of_false(hid_t file)
{
    extra_boolean(file, H5T_STD_I8LE, "\0", booleans);
}

static void booleans_have_a_fill_value_of_two(hid_t file)
{
    extra_boolean(file, H5T_STD_I8LE, "\2", booleans);
}

static void missing_is_three(hid_t file)
{
    extra_nullable(file, 3, 3);
}

static void missing_is_not_the_fill_value(hid_t file)
{
    extra_nullable(file, 2, 5);
}

static void booleans_have_min_and_max(hid_t file)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);
    const struct {
        int8_t min, max;
        char counts[24];
    } entries[] = {{0, 1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4}},
                   {0, 1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4}},
                   {0, 1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}}};

    a_boolean_column_has_no_fill_value(file);
    make_minmax(file, "extra_minmax", X, type, type, entries, 3);
    put_tokens(file, "/t/SEARCH_INDEXES/extra_minmax", GENERATION, N_ROWS);
    CHECK_H5(H5Tclose(type));
}

static void a_bitmap_of_booleans_has_three_values(hid_t file)
{
    const uint8_t bits[3][2] = {
        {boolean_bits[0][0], boolean_bits[0][1]}, {boolean_bits[1][0], boolean_bits[1][1]}, {0, 0}};

    put_boolean_bitmap(file, (const uint8_t[]){0, 1, 2}, 3, bits[0]);
}

/* --- §11 ------------------------------------------------------------------------------------- */

static void an_index_is_contiguous(hid_t file)
{
    make_sorted(file, "/t/x", H5T_STD_U64LE, x_sorted, N_ROWS, 3, 3);
    make_dataset(file, SORTED, H5T_STD_U64LE, H5T_NATIVE_UINT64, NULL, x_sorted, N_ROWS, 0,
                 H5P_DEFAULT);
    put_u64(file, SORTED, "nan_tail_length", H5T_STD_U64LE, 3);
    put_u64(file, SORTED, "fill_tail_length", H5T_STD_U64LE, 3);
    put_bool(file, SORTED, "ordered", true);
    put_ascii(file, SORTED, "KIND", "SORTED_ROWS");
    put_text(file, SORTED, "description", "2024-01-01, by hand");
    link_index(file, "/t/x", SORTED);
    put_tokens(file, SORTED, GENERATION, N_ROWS);
}

static void a_bitmap_can_grow_by_values_only(hid_t file)
{
    const hsize_t dims[] = {3, 2};
    const hsize_t most[] = {H5S_UNLIMITED, 2};
    const hid_t space = CHECK_H5(H5Screate_simple(2, dims, most));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    hid_t dataset = H5I_INVALID_HID;

    label_bitmap(file);
    CHECK_H5(H5Pset_chunk(dcpl, 2, dims));
    remove_link(file, BITMAP);
    dataset =
        CHECK_H5(H5Dcreate2(file, BITMAP, H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, label_bits));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    put_ascii(file, BITMAP, "KIND", "BITMAP");
    put_text(file, BITMAP, "description", "2024-01-01, by hand");
    put_reference(file, BITMAP, "VALUES", VALUES);
    link_index(file, "/t/label", BITMAP);
    put_tokens(file, BITMAP, GENERATION, N_ROWS);
}

static void padding_bits_are_set(hid_t file)
{
    uint8_t bits[3][2];

    memcpy(bits, label_bits, sizeof bits);
    bits[1][1] |= 0x80;
    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, (const int8_t[]){0, 1, 2}, 3,
                bits[0], 2);
    put_tokens(file, BITMAP, GENERATION, N_ROWS);
}

static void exhaustive_is_an_array(hid_t file)
{
    const hsize_t one = 1;
    const hid_t type = boolean_type(H5T_STD_I8LE);

    label_bitmap(file);
    put_values(file, BITMAP, "exhaustive", type, type, "\1", 1, &one);
    CHECK_H5(H5Tclose(type));
}

static void exhaustive_is_an_integer(hid_t file)
{
    label_bitmap(file);
    put_value(file, BITMAP, "exhaustive", H5T_STD_I8LE, H5T_NATIVE_INT8, "\1");
}

static void an_exhaustive_bitmap_lacks_a_value(hid_t file)
{
    two_values_bitmap(file);
    put_bool(file, BITMAP, "exhaustive", true);
}

/* x holds 3, NaN, missing, 7.5, missing, missing, NaN, NaN, -1 and 2. */
static void an_exhaustive_bitmap_is_over_nan(hid_t file)
{
    const double values[] = {-1, 2, 3, 7.5};
    const uint8_t bits[4][2] = {{0, 1}, {0, 2}, {1, 0}, {8, 0}};

    make_bitmap(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, 4, bits[0], 2);
    put_tokens(file, BITMAP, GENERATION, N_ROWS);
    put_bool(file, BITMAP, "exhaustive", true);
}

static void an_enumeration_of_24_bits_has_filters(hid_t file)
{
    const hid_t base = CHECK_H5(H5Tcopy(H5T_STD_I32LE));
    const uint8_t filters[3][X_FILTER] = {{0}};
    hid_t type = H5I_INVALID_HID;

    CHECK_H5(H5Tset_precision(base, 24));
    type = boolean_type(base);
    extra(file, type, "\7\0\0\0", (const int32_t[N_ROWS]){0, 1});
    make_bloom(file, X, filters[0], 3, X_FILTER, 3, 0);
    put_tokens(file, BLOOM, GENERATION, N_ROWS);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(base));
}

static void a_code_is_not_in_the_filter_of_its_chunk(hid_t file)
{
    const uint8_t filters[3][X_FILTER] = {{0}};

    a_boolean_column_has_no_fill_value(file);
    make_bloom(file, X, filters[0], 3, X_FILTER, 3, 0);
    put_tokens(file, BLOOM, GENERATION, N_ROWS);
}

/* --- §12.2 tokens ---------------------------------------------------------------------------- */

static void generation_is_missing(hid_t file)
{
    drop(file, "/t", "GENERATION");
}

static void generation_is_signed(hid_t file)
{
    put_u64(file, "/t", "GENERATION", H5T_STD_I64LE, GENERATION);
}

static void generation_has_32_bits(hid_t file)
{
    put_u64(file, "/t", "GENERATION", H5T_STD_U32LE, GENERATION);
}

static void generation_is_an_array_of_one(hid_t file)
{
    const hsize_t one = 1;
    const uint64_t generation = GENERATION;

    put_values(file, "/t", "GENERATION", H5T_STD_U64LE, H5T_NATIVE_UINT64, &generation, 1, &one);
}

static void source_generation_is_missing(hid_t file)
{
    drop(file, INDEX, "SOURCE_GENERATION");
}

static void source_nrows_is_missing(hid_t file)
{
    drop(file, INDEX, "SOURCE_NROWS");
}

static void source_nrows_is_signed(hid_t file)
{
    put_u64(file, INDEX, "SOURCE_NROWS", H5T_STD_I64LE, N_ROWS);
}

static void source_generation_has_32_bits(hid_t file)
{
    put_u64(file, INDEX, "SOURCE_GENERATION", H5T_STD_U32LE, GENERATION);
}

static void source_generation_is_an_array_of_one(hid_t file)
{
    const hsize_t one = 1;
    const uint64_t generation = GENERATION;

    put_values(file, INDEX, "SOURCE_GENERATION", H5T_STD_U64LE, H5T_NATIVE_UINT64, &generation, 1,
               &one);
}

static void an_index_of_an_unknown_kind_has_no_tokens(hid_t file)
{
    drop(file, INDEX, "SOURCE_NROWS");
    put_ascii(file, INDEX, "KIND", "CHUNK_HISTOGRAM");
}

static void the_tokens_are_of_an_earlier_generation(hid_t file)
{
    put_tokens(file, INDEX, GENERATION - 1, N_ROWS);
}

static void the_tokens_are_of_fewer_rows(hid_t file)
{
    put_tokens(file, INDEX, GENERATION, N_ROWS - 1);
}

/* What tokens disown is not judged, be it wrong or too short. */
static void a_stale_index_is_wrong_and_too_short(hid_t file)
{
    const minmax entries[] = {{-100, 100, 7, 7, 7}, {0, 0, 0, 0, 0}};

    write_entries(file, entries, 2);
    put_tokens(file, INDEX, GENERATION + 1, N_ROWS);
}

/* Its form is judged all the same. */
static void a_stale_index_is_no_compound(hid_t file)
{
    const char *const targets[] = {INDEX};

    make_dataset(file, INDEX, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, NULL, NULL, 3, 4, H5P_DEFAULT);
    put_ascii(file, INDEX, "KIND", "CHUNK_MINMAX");
    put_text(file, INDEX, "description", "by hand");
    put_references(file, "/t/x", "SEARCH_INDEX_LIST", targets, 1);
    put_tokens(file, INDEX, GENERATION, N_ROWS + 1);
}

static void every_stale_kind_describes_five_rows(hid_t file)
{
    uint8_t filters[3][X_FILTER];
    const char *const all[] = {SORTED, BLOOM, INDEX};

    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, (const int8_t[]){0, 1, 2}, 3,
                (const uint8_t[]){0xff, 0xff, 0xff}, 1);
    make_dataset(file, VALUES, H5T_STD_I8LE, H5T_NATIVE_INT8, NULL, NULL, 5, 0, H5P_DEFAULT);
    put_reference(file, BITMAP, "VALUES", VALUES);
    put_tokens(file, BITMAP, GENERATION, 5);
    x_filters(filters);
    make_sorted(file, "/t/x", H5T_STD_U8LE, x_sorted, 5, 9, 9);
    make_bloom(file, "/t/x", filters[1], 1, X_FILTER, 3, 0);
    put_references(file, "/t/x", "SEARCH_INDEX_LIST", all, 3);
    put_tokens(file, SORTED, GENERATION, 5);
    put_tokens(file, BLOOM, GENERATION, 5);
}

static void right_tokens_do_not_make_an_index_right(hid_t file)
{
    minmax entries[3];

    memcpy(entries, x_entries, sizeof entries);
    entries[0].min = 2.5;
    write_entries(file, entries, 3);
    put_tokens(file, INDEX, GENERATION, N_ROWS);
}

static void the_values_of_a_bitmap_carry_tokens(hid_t file)
{
    label_bitmap(file);
    put_tokens(file, VALUES, GENERATION, N_ROWS);
}

/* --- §14 names ------------------------------------------------------------------------------- */

static void called(hid_t file, const char *path)
{
    const double fill = float_fill();

    make_column(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, NULL);
    list_columns(file);
}

static void a_column_is_called_generation(hid_t file)
{
    called(file, "/t/GENERATION");
}

static void a_column_is_called_mask(hid_t file)
{
    called(file, "/t/MASK");
}

static void a_column_is_called_offsets(hid_t file)
{
    called(file, "/t/OFFSETS");
}

static void a_column_is_called_list_column(hid_t file)
{
    called(file, "/t/LIST_COLUMN");
}

static void a_column_carries_generation(hid_t file)
{
    put_u64(file, "/t/x", "GENERATION", H5T_STD_U64LE, GENERATION);
}

static void the_table_carries_source_nrows(hid_t file)
{
    put_u64(file, "/t", "SOURCE_NROWS", H5T_STD_U64LE, N_ROWS);
}

static void categories_carry_mask(hid_t file)
{
    put_ascii(file, "/t/CATEGORIES/labels", "MASK", "none");
}

static void generation_is_there_in_lower_case_too(hid_t file)
{
    put_text(file, "/t", "generation", "3");
}

static const conformance_case cases[] = {
    JULY_CASE("", the_usual_table_with_tokens),
    JULY_CASE("", tokens_are_big_endian),
    JULY_WHOLE_CASE("", a_table_without_indexes_has_a_generation),
    JULY_WHOLE_CASE("", a_table_without_indexes_has_no_generation),
    JULY_CASE("", a_boolean_column_has_no_fill_value),
    JULY_CASE("", a_boolean_column_was_never_written),
    JULY_WHOLE_CASE("", a_boolean_column_holds_another_number_beyond_nrows),
    JULY_CASE("", booleans_of_two_bytes_are_an_enumeration_as_any),
    JULY_CASE("", nullable_booleans_are_an_enumeration_of_three),
    JULY_CASE("", nullable_booleans_are_uint8_filled_with_255),
    JULY_CASE("", a_bit_of_a_bitfield_is_no_boolean),
    JULY_CASE("", booleans_have_a_bitmap_of_two),
    JULY_CASE("10.6-COVERAGE", booleans_have_a_bitmap_of_one),
    JULY_CASE("", booleans_have_one_byte_filters),
    JULY_CASE("", enumerations_have_filters_of_their_codes),
    JULY_CASE("", big_endian_enumerations_have_filters_of_their_codes),
    JULY_CASE("", an_exhaustive_bitmap_has_every_value),
    JULY_CASE("10.6-COVERAGE", a_bitmap_that_is_not_exhaustive_lacks_a_value),
    JULY_CASE("J8.5-MASK", a_column_carries_mask),
    JULY_CASE("J8.8-BASE", booleans_are_unsigned),
    JULY_CASE("J8.8-VALUE", a_boolean_is_two),
    JULY_CASE("J8.8-FILL", booleans_have_a_fill_value_of_false),
    JULY_CASE("J8.8-FILL", booleans_have_a_fill_value_of_two),
    JULY_CASE("J8.8-NULLABLE", missing_is_three),
    JULY_CASE("J8.8-NULLABLE", missing_is_not_the_fill_value),
    JULY_CASE("J8.8-MINMAX", booleans_have_min_and_max),
    JULY_CASE("J8.8-BITMAP", a_bitmap_of_booleans_has_three_values),
    JULY_CASE("J11.3-GROWTH", an_index_is_contiguous),
    JULY_CASE("J11.3-GROWTH", a_bitmap_can_grow_by_values_only),
    JULY_CASE("J11.6-PADDING", padding_bits_are_set),
    JULY_CASE("J11.6-EXHAUSTIVE-SHAPE", exhaustive_is_an_array),
    JULY_CASE("6-BOOL-TYPE", exhaustive_is_an_integer),
    JULY_CASE("J11.6-EXHAUSTIVE", an_exhaustive_bitmap_lacks_a_value),
    JULY_CASE("J11.6-EXHAUSTIVE-NAN", an_exhaustive_bitmap_is_over_nan),
    JULY_CASE("10.7-COLUMN-TYPE", an_enumeration_of_24_bits_has_filters),
    JULY_CASE("10.7-BITS", a_code_is_not_in_the_filter_of_its_chunk),
    JULY_CASE("J12.2-GENERATION-PRESENT", generation_is_missing),
    JULY_CASE("J12.2-GENERATION-TYPE", generation_is_signed),
    JULY_CASE("J12.2-GENERATION-TYPE", generation_has_32_bits),
    JULY_CASE("J12.2-GENERATION-SHAPE", generation_is_an_array_of_one),
    JULY_CASE("J12.2-SOURCE-PRESENT", source_generation_is_missing),
    JULY_CASE("J12.2-SOURCE-PRESENT", source_nrows_is_missing),
    JULY_CASE("J12.2-SOURCE-TYPE", source_nrows_is_signed),
    JULY_CASE("J12.2-SOURCE-TYPE", source_generation_has_32_bits),
    JULY_CASE("J12.2-SOURCE-SHAPE", source_generation_is_an_array_of_one),
    JULY_CASE("J12.2-SOURCE-PRESENT 10.3-KIND-UNKNOWN", an_index_of_an_unknown_kind_has_no_tokens),
    JULY_CASE("J12.2-STALE", the_tokens_are_of_an_earlier_generation),
    JULY_CASE("J12.2-STALE", the_tokens_are_of_fewer_rows),
    JULY_CASE("J12.2-STALE", a_stale_index_is_wrong_and_too_short),
    JULY_CASE("J12.2-STALE 10.4-FIELDS", a_stale_index_is_no_compound),
    JULY_CASE("J12.2-STALE J12.2-STALE J12.2-STALE", every_stale_kind_describes_five_rows),
    JULY_CASE("10.4-MIN", right_tokens_do_not_make_an_index_right),
    JULY_CASE("13.1-ATTRIBUTE 13.1-ATTRIBUTE", the_values_of_a_bitmap_carry_tokens),
    JULY_CASE("13.1-COLUMN-NAME", a_column_is_called_generation),
    JULY_CASE("13.1-COLUMN-NAME", a_column_is_called_mask),
    JULY_CASE("13.1-COLUMN-NAME", a_column_is_called_offsets),
    JULY_CASE("13.1-COLUMN-NAME", a_column_is_called_list_column),
    JULY_CASE("13.1-ATTRIBUTE", a_column_carries_generation),
    JULY_CASE("13.1-ATTRIBUTE", the_table_carries_source_nrows),
    JULY_CASE("13.1-ATTRIBUTE", categories_carry_mask),
    JULY_CASE("13.1-CASE", generation_is_there_in_lower_case_too),
};

const case_list july_cases = {cases, sizeof cases / sizeof cases[0]};
