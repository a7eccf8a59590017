/* Decimal numbers of up to twenty digits as doubles, with 128-bit integer arithmetic. */
#include <float.h>
#include <string.h>

#include "core/text.h"

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 wide;

/* bits * 2^power, rounded once. `rest` tells that nonzero bits follow the last one. They lie far
 * below the 53 bits that stay, so they can only break a tie. */
static double round_bits(uint64_t bits, bool rest, int power)
{
    const uint64_t word = (uint64_t)(1023 + power) << 52;
    double scale;

    memcpy(&scale, &word, sizeof scale);
    return (double)(bits | rest) * scale;
}

bool stoa_decimal_f64(uint64_t integer, int exponent, double *value)
{
    static const uint64_t powers[] = {UINT64_C(1),
                                      UINT64_C(10),
                                      UINT64_C(100),
                                      UINT64_C(1000),
                                      UINT64_C(10000),
                                      UINT64_C(100000),
                                      UINT64_C(1000000),
                                      UINT64_C(10000000),
                                      UINT64_C(100000000),
                                      UINT64_C(1000000000),
                                      UINT64_C(10000000000),
                                      UINT64_C(100000000000),
                                      UINT64_C(1000000000000),
                                      UINT64_C(10000000000000),
                                      UINT64_C(100000000000000),
                                      UINT64_C(1000000000000000),
                                      UINT64_C(10000000000000000),
                                      UINT64_C(100000000000000000),
                                      UINT64_C(1000000000000000000),
                                      UINT64_C(10000000000000000000)};
    const int size = exponent < 0 ? -exponent : exponent;

    if (FLT_EVAL_METHOD != 0 || size >= (int)(sizeof powers / sizeof powers[0])) {
        return false;
    }
    if (integer == 0) {
        *value = 0.0;
        return true;
    }
    /* Normalise both operands: shift until the top bit is set. */
    const int a = __builtin_clzll(integer);
    const int b = __builtin_clzll(powers[size]);
    const uint64_t left = integer << a;
    const uint64_t right = powers[size] << b;
    if (exponent < 0) {
        /* The quotient left / right is between 1/2 and 2, so it has 63 or 64 bits. */
        const wide dividend = (wide)left << 63;
        const uint64_t quotient = (uint64_t)(dividend / right);
        *value = round_bits(quotient, (uint64_t)dividend - quotient * right != 0, b - a - 63);
    } else {
        const wide product = (wide)left * right;
        *value = round_bits((uint64_t)(product >> 64), (uint64_t)product != 0, 64 - a - b);
    }
    return true;
}
#else
bool stoa_decimal_f64(uint64_t integer, int exponent, double *value)
{
    (void)integer;
    (void)exponent;
    (void)value;
    return false;
}
#endif
