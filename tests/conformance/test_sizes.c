/* What an index claims to hold is not what is allocated or read: nothing here was ever written. */
#include <stdio.h>
#include <stoa/check.h>
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"

typedef struct findings {
    char rules[2048];
} findings;

static bool keep_finding(void *context, const stoa_finding *finding)
{
    findings *found = context;
    const size_t length = strlen(found->rules);

    (void)snprintf(found->rules + length, sizeof found->rules - length, "%s ", finding->rule);
    return true;
}

/* A table with one uint64 column of so many rows. */
static hid_t claim_rows(uint64_t n_rows)
{
    const hid_t file = memory_file();
    const uint64_t fill = 7;

    build_empty(file, "/t", n_rows);
    make_group(file, "/t/SEARCH_INDEXES");
    make_dataset(file, "/t/a", H5T_STD_U64LE, H5T_NATIVE_UINT64, &fill, NULL, n_rows, 64,
                 H5P_DEFAULT);
    return file;
}

static void claim_grid(hid_t file, const char *path, uint64_t n_rows, uint64_t n_bytes)
{
    const hsize_t dims[] = {n_rows, n_bytes};
    const hsize_t chunk[] = {1, n_bytes < 64 ? n_bytes : 64};
    const hid_t space = CHECK_H5(H5Screate_simple(2, dims, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 2, chunk));
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, path, H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

static void finish(hid_t file, const char *index, const char *kind)
{
    put_ascii(file, index, "KIND", kind);
    put_text(file, index, "description", "by nobody");
    link_index(file, "/t/a", index);
}

static void check_finds(hid_t file, const char *rules)
{
    const stoa_check_options options = {sizeof options, .indexes = true};
    stoa_error err = STOA_ERROR_INIT;
    findings found = {""};

    CHECK_OK(stoa_check(file, NULL, &options, keep_finding, &found, NULL, NULL, &err), &err);
    CHECK_STR(found.rules, rules);
    CHECK_H5(H5Fclose(file));
}

static hid_t claim_sorted(uint64_t n_rows)
{
    const hid_t file = claim_rows(n_rows);

    make_dataset(file, SORTED, H5T_STD_U64LE, H5T_NATIVE_UINT64, NULL, NULL, n_rows, 64,
                 H5P_DEFAULT);
    put_u64(file, SORTED, "nan_tail_length", H5T_STD_U64LE, 0);
    put_u64(file, SORTED, "fill_tail_length", H5T_STD_U64LE, n_rows);
    put_bool(file, SORTED, "ordered", true);
    finish(file, SORTED, "SORTED_ROWS");
    return file;
}

static void sorted_rows_without_number_are_not_read(void)
{
    check_finds(claim_sorted((uint64_t)1 << 60), "2-NOT-READ ");
}

static void sorted_rows_that_were_never_written_are_no_permutation(void)
{
    check_finds(claim_sorted((uint64_t)1 << 29), "10.5-PERMUTATION ");
}

/* Every entry names a row past NROWS: there is no end to passing them over, but for the column's.
 */
static void passing_over_rows_past_nrows_ends(void)
{
    const uint64_t n_rows = 100;
    const uint64_t past = UINT64_MAX;
    const hid_t file = claim_rows(n_rows);

    make_dataset(file, SORTED, H5T_STD_U64LE, H5T_NATIVE_UINT64, &past, NULL, (uint64_t)1 << 60, 64,
                 H5P_DEFAULT);
    put_u64(file, SORTED, "nan_tail_length", H5T_STD_U64LE, 0);
    put_u64(file, SORTED, "fill_tail_length", H5T_STD_U64LE, n_rows);
    put_bool(file, SORTED, "ordered", true);
    finish(file, SORTED, "SORTED_ROWS");
    check_finds(file, "10.5-RESIDUE 10.5-PERMUTATION ");
}

static hid_t claim_bitmap(uint64_t n_rows, uint64_t n_values)
{
    const hid_t file = claim_rows(n_rows);

    claim_grid(file, BITMAP, n_values, n_rows / 8);
    make_dataset(file, VALUES, H5T_STD_U64LE, H5T_NATIVE_UINT64, NULL, NULL, n_values, 64,
                 H5P_DEFAULT);
    put_reference(file, BITMAP, "VALUES", VALUES);
    finish(file, BITMAP, "BITMAP");
    return file;
}

static void a_bitmap_of_values_without_number_is_not_read(void)
{
    check_finds(claim_bitmap(64, (uint64_t)1 << 60), "2-NOT-READ ");
}

static void a_bitmap_of_rows_without_number_is_not_read(void)
{
    check_finds(claim_bitmap((uint64_t)1 << 60, 2), "2-NOT-READ ");
}

static hid_t claim_bloom(uint64_t n_rows, uint64_t m_bytes, uint16_t k)
{
    const hid_t file = claim_rows(n_rows);

    claim_grid(file, BLOOM, n_rows / 64, m_bytes);
    put_u64(file, BLOOM, "k", H5T_STD_U16LE, k);
    put_u64(file, BLOOM, "m_bits", H5T_STD_U64LE, 8 * m_bytes);
    put_u64(file, BLOOM, "seed", H5T_STD_U32LE, 0);
    put_ascii(file, BLOOM, "hash_family", "murmur3_x64_128_double");
    finish(file, BLOOM, "CHUNK_BLOOM");
    return file;
}

static void filters_without_number_are_not_read(void)
{
    check_finds(claim_bloom((uint64_t)1 << 60, 64, 7), "2-NOT-READ ");
}

static void a_filter_without_end_is_not_read(void)
{
    check_finds(claim_bloom(64, (uint64_t)1 << 50, 7), "2-NOT-READ ");
}

static void hash_functions_without_number_are_not_computed(void)
{
    check_finds(claim_bloom((uint64_t)1 << 29, 64, 65535), "2-NOT-READ ");
}

/* --- list columns ----------------------------------------------------------------------------- */

static hid_t claim_list(uint64_t n_rows)
{
    const hid_t file = memory_file();

    build_empty(file, "/t", n_rows);
    make_list(file, LIST);
    return file;
}

static void claim_booleans(hid_t file, const char *path, uint64_t n)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);

    make_dataset(file, path, type, type, NULL, NULL, n, 64, H5P_DEFAULT);
    CHECK_H5(H5Tclose(type));
}

/* Neither are they, nor is their mask. */
static void lists_without_number_are_not_read(void)
{
    const uint64_t n = (uint64_t)1 << 60;
    const hid_t file = claim_list(n);

    make_dataset(file, LIST "/OFFSETS", H5T_STD_U64LE, H5T_NATIVE_UINT64, NULL, NULL, n + 1, 64,
                 H5P_DEFAULT);
    claim_booleans(file, LIST "/MASK", n);
    claim_booleans(file, LIST "/VALUES", n);
    check_finds(file, "2-NOT-READ 2-NOT-READ ");
}

static void elements_without_number_that_were_never_written_are_not_read(void)
{
    const uint64_t offsets[] = {0, 7, (uint64_t)1 << 60};
    const hid_t file = claim_list(2);

    make_offsets(file, LIST, offsets, 3);
    claim_booleans(file, LIST "/VALUES", (uint64_t)1 << 60);
    check_finds(file, "");
}

static void a_string_without_end_is_not_read(void)
{
    const uint64_t one[] = {0, 1};
    const uint64_t offsets[] = {0, (uint64_t)1 << 60};
    const hid_t file = claim_list(1);

    make_offsets(file, LIST, one, 2);
    make_strings(file, LIST_STRINGS);
    make_offsets(file, LIST_STRINGS, offsets, 2);
    make_dataset(file, LIST_STRINGS "/CHARS", H5T_STD_U8LE, H5T_NATIVE_UINT8, NULL, NULL,
                 (uint64_t)1 << 60, 64, H5P_DEFAULT);
    check_finds(file, "2-NOT-READ ");
}

TEST_MAIN(TEST(lists_without_number_are_not_read),
          TEST(elements_without_number_that_were_never_written_are_not_read),
          TEST(a_string_without_end_is_not_read), TEST(sorted_rows_without_number_are_not_read),
          TEST(sorted_rows_that_were_never_written_are_no_permutation),
          TEST(passing_over_rows_past_nrows_ends),
          TEST(a_bitmap_of_values_without_number_is_not_read),
          TEST(a_bitmap_of_rows_without_number_is_not_read),
          TEST(filters_without_number_are_not_read), TEST(a_filter_without_end_is_not_read),
          TEST(hash_functions_without_number_are_not_computed))
