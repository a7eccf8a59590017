/* SORTED_ROWS, BITMAP and CHUNK_BLOOM indexes made with plain libhdf5 (HEP001 §10.5 to §10.7). */
#include <stdlib.h>
#include <string.h>

#include "conformance/build.h"
#include "core/murmur3.h" /* tested by the value its author publishes */
#include "support/check.h"

/* x is 3 NaN . 7.5 | . . NaN NaN | -1 2, where . is missing. */
const uint64_t x_sorted[N_ROWS] = {8, 9, 0, 3, 2, 4, 5, 1, 6, 7};
/* label is 0 1 2 . | 0 1 2 0 | 1 2. */
const uint64_t label_sorted[N_ROWS] = {0, 4, 7, 1, 5, 8, 2, 6, 9, 3};
const uint8_t label_bits[3][2] = {{0x91, 0x00}, {0x22, 0x01}, {0x44, 0x02}};

void link_index(hid_t file, const char *column, const char *index)
{
    const char *const targets[] = {index, "/t/SEARCH_INDEXES/x_minmax"};

    put_references(file, column, "SEARCH_INDEX_LIST", targets, strcmp(column, "/t/x") == 0 ? 2 : 1);
}

void put_bool(hid_t file, const char *object, const char *attribute, bool value)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);

    put_value(file, object, attribute, type, type, value ? "\1" : "\0");
    CHECK_H5(H5Tclose(type));
}

void put_u64(hid_t file, const char *object, const char *attribute, hid_t file_type, uint64_t value)
{
    put_value(file, object, attribute, file_type, H5T_NATIVE_UINT64, &value);
}

static void finish(hid_t file, const char *column, const char *index, const char *kind)
{
    put_ascii(file, index, "KIND", kind);
    put_text(file, index, "description", "2024-01-01, by hand");
    link_index(file, column, index);
}

void make_sorted(hid_t file, const char *column, hid_t file_type, const uint64_t *rows, uint64_t n,
                 uint64_t fill_tail, uint64_t nan_tail)
{
    make_dataset(file, SORTED, file_type, H5T_NATIVE_UINT64, NULL, rows, n, 4, H5P_DEFAULT);
    put_u64(file, SORTED, "nan_tail_length", H5T_STD_U64LE, nan_tail);
    put_u64(file, SORTED, "fill_tail_length", H5T_STD_U64LE, fill_tail);
    put_bool(file, SORTED, "ordered", true);
    finish(file, column, SORTED, "SORTED_ROWS");
}

/* Bytes in two dimensions, each of which can grow. */
static void make_grid(hid_t file, const char *path, const uint8_t *bytes, uint64_t n_rows,
                      uint64_t n_bytes)
{
    const hsize_t dims[] = {n_rows, n_bytes};
    const hsize_t most[] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const hsize_t chunk[] = {2, 16};
    const hid_t space = CHECK_H5(H5Screate_simple(2, dims, most));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    hid_t dataset = H5I_INVALID_HID;

    CHECK_H5(H5Pset_chunk(dcpl, 2, chunk));

    if (CHECK_H5(H5Lexists(file, path, H5P_DEFAULT)) > 0) {
        remove_link(file, path);
    }
    dataset = CHECK_H5(H5Dcreate2(file, path, H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    if (n_rows * n_bytes > 0) {
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

void make_bitmap(hid_t file, const char *column, hid_t file_type, hid_t memory_type,
                 const void *values, uint64_t n_values, const uint8_t *bits, uint64_t n_bytes)
{
    make_grid(file, BITMAP, bits, n_values, n_bytes);
    make_dataset(file, VALUES, file_type, memory_type, NULL, values, n_values, 0, H5P_DEFAULT);
    put_reference(file, BITMAP, "VALUES", VALUES);
    finish(file, column, BITMAP, "BITMAP");
}

void make_bloom(hid_t file, const char *column, const uint8_t *filters, uint64_t n_chunks,
                uint64_t m_bytes, uint16_t k, uint32_t seed)
{
    make_grid(file, BLOOM, filters, n_chunks, m_bytes);
    put_u64(file, BLOOM, "k", H5T_STD_U16LE, k);
    put_u64(file, BLOOM, "m_bits", H5T_STD_U64LE, 8 * m_bytes);
    put_u64(file, BLOOM, "seed", H5T_STD_U32LE, seed);
    put_ascii(file, BLOOM, "hash_family", "murmur3_x64_128_double");
    finish(file, column, BLOOM, "CHUNK_BLOOM");
}

void bloom_insert(uint8_t *filter, uint64_t m_bytes, uint16_t k, uint32_t seed, const void *bytes,
                  size_t n, bool whole)
{
    const uint64_t m = 8 * m_bytes;
    const stoa_murmur3 hash = stoa_murmur3_x64_128(bytes, n, seed);

    for (uint64_t i = 0; i < k; i++) {
        const uint64_t g =
            whole ? (hash.low % m + i * (hash.high % m)) % m : (hash.low + i * hash.high) % m;
        filter[g >> 3] = (uint8_t)(filter[g >> 3] | 1 << (g & 7));
    }
}

void x_filters(uint8_t filters[3][X_FILTER])
{
    /* Little-endian IEEE 754, by hand: 3, 7.5, -1, 2. */
    static const uint8_t three[8] = {0, 0, 0, 0, 0, 0, 0x08, 0x40};
    static const uint8_t seven_and_a_half[8] = {0, 0, 0, 0, 0, 0, 0x1e, 0x40};
    static const uint8_t minus_one[8] = {0, 0, 0, 0, 0, 0, 0xf0, 0xbf};
    static const uint8_t two[8] = {0, 0, 0, 0, 0, 0, 0x00, 0x40};

    memset(filters, 0, (size_t)3 * X_FILTER);
    bloom_insert(filters[0], X_FILTER, 3, 0, three, 8, false);
    bloom_insert(filters[0], X_FILTER, 3, 0, seven_and_a_half, 8, false);
    bloom_insert(filters[2], X_FILTER, 3, 0, minus_one, 8, false);
    bloom_insert(filters[2], X_FILTER, 3, 0, two, 8, false);
}
