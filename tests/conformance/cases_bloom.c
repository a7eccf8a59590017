/* Cases of §10.7: CHUNK_BLOOM. */
#include <math.h>
#include <string.h>

#include "conformance/cases.h"
#include "core/murmur3.h"
#include "support/check.h"

static void filter_x(hid_t file, uint64_t n)
{
    uint8_t filters[4][X_FILTER] = {{0}};

    x_filters(filters);
    make_bloom(file, "/t/x", filters[0], n, X_FILTER, 3, 0);
}

static void make_whole(hid_t file)
{
    filter_x(file, 3);
}

/* --- form ------------------------------------------------------------------------------------ */

static void an_enumeration_has_filters(hid_t file)
{
    const uint8_t filters[3][X_FILTER] = {{0}};
    const hid_t type = boolean_type(H5T_STD_I8LE);
    const int8_t data[N_ROWS] = {0};

    make_column(file, "/t/extra", type, type, "\5", data);
    list_columns(file);
    make_bloom(file, "/t/extra", filters[0], 3, X_FILTER, 3, 0);
    CHECK_H5(H5Tclose(type));
}

static void a_column_of_24_bits_has_filters(hid_t file)
{
    const uint8_t filters[3][X_FILTER] = {{0}};
    const int32_t fill = -1;
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I32LE));

    CHECK_H5(H5Tset_precision(type, 24));
    make_column(file, "/t/extra", type, H5T_NATIVE_INT32, &fill, NULL);
    list_columns(file);
    make_bloom(file, "/t/extra", filters[0], 3, X_FILTER, 3, 0);
    CHECK_H5(H5Tclose(type));
}

/* The index as another dataset; nothing is written. */
static void remake(hid_t file, hid_t type, int rank, const hsize_t *dims)
{
    const hid_t space = CHECK_H5(H5Screate_simple(rank, dims, NULL));

    make_whole(file);
    remove_link(file, BLOOM);
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, BLOOM, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
    put_ascii(file, BLOOM, "KIND", "CHUNK_BLOOM");
    put_text(file, BLOOM, "description", "by hand");
    put_u64(file, BLOOM, "k", H5T_STD_U16LE, 3);
    put_u64(file, BLOOM, "m_bits", H5T_STD_U64LE, 8 * X_FILTER);
    put_u64(file, BLOOM, "seed", H5T_STD_U32LE, 0);
    put_ascii(file, BLOOM, "hash_family", "murmur3_x64_128_double");
    link_index(file, "/t/x", BLOOM);
}

static void the_filters_are_one_dimensional(hid_t file)
{
    const hsize_t dims[] = {3};

    remake(file, H5T_STD_U8LE, 1, dims);
}

static void the_filters_are_signed(hid_t file)
{
    const hsize_t dims[] = {3, X_FILTER};

    remake(file, H5T_STD_I8LE, 2, dims);
}

static void a_chunk_has_no_filter(hid_t file)
{
    filter_x(file, 2);
}

static void there_is_a_filter_too_many(hid_t file)
{
    filter_x(file, 4);
}

static void k_is_missing(hid_t file)
{
    make_whole(file);
    drop(file, BLOOM, "k");
}

static void m_bits_is_missing(hid_t file)
{
    make_whole(file);
    drop(file, BLOOM, "m_bits");
}

static void seed_is_missing(hid_t file)
{
    make_whole(file);
    drop(file, BLOOM, "seed");
}

static void hash_family_is_missing(hid_t file)
{
    make_whole(file);
    drop(file, BLOOM, "hash_family");
}

static void seed_is_an_array_of_one(hid_t file)
{
    const hsize_t one = 1;
    const uint64_t zero = 0;

    make_whole(file);
    put_values(file, BLOOM, "seed", H5T_STD_U32LE, H5T_NATIVE_UINT64, &zero, 1, &one);
}

static void hash_family_is_an_array_of_one(hid_t file)
{
    make_whole(file);
    put_one_string(file, BLOOM, "hash_family", "murmur3_x64_128_double", H5T_CSET_ASCII);
}

static void k_has_32_bits(hid_t file)
{
    make_whole(file);
    put_u64(file, BLOOM, "k", H5T_STD_U32LE, 3);
}

static void m_bits_has_32_bits(hid_t file)
{
    make_whole(file);
    put_u64(file, BLOOM, "m_bits", H5T_STD_U32LE, 8 * X_FILTER);
}

static void m_bits_counts_bytes(hid_t file)
{
    make_whole(file);
    put_u64(file, BLOOM, "m_bits", H5T_STD_U64LE, X_FILTER);
}

static void m_bits_is_no_multiple_of_8(hid_t file)
{
    make_whole(file);
    put_u64(file, BLOOM, "m_bits", H5T_STD_U64LE, 8 * X_FILTER - 1);
}

static void seed_is_signed(hid_t file)
{
    make_whole(file);
    put_u64(file, BLOOM, "seed", H5T_STD_I32LE, 0);
}

static void hash_family_has_variable_length(hid_t file)
{
    const char *value = "murmur3_x64_128_double";
    const hid_t type = string_type(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII);

    make_whole(file);
    put_value(file, BLOOM, "hash_family", type, type, &value);
    CHECK_H5(H5Tclose(type));
}

static void hash_family_is_utf8(hid_t file)
{
    make_whole(file);
    put_text(file, BLOOM, "hash_family", "murmur3_x64_128_double");
}

static void hash_family_is_another(hid_t file)
{
    make_whole(file);
    put_ascii(file, BLOOM, "hash_family", "xxh3_128_double");
}

/* --- contents -------------------------------------------------------------------------------- */

static void a_bit_of_a_value_is_missing(hid_t file)
{
    uint8_t filters[3][X_FILTER];
    size_t at = 0;

    x_filters(filters);
    while (filters[0][at] == 0) {
        at++;
    }
    filters[0][at] = 0;
    make_bloom(file, "/t/x", filters[0], 3, X_FILTER, 3, 0);
}

static void the_seed_is_another(hid_t file)
{
    make_whole(file);
    put_u64(file, BLOOM, "seed", H5T_STD_U32LE, 1);
}

/* Notes D2: printed digests show the wrong half first. */
static void the_halves_of_the_hash_are_exchanged(hid_t file)
{
    const uint16_t fill = 65535;
    const uint16_t data[N_ROWS] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    uint8_t filters[3][X_FILTER] = {{0}};
    const stoa_murmur3 hash = stoa_murmur3_x64_128("\7", 2, 0);

    make_column(file, "/t/extra", H5T_STD_U16LE, H5T_NATIVE_UINT16, &fill, data);
    list_columns(file);
    for (size_t chunk = 0; chunk < 3; chunk++) {
        for (uint64_t i = 0; i < 3; i++) {
            const uint64_t g = (hash.high + i * hash.low) % (8 * (uint64_t)X_FILTER);
            filters[chunk][g >> 3] = (uint8_t)(filters[chunk][g >> 3] | 1 << (g & 7));
        }
    }
    make_bloom(file, "/t/extra", filters[0], 3, X_FILTER, 3, 0);
}

static void a_big_endian_column_is_hashed_as_it_is_stored(hid_t file)
{
    const uint16_t fill = 65535;
    const uint16_t data[N_ROWS] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    uint8_t filters[3][X_FILTER] = {{0}};

    make_column(file, "/t/extra", H5T_STD_U16BE, H5T_NATIVE_UINT16, &fill, data);
    list_columns(file);
    for (size_t chunk = 0; chunk < 3; chunk++) {
        bloom_insert(filters[chunk], X_FILTER, 3, 0, "\0\7", 2, false);
    }
    make_bloom(file, "/t/extra", filters[0], 3, X_FILTER, 3, 0);
}

static void negative_zero_is_hashed_with_its_sign(hid_t file)
{
    const float fill = -1;
    const float data[N_ROWS] = {-0.0F, -0.0F, -0.0F, -0.0F, -0.0F,
                                -0.0F, -0.0F, -0.0F, -0.0F, -0.0F};
    uint8_t filters[3][X_FILTER] = {{0}};

    make_column(file, "/t/extra", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &fill, data);
    list_columns(file);
    for (size_t chunk = 0; chunk < 3; chunk++) {
        bloom_insert(filters[chunk], X_FILTER, 3, 0, "\0\0\0\x80", 4, false);
    }
    make_bloom(file, "/t/extra", filters[0], 3, X_FILTER, 3, 0);
}

/* Notes D1: 17 bytes have 136 bits, which do not divide 2^64. */
static void positions_are_computed_in_whole_numbers(hid_t file)
{
    const uint64_t fill = UINT64_MAX;
    const uint64_t id[N_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    uint8_t filters[3][17] = {{0}};

    make_column(file, "/t/extra", H5T_STD_U64LE, H5T_NATIVE_UINT64, &fill, id);
    list_columns(file);
    for (uint8_t row = 0; row < N_ROWS; row++) {
        const uint8_t bytes[8] = {row};
        bloom_insert(filters[row / CHUNK], 17, 5, 0, bytes, 8, true);
    }
    make_bloom(file, "/t/extra", filters[0], 3, 17, 5, 0);
}

/* The bits of the quiet NaN that rows 1, 6 and 7 of x hold. */
static void a_nan_is_inserted(hid_t file)
{
    const double nan = NAN;
    uint64_t bits = 0;
    uint8_t bytes[8];
    uint8_t filters[3][X_FILTER];

    memcpy(&bits, &nan, sizeof bits);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(bits >> (8 * i));
    }
    x_filters(filters);
    bloom_insert(filters[1], X_FILTER, 3, 0, bytes, 8, false);
    make_bloom(file, "/t/x", filters[0], 3, X_FILTER, 3, 0);
}

static void bits_of_no_value_are_set(hid_t file)
{
    uint8_t filters[3][X_FILTER];

    x_filters(filters);
    filters[1][3] = 1;
    make_bloom(file, "/t/x", filters[0], 3, X_FILTER, 3, 0);
}

static const conformance_case cases[] = {
    CASE("10.7-COLUMN-TYPE", an_enumeration_has_filters),
    CASE("10.7-COLUMN-TYPE", a_column_of_24_bits_has_filters),
    CASE("10.7-SHAPE", the_filters_are_one_dimensional),
    CASE("10.7-DATATYPE", the_filters_are_signed),
    CASE("10.7-LENGTH", a_chunk_has_no_filter),
    CASE("10.7-RESIDUE", there_is_a_filter_too_many),
    CASE("10.7-PARAMETER-PRESENT", k_is_missing),
    CASE("10.7-PARAMETER-PRESENT", m_bits_is_missing),
    CASE("10.7-PARAMETER-PRESENT", seed_is_missing),
    CASE("10.7-PARAMETER-PRESENT", hash_family_is_missing),
    CASE("10.7-PARAMETER-SHAPE", seed_is_an_array_of_one),
    CASE("10.7-PARAMETER-SHAPE", hash_family_is_an_array_of_one),
    CASE("10.7-K-TYPE", k_has_32_bits),
    CASE("10.7-M-BITS-TYPE", m_bits_has_32_bits),
    CASE("10.7-M-BITS", m_bits_counts_bytes),
    CASE("10.7-M-BITS", m_bits_is_no_multiple_of_8),
    CASE("10.7-SEED-TYPE", seed_is_signed),
    CASE("10.7-HASH-FAMILY-TYPE", hash_family_has_variable_length),
    CASE("10.7-HASH-FAMILY-CHARSET", hash_family_is_utf8),
    CASE("10.7-HASH-FAMILY", hash_family_is_another),
    CASE("10.7-BITS", a_bit_of_a_value_is_missing),
    CASE("10.7-BITS", the_seed_is_another),
    CASE("10.7-BITS", the_halves_of_the_hash_are_exchanged),
    CASE("10.7-BITS", a_big_endian_column_is_hashed_as_it_is_stored),
    CASE("10.7-BITS", negative_zero_is_hashed_with_its_sign),
    CASE("10.7-MOD-READING", positions_are_computed_in_whole_numbers),
    CASE("10.7-NAN-INSERTED", a_nan_is_inserted),
    CASE("10.7-SUPERFLUOUS", bits_of_no_value_are_set),
};

const case_list bloom_cases = {cases, sizeof cases / sizeof cases[0]};
