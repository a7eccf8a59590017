/* Which filters `auto` gives floats by what their first chunk shows: src/column/type/codec.c, and
 * docs/codecs.md. Whether libhdf5 has zstd is asked of src/hdf/chunk/filter_fallback.c. */
#include "column/type/codec.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hdf/chunk/filter_fallback.h"
#include "support/check.h"

/* As many as are tried. What is repeated lies too far back for deflate, which looks 32 KiB back,
 * and not for zstd. */
enum { ROWS = 1 << 17, PERIOD = 40000, ZSTD = 32015, MAX_FILTERS = 4 };

/* Noise in so many bits of each mantissa's 23, and so many exponents. */
static float *floats(uint64_t period, int bits, uint64_t n_exponents)
{
    float *values = malloc(ROWS * sizeof *values);

    CHECK(values != NULL);
    for (uint64_t i = 0; i < ROWS; i++) {
        const float noise = (float)check_random_below(UINT64_C(1) << bits);
        const int exponent = (int)check_random_below(n_exponents);

        values[i] = i < period ? ldexpf(1.0F + ldexpf(noise, -bits), exponent) : values[i - period];
    }
    return values;
}

/* The properties that `codec` gives a dataset of such values. */
static hid_t properties_of(const char *codec, const float *values)
{
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const stoa_sample sample = {.elements = values, .n = ROWS};
    stoa_element element = {.class = STOA_ELEMENT_FLOAT};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){ROWS}));
    CHECK_OK(stoa_element_of(H5T_IEEE_F32LE, &element, &err), &err);
    CHECK_OK(stoa_codec_apply(dcpl, codec, &element, ROWS, &sample, &err), &err);
    stoa_element_clear(&element);
    return dcpl;
}

/* The ids of the filters that `codec` gives such values; 0 behind the last. */
static void filters_of(const char *codec, const float *values, int *ids)
{
    const hid_t dcpl = properties_of(codec, values);

    for (int i = 0; i < MAX_FILTERS; i++) {
        unsigned flags = 0;
        size_t n = 0;
        ids[i] = i < H5Pget_nfilters(dcpl)
                     ? H5Pget_filter2(dcpl, (unsigned)i, &flags, &n, NULL, 0, NULL, NULL)
                     : 0;
    }
    CHECK_H5(H5Pclose(dcpl));
}

static void check_filters(const float *values, int first, int second)
{
    int ids[MAX_FILTERS];

    filters_of("auto", values, ids);
    CHECK_I64(ids[0], first);
    CHECK_I64(ids[1], second);
    CHECK_I64(ids[2], 0);
}

/* Prices, of which a share has another digit. */
static float *prices(uint64_t one_in)
{
    float *values = malloc(ROWS * sizeof *values);

    CHECK(values != NULL);
    for (uint64_t i = 0; i < ROWS; i++) {
        const uint64_t cents = check_random_below(100000);
        values[i] = one_in != 0 && i % one_in == one_in - 1 ? -(float)cents / 300.0F
                                                            : (float)cents / 100.0F;
    }
    return values;
}

static void check_codec(const char *codec, const float *values, int first, int second, int third)
{
    int ids[MAX_FILTERS];

    filters_of(codec, values, ids);
    CHECK_I64(ids[0], first);
    CHECK_I64(ids[1], second);
    CHECK_I64(ids[2], third);
    CHECK_I64(ids[3], 0);
}

static size_t pass(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *size,
                   void **buffer)
{
    (void)flags;
    (void)n_values;
    (void)values;
    (void)size;
    (void)buffer;
    return n;
}

static void install_zstd(void)
{
    static const H5Z_class2_t class = {H5Z_CLASS_T_VERS, ZSTD, 1, 1, "zstd", NULL, NULL, pass};

    CHECK_H5(H5Zregister(&class));
}

/* As it is when a list packed by zstd was read. */
static void lend_zstd(void)
{
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){10}));
    CHECK_H5(H5Pset_filter(dcpl, ZSTD, H5Z_FLAG_OPTIONAL, 0, NULL));
    CHECK_OK(stoa_filter_fallback_for(dcpl, &err), &err);
    CHECK_H5(H5Pclose(dcpl));
    CHECK(H5Zfilter_avail(ZSTD) > 0);
}

static void floats_that_a_codec_shrinks_by_less_than_20_percent_stay_as_they_are(void)
{
    float *values = floats(ROWS, 21, 1);
    float *noise = floats(ROWS, 23, 64);     /* 3 bits of 32 to gain */
    float *fractions = floats(ROWS, 21, 40); /* between 5 and 6 bits */

    check_filters(values, H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE);
    check_filters(noise, 0, 0);
    check_filters(fractions, 0, 0);
    free(fractions);
    free(noise);
    free(values);
}

static void decimal_floats_get_scaleoffset_and_others_for_chunks_that_it_would_round(void)
{
    float *all = prices(0);
    float *some = prices(1000);
    float *noise = floats(ROWS, 23, 64);
    const int packed[] = {H5Z_FILTER_SCALEOFFSET, H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE};

    check_codec("auto", all, packed[0], packed[1], packed[2]);
    check_codec("small", all, packed[0], packed[1], packed[2]);
    check_codec("decimal", all, packed[0], packed[1], packed[2]);
    check_codec("decimal", some, H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, 0);
    check_codec("decimal:4", some, packed[0], packed[1], packed[2]);
    check_codec("decimal", noise, 0, 0, 0);
    CHECK(stoa_codec_packs_any("decimal:4") && stoa_codec_packs_any("zstd:3"));
    CHECK(!stoa_codec_packs_any("none") && !stoa_codec_packs_any(NULL));
    free(noise);
    free(some);
    free(all);
}

static void zstd_is_taken_where_it_gains_much_and_libhdf5_has_it(void)
{
    float *far = floats(PERIOD, 14, 1);
    float *noise = floats(ROWS, 14, 1);

    if (H5Zfilter_avail(ZSTD) > 0) {
        free(far);
        free(noise);
        SKIP("this libhdf5 finds a plugin for zstd");
    }
    CHECK(!stoa_filter_is_installed(ZSTD));
    check_filters(far, H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE);
    lend_zstd();
    CHECK(!stoa_filter_is_installed(ZSTD));
    check_filters(far, H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE);
    CHECK_H5(H5Zunregister(ZSTD));
    install_zstd();
    CHECK(stoa_filter_is_installed(ZSTD));
    check_filters(far, H5Z_FILTER_SHUFFLE, ZSTD);
    check_filters(noise, H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE);
    CHECK_H5(H5Zunregister(ZSTD));
    free(noise);
    free(far);
}

static void floats_that_zstd_alone_shrinks_are_packed_by_it(void)
{
    float *values = floats(PERIOD, 23, 64);

    if (H5Zfilter_avail(ZSTD) <= 0) {
        check_filters(values, 0, 0);
        install_zstd();
        check_filters(values, H5Z_FILTER_SHUFFLE, ZSTD);
        CHECK_H5(H5Zunregister(ZSTD));
    }
    free(values);
}

/* The level of deflate, the last filter. */
static void check_level(hid_t dcpl, unsigned expected)
{
    unsigned level = 0;
    unsigned flags = 0;
    size_t n = 1;
    const int n_filters = (int)CHECK_H5(H5Pget_nfilters(dcpl));

    CHECK_I64(
        CHECK_H5(H5Pget_filter2(dcpl, (unsigned)n_filters - 1, &flags, &n, &level, 0, NULL, NULL)),
        H5Z_FILTER_DEFLATE);
    CHECK_U64(level, expected);
    CHECK_H5(H5Pclose(dcpl));
}

static void texts_get_a_higher_level_by_auto_and_all_get_it_by_small(void)
{
    enum { LENGTH = 16, N = 4096 };
    static char texts[N][LENGTH];
    float *many = prices(2);
    const stoa_sample sample = {.elements = texts, .n = N};
    const hid_t type = (hid_t)CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    stoa_element element = {.class = STOA_ELEMENT_INTEGER};
    stoa_error err = STOA_ERROR_INIT;

    for (unsigned i = 0; i < N; i++) {
        (void)snprintf(texts[i], LENGTH, "run-%u", i);
    }
    CHECK_H5(H5Tset_size(type, LENGTH));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){N}));
    CHECK_OK(stoa_element_of(type, &element, &err), &err);
    CHECK_OK(stoa_codec_apply(dcpl, "auto", &element, N, &sample, &err), &err);
    check_level(dcpl, 3);
    check_level(properties_of("small", many), 6);
    check_level(properties_of("small", NULL), 6);
    stoa_element_clear(&element);
    CHECK_H5(H5Tclose(type));
    free(many);
}

TEST_MAIN(TEST(floats_that_a_codec_shrinks_by_less_than_20_percent_stay_as_they_are),
          TEST(decimal_floats_get_scaleoffset_and_others_for_chunks_that_it_would_round),
          TEST(zstd_is_taken_where_it_gains_much_and_libhdf5_has_it),
          TEST(floats_that_zstd_alone_shrinks_are_packed_by_it),
          TEST(texts_get_a_higher_level_by_auto_and_all_get_it_by_small))
