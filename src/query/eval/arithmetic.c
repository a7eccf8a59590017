/* Arithmetic on vectors. Integer overflow is an error; results never wrap around. */
#include <math.h>
#include <string.h>

#include "core/calendar.h"
#include "core/quotients.h"
#include "query/eval/eval.h"

/* Values under a missing bit are arbitrary and may overflow. So rows are checked one by one only
 * if some row overflowed. */
static bool is_missing(const uint8_t *validity, int64_t i)
{
    return validity != NULL && !stoa_bit_get(validity, (uint64_t)i);
}

#define CHECKED_LOOP(OVERFLOWS, x, y)                                                              \
    do {                                                                                           \
        bool any = false;                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            any |= OVERFLOWS(x, y, &to[i]);                                                        \
        }                                                                                          \
        for (int64_t i = 0; any && i < n; i++) {                                                   \
            if (OVERFLOWS(x, y, &to[i]) && !is_missing(validity, i)) {                             \
                return false;                                                                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define DEFINE_CHECKED(name, ctype, field, OVERFLOWS)                                              \
    static bool name(const stoa_vector *left, const stoa_vector *right, const uint8_t *validity,   \
                     int64_t n, ctype *to)                                                         \
    {                                                                                              \
        STOA_EACH_SHAPE(ctype, field, CHECKED_LOOP, OVERFLOWS);                                    \
        return true;                                                                               \
    }
DEFINE_CHECKED(add_i64, int64_t, i64, __builtin_add_overflow)
DEFINE_CHECKED(add_u64, uint64_t, u64, __builtin_add_overflow)
DEFINE_CHECKED(subtract_i64, int64_t, i64, __builtin_sub_overflow)
DEFINE_CHECKED(subtract_u64, uint64_t, u64, __builtin_sub_overflow)
DEFINE_CHECKED(multiply_i64, int64_t, i64, __builtin_mul_overflow)
DEFINE_CHECKED(multiply_u64, uint64_t, u64, __builtin_mul_overflow)

/* The remainder has the sign of the dividend. By 0 it is missing (the caller sets the validity).
 * By -1 it is 0, without the division, which would trap for INT64_MIN. */
static inline int64_t remainder_i64(int64_t a, int64_t b)
{
    if ((((uint64_t)a | (uint64_t)b) >> 32) == 0 && b != 0) { /* twice as fast */
        return (int64_t)((uint32_t)a % (uint32_t)b);
    }
    return b == 0 || b == -1 ? 0 : a % b;
}
static inline uint64_t remainder_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? 0 : a % b;
}

/* Quotients by a constant ------------------------------------------------------------------- */

STOA_CLONES static bool quotients(const int64_t *restrict x, int64_t n, stoa_divisor by,
                                  int64_t *restrict out)
{
    uint64_t bits = 0;

    for (int64_t i = 0; i < n; i++) {
        out[i] = stoa_quotient(&by, x[i]);
        bits |= (uint64_t)x[i] + by.bias;
    }
    return stoa_is_in_range(&by, bits);
}

void stoa_floor_quotients(const int64_t *restrict x, int64_t n, int64_t by, int64_t *restrict out)
{
    const bool are_right = quotients(x, n, stoa_divisor_of(by), out);

    for (int64_t i = 0; !are_right && i < n; i++) {
        out[i] = stoa_floor_div(x[i], by);
    }
}

/* Remainders have the signs of their dividends. */
STOA_CLONES static bool quick_remainders(const int64_t *restrict x, int64_t n, stoa_divisor by,
                                         int64_t *restrict out)
{
    uint64_t bits = 0;
    int64_t signs = 0;

    for (int64_t i = 0; i < n; i++) {
        out[i] = stoa_floor_rest(&by, x[i]);
        bits |= (uint64_t)x[i] + by.bias;
        signs |= x[i];
    }
    if (signs < 0) {
        for (int64_t i = 0; i < n; i++) {
            out[i] -= x[i] < 0 && out[i] > 0 ? by.by : 0;
        }
    }
    return stoa_is_in_range(&by, bits);
}

static void remainders_by(const int64_t *restrict x, int64_t n, int64_t by, int64_t *restrict out)
{
    const bool are_right = quick_remainders(x, n, stoa_divisor_of(by), out);

    for (int64_t i = 0; !are_right && i < n; i++) {
        out[i] = x[i] % by;
    }
}

/* All operators ----------------------------------------------------------------------------- */

#define DEFINE_PLAIN(name, ctype, field, OPERATION)                                                \
    STOA_CLONES static void name(const stoa_vector *left, const stoa_vector *right, int64_t n,     \
                                 ctype *restrict to)                                               \
    {                                                                                              \
        STOA_EACH_SHAPE(ctype, field, STOA_PLAIN_LOOP, OPERATION);                                 \
    }
#define SUM(x, y) ((x) + (y))
#define DIFFERENCE(x, y) ((x) - (y))
#define PRODUCT(x, y) ((x) * (y))
#define QUOTIENT(x, y) ((x) / (y))
DEFINE_PLAIN(add_f64, double, f64, SUM)
DEFINE_PLAIN(subtract_f64, double, f64, DIFFERENCE)
DEFINE_PLAIN(multiply_f64, double, f64, PRODUCT)
DEFINE_PLAIN(divide_f64, double, f64, QUOTIENT)
DEFINE_PLAIN(remainders_f64, double, f64, fmod)
DEFINE_PLAIN(remainders_i64, int64_t, i64, remainder_i64)
DEFINE_PLAIN(remainders_u64, uint64_t, u64, remainder_u64)

static void arithmetic_f64(stoa_op op, const stoa_vector *left, const stoa_vector *right, int64_t n,
                           double *out)
{
    switch (op) {
    case STOA_OP_ADD:
        add_f64(left, right, n, out);
        break;
    case STOA_OP_SUBTRACT:
        subtract_f64(left, right, n, out);
        break;
    case STOA_OP_MULTIPLY:
        multiply_f64(left, right, n, out);
        break;
    case STOA_OP_DIVIDE:
        divide_f64(left, right, n, out);
        break;
    default:
        remainders_f64(left, right, n, out);
        break;
    }
}

bool stoa_arithmetic(stoa_op op, const stoa_vector *left, const stoa_vector *right,
                     const uint8_t *validity, int64_t n, void *out)
{
    const bool is_signed = left->type.domain != STOA_DOMAIN_U64;

    if (left->type.domain == STOA_DOMAIN_F64) {
        arithmetic_f64(op, left, right, n, out);
        return true;
    }
    switch (op) {
    case STOA_OP_ADD:
        return is_signed ? add_i64(left, right, validity, n, out)
                         : add_u64(left, right, validity, n, out);
    case STOA_OP_SUBTRACT:
        return is_signed ? subtract_i64(left, right, validity, n, out)
                         : subtract_u64(left, right, validity, n, out);
    case STOA_OP_MULTIPLY:
        return is_signed ? multiply_i64(left, right, validity, n, out)
                         : multiply_u64(left, right, validity, n, out);
    default:
        if (is_signed && right->constant && !left->constant && right->as.i64[0] > 0) {
            remainders_by(left->as.i64, n, right->as.i64[0], out);
        } else if (is_signed) {
            remainders_i64(left, right, n, out);
        } else {
            remainders_u64(left, right, n, out);
        }
        return true;
    }
}

bool stoa_has_zeros(const stoa_vector *divisor, int64_t n, uint8_t *holes)
{
    bool any = false;

    if (divisor->constant && divisor->as.u64[0] != 0) {
        return false;
    }
    memset(holes, 0, stoa_bit_bytes((uint64_t)n));
    for (int64_t i = 0; i < n; i++) {
        if (divisor->as.u64[divisor->constant ? 0 : i] == 0) {
            stoa_bit_set(holes, (uint64_t)i);
            any = true;
        }
    }
    return any;
}

bool stoa_negate(const stoa_vector *values, int64_t n, void *out)
{
    if (values->type.domain == STOA_DOMAIN_F64) {
        double *to = out;
        for (int64_t i = 0; i < n; i++) {
            to[i] = -values->as.f64[i];
        }
        return true;
    }
    int64_t *to = out;
    for (int64_t i = 0; i < n; i++) {
        if (__builtin_sub_overflow((int64_t)0, values->as.i64[i], &to[i]) &&
            !is_missing(values->validity, i)) {
            return false;
        }
    }
    return true;
}

STOA_CLONES static void cast_to_f64(const stoa_vector *values, int64_t n, double *restrict to)
{
    if (values->type.domain == STOA_DOMAIN_U64) {
        for (int64_t i = 0; i < n; i++) {
            to[i] = stoa_f64_of_u64(values->as.u64[i]);
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            to[i] = stoa_f64_of_i64(values->as.i64[i]);
        }
    }
}

/* Ticks in a finer unit. */
static bool cast_ticks(const stoa_vector *values, int64_t up, int64_t n, int64_t *to)
{
    for (int64_t i = 0; i < n; i++) {
        if (__builtin_mul_overflow(values->as.i64[i], up, &to[i]) &&
            !is_missing(values->validity, i)) {
            return false;
        }
    }
    return true;
}

bool stoa_cast(const stoa_vector *values, const stoa_value_type *type, int64_t n, void *out)
{
    const stoa_value_domain domain = type->domain;

    if (stoa_domain_is_ticks(domain)) {
        return cast_ticks(values, stoa_rescaling_of(values->type.unit, type->unit).up, n, out);
    }
    if (values->type.domain == STOA_DOMAIN_BOOL) {
        for (int64_t i = 0; i < n; i++) {
            const bool bit = stoa_bit_get(values->as.bits, (uint64_t)i);
            if (domain == STOA_DOMAIN_F64) {
                ((double *)out)[i] = bit;
            } else {
                ((int64_t *)out)[i] = bit;
            }
        }
        return true;
    }
    if (domain == STOA_DOMAIN_F64) {
        cast_to_f64(values, n, out);
        return true;
    }
    /* Between the integer types, the bits are the same if the value fits both. */
    memcpy(out, values->as.i64, (size_t)n * sizeof(int64_t));
    for (int64_t i = 0; i < n; i++) {
        if (values->as.i64[i] < 0 && !is_missing(values->validity, i)) {
            return false;
        }
    }
    return true;
}
