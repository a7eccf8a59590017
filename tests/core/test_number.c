/* Numbers as text, for src/core/number.c. Expected texts are what Python's repr() prints, expected
 * values what the language's own constants are. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "support/check.h"

/* Behind a text stands what would go on with it, and has no say. */
static const char *longer(const char *text)
{
    static char room[6000];

    (void)snprintf(room, sizeof room, "%s%s", text, "9e9");
    return room;
}

static bool i64(const char *text, int64_t *value)
{
    return stoa_parse_i64(longer(text), strlen(text), value);
}

static bool u64(const char *text, uint64_t *value)
{
    return stoa_parse_u64(longer(text), strlen(text), value);
}

static bool f64(const char *text, double *value)
{
    return stoa_parse_f64(longer(text), strlen(text), value);
}

static double f64_of(const char *text)
{
    double value = -1;

    CHECK(f64(text, &value));
    return value;
}

static void check_f64_text(double value, const char *expected)
{
    char text[STOA_NUMBER_SIZE];

    CHECK_U64(stoa_format_f64(value, text), strlen(expected));
    CHECK_STR(text, expected);
}

static void check_f32_text(float value, const char *expected)
{
    char text[STOA_NUMBER_SIZE];

    CHECK_U64(stoa_format_f32(value, text), strlen(expected));
    CHECK_STR(text, expected);
}

static void integers_are_read_to_their_very_limits(void)
{
    int64_t i;
    uint64_t u;

    CHECK(i64("9223372036854775807", &i));
    CHECK_I64(i, INT64_MAX);
    CHECK(i64("-9223372036854775808", &i));
    CHECK_I64(i, INT64_MIN);
    CHECK(!i64("9223372036854775808", &i));
    CHECK(!i64("-9223372036854775809", &i));
    CHECK(u64("18446744073709551615", &u));
    CHECK_U64(u, UINT64_MAX);
    CHECK(!u64("18446744073709551616", &u));
    CHECK(!u64("99999999999999999999", &u));
    CHECK(!u64("-1", &u));
    CHECK(u64("-0", &u));
    CHECK_U64(u, 0);
    CHECK(i64("+5", &i));
    CHECK_I64(i, 5);
    CHECK(i64("-0", &i));
    CHECK_I64(i, 0);
}

static void what_is_no_integer_is_not_read_as_one(void)
{
    static const char *const texts[] = {"",    "-",   "+",   " 1",  "1 ", "1.0",   "1e3",
                                        "0x1", "--1", "+-1", "1_0", "१",  "1,000", "inf"};
    int64_t i;
    uint64_t u;

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        CHECK(!i64(texts[k], &i));
        CHECK(!u64(texts[k], &u));
    }
    CHECK(!stoa_parse_i64("1\0", 2, &i));
}

static void integers_are_written_as_c_writes_them(void)
{
    char text[STOA_NUMBER_SIZE];

    CHECK_U64(stoa_format_i64(INT64_MIN, text), 20);
    CHECK_STR(text, "-9223372036854775808");
    CHECK_U64(stoa_format_i64(0, text), 1);
    CHECK_STR(text, "0");
    CHECK_U64(stoa_format_i64(-10, text), 3);
    CHECK_STR(text, "-10");
    CHECK_U64(stoa_format_u64(UINT64_MAX, text), 20);
    CHECK_STR(text, "18446744073709551615");
}

static void decimals_are_rounded_to_the_nearest_double(void)
{
    /* Halfway cases: 2^53 + 1 goes to even, the least more goes up. */
    CHECK_F64(f64_of("9007199254740993"), 0x1p53);
    CHECK_F64(f64_of("9007199254740993.00000000000000000000000000000000000000001"),
              0x1.0000000000001p53);
    CHECK_F64(f64_of("9007199254740995"), 0x1.0000000000002p53);
    CHECK_F64(f64_of("0.1"), 0x1.999999999999ap-4);
    CHECK_F64(f64_of("1e23"), 0x1.52d02c7e14af6p+76);
    CHECK_F64(f64_of("1.7976931348623157e308"), DBL_MAX);
    CHECK_F64(f64_of("1.7976931348623158079e308"), DBL_MAX);
    CHECK_F64(f64_of("1.797693134862315808e308"), (double)INFINITY);
    CHECK_F64(f64_of("2.2250738585072011e-308"), 0x0.fffffffffffffp-1022);
    CHECK_F64(f64_of("4.9406564584124654e-324"), 0x1p-1074);
    CHECK_F64(f64_of("2.4703282292062327e-324"), 0.0);
    CHECK_F64(f64_of("2.4703282292062328e-324"), 0x1p-1074);
    CHECK_F64(f64_of("1e400"), (double)INFINITY);
    CHECK_F64(f64_of("-1e99999999999999999999"), -(double)INFINITY);
    CHECK_F64(f64_of("1e-99999999999999999999"), 0.0);
    CHECK_F64(f64_of("0e99999999999999999999"), 0.0);
}

static void a_number_may_be_as_long_as_it_likes(void)
{
    static char text[5000];

    memset(text, '0', sizeof text);
    text[0] = '1';
    memcpy(text + 3001, "e-3000", 7);
    CHECK_F64(f64_of(text), 1.0);

    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    memcpy(text + 3000, "25e2998", 8);
    CHECK_F64(f64_of(text), 0.25);

    /* 1 + 2^-53 is halfway between 1 and the next double; one digit a thousand places on decides.
     */
    memset(text, '0', sizeof text);
    memcpy(text, "1.00000000000000011102230246251565404236316680908203125", 55);
    text[2000] = '\0';
    CHECK_F64(f64_of(text), 1.0);
    text[1999] = '1';
    CHECK_F64(f64_of(text), 1.0 + DBL_EPSILON);
}

static void every_decimal_syntax_is_read(void)
{
    double value;

    CHECK_F64(f64_of("1."), 1.0);
    CHECK_F64(f64_of(".5"), 0.5);
    CHECK_F64(f64_of("+1.5E+03"), 1500.0);
    CHECK_F64(f64_of("007.5"), 7.5);
    CHECK(f64("-0", &value) && signbit(value));
    CHECK(isnan(f64_of("nan")));
    CHECK(isnan(f64_of("-NaN")));
    CHECK_F64(f64_of("inf"), (double)INFINITY);
    CHECK_F64(f64_of("-Infinity"), -(double)INFINITY);
}

static void what_is_no_number_is_not_read_as_one(void)
{
    static const char *const texts[] = {"",     ".",     "-",     "e5",   "1e",    "1e+",  "1e5.0",
                                        "0x10", "0x1p3", "1_000", " 1.0", "1.0 ",  "1.0f", "infin",
                                        "nano", "nan()", "1,5",   "--1",  "1.2.3", "1d5"};
    double value;

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        CHECK(!f64(texts[k], &value));
    }
    CHECK(!stoa_parse_f64("1.5\0", 4, &value));
}

static void doubles_are_written_as_python_does(void)
{
    check_f64_text(0.0, "0.0");
    check_f64_text(-0.0, "-0.0");
    check_f64_text(1.0, "1.0");
    check_f64_text(0.1, "0.1");
    check_f64_text(0.1 + 0.2, "0.30000000000000004");
    check_f64_text(1.0 / 3, "0.3333333333333333");
    check_f64_text(100.0, "100.0");
    check_f64_text(1e15, "1000000000000000.0");
    check_f64_text(9007199254740993.0, "9007199254740992.0");
    check_f64_text(9999999999999998.0, "9999999999999998.0");
    check_f64_text(1e16, "1e+16");
    check_f64_text(1.5e16, "1.5e+16");
    check_f64_text(123456789012345680.0, "1.2345678901234568e+17");
    check_f64_text(1e22, "1e+22");
    check_f64_text(1e23, "1e+23");
    check_f64_text(1e100, "1e+100");
    check_f64_text(0.0001, "0.0001");
    check_f64_text(0.00012345, "0.00012345");
    check_f64_text(0.00001, "1e-05");
    check_f64_text(-1.25e-7, "-1.25e-07");
    check_f64_text(DBL_MAX, "1.7976931348623157e+308");
    check_f64_text(DBL_MIN, "2.2250738585072014e-308");
    check_f64_text(0x1p-1074, "5e-324");
    check_f64_text(0x1p-1073, "1e-323");
    check_f64_text(0x1p-44, "5.684341886080802e-14");
    check_f64_text(9.9692099683868690e+36, "9.969209968386869e+36"); /* HEP001's fill value */
    check_f64_text((double)NAN, "nan");
    check_f64_text(-(double)NAN, "nan");
    check_f64_text((double)INFINITY, "inf");
    check_f64_text(-(double)INFINITY, "-inf");
}

/* As numpy's repr() prints the digits. */
static void floats_are_written_with_their_own_precision(void)
{
    check_f32_text(0.1f, "0.1");
    check_f32_text(1.0f / 3, "0.33333334");
    check_f32_text(16777216.0f, "16777216.0");
    check_f32_text(FLT_MAX, "3.4028235e+38");
    check_f32_text(FLT_MIN, "1.1754944e-38");
    check_f32_text(0x1p-149f, "1e-45");
    check_f32_text(-0.0f, "-0.0");
    check_f32_text(9.9692099683868690e+36f, "9.96921e+36");
    check_f32_text((float)INFINITY, "inf");
}

/* IEEE 754-2019 §3.4, table 3.5: 5 bits of exponent, 10 of fraction. */
static void halves_convert_as_ieee_754_says(void)
{
    CHECK_F64((double)stoa_f16_to_f32(0x3c00), 1.0);
    CHECK_F64((double)stoa_f16_to_f32(0xc000), -2.0);
    CHECK_F64((double)stoa_f16_to_f32(0x7bff), 65504.0);
    CHECK_F64((double)stoa_f16_to_f32(0x0001), 0x1p-24);
    CHECK_F64((double)stoa_f16_to_f32(0x0400), 0x1p-14);
    CHECK_F64((double)stoa_f16_to_f32(0x7c00), (double)INFINITY);
    CHECK(isnan(stoa_f16_to_f32(0x7e01)));
    CHECK(signbit(stoa_f16_to_f32(0x8000)));

    CHECK_U64(stoa_f32_to_f16(65504.0f), 0x7bff);
    CHECK_U64(stoa_f32_to_f16(65519.996f), 0x7bff);
    CHECK_U64(stoa_f32_to_f16(65520.0f), 0x7c00); /* halfway to 2^16: to even, infinity */
    CHECK_U64(stoa_f32_to_f16(0x1p-25f), 0x0000); /* halfway to the least: to even, zero */
    CHECK_U64(stoa_f32_to_f16(0x1.000002p-25f), 0x0001);
    CHECK_U64(stoa_f32_to_f16(1.0f + 0x1p-11f), 0x3c00); /* halfway: to even */
    CHECK_U64(stoa_f32_to_f16(1.0f + 3 * 0x1p-11f), 0x3c02);
    CHECK_U64(stoa_f32_to_f16(-1e10f), 0xfc00);
    CHECK_U64(stoa_f32_to_f16(-0.0f), 0x8000);
    CHECK((stoa_f32_to_f16((float)NAN) & 0x7fff) > 0x7c00);
}

static void a_half_survives_the_trip_through_float(void)
{
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        const bool is_nan = (bits & 0x7fff) > 0x7c00;
        CHECK(is_nan || stoa_f32_to_f16(stoa_f16_to_f32((uint16_t)bits)) == bits);
        CHECK(!is_nan || isnan(stoa_f16_to_f32((uint16_t)bits)));
    }
}

static void a_locale_with_a_decimal_comma_changes_nothing(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    bool found = false;

    for (size_t k = 0; k < sizeof names / sizeof names[0] && !found; k++) {
        found = setlocale(LC_ALL, names[k]) != NULL;
    }
    if (!found) {
        SKIP("no locale with a decimal comma is installed");
    }
    check_f64_text(1.0 / 3, "0.3333333333333333");
    CHECK_F64(f64_of("1234567.8901234567890123456789"), 1234567.8901234567);
    (void)setlocale(LC_ALL, "C");
}

TEST_MAIN(TEST(integers_are_read_to_their_very_limits), TEST(what_is_no_integer_is_not_read_as_one),
          TEST(integers_are_written_as_c_writes_them),
          TEST(decimals_are_rounded_to_the_nearest_double),
          TEST(a_number_may_be_as_long_as_it_likes), TEST(every_decimal_syntax_is_read),
          TEST(what_is_no_number_is_not_read_as_one), TEST(doubles_are_written_as_python_does),
          TEST(floats_are_written_with_their_own_precision), TEST(halves_convert_as_ieee_754_says),
          TEST(a_half_survives_the_trip_through_float),
          TEST(a_locale_with_a_decimal_comma_changes_nothing))
