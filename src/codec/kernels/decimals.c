/* Loops that the compiler makes vectors of. They divide as libhdf5 does, so every processor gives
 * the same bits. */
#include "codec/kernels/decimals.h"

#include <math.h>
#include <string.h>

#include "core/cpu.h"
#include "core/float_bits.h"

/* 2^52. Between it and its double, consecutive doubles differ by 1, and the lower 52 bits count
 * them. */
#define SHIFT 0x1p52
#define SHIFT_BITS UINT64_C(0x4330000000000000)
#define LOW_BITS ((UINT64_C(1) << 52) - 1)
#define LOW_BITS_4 UINT32_C(0x7fffffff)
enum { SHIFTED_BITS = 52, MOST_4 = 10, MOST_8 = 22 };

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

uint32_t stoa_decimals_most(uint32_t size)
{
    return size == 4 ? MOST_4 : MOST_8;
}

/* --- decoding -------------------------------------------------------------------------------- */

STOA_CLONES static void decode_8(const stoa_decimals *form, uint64_t n, uint8_t *values)
{
    const double power = powers[form->decimals];
    const double least = stoa_f64_of_bits(form->least);
    const uint64_t fill = form->fill;
    const uint64_t fill_code = form->has_fill ? (UINT64_C(1) << form->width) - 1 : UINT64_MAX;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t code;
        memcpy(&code, values + i * sizeof code, sizeof code);
        const double x = stoa_f64_of_bits(code | SHIFT_BITS) - SHIFT;
        const uint64_t value = code == fill_code ? fill : stoa_bits_of_f64(x / power + least);
        memcpy(values + i * sizeof value, &value, sizeof value);
    }
}

/* Codes that a double may have to round. */
static void decode_wide(const stoa_decimals *form, uint64_t n, uint8_t *values)
{
    const uint64_t fill_code = form->has_fill ? (UINT64_C(1) << form->width) - 1 : UINT64_MAX;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t code;
        memcpy(&code, values + i * sizeof code, sizeof code);
        const double x =
            (double)(int64_t)code / powers[form->decimals] + stoa_f64_of_bits(form->least);
        const uint64_t value = code == fill_code ? form->fill : stoa_bits_of_f64(x);
        memcpy(values + i * sizeof value, &value, sizeof value);
    }
}

STOA_CLONES static void decode_4(const stoa_decimals *form, uint64_t n, uint8_t *values)
{
    const float power = (float)powers[form->decimals];
    const float least = stoa_f32_of_bits((uint32_t)form->least);
    const uint32_t fill = (uint32_t)form->fill;
    const uint32_t fill_code = form->has_fill ? (UINT32_C(1) << form->width) - 1 : UINT32_MAX;

    for (uint64_t i = 0; i < n; i++) {
        uint32_t code;
        memcpy(&code, values + i * sizeof code, sizeof code);
        const float x = (float)(int32_t)code;
        const uint32_t value = code == fill_code ? fill : stoa_bits_of_f32(x / power + least);
        memcpy(values + i * sizeof value, &value, sizeof value);
    }
}

STOA_CLONES static void swap_8(uint64_t n, uint8_t *values)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x;
        memcpy(&x, values + i * sizeof x, sizeof x);
        x = __builtin_bswap64(x);
        memcpy(values + i * sizeof x, &x, sizeof x);
    }
}

STOA_CLONES static void swap_4(uint64_t n, uint8_t *values)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t x;
        memcpy(&x, values + i * sizeof x, sizeof x);
        x = __builtin_bswap32(x);
        memcpy(values + i * sizeof x, &x, sizeof x);
    }
}

void stoa_decimals_decode(const stoa_decimals *form, uint64_t n, uint8_t *values)
{
    if (form->size == 4) {
        decode_4(form, n, values);
    } else if (form->width <= SHIFTED_BITS) {
        decode_8(form, n, values);
    } else {
        decode_wide(form, n, values);
    }
    if (form->swap && form->size == 4) {
        swap_4(n, values);
    } else if (form->swap) {
        swap_8(n, values);
    }
}

/* --- encoding -------------------------------------------------------------------------------- */

/* The nearest code. Of a value that has none, any code below 2^52. */
static inline uint64_t code_of_double(double value, double power, double least)
{
    return stoa_bits_of_f64((value - least) * power + SHIFT) & LOW_BITS;
}

static inline uint32_t code_of_float(float value, double power, float least)
{
    return (uint32_t)stoa_bits_of_f64(((double)value - (double)least) * power + SHIFT) & LOW_BITS_4;
}

static inline uint64_t load_8(const uint8_t *values, uint64_t i, bool swap)
{
    uint64_t x;

    memcpy(&x, values + i * sizeof x, sizeof x);
    return swap ? __builtin_bswap64(x) : x;
}

static inline uint32_t load_4(const uint8_t *values, uint64_t i, bool swap)
{
    uint32_t x;

    memcpy(&x, values + i * sizeof x, sizeof x);
    return swap ? __builtin_bswap32(x) : x;
}

STOA_CLONES static bool fit_8(const stoa_decimals *form, const uint8_t *values, uint64_t n,
                              uint64_t *greatest)
{
    const double power = powers[form->decimals];
    const double least = stoa_f64_of_bits(form->least);
    const uint64_t fill = form->fill;
    const uint64_t may_fill = form->has_fill ? UINT64_MAX : 0;
    uint64_t wrong = 0;
    int64_t most = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x = load_8(values, i, form->swap);
        const uint64_t code = code_of_double(stoa_f64_of_bits(x), power, least);
        const uint64_t back =
            stoa_bits_of_f64((stoa_f64_of_bits(code | SHIFT_BITS) - SHIFT) / power + least);
        const uint64_t is_fill = (x == fill ? UINT64_MAX : 0) & may_fill;
        const int64_t counted = (int64_t)(code & ~is_fill);
        wrong |= (back ^ x) & ~is_fill;
        most = counted > most ? counted : most;
    }
    *greatest = (uint64_t)most > *greatest ? (uint64_t)most : *greatest;
    return wrong == 0;
}

STOA_CLONES static bool fit_4(const stoa_decimals *form, const uint8_t *values, uint64_t n,
                              uint64_t *greatest)
{
    const double power = powers[form->decimals];
    const float least = stoa_f32_of_bits((uint32_t)form->least);
    const uint32_t fill = (uint32_t)form->fill;
    const uint32_t may_fill = form->has_fill ? UINT32_MAX : 0;
    uint32_t wrong = 0;
    int32_t most = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint32_t x = load_4(values, i, form->swap);
        const uint32_t code = code_of_float(stoa_f32_of_bits(x), power, least);
        const uint32_t back = stoa_bits_of_f32((float)(int32_t)code / (float)power + least);
        const uint32_t is_fill = (x == fill ? UINT32_MAX : 0) & may_fill;
        const int32_t counted = (int32_t)(code & ~is_fill);
        wrong |= (back ^ x) & ~is_fill;
        most = counted > most ? counted : most;
    }
    *greatest = (uint64_t)most > *greatest ? (uint64_t)most : *greatest;
    return wrong == 0;
}

double stoa_decimals_least(const stoa_decimals *form, const uint8_t *values, uint64_t n)
{
    double least = INFINITY;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x =
            form->size == 4 ? load_4(values, i, form->swap) : load_8(values, i, form->swap);
        const double value =
            form->size == 4 ? (double)stoa_f32_of_bits((uint32_t)x) : stoa_f64_of_bits(x);
        least = value < least && !(form->has_fill && x == form->fill) ? value : least;
    }
    return least;
}

bool stoa_decimals_fit(const stoa_decimals *form, const uint8_t *values, uint64_t n,
                       uint64_t *greatest)
{
    return form->size == 4 ? fit_4(form, values, n, greatest) : fit_8(form, values, n, greatest);
}

STOA_CLONES static void encode_8(const stoa_decimals *form, const uint8_t *values, uint64_t n,
                                 uint8_t *codes)
{
    const double power = powers[form->decimals];
    const double least = stoa_f64_of_bits(form->least);
    const uint64_t fill = form->fill;
    const uint64_t ones = (UINT64_C(1) << form->width) - 1;
    const uint64_t may_fill = form->has_fill ? UINT64_MAX : 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x = load_8(values, i, form->swap);
        const uint64_t is_fill = (x == fill ? UINT64_MAX : 0) & may_fill;
        const uint64_t code =
            (code_of_double(stoa_f64_of_bits(x), power, least) & ~is_fill) | (ones & is_fill);
        memcpy(codes + i * sizeof code, &code, sizeof code);
    }
}

STOA_CLONES static void encode_4(const stoa_decimals *form, const uint8_t *values, uint64_t n,
                                 uint8_t *codes)
{
    const double power = powers[form->decimals];
    const float least = stoa_f32_of_bits((uint32_t)form->least);
    const uint32_t fill = (uint32_t)form->fill;
    const uint32_t ones = (UINT32_C(1) << form->width) - 1;
    const uint32_t may_fill = form->has_fill ? UINT32_MAX : 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint32_t x = load_4(values, i, form->swap);
        const uint32_t is_fill = (x == fill ? UINT32_MAX : 0) & may_fill;
        const uint32_t code =
            (code_of_float(stoa_f32_of_bits(x), power, least) & ~is_fill) | (ones & is_fill);
        memcpy(codes + i * sizeof code, &code, sizeof code);
    }
}

void stoa_decimals_encode(const stoa_decimals *form, const uint8_t *values, uint64_t n,
                          uint8_t *codes)
{
    if (form->size == 4) {
        encode_4(form, values, n, codes);
    } else {
        encode_8(form, values, n, codes);
    }
}
