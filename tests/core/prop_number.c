/* Properties of numbers as text, for src/core/number.c: against the C library, on random values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "support/check.h"

/* Random bits, or a number of few decimals, or a whole one. */
static double random_double(void)
{
    const uint64_t bits = check_random();
    double value;

    switch (check_random_below(4)) {
    case 0:
        return (double)(int64_t)(bits >> check_random_below(64));
    case 1:
        return (double)(int64_t)(bits >> 34) / 1000.0;
    case 2:
        return ldexp(1.0, (int)check_random_below(2098) - 1074);
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

static void a_double_reads_back_from_its_text(void)
{
    for (uint64_t n = check_n_cases(200000); n > 0; n--) {
        const double value = random_double();
        char text[STOA_NUMBER_SIZE];
        double back;
        const size_t length = stoa_format_f64(value, text);

        CHECK_U64(length, strlen(text));
        CHECK(stoa_parse_f64(text, length, &back));
        if (!isnan(value) && memcmp(&value, &back, sizeof value) != 0) {
            FAIL("%a is written %s, which reads %a", value, text, back);
        }
    }
}

/* The locale is "C" here, so the C library's conversions are the judge. */
static void no_shorter_text_reads_back(void)
{
    for (uint64_t n = check_n_cases(50000); n > 0; n--) {
        const double value = random_double();
        char text[STOA_NUMBER_SIZE];
        char shorter[64];
        int n_digits = 0;

        if (!isfinite(value) || value == 0) {
            continue;
        }
        (void)stoa_format_f64(value, text);
        for (const char *p = text; *p != '\0' && *p != 'e'; p++) {
            n_digits += *p >= '0' && *p <= '9' && (n_digits > 0 || *p != '0');
        }
        if (strstr(text, ".0") != NULL && strchr(text, 'e') == NULL) {
            continue; /* zeros before the point are not chosen, they are the value */
        }
        if (n_digits > 1) {
            (void)snprintf(shorter, sizeof shorter, "%.*e", n_digits - 2, value);
            CHECK(strtod(shorter, NULL) != value);
        }
        CHECK(strtod(text, NULL) == value);
    }
}

static void decimals_read_as_strtod_reads_them(void)
{
    for (uint64_t n = check_n_cases(200000); n > 0; n--) {
        char text[64];
        size_t length = 0;
        double value;
        const size_t n_digits = 1 + check_random_below(25);
        const size_t point = check_random_below(n_digits + 1);

        for (size_t k = 0; k < n_digits; k++) {
            if (k == point) {
                text[length++] = '.';
            }
            text[length++] = (char)('0' + check_random_below(10));
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "e%d",
                                   (int)check_random_below(700) - 350);
        CHECK(stoa_parse_f64(text, length, &value));
        if (value != strtod(text, NULL)) {
            FAIL("%s is read as %a, strtod says %a", text, value, strtod(text, NULL));
        }
    }
}

/* Where 128 bits are enough, and at its border. */
static void decimals_of_many_digits_read_as_strtod_reads_them(void)
{
    for (uint64_t n = check_n_cases(400000); n > 0; n--) {
        char text[64];
        double value;
        const uint64_t integer = check_random() >> check_random_below(64);
        const int exponent = (int)check_random_below(45) - 22;

        const int length =
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)integer, exponent);
        CHECK(stoa_parse_f64(text, (size_t)length, &value));
        if (value != strtod(text, NULL)) {
            FAIL("%s is read as %a, strtod says %a", text, value, strtod(text, NULL));
        }
        CHECK(stoa_decimal_f64(integer, exponent) == strtod(text, NULL));
    }
}

/* Halfway between two doubles, and a unit of the last digit to either side. */
static void ties_are_broken_as_strtod_breaks_them(void)
{
    for (uint64_t n = check_n_cases(100000); n > 0; n--) {
        char text[64];
        double value;
        const uint64_t odd = (UINT64_C(1) << 53 | check_random() >> 11) * 2 + 1;
        const uint64_t integer =
            odd * 5 - 1 + check_random_below(3); /* 2^56: no more than 19 digits */

        const int length = snprintf(text, sizeof text, "%llue-1", (unsigned long long)integer);
        CHECK(stoa_parse_f64(text, (size_t)length, &value));
        if (value != strtod(text, NULL)) {
            FAIL("%s is read as %a, strtod says %a", text, value, strtod(text, NULL));
        }
    }
}

static void a_float_reads_back_from_its_text(void)
{
    for (uint64_t n = check_n_cases(200000); n > 0; n--) {
        const uint32_t bits = (uint32_t)check_random();
        char text[STOA_NUMBER_SIZE];
        float value;
        double back;

        memcpy(&value, &bits, sizeof value);
        const size_t length = stoa_format_f32(value, text);
        CHECK(stoa_parse_f64(text, length, &back));
        CHECK(isnan(value) || (float)back == value);
    }
}

static void integers_read_back_from_their_text(void)
{
    for (uint64_t n = check_n_cases(100000); n > 0; n--) {
        const uint64_t value = check_random() >> check_random_below(64);
        char text[STOA_NUMBER_SIZE];
        uint64_t u;
        int64_t i;

        CHECK(stoa_parse_u64(text, stoa_format_u64(value, text), &u));
        CHECK_U64(u, value);
        CHECK(stoa_parse_i64(text, stoa_format_i64((int64_t)value, text), &i));
        CHECK_I64(i, (int64_t)value);
    }
}

TEST_MAIN(TEST(a_double_reads_back_from_its_text), TEST(no_shorter_text_reads_back),
          TEST(decimals_read_as_strtod_reads_them),
          TEST(decimals_of_many_digits_read_as_strtod_reads_them),
          TEST(ties_are_broken_as_strtod_breaks_them), TEST(a_float_reads_back_from_its_text),
          TEST(integers_read_back_from_their_text))
