/* SORTED_ROWS, BITMAP and CHUNK_BLOOM indexes that break nothing, over columns of every type. */
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

static hid_t half_type(void)
{
    const hid_t half = CHECK_H5(H5Tcopy(H5T_IEEE_F32LE));

    CHECK_H5(H5Tset_fields(half, 15, 10, 5, 0, 10));
    CHECK_H5(H5Tset_size(half, 2));
    CHECK_H5(H5Tset_ebias(half, 15));
    return half;
}

static void sort_extra(hid_t file, const uint64_t *rows, uint64_t fill_tail, uint64_t nan_tail)
{
    make_sorted(file, X, H5T_STD_U64LE, rows, N_ROWS, fill_tail, nan_tail);
}

/* --- §10.5 SORTED_ROWS ----------------------------------------------------------------------- */

static void x_is_sorted(hid_t file)
{
    make_sorted(file, "/t/x", H5T_STD_U64LE, x_sorted, N_ROWS, 3, 3);
}

static void label_is_sorted_by_its_codes(hid_t file)
{
    make_sorted(file, "/t/label", H5T_STD_U64LE, label_sorted, N_ROWS, 1, 0);
}

static void rows_of_four_bits_or_big_endian_are_wide_enough(hid_t file)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_U16BE));

    CHECK_H5(H5Tset_precision(type, 4));
    make_sorted(file, "/t/x", type, x_sorted, N_ROWS, 3, 3);
    CHECK_H5(H5Tclose(type));
}

static void a_column_filled_with_nan_has_no_fill_tail(hid_t file)
{
    const float fill = NAN;
    const float data[N_ROWS] = {2, NAN, 1, -INFINITY, INFINITY, NAN, 0, 2, 1, NAN};
    const uint64_t rows[N_ROWS] = {3, 6, 2, 8, 0, 7, 4, 1, 5, 9};

    extra(file, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, &fill, data);
    sort_extra(file, rows, 0, 3);
}

static void zeros_of_both_signs_are_ties(hid_t file)
{
    const double fill = -0.0; /* bit-equality: 0.0 is a value, -0.0 is missing (notes A5) */
    const double data[N_ROWS] = {0.0, -0.0, 1, 0.0, -1, -0.0, 0.0, 3, 2, -2};
    const uint64_t rows[N_ROWS] = {9, 4, 0, 3, 6, 2, 8, 7, 1, 5};

    extra(file, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, data);
    sort_extra(file, rows, 2, 0);
}

static void half_floats_are_sorted(hid_t file)
{
    const hid_t half = half_type();
    const float fill = -100;
    const float data[N_ROWS] = {9, 8, 7, 6, 5, 4, 3, 2, 1, -100};
    const uint64_t rows[N_ROWS] = {8, 7, 6, 5, 4, 3, 2, 1, 0, 9};

    extra(file, half, H5T_NATIVE_FLOAT, &fill, data);
    sort_extra(file, rows, 1, 0);
    CHECK_H5(H5Tclose(half));
}

/* Bytes compare unsigned and without their padding; "" is the fill. */
static void sort_strings(hid_t file, H5T_str_t padding)
{
    const char *const texts[N_ROWS] = {"b", "ab", "\xc3\xa9", "B", "", "zz", "z", "", "a", "ab"};
    const uint64_t rows[N_ROWS] = {3, 8, 1, 9, 0, 6, 5, 2, 4, 7};
    const hid_t type = string_type(4, padding, H5T_CSET_UTF8);
    char data[N_ROWS][4];

    memset(data, padding == H5T_STR_SPACEPAD ? ' ' : '\0', sizeof data);
    for (int row = 0; row < N_ROWS; row++) {
        memcpy(data[row], texts[row], strlen(texts[row]));
    }
    extra(file, type, type, padding == H5T_STR_SPACEPAD ? "    " : "\0\0\0", data);
    sort_extra(file, rows, 2, 0);
    CHECK_H5(H5Tclose(type));
}

static void null_terminated_strings_are_sorted(hid_t file)
{
    sort_strings(file, H5T_STR_NULLTERM);
}

static void null_padded_strings_are_sorted(hid_t file)
{
    sort_strings(file, H5T_STR_NULLPAD);
}

static void space_padded_strings_are_sorted(hid_t file)
{
    sort_strings(file, H5T_STR_SPACEPAD);
}

static void variable_strings_are_sorted(hid_t file)
{
    const hid_t type = variable_string_type();
    const char *fill = "";
    const char *const texts[N_ROWS] = {"b", "ab", "\xc3\xa9", "B", "", "zz", "z", "", "a", "ab"};
    const uint64_t rows[N_ROWS] = {3, 8, 1, 9, 0, 6, 5, 2, 4, 7};

    extra(file, type, type, &fill, texts);
    sort_extra(file, rows, 2, 0);
    CHECK_H5(H5Tclose(type));
}

static const int8_t signed_bytes[N_ROWS] = {-3, 0, 5, 4, 3, 2, 1, -1, 6, 7};

static void opaque_bytes_are_sorted_unsigned(hid_t file)
{
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 1));
    const uint64_t rows[N_ROWS] = {1, 6, 5, 4, 3, 8, 9, 0, 7, 2};

    extra(file, opaque, opaque, "\5", signed_bytes);
    sort_extra(file, rows, 1, 0);
    CHECK_H5(H5Tclose(opaque));
}

static void signed_integers_are_sorted_by_sign(hid_t file)
{
    const uint64_t rows[N_ROWS] = {0, 7, 1, 6, 5, 4, 3, 8, 9, 2};

    extra(file, H5T_STD_I8BE, H5T_STD_I8BE, "\5", signed_bytes);
    sort_extra(file, rows, 1, 0);
}

static void a_column_that_was_never_written_is_one_tail(hid_t file)
{
    const uint64_t rows[N_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

    extra(file, H5T_STD_U8LE, H5T_STD_U8LE, "\377", NULL);
    sort_extra(file, rows, N_ROWS, 0);
}

static void a_contiguous_column_is_sorted(hid_t file)
{
    const uint32_t fill = UINT32_MAX;
    const uint32_t data[N_ROWS] = {5, 4, 3, 2, 1, 0, 9, 8, 7, 6};
    const uint64_t rows[N_ROWS] = {5, 4, 3, 2, 1, 0, 9, 8, 7, 6};

    make_dataset(file, X, H5T_STD_U32BE, H5T_NATIVE_UINT32, &fill, data, N_ROWS, 0, H5P_DEFAULT);
    list_columns(file);
    sort_extra(file, rows, 0, 0);
}

/* §10.1: a SORTED_ROWS requires no datasets. Older Stoa wrote these. */
static void a_sorted_index_has_datasets_of_its_own(hid_t file)
{
    const double values[N_ROWS] = {-1, 2, 3, 7.5};
    const double fences[1] = {-1};

    x_is_sorted(file);
    make_dataset(file, "/t/SEARCH_INDEXES/x_values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, NULL,
                 values, N_ROWS, 4, H5P_DEFAULT);
    make_dataset(file, "/t/SEARCH_INDEXES/x_fences", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, NULL,
                 fences, 1, 0, H5P_DEFAULT);
    put_reference(file, SORTED, "sorted_values", "/t/SEARCH_INDEXES/x_values");
    put_reference(file, SORTED, "fence_keys", "/t/SEARCH_INDEXES/x_fences");
}

static void every_kind_describes_an_empty_table(hid_t file)
{
    const int16_t fill = -32767;
    const char *const targets[] = {SORTED, BITMAP, BLOOM};

    build_empty(file, "/t", 0);
    make_group(file, "/t/SEARCH_INDEXES");
    make_dataset(file, "/t/a", H5T_STD_I16LE, H5T_NATIVE_INT16, &fill, NULL, 0, 4, H5P_DEFAULT);
    make_sorted(file, "/t/a", H5T_STD_U64LE, NULL, 0, 0, 0);
    make_bitmap(file, "/t/a", H5T_STD_I16LE, H5T_NATIVE_INT16, NULL, 0, NULL, 0);
    make_bloom(file, "/t/a", NULL, 0, 16, 3, 0);
    put_references(file, "/t/a", "SEARCH_INDEX_LIST", targets, 3);
}

/* --- §10.6 BITMAP ---------------------------------------------------------------------------- */

static void label_has_a_bitmap(hid_t file)
{
    const int8_t codes[3] = {0, 1, 2};

    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, codes, 3, label_bits[0], 2);
    put_bool(file, BITMAP, "ordered", true);
}

static void missing_rows_have_a_bitmap_too(hid_t file)
{
    const int8_t codes[4] = {2, -127, 0, 1};
    const uint8_t bits[4][2] = {{0x44, 2}, {0x08, 0}, {0x91, 0}, {0x22, 1}};

    make_bitmap(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, codes, 4, bits[0], 2);
    put_bool(file, BITMAP, "ordered", false);
}

static void nan_marks_no_row(hid_t file)
{
    const double values[5] = {3, 7.5, -1, 2, NAN};
    const uint8_t bits[5][2] = {{0x01, 0}, {0x08, 0}, {0, 1}, {0, 2}, {0, 0}};

    make_bitmap(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, 5, bits[0], 2);
}

static void nan_marks_every_nan(hid_t file)
{
    const double values[5] = {3, 7.5, NAN, -1, 2};
    const uint8_t bits[5][2] = {{0x01, 0}, {0x08, 0}, {0xc2, 0}, {0, 1}, {0, 2}};

    make_bitmap(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, 5, bits[0], 2);
}

static void zero_stands_for_both_zeros(hid_t file)
{
    const double fill = float_fill();
    const double data[N_ROWS] = {0.0, -0.0, 1, 0, 0, 0, 0, 0, 0, 0};
    const double values[2] = {-0.0, 1};
    const uint8_t bits[2][2] = {{0xfb, 3}, {0x04, 0}};

    extra(file, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, &fill, data);
    make_bitmap(file, X, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, values, 2, bits[0], 2);
}

/* Rows 4 and 5 are missing: their fill is one zero, and the other one is a value (notes D6). */
static void zeros_missing(hid_t file, const uint8_t bits[2][2])
{
    const double fill = -0.0;
    const double data[N_ROWS] = {0.0, 0.0, 1, 0, -0.0, -0.0, 0, 0, 0, 0};
    const double values[2] = {0.0, 1};

    extra(file, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &fill, data);
    make_bitmap(file, X, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, 2, bits[0], 2);
}

static void a_missing_zero_is_marked_with_the_other(hid_t file)
{
    zeros_missing(file, (const uint8_t[2][2]){{0xfb, 3}, {0x04, 0}});
}

static void a_missing_zero_is_not_marked_with_the_other(hid_t file)
{
    zeros_missing(file, (const uint8_t[2][2]){{0xcb, 3}, {0x04, 0}});
}

static const uint8_t alternating[2][2] = {{0x55, 1}, {0xaa, 2}};

static void strings_have_a_bitmap(hid_t file)
{
    const hid_t text = string_type(2, H5T_STR_NULLPAD, H5T_CSET_ASCII);

    extra(file, text, text, "\0", "a\0b\0a\0b\0a\0b\0a\0b\0a\0b");
    make_bitmap(file, X, text, text, "a\0b", 2, alternating[0], 2);
    CHECK_H5(H5Tclose(text));
}

/* A byte, a hole, two bytes: what the hole holds is nobody's business. */
static void compounds_have_a_bitmap(hid_t file)
{
    const char rows[] = "a\0\1\0b\0\2\0a\7\1\0b\0\2\0a\0\1\0"
                        "b\0\2\0a\0\1\0b\7\2\0a\0\1\0b\0\2\0";
    const hid_t pair = CHECK_H5(H5Tcreate(H5T_COMPOUND, 4));

    CHECK_H5(H5Tinsert(pair, "c", 0, H5T_NATIVE_CHAR));
    CHECK_H5(H5Tinsert(pair, "i", 2, H5T_STD_I16LE));
    extra(file, pair, pair, "\0\0\0", rows);
    make_bitmap(file, X, pair, pair, rows, 2, alternating[0], 2);
    CHECK_H5(H5Tclose(pair));
}

static void arrays_have_a_bitmap(hid_t file)
{
    const hsize_t two = 2;
    const hid_t pair = CHECK_H5(H5Tarray_create2(H5T_STD_U8LE, 1, &two));

    extra(file, pair, pair, "\7\7", "abcdabcdabcdabcdabcd");
    make_bitmap(file, X, pair, pair, "abcd", 2, alternating[0], 2);
    CHECK_H5(H5Tclose(pair));
}

static void variable_strings_have_a_bitmap(hid_t file)
{
    const hid_t type = variable_string_type();
    const char *fill = "";
    const char *const texts[N_ROWS] = {"b", "ab", "b", "", "", "", "", "", "", "ab"};
    const char *const values[2] = {"ab", "b"};
    const uint8_t bits[2][2] = {{0x02, 2}, {0x05, 0}};

    extra(file, type, type, &fill, texts);
    make_bitmap(file, X, type, type, values, 2, bits[0], 2);
    CHECK_H5(H5Tclose(type));
}

static void nothing_but_missing_rows_needs_no_value(hid_t file)
{
    extra(file, H5T_STD_U8LE, H5T_STD_U8LE, "\377", NULL);
    make_bitmap(file, X, H5T_STD_U8LE, H5T_STD_U8LE, NULL, 0, NULL, 2);
}

static void two_bitmaps_share_their_values(hid_t file)
{
    const char *const targets[] = {"/t/SEARCH_INDEXES/first"};
    const int8_t fill = -127;
    const int8_t codes[N_ROWS] = {0, 1, 2, -127, 0, 1, 2, 0, 1, 2};

    label_has_a_bitmap(file);
    CHECK_H5(H5Lmove(file, BITMAP, file, targets[0], H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lmove(file, VALUES, file, "/t/SEARCH_INDEXES/shared", H5P_DEFAULT, H5P_DEFAULT));
    extra(file, H5T_STD_I8LE, H5T_NATIVE_INT8, &fill, codes);
    make_bitmap(file, X, H5T_STD_I8LE, H5T_NATIVE_INT8, codes, 3, label_bits[0], 2);
    put_reference(file, BITMAP, "VALUES", "/t/SEARCH_INDEXES/shared");
    remove_link(file, VALUES);
    put_references(file, "/t/label", "SEARCH_INDEX_LIST", targets, 1);
}

/* --- §10.7 CHUNK_BLOOM ----------------------------------------------------------------------- */

static void x_has_filters(hid_t file)
{
    uint8_t filters[3][X_FILTER];

    x_filters(filters);
    make_bloom(file, "/t/x", filters[0], 3, X_FILTER, 3, 0);
}

static void the_fill_value_is_inserted_as_well(hid_t file)
{
    static const uint8_t fill[8] = {0, 0, 0, 0, 0, 0, 0x9e, 0x47};
    uint8_t filters[3][X_FILTER];

    x_filters(filters);
    bloom_insert(filters[0], X_FILTER, 3, 0, fill, 8, false);
    make_bloom(file, "/t/x", filters[0], 3, X_FILTER, 3, 0);
}

static void no_hash_function_sets_no_bit(hid_t file)
{
    const uint8_t filters[3][X_FILTER] = {{0}};

    make_bloom(file, "/t/x", filters[0], 3, X_FILTER, 0, 0);
}

static void no_bytes_hold_no_filter(hid_t file)
{
    make_bloom(file, "/t/x", NULL, 3, 0, 3, 0);
}

/* 24 bytes: 192 bits, no power of two; computed in 64 bits, with a seed. */
static void filters_of_any_length_and_seed(hid_t file)
{
    const int16_t fill = -1;
    const int16_t data[N_ROWS] = {258, 3, 4, 5, -1, -2, -1, 0, 1, 2};
    const uint8_t bytes[N_ROWS][2] = {{2, 1},       {3, 0}, {4, 0}, {5, 0}, {0, 0},
                                      {0xfe, 0xff}, {0, 0}, {0, 0}, {1, 0}, {2, 0}};
    uint8_t filters[3][24] = {{0}};

    for (int row = 0; row < N_ROWS; row++) {
        if (data[row] != fill) {
            bloom_insert(filters[row / CHUNK], 24, 7, 0xfedcba98, bytes[row], 2, false);
        }
    }
    extra(file, H5T_STD_I16BE, H5T_NATIVE_INT16, &fill, data);
    make_bloom(file, X, filters[0], 3, 24, 7, 0xfedcba98);
}

static void negative_zero_is_hashed_as_zero(hid_t file)
{
    const float fill = NAN;
    const float data[N_ROWS] = {-0.0F, NAN, 0.0F, -0.0F, NAN, NAN, NAN, NAN, -0.0F, 1.5F};
    uint8_t filters[3][X_FILTER] = {{0}};

    bloom_insert(filters[0], X_FILTER, 2, 0, "\0\0\0", 4, false);
    bloom_insert(filters[2], X_FILTER, 2, 0, "\0\0\0", 4, false);
    bloom_insert(filters[2], X_FILTER, 2, 0, "\0\0\xc0\x3f", 4, false);
    extra(file, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, &fill, data);
    make_bloom(file, X, filters[0], 3, X_FILTER, 2, 0);
}

/* Chunks 0 and 2 hold one value, chunk 1 none. */
static void filter_extra(hid_t file, const void *bytes, size_t n)
{
    uint8_t filters[3][X_FILTER] = {{0}};

    bloom_insert(filters[0], X_FILTER, 2, 0, bytes, n, false);
    bloom_insert(filters[2], X_FILTER, 2, 0, bytes, n, false);
    make_bloom(file, X, filters[0], 3, X_FILTER, 2, 0);
}

static void half_floats_have_filters(hid_t file)
{
    const hid_t half = half_type();
    const float fill = -100;
    const float data[N_ROWS] = {1, 1, 1, 1, -100, -100, -100, -100, 1, 1};

    extra(file, half, H5T_NATIVE_FLOAT, &fill, data);
    filter_extra(file, "\0\x3c", 2);
    CHECK_H5(H5Tclose(half));
}

static void booleans_have_filters(hid_t file)
{
    const uint8_t data[N_ROWS] = {1, 1, 2, 1, 2, 2, 2, 2, 1, 1};

    extra(file, H5T_STD_U8LE, H5T_STD_U8LE, "\2", data);
    filter_extra(file, "\1", 1);
}

static void fixed_strings_are_hashed_without_padding(hid_t file)
{
    const hid_t text = string_type(4, H5T_STR_SPACEPAD, H5T_CSET_ASCII);

    extra(file, text, text, "    ", "ab  ab  ab  ab                  ab  ab  ");
    filter_extra(file, "ab", 2);
    CHECK_H5(H5Tclose(text));
}

static void opaque_bytes_are_hashed_whole(hid_t file)
{
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 4));

    extra(file, opaque, opaque, "    ", "ab  ab  ab  ab                  ab  ab  ");
    filter_extra(file, "ab  ", 4);
    CHECK_H5(H5Tclose(opaque));
}

static void variable_strings_have_filters(hid_t file)
{
    const hid_t type = variable_string_type();
    const char *const texts[N_ROWS] = {"ab", "ab", "ab", "ab", "", "", "", "", "ab", "ab"};
    const char *fill = "";

    extra(file, type, type, &fill, texts);
    filter_extra(file, "ab", 2);
    CHECK_H5(H5Tclose(type));
}

/* Every kind at once: the table that is swept and damaged. */
void build_indexes(hid_t file)
{
    const char *const of_x[] = {SORTED, BLOOM, "/t/SEARCH_INDEXES/x_minmax"};

    x_is_sorted(file);
    x_has_filters(file);
    put_references(file, "/t/x", "SEARCH_INDEX_LIST", of_x, 3);
    label_has_a_bitmap(file);
}

static const conformance_case cases[] = {
    CASE("", x_is_sorted),
    CASE("", label_is_sorted_by_its_codes),
    CASE("", rows_of_four_bits_or_big_endian_are_wide_enough),
    CASE("", a_column_filled_with_nan_has_no_fill_tail),
    CASE("", zeros_of_both_signs_are_ties),
    CASE("", half_floats_are_sorted),
    CASE("", null_terminated_strings_are_sorted),
    CASE("", null_padded_strings_are_sorted),
    CASE("", space_padded_strings_are_sorted),
    CASE("8.3-VLEN", variable_strings_are_sorted),
    CASE("", opaque_bytes_are_sorted_unsigned),
    CASE("", signed_integers_are_sorted_by_sign),
    CASE("", a_column_that_was_never_written_is_one_tail),
    CASE("", a_contiguous_column_is_sorted),
    CASE("10.1-UNREQUIRED 10.1-UNREQUIRED", a_sorted_index_has_datasets_of_its_own),
    WHOLE_CASE("", every_kind_describes_an_empty_table),
    CASE("", label_has_a_bitmap),
    CASE("", missing_rows_have_a_bitmap_too),
    CASE("", nan_marks_no_row),
    CASE("", nan_marks_every_nan),
    CASE("", zero_stands_for_both_zeros),
    CASE("", a_missing_zero_is_marked_with_the_other),
    CASE("", a_missing_zero_is_not_marked_with_the_other),
    CASE("", strings_have_a_bitmap),
    CASE("", compounds_have_a_bitmap),
    CASE("", arrays_have_a_bitmap),
    CASE("8.3-VLEN", variable_strings_have_a_bitmap),
    CASE("", nothing_but_missing_rows_needs_no_value),
    CASE("", two_bitmaps_share_their_values),
    CASE("", x_has_filters),
    CASE("", the_fill_value_is_inserted_as_well),
    CASE("", no_hash_function_sets_no_bit),
    CASE("", no_bytes_hold_no_filter),
    CASE("", filters_of_any_length_and_seed),
    CASE("", negative_zero_is_hashed_as_zero),
    CASE("", half_floats_have_filters),
    CASE("", booleans_have_filters),
    CASE("", fixed_strings_are_hashed_without_padding),
    CASE("", opaque_bytes_are_hashed_whole),
    CASE("8.3-VLEN", variable_strings_have_filters),
    CASE("", build_indexes),
};

const case_list whole_indexes = {cases, sizeof cases / sizeof cases[0]};
