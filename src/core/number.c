/*
 * Numbers as text, the same in every locale.
 *
 * The C library converts what the fast paths here do not cover. It never reads or writes a decimal
 * point, so LC_NUMERIC has no effect: digits go in as "12345e-3" and are picked out of "%e" one by
 * one.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* Every power of ten that a double holds exactly. */
static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define MAX_EXACT_POWER 22
#define MAX_EXACT_INTEGER (UINT64_C(1) << 53)

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

size_t stoa_format_u64(uint64_t value, char *out)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    size_t n = 1;

    for (uint64_t left = value; left >= 10; left /= 10) {
        n++;
    }
    char *to = out + n;
    *to = '\0';
    for (; value >= 10; value /= 100) {
        to -= 2;
        memcpy(to, pairs + value % 100 * 2, 2);
    }
    if (to > out) {
        *out = (char)('0' + value);
    }
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

static bool decimal_exact(const decimal *number, double *value)
{
    uint64_t integer;

    if (FLT_EVAL_METHOD != 0 || number->n_digits > 19 || number->exponent > MAX_EXACT_POWER ||
        number->exponent < -MAX_EXACT_POWER ||
        !parse_digits(number->digits, number->n_digits, &integer) || integer > MAX_EXACT_INTEGER) {
        return false;
    }
    /* Both operands are exact, so the only rounding is the correct one. */
    *value = number->exponent < 0 ? (double)integer / powers_of_ten[-number->exponent]
                                  : (double)integer * powers_of_ten[number->exponent];
    return true;
}

static bool decimal_wide(const decimal *number, double *value)
{
    uint64_t integer;

    return number->n_digits <= 19 && number->exponent >= -19 && number->exponent <= 19 &&
           parse_digits(number->digits, number->n_digits, &integer) &&
           stoa_decimal_f64(integer, (int)number->exponent, value);
}

static double decimal_value(decimal *number)
{
    double value;

    if (number->n_digits == 0) {
        return 0.0;
    }
    if (decimal_exact(number, &value) || decimal_wide(number, &value)) {
        return value;
    }
    const int64_t magnitude = number->exponent + (int64_t)number->n_digits;
    if (magnitude > 400) {
        return HUGE_VAL;
    }
    if (magnitude < -400) {
        return 0.0;
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

/* Floating point, writing ------------------------------------------------------------------- */

/* The significant digits and the decimal exponent of the first: d.ddd * 10^exponent. */
typedef struct digits {
    char text[24];
    int n;
    int exponent;
} digits;

static void strip_zeros(digits *d)
{
    while (d->n > 1 && d->text[d->n - 1] == '0') {
        d->n--;
    }
}

/* The `precision` digits nearest to a positive value. */
static void digits_of(double value, int precision, digits *d)
{
    char text[64];
    const char *p = text;

    (void)snprintf(text, sizeof text, "%.*e", precision - 1, value);
    for (d->n = 0; *p != 'e'; p++) {
        if (is_digit(*p)) {
            d->text[d->n++] = *p;
        }
    }
    d->exponent = (int)strtol(p + 1, NULL, 10);
}

static double digits_value(const digits *d)
{
    decimal number;

    memcpy(number.digits, d->text, (size_t)d->n);
    number.n_digits = (size_t)d->n;
    number.exponent = d->exponent - d->n + 1;
    return decimal_value(&number);
}

/* Add one to the last digit. */
static void digits_increment(digits *d)
{
    int i = d->n - 1;

    while (i >= 0 && d->text[i] == '9') {
        d->text[i--] = '0';
    }
    if (i >= 0) {
        d->text[i]++;
    } else {
        d->text[0] = '1'; /* 99..9 becomes 100..0; the zeros are already there */
        d->exponent++;
    }
}

/* A fast path for values with few decimals. n / 10^k is rounded once, so if it equals the value,
 * its digits read back equal. The smallest k gives the fewest digits. */
static bool digits_simple(double value, digits *d)
{
    if (FLT_EVAL_METHOD != 0 || value < 1e-4 || value >= 1e15) {
        return false;
    }
    for (int k = 0; k <= 6 && value * powers_of_ten[k] < 1e15; k++) {
        const double n = nearbyint(value * powers_of_ten[k]);
        if (n / powers_of_ten[k] == value) {
            char text[24];
            d->n = (int)stoa_format_u64((uint64_t)n, text);
            memcpy(d->text, text, (size_t)d->n);
            d->exponent = d->n - 1 - k;
            return true;
        }
    }
    return false;
}

static bool digits_read_back(const digits *d, double value, bool is_f32)
{
    const double back = digits_value(d);

    return (is_f32 ? (double)(float)back : back) == value;
}

/* The fewest digits that read back as `value`, which is positive and finite, and a float if
 * `is_f32`. */
static void digits_shortest(double value, bool is_f32, digits *d)
{
    const double normal = is_f32 ? (double)FLT_MIN : DBL_MIN;
    const int most = is_f32 ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;

    if (!is_f32 && digits_simple(value, d)) {
        return;
    }
    /* 15 digits (6 of a float) always survive the round trip, so shorter texts only lack trailing
     * zeros. Below the normal range fewer digits can be enough. */
    for (int precision = value < normal ? 1
                         : is_f32       ? FLT_DIG
                                        : DBL_DIG;
         precision < most; precision++) {
        int power;
        digits_of(value, precision, d);
        if (digits_read_back(d, value, is_f32)) {
            return;
        }
        /* Above a power of two, values are twice as far apart as below it. The nearest digits may
         * then be too low, while the next higher ones still read back. */
        if (frexp(value, &power) == 0.5) {
            digits_increment(d);
            if (digits_read_back(d, value, is_f32)) {
                return;
            }
        }
    }
    digits_of(value, most, d);
}

/* Write digits like Python's repr: with an exponent below 1e-4 and from 1e16 on. */
static size_t digits_write(const digits *d, bool negative, char *out)
{
    char *p = out;

    if (negative) {
        *p++ = '-';
    }
    if (d->exponent < -4 || d->exponent >= 16) {
        *p++ = d->text[0];
        if (d->n > 1) {
            *p++ = '.';
            memcpy(p, d->text + 1, (size_t)d->n - 1);
            p += d->n - 1;
        }
        *p++ = 'e';
        *p++ = d->exponent < 0 ? '-' : '+';
        const int magnitude = abs(d->exponent);
        if (magnitude < 10) {
            *p++ = '0';
        }
        p += stoa_format_u64((uint64_t)magnitude, p);
    } else if (d->exponent < 0) {
        memcpy(p, "0.000", 5);
        p += 1 - d->exponent;
        memcpy(p, d->text, (size_t)d->n);
        p += d->n;
    } else {
        for (int i = 0; i <= d->exponent || i < d->n; i++) {
            if (i == d->exponent + 1) {
                *p++ = '.';
            }
            *p++ = i < d->n ? d->text[i] : '0';
        }
        if (d->n <= d->exponent + 1) {
            *p++ = '.';
            *p++ = '0';
        }
    }
    *p = '\0';
    return (size_t)(p - out);
}

/* Write nan, inf, -inf, 0.0 or -0.0; return false for any other value. */
static bool write_special(double value, char *out, size_t *length)
{
    const char *text;

    if (isnan(value)) {
        text = "nan";
    } else if (isinf(value)) {
        text = value < 0 ? "-inf" : "inf";
    } else if (value == 0) {
        text = signbit(value) ? "-0.0" : "0.0";
    } else {
        return false;
    }
    *length = strlen(text);
    memcpy(out, text, *length + 1);
    return true;
}

static size_t format_shortest(double value, bool is_f32, char *out)
{
    size_t length;
    digits d = {.n = 0};

    if (write_special(value, out, &length)) {
        return length;
    }
    digits_shortest(fabs(value), is_f32, &d);
    strip_zeros(&d);
    return digits_write(&d, value < 0, out);
}

size_t stoa_format_f64(double value, char *out)
{
    return format_shortest(value, false, out);
}

size_t stoa_format_f32(float value, char *out)
{
    return format_shortest((double)value, true, out);
}

/* Half precision (IEEE 754 binary16) --------------------------------------------------------- */

float stoa_f16_to_f32(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    const uint32_t exponent = (bits >> 10) & 0x1f;
    const uint32_t fraction = bits & 0x3ff;
    float value;
    uint32_t word;

    if (exponent == 0) {
        /* Zero and subnormals are multiples of 2^-24. */
        value = (float)fraction * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    word = exponent == 0x1f ? sign | 0x7f800000 | (fraction << 13)
                            : sign | ((exponent + 112) << 23) | (fraction << 13);
    memcpy(&value, &word, sizeof value);
    return value;
}

uint16_t stoa_f32_to_f16(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof word);
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
