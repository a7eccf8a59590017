/*
 * The shortest decimal digits that read back as the same float, and of those the nearest.
 *
 * R. Giulietti, "The Schubfach way to render doubles", 2020. The numbers that read back as a float
 * lie between the middles to its neighbours. That interval is scaled by a power of ten, so that it
 * holds one integer at least and one multiple of ten at most. The last bit of each scaled number
 * says whether bits were cut off, which is enough to compare it with integers.
 */
#include <stdbool.h>
#include <string.h>

#include "core/digits.h"
#include "core/float_bits.h"
#include "core/powers_of_five.h"
#include "core/text.h"

/* integer * 10^power */
typedef struct decimal {
    uint64_t integer;
    int power;
} decimal;

/* floor(log10(2^e)), or of 3/4 of 2^e; and floor(log2(10^e)). They hold beyond all exponents. */
static int log10_of_power_of_two(int e, bool less)
{
    return (e * 1262611 - (less ? 524031 : 0)) >> 22;
}

static int log2_of_power_of_ten(int e)
{
    return (e * 1741647) >> 19;
}

/* The first 64 bits of a product of 192. The last of them is set if one that was cut off is. */
static uint64_t scale(stoa_wide ten, uint64_t value)
{
    const uint64_t carry = stoa_multiply(ten.low, value).high;
    stoa_wide product = stoa_multiply(ten.high, value);

    product.low += carry;
    product.high += product.low < carry;
    return product.high | (product.low > 1);
}

/* The digits of fraction * 2^exponent; `is_power` is as below. */
static decimal shortest(uint64_t fraction, int exponent, bool is_power)
{
    const uint64_t odd = fraction & 1; /* an even fraction attracts its borders */
    const int power = log10_of_power_of_two(exponent, is_power);
    const int shift = exponent + log2_of_power_of_ten(-power) + 1;
    stoa_wide ten = stoa_power_of_five(-power);

    ten.low += -power < 0 || -power > 55; /* rounded up where it is not exact */
    /* In quarters of a unit */
    const uint64_t low = scale(ten, (4 * fraction - 2 + is_power) << shift) + odd;
    const uint64_t value = scale(ten, (4 * fraction) << shift);
    const uint64_t high = scale(ten, (4 * fraction + 2) << shift) - odd;
    const uint64_t unit = value / 4;
    const uint64_t tens = unit / 10;
    if (tens != 0) {
        const bool is_below = low <= 40 * tens;
        const bool is_above = 40 * tens + 40 <= high;
        if (is_below != is_above) {
            return (decimal){tens + is_above, power + 1};
        }
    }
    const bool is_below = low <= 4 * unit;
    const bool is_above = 4 * unit + 4 <= high;
    const uint64_t middle = 4 * unit + 2;
    const bool is_nearer = value > middle || (value == middle && (unit & 1) != 0);
    return (decimal){unit + (is_below != is_above ? is_above : is_nearer), power};
}

/* Seventeen digits, and zeros behind them so that texts are copied by a fixed size. */
enum { N_DIGITS = 17, ROOM = 40 };

typedef struct digits {
    char text[ROOM];
    int first; /* not zero */
    int end;   /* behind the last that is not zero */
} digits;

static void spell(uint64_t integer, digits *d)
{
    static const uint64_t eight = 100000000;
    const uint64_t upper = integer / eight;
    const uint64_t top = upper / eight;
    const uint64_t words[] = {stoa_eight_digits((uint32_t)(upper % eight)),
                              stoa_eight_digits((uint32_t)(integer % eight))};

    memset(d->text, '0', sizeof d->text);
    d->text[0] = (char)('0' + top);
    stoa_put_word(words[0] + STOA_EIGHT_ZEROS, d->text + 1);
    stoa_put_word(words[1] + STOA_EIGHT_ZEROS, d->text + 9);
    d->first = top != 0        ? 0
               : words[0] != 0 ? 1 + __builtin_ctzll(words[0]) / 8
                               : 9 + __builtin_ctzll(words[1]) / 8;
    d->end = words[1] != 0   ? 17 - __builtin_clzll(words[1]) / 8
             : words[0] != 0 ? 9 - __builtin_clzll(words[0]) / 8
                             : 1;
}

/* Write the digits like Python's repr: with an exponent below 1e-4 and from 1e16 on. */
static char *put(const decimal *number, char *p)
{
    digits d;

    spell(number->integer, &d);
    const char *const from = d.text + d.first;
    const int n = d.end - d.first;
    const int exponent = number->power + N_DIGITS - 1 - d.first; /* of the first digit */
    if (exponent < -4 || exponent >= 16) {
        p[0] = from[0];
        p[1] = '.';
        memcpy(p + 2, from + 1, N_DIGITS);
        p += n > 1 ? n + 1 : 1;
        *p++ = 'e';
        *p++ = exponent < 0 ? '-' : '+';
        const int magnitude = exponent < 0 ? -exponent : exponent;
        if (magnitude < 10) {
            *p++ = '0';
        }
        p += stoa_format_u64((uint64_t)magnitude, p);
    } else if (exponent < 0) {
        memcpy(p, "0.000", 5);
        p += 1 - exponent;
        memcpy(p, from, N_DIGITS);
        p += n;
    } else {
        const int whole = exponent + 1;
        memcpy(p, from, N_DIGITS);
        p[whole] = '.';
        memcpy(p + whole + 1, from + whole, N_DIGITS);
        p += n > whole ? n + 1 : whole + 2;
    }
    *p = '\0';
    return p;
}

/* A float of either size: fraction * 2^exponent. */
typedef struct parts {
    uint64_t fraction;
    int exponent;
    bool is_power; /* of two: the next lower float is nearer than the next higher one */
    bool is_negative;
    bool is_finite;
} parts;

/* The largest exponent field stands for infinity and NaN. The least one is that of subnormal
 * numbers, which have the exponent of the next one and no implicit bit. */
static parts take_apart(uint64_t bits, int n_fraction, int n_exponent)
{
    const uint64_t implicit = UINT64_C(1) << n_fraction;
    const uint64_t fraction = bits & (implicit - 1);
    const int greatest = (1 << n_exponent) - 1;
    const int field = (int)(bits >> n_fraction) & greatest;

    return (parts){.fraction = field == 0 || field == greatest ? fraction : fraction | implicit,
                   .exponent = (field != 0 ? field : 1) - greatest / 2 - n_fraction,
                   .is_power = fraction == 0 && field > 1,
                   .is_negative = bits >> (n_fraction + n_exponent) != 0,
                   .is_finite = field != greatest};
}

static parts parts_of_f64(double value)
{
    return take_apart(stoa_bits_of_f64(value), 52, 11);
}

static parts parts_of_f32(float value)
{
    return take_apart(stoa_bits_of_f32(value), 23, 8);
}

/* An integer is its own digits, which is quicker to find out. */
static decimal digits_of(const parts *value)
{
    const int below = -value->exponent; /* bits below the point */

    return below >= 0 && below < 53 && (value->fraction & ((UINT64_C(1) << below) - 1)) == 0
               ? (decimal){value->fraction >> below, 0}
               : shortest(value->fraction, value->exponent, value->is_power);
}

static size_t format(const parts *value, char *out)
{
    char *p = out;

    *p = '-';
    p += value->is_negative && (value->is_finite || value->fraction == 0);
    if (value->is_finite && value->fraction != 0) {
        const decimal number = digits_of(value);
        return (size_t)(put(&number, p) - out);
    }
    memcpy(p, value->is_finite ? "0.0" : value->fraction == 0 ? "inf" : "nan", 4);
    return (size_t)(p - out) + 3;
}

size_t stoa_format_f64(double value, char *out)
{
    const parts p = parts_of_f64(value);

    return format(&p, out);
}

size_t stoa_format_f32(float value, char *out)
{
    const parts p = parts_of_f32(value);

    return format(&p, out);
}

uint64_t stoa_shortest_f64(double value, int *power)
{
    const parts p = parts_of_f64(value);
    const decimal number = digits_of(&p);

    *power = number.power;
    return number.integer;
}
