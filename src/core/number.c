/*
 * Numbers as text, the same in every locale. Floats are written by shortest.c.
 *
 * The C library only reads what decimal.c cannot settle. It never sees a decimal point, so
 * LC_NUMERIC has no effect: digits go in as "12345e-3".
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/digits.h"
#include "core/float_bits.h"
#include "core/text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Integers --------------------------------------------------------------------------------- */

/* At least one digit and nothing else. */
static bool parse_digits(const char *text, size_t length, uint64_t *value)
{
    uint64_t sum = 0;

    if (length == 0) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(text[i] - '0'), &sum)) {
            return false;
        }
    }
    *value = sum;
    return true;
}

static bool skip_sign(const char **text, size_t *length)
{
    const bool negative = *length != 0 && **text == '-';

    if (negative || (*length != 0 && **text == '+')) {
        (*text)++;
        (*length)--;
    }
    return negative;
}

bool stoa_parse_u64(const char *text, size_t length, uint64_t *value)
{
    uint64_t magnitude;
    const bool negative = skip_sign(&text, &length);

    if (!parse_digits(text, length, &magnitude) || (negative && magnitude != 0)) {
        return false;
    }
    *value = magnitude;
    return true;
}

bool stoa_parse_i64(const char *text, size_t length, int64_t *value)
{
    uint64_t magnitude;
    const bool negative = skip_sign(&text, &length);

    if (!parse_digits(text, length, &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0)) {
        return false;
    }
    *value =
        negative ? -(int64_t)(magnitude - (magnitude != 0)) - (magnitude != 0) : (int64_t)magnitude;
    return true;
}

/* Write all eight digits of a number below 10^8. */
static void put_eight(uint64_t value, char *out)
{
    const uint64_t word = stoa_eight_digits((uint32_t)value) + STOA_EIGHT_ZEROS;

    stoa_put_word(word, out);
}

/* Write a number below 10^8, and whatever up to the eighth byte. */
static size_t put_up_to_eight(uint64_t value, char *out)
{
    const uint64_t digits = stoa_eight_digits((uint32_t)value);
    const int n_zeros = __builtin_ctzll(digits | UINT64_C(1) << 56) / 8;

    stoa_put_word((digits + STOA_EIGHT_ZEROS) >> (8 * n_zeros), out);
    return 8 - (size_t)n_zeros;
}

size_t stoa_format_u64(uint64_t value, char *out)
{
    static const uint64_t eight = 100000000;
    size_t n = 0;

    if (value < eight) {
        n = put_up_to_eight(value, out);
    } else if (value < eight * eight) {
        n = put_up_to_eight(value / eight, out) + 8;
        put_eight(value % eight, out + n - 8);
    } else {
        n = put_up_to_eight(value / (eight * eight), out) + 16;
        put_eight(value / eight % eight, out + n - 16);
        put_eight(value % eight, out + n - 8);
    }
    out[n] = '\0';
    return n;
}

size_t stoa_format_i64(int64_t value, char *out)
{
    if (value >= 0) {
        return stoa_format_u64((uint64_t)value, out);
    }
    out[0] = '-';
    return 1 + stoa_format_u64(-(uint64_t)value, out + 1);
}

/* Floating point, reading ------------------------------------------------------------------- */

/* Further significant digits affect the rounding of a double only by not being all zero. The
 * longest exact midpoint between two doubles has 768 digits. */
#define MAX_DIGITS 800

/* A parsed decimal number: digits[0..n) * 10^exponent, without leading zeros. */
typedef struct decimal {
    char digits[MAX_DIGITS + 32]; /* room for a sticky digit and an appended "e-1234" */
    size_t n_digits;
    int64_t exponent;
} decimal;

static void decimal_add(decimal *number, char digit, bool after_point)
{
    if (number->n_digits == 0 && digit == '0') {
        number->exponent -= after_point;
    } else if (number->n_digits < MAX_DIGITS) {
        number->digits[number->n_digits++] = digit;
        number->exponent -= after_point;
    } else {
        /* Further digits only matter if one is not zero: the last digit is sticky. */
        if (digit != '0' && number->digits[MAX_DIGITS - 1] == '0') {
            number->digits[MAX_DIGITS - 1] = '1';
        }
        number->exponent += !after_point;
    }
}

/* Parse digits, decimal point and exponent; anything else is an error. */
static bool decimal_scan(const char *text, size_t length, decimal *number)
{
    size_t i = 0;
    bool any = false;

    number->n_digits = 0;
    number->exponent = 0;
    for (; i < length && is_digit(text[i]); i++, any = true) {
        decimal_add(number, text[i], false);
    }
    if (i < length && text[i] == '.') {
        for (i++; i < length && is_digit(text[i]); i++, any = true) {
            decimal_add(number, text[i], true);
        }
    }
    if (!any) {
        return false;
    }
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        const bool negative = i < length && text[i] == '-';
        int64_t exponent = 0;
        i += i < length && (text[i] == '-' || text[i] == '+');
        if (i == length) {
            return false;
        }
        for (; i < length && is_digit(text[i]); i++) {
            /* Saturates. No text has enough zeros to compensate such an exponent, so the value is 0
             * or inf. */
            exponent = exponent < INT64_MAX / 100 ? exponent * 10 + (text[i] - '0') : exponent;
        }
        number->exponent += negative ? -exponent : exponent;
    }
    return i == length;
}

/* 19 digits fit in 64 bits. If there are more, the value lies between two such numbers, which
 * mostly are the same double. Where they are not, the C library settles it. */
static double decimal_value(decimal *number)
{
    const size_t n = number->n_digits < 19 ? number->n_digits : 19;
    const int64_t magnitude = number->exponent + (int64_t)number->n_digits;
    uint64_t integer = 0;

    if (n == 0 || magnitude < -400) {
        return 0.0;
    }
    if (magnitude > 400) {
        return HUGE_VAL;
    }
    (void)parse_digits(number->digits, n, &integer);
    const int exponent = (int)magnitude - (int)n;
    const double value = stoa_decimal_f64(integer, exponent);
    if (n == number->n_digits || value == stoa_decimal_f64(integer + 1, exponent)) {
        return value;
    }
    (void)snprintf(number->digits + number->n_digits, sizeof number->digits - number->n_digits,
                   "e%d", (int)number->exponent);
    return strtod(number->digits, NULL);
}

bool stoa_parse_f64(const char *text, size_t length, double *value)
{
    const bool negative = skip_sign(&text, &length);
    double magnitude;

    if (stoa_is_word(text, length, "nan")) {
        magnitude = (double)NAN;
    } else if (stoa_is_word(text, length, "inf") || stoa_is_word(text, length, "infinity")) {
        magnitude = (double)INFINITY;
    } else {
        decimal number;
        if (!decimal_scan(text, length, &number)) {
            return false;
        }
        magnitude = decimal_value(&number);
    }
    *value = negative ? -magnitude : magnitude;
    return true;
}

/* Half precision (IEEE 754 binary16) --------------------------------------------------------- */

float stoa_f16_to_f32(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    const uint32_t exponent = (bits >> 10) & 0x1f;
    const uint32_t fraction = bits & 0x3ff;

    if (exponent == 0) {
        /* Zero and subnormals are multiples of 2^-24. */
        const float value = (float)fraction * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    return stoa_f32_of_bits(exponent == 0x1f ? sign | 0x7f800000 | (fraction << 13)
                                             : sign | ((exponent + 112) << 23) | (fraction << 13));
}

uint16_t stoa_f32_to_f16(float value)
{
    const uint32_t word = stoa_bits_of_f32(value);
    const uint32_t sign = (word >> 16) & 0x8000;
    const uint32_t exponent = (word >> 23) & 0xff;
    uint32_t fraction = word & 0x7fffff;

    if (exponent == 0xff) {
        /* A NaN keeps the top bits of its payload, with at least one set so that it stays a NaN. */
        const uint32_t payload = fraction >> 13;
        return (uint16_t)(sign | 0x7c00 | payload | (fraction != 0 && payload == 0));
    }
    if (exponent >= 143) {
        return (uint16_t)(sign | 0x7c00); /* 2^16 and above overflow */
    }
    if (exponent < 102) {
        return (uint16_t)sign; /* below 2^-25, half the smallest subnormal */
    }

    /* Drop `shift` bits, rounding to nearest even. A carry into the exponent gives the right
     * value. */
    const uint32_t shift = exponent >= 113 ? 13 : 126 - exponent;
    fraction |= exponent >= 113 ? 0 : 0x800000;
    uint32_t half = fraction >> shift;
    const uint32_t rest = fraction & ((UINT32_C(1) << shift) - 1);
    const uint32_t middle = UINT32_C(1) << (shift - 1);
    half += rest > middle || (rest == middle && (half & 1) != 0);
    return (uint16_t)(sign + (exponent >= 113 ? (exponent - 112) << 10 : 0) + half);
}
