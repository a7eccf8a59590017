/*
 * Floats in scale-offset, src/codec/kernels/decimals.c and scaleoffset.c. libhdf5 is the judge: it
 * reads what is encoded here, bit for bit, and what it encodes is decoded here to the same bits.
 */
#include <math.h>
#include <stdlib.h>

#include "codec/kernels/decimals.h"
#include "codec/so_kit.h"

enum { ROWS = 3000, MOST = 6 };

/* A dataset of floats in one chunk. */
typedef struct floats {
    unsigned size;
    unsigned decimals;
    bool is_big_endian;
    bool has_fill;
    double fill;
    hid_t file, type, id;
    stoa_scaleoffset so;
    uint8_t *values; /* in the file's byte order */
} floats;

static floats make_floats(unsigned size, unsigned decimals, bool is_big_endian, bool has_fill,
                          double fill)
{
    floats f = {size, decimals, is_big_endian, has_fill, fill, .file = so_file()};
    const hsize_t n = ROWS;
    const float narrow = (float)fill;
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    f.type = (hid_t)CHECK_H5(H5Tcopy(size == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE));
    CHECK_H5(H5Tset_order(f.type, is_big_endian ? H5T_ORDER_BE : H5T_ORDER_LE));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &n));
    /* libhdf5 makes another NaN of a wider one */
    CHECK_H5(size == 4 ? H5Pset_fill_value(dcpl, H5T_NATIVE_FLOAT, has_fill ? &narrow : NULL)
                       : H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, has_fill ? &fill : NULL));
    CHECK_H5(H5Pset_scaleoffset(dcpl, H5Z_SO_FLOAT_DSCALE, (int)decimals));
    f.id = (hid_t)CHECK_H5(H5Dcreate_anon(f.file, f.type, space, dcpl, H5P_DEFAULT));
    const stoa_filter filter = so_filter(f.id);
    CHECK(stoa_scaleoffset_of(&filter, (size_t)ROWS * size, STOA_SIMD_SCALAR, &f.so));
    CHECK(f.so.is_decimal);
    CHECK_U64(f.so.decimals, decimals);
    f.values = calloc(ROWS, 8);
    CHECK(f.values != NULL);
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    return f;
}

static void free_floats(floats *f)
{
    free(f->values);
    CHECK_H5(H5Dclose(f->id));
    CHECK_H5(H5Tclose(f->type));
    CHECK_H5(H5Fclose(f->file));
}

static void put(floats *f, size_t i, double value)
{
    const so_variety variety = {.size = f->size, .is_big_endian = f->is_big_endian};
    const float narrow = (float)value;
    uint64_t bits = 0;
    uint32_t bits_4 = 0;

    memcpy(&bits, &value, sizeof bits);
    memcpy(&bits_4, &narrow, sizeof bits_4);
    so_put(&variety, f->values, i, f->size == 4 ? bits_4 : bits);
}

/* As a text of so many decimals is read. */
static double decimal(uint64_t count, unsigned decimals)
{
    char text[64];

    (void)snprintf(text, sizeof text, "%llue-%u", (unsigned long long)count, decimals);
    return strtod(text, NULL);
}

/* Every so many values from row 1001 on. */
static void check_chosen(const floats *f, const stoa_scaleoffset *so, const uint8_t *stored,
                         size_t n_stored, uint64_t step, uint8_t *read)
{
    uint8_t bits[1500 / 8 + 1] = {0};
    uint64_t n = 0;

    for (uint64_t i = 0; i < 1500; i += step) {
        bits[i / 8] |= (uint8_t)(1u << (i % 8));
        n++;
    }
    CHECK(stoa_scaleoffset_choose(so, stored, n_stored, 1001, 1500, bits, n, read));
    for (uint64_t i = 0; i < n; i++) {
        CHECK_MEM(read + i * f->size, f->values + (1001 + i * step) * f->size, f->size);
    }
    CHECK(!stoa_scaleoffset_choose(so, stored, n_stored - 2, 1001, 1500, bits, n, read));
}

/* Encode, have libhdf5 read it, and decode: the same bits. */
static void check_round(const floats *f)
{
    uint8_t *stored = malloc(stoa_scaleoffset_bound(&f->so));
    uint8_t *read = malloc((size_t)ROWS * f->size);

    CHECK(stored != NULL && read != NULL);
    for (stoa_simd simd = STOA_SIMD_SCALAR; simd <= stoa_simd_of_cpu(); simd++) {
        stoa_scaleoffset so = f->so;
        so.simd = simd;
        const size_t n = stoa_scaleoffset_encode(&so, f->values, stored);
        CHECK(n > SO_HEADER && n < (size_t)ROWS * f->size);
        CHECK(!stoa_scaleoffset_is_rounded(stored, n));
        CHECK(stoa_scaleoffset_decode(&so, stored, n, read));
        CHECK_MEM(read, f->values, (size_t)ROWS * f->size);
        CHECK(stoa_scaleoffset_decode_range(&so, stored, n, 1001, 1500, read));
        CHECK_MEM(read, f->values + (size_t)1001 * f->size, (size_t)1500 * f->size);
        check_chosen(f, &so, stored, n, 3, read);
        check_chosen(f, &so, stored, n, 100, read);
        CHECK(!stoa_scaleoffset_decode(&so, stored, n - 2, read));
        so_store(f->id, stored, n);
        memset(read, 0, (size_t)ROWS * f->size);
        CHECK_H5(H5Dread(f->id, f->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read));
        CHECK_MEM(read, f->values, (size_t)ROWS * f->size);
    }
    free(read);
    free(stored);
}

static void libhdf5_reads_the_same_bits_of_what_is_encoded(void)
{
    for (unsigned i = 0; i < 2 * 2 * (MOST + 1); i++) {
        const unsigned size = i % 2 == 0 ? 4 : 8;
        const unsigned decimals = i / 4;
        const bool is_big_endian = i / 2 % 2 != 0;
        const uint64_t span = size == 4 ? 1 << 22 : UINT64_C(1) << 45;
        floats f = make_floats(size, decimals, is_big_endian, true, (double)NAN);
        for (size_t k = 0; k < ROWS; k++) {
            put(&f, k,
                check_random_below(20) == 0 ? (double)NAN
                                            : decimal(check_random_below(span), decimals));
        }
        check_round(&f);
        free_floats(&f);
    }
}

/* Such are integers of which pandas misses some. A minimum is said to take 16 bytes, 0 none. */
static void whole_numbers_are_counted_from_the_least(void)
{
    static const double leasts[] = {-43, 0, 1970, -0x1p22, -0x1p40, 0x1p51};

    for (size_t k = 0; k < 4 * sizeof leasts / sizeof leasts[0]; k++) {
        const double least = leasts[k / 4];
        const unsigned size = k % 2 != 0 && fabs(least) < 0x1p23 ? 4 : 8;
        const bool has_fill = k / 2 % 2 != 0;
        floats f = make_floats(size, 0, k % 2 != 0, has_fill, -1e6);
        uint8_t *stored = malloc(stoa_scaleoffset_bound(&f.so));
        CHECK(stored != NULL);
        for (size_t i = 0; i < ROWS; i++) {
            put(&f, i, has_fill && i % 5 == 0 ? -1e6 : least + (double)check_random_below(1000));
        }
        put(&f, 3, least);
        put(&f, 4, least + 999);
        check_round(&f);
        CHECK(stoa_scaleoffset_encode(&f.so, f.values, stored) > 0);
        CHECK_U64(stored[0], 10);
        CHECK_U64(stored[4], least == 0 ? 0 : 16);
        put(&f, 3, least == 0 ? -0.0 : least + 0.5);
        CHECK(stoa_scaleoffset_encode(&f.so, f.values, stored) == 0);
        put(&f, 3, -INFINITY);
        CHECK(stoa_scaleoffset_encode(&f.so, f.values, stored) == 0);
        free(stored);
        free_floats(&f);
    }
}

/* Sums with the least of such few values are exact, so they are counted from it. */
static void few_decimals_of_any_sign_are_counted_from_the_least(void)
{
    static const double values[] = {-2.5, -0.5, 0, 0.5, 2.5};
    enum { N = sizeof values / sizeof values[0] };

    for (size_t k = 0; k < 4; k++) {
        floats f = make_floats(k % 2 != 0 ? 4 : 8, 1, k / 2 != 0, true, (double)NAN);
        uint8_t *stored = malloc(stoa_scaleoffset_bound(&f.so));
        CHECK(stored != NULL);
        for (size_t i = 0; i < ROWS; i++) {
            put(&f, i, i % 7 == 0 ? (double)NAN : values[i % N]);
        }
        check_round(&f);
        CHECK(stoa_scaleoffset_encode(&f.so, f.values, stored) > 0);
        CHECK_U64(stored[0], 6); /* 0 to 50, and the fill */
        CHECK_U64(stored[4], 16);
        put(&f, 8, 0.3); /* 2.8 - 2.5 is another number */
        CHECK(stoa_scaleoffset_encode(&f.so, f.values, stored) == 0);
        free(stored);
        free_floats(&f);
    }
}

static void a_fill_may_be_any_value_or_none(void)
{
    static const double fills[] = {-0.0, -1.5, 9.96921e36, 0.0, 0.25};

    for (size_t k = 0; k <= sizeof fills / sizeof fills[0]; k++) {
        const bool has_fill = k < sizeof fills / sizeof fills[0];
        floats f = make_floats(8, 2, false, has_fill, has_fill ? fills[k] : 0);
        for (size_t i = 0; i < ROWS; i++) {
            put(&f, i, has_fill && i % 7 == 0 ? fills[k] : decimal(check_random_below(999), 2));
        }
        check_round(&f);
        free_floats(&f);
    }
}

/* Whether a chunk that holds the value once can be encoded. */
static bool takes(floats *f, double value)
{
    uint8_t *stored = malloc(stoa_scaleoffset_bound(&f->so));

    CHECK(stored != NULL);
    for (size_t i = 0; i < ROWS; i++) {
        put(f, i, decimal(i, f->decimals));
    }
    put(f, ROWS / 2, value);
    const size_t n = stoa_scaleoffset_encode(&f->so, f->values, stored);
    free(stored);
    return n != 0;
}

static void a_value_that_would_not_come_back_keeps_its_chunk_out(void)
{
    static const double bad[] = {-0.0,  -1.0,     0.001,     1.005,  0.1 + 0.2,
                                 1e300, INFINITY, -INFINITY, 1e-310, 0x1p62};

    for (unsigned size = 4; size <= 8; size += 4) {
        floats f = make_floats(size, 2, size == 4, true, -7.0);
        CHECK(takes(&f, 1.25));
        CHECK(takes(&f, -7.0));
        CHECK(!takes(&f, (double)NAN));
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            const bool is_rounded = size == 4 && (bad[i] == 0.1 + 0.2 || bad[i] == 1e-310);
            CHECK(takes(&f, bad[i]) == is_rounded);
        }
        free_floats(&f);
    }
}

static void the_fewest_decimals_are_found(void)
{
    floats f = make_floats(8, 0, false, true, (double)NAN);
    uint32_t decimals = 99;

    for (unsigned wanted = 0; wanted <= MOST; wanted++) {
        for (size_t i = 0; i < ROWS; i++) {
            put(&f, i, i % 9 == 0 ? (double)NAN : decimal(1 + 10 * i, wanted));
        }
        CHECK(stoa_scaleoffset_decimals(&f.so, f.values, &decimals));
        CHECK_U64(decimals, wanted);
    }
    put(&f, 17, -1.0);
    CHECK(!stoa_scaleoffset_decimals(&f.so, f.values, &decimals));
    free_floats(&f);
}

/* libhdf5 rounds, and takes the least value of a chunk for its minimum. */
static void what_libhdf5_encodes_is_decoded_to_its_bits_and_known_as_rounded(void)
{
    for (unsigned i = 0; i < 16; i++) {
        const unsigned size = i % 2 == 0 ? 4 : 8;
        floats f = make_floats(size, i / 4, i / 2 % 2 != 0, i / 8 == 0, -1e6);
        uint8_t *stored = malloc((size_t)ROWS * 8 + 64);
        uint8_t *read = malloc((size_t)ROWS * size);
        uint8_t *own = malloc((size_t)ROWS * size);
        CHECK(stored != NULL && read != NULL && own != NULL);
        for (size_t k = 0; k < ROWS; k++) {
            const double any = (double)check_random_below(UINT64_C(1) << 53) * 0x1p-42 - 1000;
            put(&f, k, k % 11 == 0 && f.has_fill ? -1e6 : any);
        }
        CHECK_H5(H5Dwrite(f.id, f.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, f.values));
        CHECK_H5(H5Dflush(f.id));
        const size_t n = so_stored(f.id, stored, (size_t)ROWS * 8 + 64);
        CHECK(stoa_scaleoffset_is_rounded(stored, n));
        CHECK_H5(H5Dread(f.id, f.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read));
        CHECK(stoa_scaleoffset_decode(&f.so, stored, n, own));
        CHECK_MEM(own, read, (size_t)ROWS * size);
        free(own);
        free(read);
        free(stored);
        free_floats(&f);
    }
}

static void codes_that_a_double_rounds_are_decoded_as_libhdf5_does(void)
{
    floats f = make_floats(8, 3, false, true, (double)NAN);
    uint8_t *stored = calloc(1, (size_t)ROWS * 8 + 64);
    uint8_t read[ROWS * 8];
    uint8_t own[ROWS * 8];

    CHECK(stored != NULL);
    for (uint8_t width = 50; width < 64; width++) {
        const size_t n = SO_HEADER + (size_t)ROWS * width / 8 + 1;
        for (size_t i = SO_HEADER; i < n; i++) {
            stored[i] = (uint8_t)check_random();
        }
        stored[0] = width;
        CHECK(stoa_scaleoffset_decode(&f.so, stored, n, own));
        so_store(f.id, stored, n);
        CHECK_H5(H5Dread(f.id, f.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read));
        CHECK_MEM(own, read, sizeof own);
    }
    free(stored);
    free_floats(&f);
}

static void powers_that_are_not_exact_are_left_to_libhdf5(void)
{
    floats f = make_floats(4, 2, false, true, 0);
    stoa_filter filter = so_filter(f.id);
    stoa_scaleoffset so;

    CHECK(stoa_scaleoffset_of(&filter, (size_t)ROWS * 4, STOA_SIMD_SCALAR, &so));
    for (unsigned factor = 11; factor != 0; factor = factor == 11 ? UINT32_MAX : 0) {
        filter.values[1] = factor; /* the scale factor, which is signed */
        CHECK(!stoa_scaleoffset_of(&filter, (size_t)ROWS * 4, STOA_SIMD_SCALAR, &so));
    }
    filter.values[1] = 2;
    filter.values[0] = 1; /* E-scale, which libhdf5 does not have */
    CHECK(!stoa_scaleoffset_of(&filter, (size_t)ROWS * 4, STOA_SIMD_SCALAR, &so));
    CHECK_U64(stoa_decimals_most(4), 10);
    free_floats(&f);
}

TEST_MAIN(TEST(libhdf5_reads_the_same_bits_of_what_is_encoded),
          TEST(whole_numbers_are_counted_from_the_least),
          TEST(few_decimals_of_any_sign_are_counted_from_the_least),
          TEST(a_fill_may_be_any_value_or_none),
          TEST(a_value_that_would_not_come_back_keeps_its_chunk_out),
          TEST(the_fewest_decimals_are_found),
          TEST(what_libhdf5_encodes_is_decoded_to_its_bits_and_known_as_rounded),
          TEST(codes_that_a_double_rounds_are_decoded_as_libhdf5_does),
          TEST(powers_that_are_not_exact_are_left_to_libhdf5))
