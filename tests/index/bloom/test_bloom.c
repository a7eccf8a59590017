/* The rules of HEP001 §10.7, for src/index/bloom/bloom*.c. Filters are read back by plain HDF5
 * calls and compared with ones that a naive reading of the section's words makes here; the hash
 * itself is tested against published values in tests/core/test_murmur3.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/murmur3.h"
#include "hdf/metadata/attributes.h"
#include "index/bloom/bloom.h"
#include "index/bloom/bloom_filter.h"
#include "index/one_column.h"

static void add_index(one_column *made, double rate, uint32_t seed)
{
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    options.false_positives = rate;
    options.seed = seed;
    CHECK_OK(stoa_index_add(made->table, "x", "bloom", &options, &err), &err);
}

static uint64_t read_number(hid_t dataset, const char *name, hid_t exact)
{
    const hid_t attr = CHECK_H5(H5Aopen(dataset, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attr));
    const hid_t space = CHECK_H5(H5Aget_space(attr));
    uint64_t value = 0;

    CHECK(H5Tequal(type, exact) > 0);
    CHECK(H5Sget_simple_extent_type(space) == H5S_SCALAR);
    CHECK_H5(H5Aread(attr, H5T_NATIVE_UINT64, &value));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attr));
    return value;
}

/* `row[g >> 3] |= 1 << (g & 7)` for g = (h_a + i * h_b) mod m_bits. */
static void insert(uint8_t *row, uint64_t k, uint64_t m_bits, uint32_t seed, const void *bytes,
                   size_t n)
{
    const stoa_murmur3 hash = stoa_murmur3_x64_128(bytes, n, seed);

    for (uint64_t i = 0; i < k; i++) {
        const uint64_t g = (hash.low + i * hash.high) % m_bits;
        row[g >> 3] = (uint8_t)(row[g >> 3] | 1u << (g & 7));
    }
}

/* The canonical bytes of a column's values, chunk by chunk; a length of 0 ends nothing. */
typedef struct canonical {
    uint64_t chunk;
    size_t length;
    const char *bytes;
} canonical;

static void check_filters(const one_column *made, uint64_t n_chunks, const canonical *values,
                          size_t n)
{
    const hid_t dataset = one_column_index(made);
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    const uint64_t k = read_number(dataset, "k", H5T_STD_U16LE);
    const uint64_t m_bits = read_number(dataset, "m_bits", H5T_STD_U64LE);
    const uint32_t seed = (uint32_t)read_number(dataset, "seed", H5T_STD_U32LE);
    const size_t m_bytes = (size_t)(m_bits / 8);
    hsize_t dims[2];

    CHECK(H5Tequal(type, H5T_STD_U8LE) > 0);
    CHECK_I64(H5Sget_simple_extent_ndims(space), 2);
    CHECK_H5(H5Sget_simple_extent_dims(space, dims, NULL));
    CHECK_U64(dims[0], n_chunks);
    CHECK_U64(dims[1], m_bytes);
    CHECK_U64(m_bits & (m_bits - 1), 0);
    uint8_t *right = calloc(n_chunks + 1, m_bytes);
    uint8_t *found = calloc(n_chunks + 1, m_bytes);
    for (size_t i = 0; i < n; i++) {
        insert(right + values[i].chunk * m_bytes, k, m_bits, seed, values[i].bytes,
               values[i].length);
    }
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, right, n_chunks * m_bytes);
    free(right);
    free(found);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
}

static void the_dataset_is_what_the_section_says(void)
{
    const int16_t fill = -1;
    const int16_t rows[] = {1, 2, 3};
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_STD_I16BE,
                                                         .mem_type = H5T_NATIVE_INT16,
                                                         .fill = &fill,
                                                         .values = rows,
                                                         .extent = 3,
                                                         .n_rows = 3,
                                                         .chunk_rows = 2});
    char family[32] = "";

    add_index(&made, 0, 77);
    const hid_t dataset = one_column_index(&made);
    CHECK_U64(read_number(dataset, "seed", H5T_STD_U32LE), 77);
    const hid_t attr = CHECK_H5(H5Aopen(dataset, "hash_family", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attr));
    CHECK(H5Tis_variable_str(type) == 0);
    CHECK(H5Tget_cset(type) == H5T_CSET_ASCII);
    CHECK_H5(H5Aread(attr, type, family));
    CHECK_STR(family, "murmur3_x64_128_double");
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Dclose(dataset));
    /* Little-endian, in the column's width, whatever the file's order; two chunks. */
    check_filters(&made, 2, (canonical[]){{0, 2, "\1\0"}, {0, 2, "\2\0"}, {1, 2, "\3\0"}}, 3);
    one_column_free(&made);
}

static void a_filter_is_bit_for_bit_as_worked_out_by_hand(void)
{
    /* "hello": h_a = cbd8a7b341bd9b02, h_b = 5b1e906a48ae1d19 (published). One value, a rate of
     * 0.001: the least k with (1 - e^(-k/64))^k <= 0.001 is 2 (0.000947 <= 0.001), in 64 bits.
     * Bits h_a mod 64 = 2 and (h_a + h_b) mod 64 = (2 + 0x19) mod 64 = 27: byte 0 bit 2, byte 3
     * bit 3. */
    const uint8_t right[8] = {0x04, 0, 0, 0x08, 0, 0, 0, 0};
    const char *const fill = "";
    const char *const rows[] = {"hello", "", "hello"};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    uint8_t found[8];

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    one_column made = one_column_make(&(one_column_spec){
        .file_type = text, .fill = &fill, .values = rows, .extent = 3, .n_rows = 3});
    add_index(&made, 0.001, 0);
    const hid_t dataset = one_column_index(&made);
    CHECK_U64(read_number(dataset, "k", H5T_STD_U16LE), 2);
    CHECK_U64(read_number(dataset, "m_bits", H5T_STD_U64LE), 64);
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, right, 8);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
    CHECK_H5(H5Tclose(text));
}

static void floats_are_hashed_with_one_zero_and_without_nan(void)
{
    const float fill = -9.0f;
    const float rows[] = {-0.0f, NAN, -9.0f, 1.5f};
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_IEEE_F32BE,
                                                         .mem_type = H5T_NATIVE_FLOAT,
                                                         .fill = &fill,
                                                         .values = rows,
                                                         .extent = 4,
                                                         .n_rows = 4,
                                                         .chunk_rows = 4});

    add_index(&made, 0, 0);
    check_filters(&made, 1, (canonical[]){{0, 4, "\0\0\0\0"}, {0, 4, "\0\0\xc0\x3f"}}, 2);
    one_column_free(&made);
}

static void strings_are_hashed_without_their_padding(void)
{
    static const H5T_str_t paddings[] = {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD};
    static const char *const rows[] = {"ab\0\0cd\0\0", "ab\0\0cd\0\0", "ab  cd  "};
    static const char *const fills[] = {"\0\0\0\0", "\0\0\0\0", "    "};

    for (size_t i = 0; i < 3; i++) {
        const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
        CHECK_H5(H5Tset_size(text, 4));
        CHECK_H5(H5Tset_strpad(text, paddings[i]));
        one_column made = one_column_make(&(one_column_spec){
            .file_type = text, .fill = fills[i], .values = rows[i], .extent = 2, .n_rows = 2});
        add_index(&made, 0, 3);
        check_filters(&made, 1, (canonical[]){{0, 2, "ab"}, {0, 2, "cd"}}, 2);
        one_column_free(&made);
        CHECK_H5(H5Tclose(text));
    }
}

static void opaque_values_are_hashed_as_they_are(void)
{
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 3));
    CHECK_H5(H5Tset_tag(opaque, "three"));
    one_column made = one_column_make(&(one_column_spec){.file_type = opaque,
                                                         .fill = "\0\0\0",
                                                         .values = "\1\2\0\xff\0\0\0\0\0",
                                                         .extent = 3,
                                                         .n_rows = 3});
    add_index(&made, 0, 0);
    check_filters(&made, 1, (canonical[]){{0, 3, "\1\2\0"}, {0, 3, "\xff\0\0"}}, 2);
    one_column_free(&made);
    CHECK_H5(H5Tclose(opaque));
}

static void check_refused(hid_t type, const char *name)
{
    static const uint8_t rows[64];
    one_column made = one_column_make(&(one_column_spec){
        .file_type = type, .fill = rows, .values = rows, .extent = 2, .n_rows = 2});
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ETYPE, stoa_index_add(made.table, "x", "bloom", NULL, &err));
    CHECK_CONTAINS(err.message, name);
    CHECK_CONTAINS(err.message, "'x'");
    CHECK_CONTAINS(err.message, "§10.7");
    one_column_free(&made);
}

static void types_without_canonical_bytes_are_refused(void)
{
    const hid_t colour = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));
    const hid_t array = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT, 1, &(hsize_t){2}));
    const hid_t pair = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8));
    const hid_t odd = CHECK_H5(H5Tcopy(H5T_STD_I32LE));

    CHECK_H5(H5Tenum_insert(colour, "red", &(int8_t){1}));
    CHECK_H5(H5Tinsert(pair, "a", 0, H5T_STD_I32LE));
    CHECK_H5(H5Tinsert(pair, "b", 4, H5T_STD_I32LE));
    CHECK_H5(H5Tset_precision(odd, 24));
    check_refused(colour, "enum");
    check_refused(array, "array");
    check_refused(pair, "compound");
    check_refused(odd, "int");
    check_refused(H5T_STD_B16LE, "bitfield");
    CHECK_H5(H5Tclose(odd));
    CHECK_H5(H5Tclose(pair));
    CHECK_H5(H5Tclose(array));
    CHECK_H5(H5Tclose(colour));
}

static void an_impossible_rate_is_refused(void)
{
    static const double rates[] = {1.0, -0.5, 2.0, NAN, INFINITY};
    const int32_t rows[] = {1, 2};
    one_column made = one_column_make(&(one_column_spec){
        .file_type = H5T_NATIVE_INT32, .fill = rows, .values = rows, .extent = 2, .n_rows = 2});

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
        stoa_error err = STOA_ERROR_INIT;
        options.false_positives = rates[i];
        CHECK_STATUS(STOA_EINVAL, stoa_index_add(made.table, "x", "bloom", &options, &err));
        CHECK_CONTAINS(err.message, "between 0 and 1");
    }
    one_column_free(&made);
}

static double rate_of(uint32_t k, double n, double m)
{
    return pow(1.0 - exp(-(double)k * n / m), (double)k);
}

static void as_few_hashes_as_reach_the_rate_are_chosen(void)
{
    static const double rates[] = {0.9, 0.2, 0.01, 1e-6};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        for (uint64_t n = 1; n < 100000; n = 7 * n + 3) {
            const stoa_bloom bloom = stoa_bloom_choose(n, rates[i], 0);
            const double m = (double)bloom.m_bits;
            CHECK(rate_of(bloom.k, (double)n, m) <= rates[i]);
            for (uint32_t k = 1; k < bloom.k; k++) {
                CHECK(rate_of(k, (double)n, m) > rates[i]);
            }
        }
    }
    CHECK_U64(stoa_bloom_choose(1, 0.2, 0).k, 1);
}

/* Rows 0 .. n-1 of numbers that do not repeat within 2^31. */
enum { N = 20000 };
static const int32_t fill_value = -1;

static int32_t value_at(uint64_t row)
{
    return (int32_t)((row * 2654435761u) & 0x7fffffff);
}

static int32_t *make_rows(uint64_t n)
{
    int32_t *rows = malloc(n * sizeof *rows);

    CHECK(rows != NULL);
    for (uint64_t i = 0; i < n; i++) {
        rows[i] = i % 11 == 3 ? fill_value : value_at(i);
    }
    return rows;
}

static one_column make_column(const int32_t *rows, uint64_t extent, uint64_t n_rows,
                              uint64_t chunk_rows)
{
    return one_column_make(&(one_column_spec){.file_type = H5T_STD_I32LE,
                                              .mem_type = H5T_NATIVE_INT32,
                                              .fill = &fill_value,
                                              .values = rows,
                                              .extent = extent,
                                              .n_rows = n_rows,
                                              .chunk_rows = chunk_rows});
}

static stoa_index *open_index(const one_column *made, hid_t dataset, uint64_t n_rows)
{
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_bloom.open(made->column, dataset, n_rows, &index, &err), &err);
    return index;
}

/* How many rows are left to look at for [low, high]. */
static stoa_interval between(int64_t low, int64_t high)
{
    return (stoa_interval){.has_low = true,
                           .has_high = true,
                           .low = {.kind = STOA_SCALAR_I64, .as.i64 = low},
                           .high = {.kind = STOA_SCALAR_I64, .as.i64 = high}};
}

static uint64_t n_candidates_in(const stoa_index *index, stoa_interval interval)
{
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    stoa_rowset candidates = {0};
    stoa_rowset certain = {0};

    CHECK_OK(stoa_index_bloom.prune(index, &test, &candidates, &certain, NULL));
    const uint64_t n = stoa_rowset_count(&candidates);
    CHECK_U64(certain.n_ranges, 0);
    stoa_rowset_clear(&candidates);
    stoa_rowset_clear(&certain);
    return n;
}

static uint64_t n_candidates(const stoa_index *index, int64_t low, int64_t high)
{
    return n_candidates_in(index, between(low, high));
}

/* One chunk, so that a candidate is the whole table or nothing. */
static double measured_rate(double rate)
{
    int32_t *rows = make_rows(N);
    one_column made = make_column(rows, N, N, N);
    uint64_t n_false = 0;

    add_index(&made, rate, 5);
    const hid_t dataset = one_column_index(&made);
    stoa_index *index = open_index(&made, dataset, N);
    for (uint64_t row = 0; row < N; row += 7) {
        CHECK(rows[row] == fill_value || n_candidates(index, rows[row], rows[row]) == N);
    }
    for (uint64_t i = 0; i < 20000; i++) { /* values of rows that the table does not have */
        n_false += n_candidates(index, value_at(N + i), value_at(N + i)) != 0;
    }
    stoa_index_bloom.close(index);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
    free(rows);
    return (double)n_false / 20000;
}

static void false_positives_are_as_few_as_asked_for(void)
{
    CHECK(measured_rate(0.1) <= 0.2);
    CHECK(measured_rate(0.01) <= 0.02);
    CHECK(measured_rate(0.001) <= 0.002);
}

/* Scalars are signed unless they are too large for it. */
static void zero_is_found_among_unsigned_numbers(void)
{
    static const uint8_t rows[] = {0, 1, 2, 3};
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_STD_U8LE,
                                                         .mem_type = H5T_NATIVE_UINT8,
                                                         .values = rows,
                                                         .extent = 4,
                                                         .n_rows = 4,
                                                         .chunk_rows = 4});

    add_index(&made, 0.0001, 0);
    const hid_t dataset = one_column_index(&made);
    stoa_index *index = open_index(&made, dataset, 4);
    CHECK_U64(n_candidates(index, 0, 0), 4);
    CHECK_U64(n_candidates(index, -1, -1), 0);
    stoa_index_bloom.close(index);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

static void only_lists_of_values_are_answered(void)
{
    int32_t *rows = make_rows(4000);
    one_column made = make_column(rows, 4000, 4000, 100);

    add_index(&made, 0.0001, 0);
    const hid_t dataset = one_column_index(&made);
    stoa_index *index = open_index(&made, dataset, 4000);
    CHECK_U64(n_candidates(index, rows[250], rows[250]), 100);
    CHECK(n_candidates(index, rows[250] - 3, rows[250] + 3) <= 300); /* seven integers */
    CHECK_U64(n_candidates(index, 0, INT32_MAX), 4000);
    CHECK_U64(n_candidates(index, 5, 4), 0);
    stoa_interval empty = between(rows[250], rows[250]);
    empty.high_open = true;
    CHECK_U64(n_candidates_in(index, empty), 0);
    CHECK_U64(n_candidates(index, INT64_C(1) << 40, INT64_C(1) << 40), 0); /* no int32 */
    const stoa_test missing = {.missing = true};
    stoa_rowset sets[2] = {{0}, {0}};
    CHECK_OK(stoa_index_bloom.prune(index, &missing, &sets[0], &sets[1], NULL));
    CHECK_U64(stoa_rowset_count(&sets[0]), 4000);
    stoa_rowset_clear(&sets[0]);
    stoa_rowset_clear(&sets[1]);
    stoa_index_bloom.close(index);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
    free(rows);
}

/* 256 values are asked one by one. Of 257 the last is the only one in the last chunk. */
static void a_list_of_very_many_values_excludes_no_chunk(void)
{
    enum { N_VALUES = 257 };
    int32_t *rows = make_rows(4000);
    one_column made = make_column(rows, 4000, 4000, 100);
    static stoa_interval intervals[N_VALUES];
    stoa_rowset sets[2] = {{0}, {0}};

    add_index(&made, 0.0001, 0);
    const hid_t dataset = one_column_index(&made);
    stoa_index *index = open_index(&made, dataset, 4000);
    for (size_t i = 0; i < N_VALUES; i++) {
        intervals[i] =
            i < N_VALUES - 1 ? between(rows[0], rows[0]) : between(rows[3999], rows[3999]);
    }
    const stoa_test test = {.intervals = intervals, .n_intervals = N_VALUES};
    CHECK_OK(stoa_index_bloom.prune(index, &test, &sets[0], &sets[1], NULL));
    CHECK_U64(stoa_rowset_count(&sets[0]), 4000);
    stoa_rowset_clear(&sets[0]);
    stoa_rowset_clear(&sets[1]);
    stoa_index_bloom.close(index);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
    free(rows);
}

static void integers_up_to_the_last_one_of_their_kind_are_listed(void)
{
    enum { N_ROWS = 400 };
    static int64_t rows[N_ROWS];
    const int64_t fill = -1;

    for (int i = 0; i < N_ROWS; i++) {
        rows[i] = INT64_MAX - i;
    }
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_STD_I64LE,
                                                         .mem_type = H5T_NATIVE_INT64,
                                                         .fill = &fill,
                                                         .values = rows,
                                                         .extent = N_ROWS,
                                                         .n_rows = N_ROWS,
                                                         .chunk_rows = 100});
    add_index(&made, 0.0001, 0);
    const hid_t dataset = one_column_index(&made);
    stoa_index *index = open_index(&made, dataset, N_ROWS);
    CHECK_U64(n_candidates(index, INT64_MAX - 2, INT64_MAX), 100);
    CHECK_U64(n_candidates(index, INT64_MIN, INT64_MIN + 2), 0);
    stoa_index_bloom.close(index);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

static uint8_t *read_filters(hid_t dataset, hsize_t dims[2])
{
    const hid_t space = CHECK_H5(H5Dget_space(dataset));

    CHECK_H5(H5Sget_simple_extent_dims(space, dims, NULL));
    uint8_t *filters = calloc(dims[0] * dims[1] + 1, 1);
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, filters));
    CHECK_H5(H5Sclose(space));
    return filters;
}

/* An index brought from n_old to n_rows must be the one that is built on n_rows. */
static void try_append(const int32_t *rows, uint64_t extent, uint64_t n_old, uint64_t n_rows,
                       uint64_t chunk_rows)
{
    hsize_t dims[2][2];
    uint8_t *filters[2];
    uint64_t k[2];

    for (int i = 0; i < 2; i++) {
        one_column made = make_column(rows, extent, i == 0 ? n_old : n_rows, chunk_rows);
        stoa_error err = STOA_ERROR_INIT;
        add_index(&made, 0.02, 9);
        const hid_t dataset = one_column_index(&made);
        if (i == 0) {
            CHECK_OK(stoa_index_bloom.append(made.column, dataset, n_old, n_rows, &err), &err);
        }
        filters[i] = read_filters(dataset, dims[i]);
        k[i] = read_number(dataset, "k", H5T_STD_U16LE);
        CHECK_H5(H5Dclose(dataset));
        one_column_free(&made);
    }
    CHECK_U64(k[0], k[1]);
    CHECK_U64(dims[0][0], dims[1][0]);
    CHECK_U64(dims[0][1], dims[1][1]);
    CHECK_MEM(filters[0], filters[1], dims[0][0] * dims[0][1]);
    free(filters[0]);
    free(filters[1]);
}

static void an_append_leaves_what_a_fresh_build_would(void)
{
    int32_t *rows = make_rows(N);

    try_append(rows, N, 1500, 1501, 1000);
    try_append(rows, N, 1500, 20000, 1000);
    try_append(rows, N, 2000, 2500, 1000);
    try_append(rows, N, 20000, 1300, 1000); /* a truncation */
    try_append(rows, N, 20000, 1000, 1000);
    try_append(rows, N, 3, 20000, 1000); /* the filters of 3 rows are far too small */
    try_append(rows, N, 500, 20000, 0);  /* one chunk, and contiguous */
    try_append(rows, N, 0, 700, 1000);
    free(rows);
}

/* Of 130 values in a chunk a fresh build would make filters twice as long. */
static void an_append_keeps_the_size_of_filters_that_still_serve(void)
{
    enum { CHUNK = 200 };
    int32_t rows[2 * CHUNK];
    stoa_error err = STOA_ERROR_INIT;

    for (int i = 0; i < 2 * CHUNK; i++) {
        rows[i] = i < CHUNK ? i % 100 : 1000 + i % 130;
    }
    one_column made = make_column(rows, 2 * CHUNK, CHUNK, CHUNK);
    add_index(&made, 0.02, 0);
    const hid_t dataset = one_column_index(&made);
    const uint64_t m_bits = read_number(dataset, "m_bits", H5T_STD_U64LE);
    CHECK_OK(stoa_index_bloom.append(made.column, dataset, CHUNK, 2 * CHUNK, &err), &err);
    CHECK_U64(read_number(dataset, "m_bits", H5T_STD_U64LE), m_bits);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
    made = make_column(rows, 2 * CHUNK, 2 * CHUNK, CHUNK);
    add_index(&made, 0.02, 0);
    const hid_t fresh = one_column_index(&made);
    CHECK_U64(read_number(fresh, "m_bits", H5T_STD_U64LE), 2 * m_bits);
    CHECK_H5(H5Dclose(fresh));
    one_column_free(&made);
}

static void the_options_are_remembered(void)
{
    const int32_t rows[] = {1, 2, 3};
    one_column made = make_column(rows, 3, 3, 3);
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;

    add_index(&made, 0.25, 4000000000u);
    const hid_t dataset = one_column_index(&made);
    stoa_index_bloom.recall(dataset, &options);
    CHECK_F64(options.false_positives, 0.25);
    CHECK_U64(options.seed, 4000000000u);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

/* A filter by somebody else. */
static hid_t make_foreign(const one_column *made, const uint8_t *bytes, hsize_t n_chunks,
                          hsize_t m_bytes, uint16_t k, uint64_t m_bits, const char *family)
{
    const hid_t group =
        CHECK_H5(H5Gcreate2(made->group, "SEARCH_INDEXES", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t plane = CHECK_H5(H5Screate_simple(2, (hsize_t[]){n_chunks, m_bytes}, NULL));
    const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t made_one = CHECK_H5(
        H5Dcreate2(group, "b", H5T_STD_U8LE, plane, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const struct {
        const char *name;
        hid_t type;
        const void *value;
    } attributes[] = {{"k", H5T_NATIVE_UINT16, &k},
                      {"m_bits", H5T_NATIVE_UINT64, &m_bits},
                      {"seed", H5T_NATIVE_UINT32, &(uint32_t){0}},
                      {"hash_family", text, family}};

    CHECK_H5(H5Tset_size(text, strlen(family) + 1));
    for (size_t i = 0; i < 4; i++) {
        const hid_t attr = CHECK_H5(H5Acreate2(made_one, attributes[i].name, attributes[i].type,
                                               one, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Awrite(attr, attributes[i].type, attributes[i].value));
        CHECK_H5(H5Aclose(attr));
    }
    if (n_chunks * m_bytes != 0) {
        CHECK_H5(H5Dwrite(made_one, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes));
    }
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(plane));
    CHECK_H5(H5Gclose(group));
    return made_one;
}

static void drop_foreign(const one_column *made, hid_t dataset)
{
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Ldelete(made->group, "SEARCH_INDEXES", H5P_DEFAULT));
}

static const char murmur[] = "murmur3_x64_128_double";

static bool verifies(const one_column *made, hid_t dataset, uint64_t n_rows, char *problem)
{
    stoa_error err = STOA_ERROR_INIT;
    bool same = false;

    CHECK_OK(stoa_index_bloom.verify(made->column, dataset, n_rows, NULL, &same, problem, &err),
             &err);
    return same;
}

/* (h_a + i * h_b) mod 96 as a program with big integers computes it. */
static void insert_exact(uint8_t *row, uint64_t k, uint64_t m_bits, const void *bytes, size_t n)
{
    const stoa_murmur3 hash = stoa_murmur3_x64_128(bytes, n, 0);

    for (uint64_t i = 0; i < k; i++) {
        const uint64_t g = (hash.low % m_bits + i * (hash.high % m_bits)) % m_bits;
        row[g >> 3] = (uint8_t)(row[g >> 3] | 1u << (g & 7));
    }
}

static void both_readings_of_the_arithmetic_are_accepted(void)
{
    const int32_t rows[] = {70, 80, 90, 100};
    one_column made = make_column(rows, 4, 4, 4);
    char problem[256];

    for (int exact = 0; exact < 2; exact++) {
        uint8_t filter[12] = {0};
        for (size_t i = 0; i < 4; i++) {
            if (exact) {
                insert_exact(filter, 5, 96, &rows[i], 4);
            } else {
                insert(filter, 5, 96, 0, &rows[i], 4);
            }
        }
        const hid_t dataset = make_foreign(&made, filter, 1, 12, 5, 96, murmur);
        CHECK(verifies(&made, dataset, 4, problem));
        stoa_index *index = open_index(&made, dataset, 4);
        for (size_t i = 0; i < 4; i++) {
            CHECK_U64(n_candidates(index, rows[i], rows[i]), 4);
        }
        CHECK_U64(n_candidates(index, 12345678, 12345678), 0);
        stoa_index_bloom.close(index);
        drop_foreign(&made, dataset);
    }
    one_column_free(&made);
}

/* Nobody knows by which reading those of another length were made, so there are none of both. */
static void an_append_makes_filters_of_another_length_anew(void)
{
    const int32_t rows[] = {70, 80, 90, 100, 110, 120, 130, 140};
    one_column made = make_column(rows, 8, 8, 4);
    const hid_t space = CHECK_H5(
        H5Screate_simple(2, (hsize_t[]){1, 12}, (hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED}));
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    uint8_t filter[12] = {0};
    stoa_error err = STOA_ERROR_INIT;
    char problem[256];

    for (size_t i = 0; i < 4; i++) {
        insert(filter, 5, 96, 0, &rows[i], 4);
    }
    const hid_t fixed = make_foreign(&made, filter, 1, 12, 5, 96, murmur);
    CHECK_H5(H5Pset_chunk(creation, 2, (hsize_t[]){1, 12}));
    const hid_t grows = CHECK_H5(H5Dcreate2(made.group, "SEARCH_INDEXES/g", H5T_STD_U8LE, space,
                                            H5P_DEFAULT, creation, H5P_DEFAULT));
    CHECK_OK(stoa_attributes_copy(fixed, grows, (const char *const[]){NULL}, &err), &err);
    CHECK_H5(H5Dwrite(grows, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, filter));
    CHECK(verifies(&made, grows, 4, problem));
    CHECK_OK(stoa_index_bloom.append(made.column, grows, 4, 8, &err), &err);
    CHECK(verifies(&made, grows, 8, problem));
    const uint64_t m_bits = read_number(grows, "m_bits", H5T_STD_U64LE);
    CHECK_U64(m_bits & (m_bits - 1), 0);
    CHECK_H5(H5Dclose(grows));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));
    drop_foreign(&made, fixed);
    one_column_free(&made);
}

static void an_append_makes_filters_of_no_bits_anew(void)
{
    const int32_t rows[] = {70, 80, 90, 100};
    one_column made = make_column(rows, 4, 4, 4);
    const hid_t none = make_foreign(&made, NULL, 1, 0, 3, 0, murmur);
    const hid_t space =
        CHECK_H5(H5Screate_simple(2, (hsize_t[]){1, 0}, (hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED}));
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_chunk(creation, 2, (hsize_t[]){1, 8}));
    const hid_t grows = CHECK_H5(H5Dcreate2(made.group, "SEARCH_INDEXES/g", H5T_STD_U8LE, space,
                                            H5P_DEFAULT, creation, H5P_DEFAULT));
    CHECK_OK(stoa_attributes_copy(none, grows, (const char *const[]){NULL}, &err), &err);
    CHECK_OK(stoa_index_bloom.append(made.column, grows, 2, 4, &err), &err);
    CHECK(read_number(grows, "m_bits", H5T_STD_U64LE) > 0);
    stoa_index *index = open_index(&made, grows, 4);
    CHECK_U64(n_candidates(index, 70, 70), 4);
    CHECK_U64(n_candidates(index, 71, 71), 0);
    stoa_index_bloom.close(index);
    CHECK_H5(H5Dclose(grows));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));
    drop_foreign(&made, none);
    one_column_free(&made);
}

static void degenerate_filters_say_nothing(void)
{
    const int32_t rows[] = {70, 80, 90, 100};
    const uint8_t ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    const uint8_t none[8] = {0};
    one_column made = make_column(rows, 4, 4, 4);
    char problem[256];
    const struct {
        const uint8_t *bytes;
        hsize_t m_bytes;
        uint16_t k;
        uint64_t candidates;
        bool same;
    } cases[] = {{none, 8, 0, 4, true},
                 {none, 0, 3, 4, true},
                 {ones, 8, 65535, 4, true},
                 {none, 8, 65535, 0, false},
                 {ones, 1, 1, 4, true}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hid_t dataset = make_foreign(&made, cases[i].bytes, 1, cases[i].m_bytes, cases[i].k,
                                           8 * cases[i].m_bytes, murmur);
        CHECK(verifies(&made, dataset, 4, problem) == cases[i].same);
        stoa_index *index = open_index(&made, dataset, 4);
        CHECK_U64(n_candidates(index, 70, 70), cases[i].candidates);
        stoa_index_bloom.close(index);
        /* An extent that is fixed cannot grow, or is big enough; nothing breaks. */
        (void)stoa_index_bloom.append(made.column, dataset, 4, 4, NULL);
        drop_foreign(&made, dataset);
    }
    one_column_free(&made);
}

static void damage_is_told(void)
{
    const int32_t rows[] = {70, 80, 90, 100};
    const uint8_t bytes[16] = {0};
    one_column made = make_column(rows, 4, 4, 2);
    const struct {
        hsize_t n_chunks, m_bytes;
        uint64_t m_bits;
        const char *family;
        const char *says;
    } cases[] = {{1, 8, 64, murmur, "1 filters, the column 2 chunks"},
                 {2, 8, 65, murmur, "m_bits"},
                 {2, 8, 0, murmur, "m_bits"},
                 {2, 8, 64, "fnv", "hash_family of a bloom index is 'fnv'"}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_index *index = NULL;
        stoa_error err = STOA_ERROR_INIT;
        char problem[256] = "";
        const hid_t dataset = make_foreign(&made, bytes, cases[i].n_chunks, cases[i].m_bytes, 3,
                                           cases[i].m_bits, cases[i].family);
        CHECK_STATUS(STOA_EDATA, stoa_index_bloom.open(made.column, dataset, 4, &index, &err));
        CHECK_CONTAINS(err.message, cases[i].says);
        CHECK_CONTAINS(err.message, "§10.7");
        CHECK(!verifies(&made, dataset, 4, problem));
        CHECK_STR(problem, err.message);
        CHECK_STATUS(STOA_EDATA, stoa_index_bloom.append(made.column, dataset, 4, 4, NULL));
        drop_foreign(&made, dataset);
    }
    hid_t dataset = make_foreign(&made, bytes, 2, 8, 3, 64, murmur);
    stoa_index *index = NULL;
    CHECK_H5(H5Adelete(dataset, "k"));
    CHECK_STATUS(STOA_EDATA, stoa_index_bloom.open(made.column, dataset, 4, &index, NULL));
    drop_foreign(&made, dataset);
    one_column_free(&made);
}

static void a_missing_bit_is_a_difference_and_a_superfluous_one_is_not(void)
{
    const int32_t rows[] = {70, fill_value, 90, 100, 110};
    uint8_t right[3][8] = {{0}};
    one_column made = make_column(rows, 5, 5, 2);
    char problem[256];

    for (size_t i = 0; i < 5; i++) {
        if (rows[i] != fill_value) {
            insert(right[i / 2], 4, 64, 0, &rows[i], 4);
        }
    }
    for (unsigned bit = 0; bit < 3 * 64; bit++) {
        uint8_t filters[3][8];
        memcpy(filters, right, sizeof filters);
        filters[bit / 64][bit % 64 / 8] ^= (uint8_t)(1 << bit % 8);
        const bool was_set = (right[bit / 64][bit % 64 / 8] >> bit % 8 & 1) != 0;
        const hid_t dataset = make_foreign(&made, filters[0], 3, 8, 4, 64, murmur);
        CHECK(verifies(&made, dataset, 5, problem) == !was_set);
        if (was_set) {
            char text[16];
            (void)snprintf(text, sizeof text, "chunk %u:", bit / 64);
            CHECK_CONTAINS(problem, text);
        }
        drop_foreign(&made, dataset);
    }
    one_column_free(&made);
}

static bool stop(void *context, const stoa_progress *progress)
{
    (void)progress;
    return --*(int *)context > 0;
}

static void a_cancelled_build_leaves_nothing(void)
{
    const int32_t rows[] = {1, 2};
    one_column made = make_column(rows, 2, 2, 2);

    for (int left = 1; left <= 2; left++) { /* while values are counted, while bits are set */
        int n = left;
        stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
        stoa_error err = STOA_ERROR_INIT;
        options.listener = (stoa_listener){stop, &n};
        CHECK_STATUS(STOA_ECANCELLED, stoa_index_add(made.table, "x", "bloom", &options, &err));
        CHECK_I64(CHECK_H5(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT)), 0);
    }
    one_column_free(&made);
}

static void an_empty_table_has_no_filter(void)
{
    one_column made = make_column(NULL, 0, 0, 10);
    bool same = false;

    add_index(&made, 0, 0);
    check_filters(&made, 0, NULL, 0);
    CHECK_OK(stoa_index_verify(made.table, "x", "bloom", &same, NULL));
    CHECK(same);
    one_column_free(&made);
}

/* Build, append (also with filters that are too small), verify, ask. */
static stoa_status live(one_column *made, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_scalar six = {.kind = STOA_SCALAR_I64, .as.i64 = 6};
    const stoa_interval interval = {.has_low = true, .has_high = true, .low = six, .high = six};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    stoa_index_link *links = NULL;
    size_t n = 0;
    stoa_rowset sets[2] = {{0}, {0}};
    stoa_index *index = NULL;
    bool same = false;
    char problem[256];
    uint64_t estimate;

    STOA_TRY(stoa_index_build(made->group, made->column, &stoa_index_bloom, 3, NULL, err));
    STOA_TRY(stoa_index_links(made->column, &links, &n, err));
    STOA_TRY(stoa_index_bloom.append(made->column, links[0].dataset, 3, 300, err));
    STOA_TRY(
        stoa_index_bloom.verify(made->column, links[0].dataset, 300, NULL, &same, problem, err));
    CHECK(same);
    STOA_TRY(stoa_index_bloom.open(made->column, links[0].dataset, 300, &index, err));
    STOA_TRY(stoa_index_bloom.estimate(index, &test, &estimate, err));
    STOA_TRY(stoa_index_bloom.prune(index, &test, &sets[0], &sets[1], err));

done:
    if (index != NULL) {
        stoa_index_bloom.close(index);
    }
    stoa_rowset_clear(&sets[0]);
    stoa_rowset_clear(&sets[1]);
    stoa_index_links_clear(links, n);
    return status;
}

static void memory_that_runs_out_is_told(void)
{
    int32_t *rows = make_rows(300);
    stoa_status status = STOA_ENOMEM;
    uint64_t n = 0;

    for (; status != STOA_OK; n++) {
        one_column made = make_column(rows, 300, 300, 150);
        stoa_error err = STOA_ERROR_INIT;
        stoa_memory_fail_after(n);
        status = live(&made, &err);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || (status == STOA_ENOMEM && err.status == STOA_ENOMEM));
        CHECK(n < 1000);
        one_column_free(&made);
    }
    CHECK(n > 20);
    free(rows);
}

TEST_MAIN(TEST(the_dataset_is_what_the_section_says),
          TEST(as_few_hashes_as_reach_the_rate_are_chosen),
          TEST(a_filter_is_bit_for_bit_as_worked_out_by_hand),
          TEST(floats_are_hashed_with_one_zero_and_without_nan),
          TEST(strings_are_hashed_without_their_padding),
          TEST(opaque_values_are_hashed_as_they_are),
          TEST(types_without_canonical_bytes_are_refused), TEST(an_impossible_rate_is_refused),
          TEST(false_positives_are_as_few_as_asked_for), TEST(only_lists_of_values_are_answered),
          TEST(zero_is_found_among_unsigned_numbers),
          TEST(a_list_of_very_many_values_excludes_no_chunk),
          TEST(integers_up_to_the_last_one_of_their_kind_are_listed),
          TEST(an_append_leaves_what_a_fresh_build_would),
          TEST(an_append_keeps_the_size_of_filters_that_still_serve),
          TEST(the_options_are_remembered), TEST(both_readings_of_the_arithmetic_are_accepted),
          TEST(an_append_makes_filters_of_another_length_anew),
          TEST(an_append_makes_filters_of_no_bits_anew), TEST(degenerate_filters_say_nothing),
          TEST(damage_is_told), TEST(a_missing_bit_is_a_difference_and_a_superfluous_one_is_not),
          TEST(a_cancelled_build_leaves_nothing), TEST(an_empty_table_has_no_filter),
          TEST(memory_that_runs_out_is_told))
