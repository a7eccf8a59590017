/* Functions of numbers. They give the same as DuckDB's, but NaN where those refuse a value: the
 * logarithm of -1, as IEEE 754 and NumPy have it. */
#include <math.h>
#include <string.h>

#include "query/functions/elementary.h"
#include "query/functions/functions.h"

/* Floats ------------------------------------------------------------------------------------ */

#define FLOATS_OF_ONE(name, RESULT)                                                                \
    STOA_CLONES static stoa_status name##_of(stoa_call *call, stoa_error *err)                     \
    {                                                                                              \
        const double *restrict const from = call->args[0].as.f64;                                  \
        double *restrict const to = call->out;                                                     \
        const int64_t n = call->n;                                                                 \
        (void)err;                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const double x = from[i];                                                              \
            to[i] = (RESULT);                                                                      \
        }                                                                                          \
        return STOA_OK;                                                                            \
    }
FLOATS_OF_ONE(sqrt, sqrt(x))
FLOATS_OF_ONE(degrees, x *(180 / M_PI))
FLOATS_OF_ONE(radians, x *(M_PI / 180))

/* RESULT of x and y, which is the same as x if there is one argument. */
#define OF_TWO(name, ctype, field, RESULT)                                                         \
    static inline ctype name##_result(ctype x, ctype y)                                            \
    {                                                                                              \
        (void)y;                                                                                   \
        return RESULT;                                                                             \
    }                                                                                              \
    STOA_CLONES static stoa_status name##_of(stoa_call *call, stoa_error *err)                     \
    {                                                                                              \
        const stoa_vector *const left = &call->args[0];                                            \
        const stoa_vector *const right = &call->args[call->n_args - 1];                            \
        ctype *restrict const to = call->out;                                                      \
        const int64_t n = call->n;                                                                 \
        (void)err;                                                                                 \
        STOA_EACH_SHAPE(ctype, field, STOA_PLAIN_LOOP, name##_result);                             \
        return STOA_OK;                                                                            \
    }

#define ELEMENTARY(name, FUNCTION)                                                                 \
    static stoa_status name##_of(stoa_call *call, stoa_error *err)                                 \
    {                                                                                              \
        const stoa_vector *const x = &call->args[0];                                               \
        const stoa_vector *const y = &call->args[call->n_args - 1];                                \
        (void)err;                                                                                 \
        stoa_elementary_values(stoa_simd_of_cpu(), FUNCTION, x->as.f64, !x->constant, y->as.f64,   \
                               !y->constant, call->n, call->out);                                  \
        return STOA_OK;                                                                            \
    }
ELEMENTARY(acos, STOA_ACOS)
ELEMENTARY(asin, STOA_ASIN)
ELEMENTARY(atan, STOA_ATAN)
ELEMENTARY(atan2, STOA_ATAN2)
ELEMENTARY(cbrt, STOA_CBRT)
ELEMENTARY(cos, STOA_COS)
ELEMENTARY(cosh, STOA_COSH)
ELEMENTARY(exp, STOA_EXP)
ELEMENTARY(ln, STOA_LN)
ELEMENTARY(log10, STOA_LOG10)
ELEMENTARY(log2, STOA_LOG2)
ELEMENTARY(pow, STOA_POW)
ELEMENTARY(sin, STOA_SIN)
ELEMENTARY(sinh, STOA_SINH)
ELEMENTARY(tan, STOA_TAN)
ELEMENTARY(tanh, STOA_TANH)

static stoa_status pi_of(stoa_call *call, stoa_error *err)
{
    (void)err;
    for (int64_t i = 0; i < call->n; i++) {
        ((double *)call->out)[i] = M_PI;
    }
    return STOA_OK;
}

/* Tests of floats; no integer is NaN, or infinite. */
#define TEST_OF(name, IS_SO)                                                                       \
    static stoa_status name##_of(stoa_call *call, stoa_error *err)                                 \
    {                                                                                              \
        (void)err;                                                                                 \
        for (int64_t i = 0; i < call->n; i++) {                                                    \
            const double x = call->args[0].as.f64[i];                                              \
            if (IS_SO) {                                                                           \
                stoa_bit_set(call->out, (uint64_t)i);                                              \
            }                                                                                      \
        }                                                                                          \
        return STOA_OK;                                                                            \
    }
TEST_OF(isnan, isnan(x))
TEST_OF(isinf, isinf(x))
TEST_OF(isfinite, isfinite(x))

/* Numbers of any domain --------------------------------------------------------------------- */

static bool is_float(const stoa_call *call)
{
    return call->args[0].type.domain == STOA_DOMAIN_F64;
}

FLOATS_OF_ONE(float_abs, fabs(x))

/* Returns false if a number is INT64_MIN. */
STOA_CLONES static bool absolute(const int64_t *restrict from, int64_t n, uint64_t *restrict to)
{
    uint64_t least = 0;

    for (int64_t i = 0; i < n; i++) {
        const uint64_t sign = (uint64_t)(from[i] >> 63);
        to[i] = ((uint64_t)from[i] ^ sign) - sign;
        least |= to[i];
    }
    return least >> 63 == 0;
}

static stoa_status abs_of(stoa_call *call, stoa_error *err)
{
    const stoa_vector *x = &call->args[0];

    if (is_float(call)) {
        return float_abs_of(call, err);
    }
    if (x->type.domain == STOA_DOMAIN_U64) {
        stoa_call_pass(call, x);
        return STOA_OK;
    }
    const bool has_least = !absolute(x->as.i64, call->n, call->out);
    for (int64_t i = 0; has_least && i < call->n; i++) {
        if (x->as.i64[i] == INT64_MIN && !stoa_call_misses(call, i)) {
            return STOA_FAIL_CALL(err, call, "abs() of -9223372036854775808 overflows int64");
        }
    }
    return STOA_OK;
}

#define SIGNS(field)                                                                               \
    for (int64_t i = 0; i < n; i++) {                                                              \
        to[i] = (x->as.field[i] > 0) - (x->as.field[i] < 0);                                       \
    }
STOA_CLONES static stoa_status sign_of(stoa_call *call, stoa_error *err)
{
    const stoa_vector *x = &call->args[0];
    int64_t *restrict const to = call->out;
    const int64_t n = call->n;

    (void)err;
    if (x->type.domain == STOA_DOMAIN_F64) {
        SIGNS(f64)
    } else if (x->type.domain == STOA_DOMAIN_I64) {
        SIGNS(i64)
    } else {
        for (int64_t i = 0; i < n; i++) {
            to[i] = x->as.u64[i] > 0;
        }
    }
    return STOA_OK;
}

/* Half away from zero. What is added is the greatest number below a half. */
static inline double round_half(double x)
{
    return trunc(x + copysign(0x1.fffffffffffffp-2, x));
}

/* Integers are whole already. */
#define WHOLE_OF(name, RESULT)                                                                     \
    FLOATS_OF_ONE(float_##name, RESULT(x))                                                         \
    static stoa_status name##_of(stoa_call *call, stoa_error *err)                                 \
    {                                                                                              \
        if (is_float(call)) {                                                                      \
            return float_##name##_of(call, err);                                                   \
        }                                                                                          \
        stoa_call_pass(call, &call->args[0]);                                                      \
        return STOA_OK;                                                                            \
    }
WHOLE_OF(floor, floor)
WHOLE_OF(ceil, ceil)
WHOLE_OF(round, round_half)
WHOLE_OF(trunc, trunc)

/* As DuckDB rounds: scaled by a power of ten, half away from zero. A value that overflows is
 * returned as it is. */
static inline double round_float(double x, double power, bool is_behind)
{
    const double y = is_behind ? round_half(x * power) / power : round_half(x / power) * power;

    return isfinite(y) ? y : is_behind ? x : 0;
}

static double power_of(int64_t digits)
{
    return pow(10, fabs((double)digits));
}

STOA_CLONES static void round_floats(const stoa_call *call)
{
    const stoa_vector *const x = &call->args[0];
    const stoa_vector *const digits = &call->args[1];
    double *restrict const to = call->out;
    const int64_t n = call->n;

    if (x->constant || !digits->constant) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t places = AT(*digits, i64, i);
            to[i] = round_float(AT(*x, f64, i), power_of(places), places >= 0);
        }
        return;
    }
    const double *restrict const from = x->as.f64;
    const double power = power_of(digits->as.i64[0]);
    const bool is_behind = digits->as.i64[0] >= 0;
    for (int64_t i = 0; i < n; i++) {
        to[i] = round_float(from[i], power, is_behind);
    }
}

/* `digits` is negative. Returns false on overflow. */
static bool round_integer(int64_t x, int64_t digits, int64_t *out)
{
    int64_t power = 1;

    for (; digits < 0; digits++) {
        if (__builtin_mul_overflow(power, 10, &power)) {
            *out = 0;
            return true;
        }
    }
    const int64_t rest = x % power;
    const int64_t half = power / 2;
    *out = x - rest;
    if (rest >= half || rest <= -half) {
        return !__builtin_add_overflow(*out, rest < 0 ? -power : power, out);
    }
    return true;
}

static stoa_status round_to(stoa_call *call, stoa_error *err)
{
    const stoa_vector *x = &call->args[0];
    const bool is_unsigned = x->type.domain == STOA_DOMAIN_U64;

    if (is_float(call)) {
        round_floats(call);
        return STOA_OK;
    }
    for (int64_t i = 0; i < call->n; i++) {
        const int64_t digits = AT(call->args[1], i64, i);
        int64_t *to = &((int64_t *)call->out)[i];
        if (digits >= 0) {
            *to = AT(*x, i64, i);
        } else if (((is_unsigned && AT(*x, i64, i) < 0) ||
                    !round_integer(AT(*x, i64, i), digits, to)) &&
                   !stoa_call_misses(call, i)) {
            return STOA_FAIL_CALL(err, call, "the rounded value of some row overflows int64");
        }
    }
    return STOA_OK;
}

static stoa_status mod_of(stoa_call *call, stoa_error *err)
{
    (void)err;
    stoa_arithmetic(STOA_OP_REMAINDER, &call->args[0], &call->args[1], NULL, call->n, call->out);
    const stoa_vector *const by = &call->args[1];
    const bool may_miss = !is_float(call) && !(by->constant && by->as.u64[0] != 0);
    for (int64_t i = 0; may_miss && i < call->n; i++) {
        if (AT(*by, u64, i) == 0) {
            stoa_call_miss(call, i);
        }
    }
    return STOA_OK;
}

OF_TWO(float_bucket, double, f64, floor(x / y) * y)

/* The start of the interval [k * width, (k + 1) * width) that a value lies in. */
static stoa_status bucket_of(stoa_call *call, stoa_error *err)
{
    if (is_float(call)) {
        return float_bucket_of(call, err);
    }
    for (int64_t i = 0; i < call->n; i++) {
        const bool is_signed = call->args[0].type.domain == STOA_DOMAIN_I64;
        const int64_t x = AT(call->args[0], i64, i);
        const int64_t width = AT(call->args[1], i64, i);
        int64_t *to = &((int64_t *)call->out)[i];
        if (width == 0 || (is_signed && width < 0)) {
            stoa_call_miss(call, i);
        } else if (!is_signed) {
            *to = (int64_t)((uint64_t)x - (uint64_t)x % (uint64_t)width);
        } else if (__builtin_sub_overflow(x, x % width + (x % width < 0 ? width : 0), to) &&
                   !stoa_call_misses(call, i)) {
            return STOA_FAIL_CALL(err, call, "the bucket of some row begins below the least int64");
        }
    }
    return STOA_OK;
}

/* Bits -------------------------------------------------------------------------------------- */

/* The number of bits, counted in pairs, in fours and in bytes: a loop of it becomes vectors. */
static inline uint64_t bits_in(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    x += x >> 8;
    x += x >> 16;
    x += x >> 32;
    return x & 127;
}

#define BITS_OF(name, RESULT) OF_TWO(name, uint64_t, u64, RESULT)
BITS_OF(bits_and, x &y)
BITS_OF(bits_or, x | y)
BITS_OF(xor, x ^ y)
BITS_OF(bits_not, ~x)
BITS_OF(bits_right, y < 64 ? x >> y : 0)
BITS_OF(bits_left, y < 64 ? x << y : 0)
BITS_OF(bit_count, bits_in(x))

/* The table --------------------------------------------------------------------------------- */

static const stoa_function functions[] = {
    {{"abs", NULL, "abs(x)", "the absolute value; an error for the least int64, which has none",
      "abs(-3) = 3"},
     "n>n",
     .loop = abs_of},
    {{"acos", NULL, "acos(x)", "the arc cosine", "acos(1) = 0"}, "f>f", .loop = acos_of},
    {{"asin", NULL, "asin(x)", "the arc sine", "asin(0) = 0"}, "f>f", .loop = asin_of},
    {{"atan", NULL, "atan(x)", "the arc tangent", "atan(0) = 0"}, "f>f", .loop = atan_of},
    {{"atan2", NULL, "atan2(y, x)", "the angle of the point (x, y)", "atan2(1, 1) = pi() / 4"},
     "ff>f",
     .loop = atan2_of},
    {{"bit_count", NULL, "bit_count(i)", "the number of bits that are 1", "bit_count(7) = 3"},
     "i>i",
     .loop = bit_count_of},
    {{"bits_and", NULL, "bits_and(i, j)", "the bits that both have", "bits_and(12, 10) = 8"},
     "ii>i",
     .loop = bits_and_of},
    {{"bits_left", NULL, "bits_left(i, n)", "bits moved n places up", "bits_left(1, 4) = 16"},
     "ii>i",
     .loop = bits_left_of},
    {{"bits_not", NULL, "bits_not(i)", "the opposite bits", "bits_not(0) = -1"},
     "i>i",
     .loop = bits_not_of},
    {{"bits_or", NULL, "bits_or(i, j)", "the bits that one or both have", "bits_or(12, 10) = 14"},
     "ii>i",
     .loop = bits_or_of},
    {{"bits_right", NULL, "bits_right(i, n)", "bits moved n places down, with zeros behind them",
      "bits_right(16, 4) = 1"},
     "ii>i",
     .loop = bits_right_of},
    {{"bucket", NULL, "bucket(x, width)", "the multiple of width at or below x",
      "bucket(-7, 5) = -10"},
     "nn>n",
     .loop = bucket_of},
    {{"cbrt", NULL, "cbrt(x)", "the cube root", "cbrt(8) = 2"}, "f>f", .loop = cbrt_of},
    {{"ceil", "ceiling", "ceil(x)", "rounded up; integers stay as they are", "ceil(1.2) = 2"},
     "n>n",
     .loop = ceil_of},
    {{"cos", NULL, "cos(x)", "the cosine", "cos(0) = 1"}, "f>f", .loop = cos_of},
    {{"cosh", NULL, "cosh(x)", "the hyperbolic cosine", "cosh(0) = 1"}, "f>f", .loop = cosh_of},
    {{"degrees", NULL, "degrees(x)", "radians as degrees", "degrees(pi()) = 180"},
     "f>f",
     .loop = degrees_of},
    {{"exp", NULL, "exp(x)", "e to the power of x", "exp(0) = 1"}, "f>f", .loop = exp_of},
    {{"floor", NULL, "floor(x)", "rounded down; integers stay as they are", "floor(-1.2) = -2"},
     "n>n",
     .loop = floor_of},
    {{"is_finite", "isfinite", "is_finite(x)", "whether x is neither infinite nor NaN",
      "is_finite(1.0)"},
     "f>b",
     .loop = isfinite_of},
    {{"is_inf", "isinf", "is_inf(x)", "whether x is infinite", "is_inf(1 / 0.0)"},
     "f>b",
     .loop = isinf_of},
    {{"isnan", "is_nan", "isnan(x)", "whether x is NaN; false for integers", "isnan(0 / 0.0)"},
     "f>b",
     .loop = isnan_of},
    {{"ln", NULL, "ln(x)", "the natural logarithm", "ln(1) = 0"}, "f>f", .loop = ln_of},
    {{"log10", NULL, "log10(x)", "the logarithm of base 10", "log10(1000) = 3"},
     "f>f",
     .loop = log10_of},
    {{"log2", NULL, "log2(x)", "the logarithm of base 2", "log2(8) = 3"}, "f>f", .loop = log2_of},
    {{"mod", NULL, "mod(x, y)", "the remainder, as x % y", "mod(-7, 3) = -1"},
     "nn>n",
     .loop = mod_of},
    {{"pi", NULL, "pi()", "3.141592653589793", "round(pi(), 2) = 3.14"}, ">f", .loop = pi_of},
    {{"pow", "power", "pow(x, y)", "x to the power of y", "pow(2, 10) = 1024"},
     "ff>f",
     .loop = pow_of},
    {{"radians", NULL, "radians(x)", "degrees as radians", "radians(180) = pi()"},
     "f>f",
     .loop = radians_of},
    {{"round", NULL, "round(x)", "the nearest whole number, half away from zero",
      "round(-2.5) = -3"},
     "n>n",
     .loop = round_of},
    {{"round", NULL, "round(x, digits)",
      "rounded to digits behind the point, or before it if negative", "round(1234.567, -2) = 1200"},
     "ni>n",
     .loop = round_to},
    {{"sign", NULL, "sign(x)", "-1, 0 or 1; 0 for NaN", "sign(-2.5) = -1"}, "n>i", .loop = sign_of},
    {{"sin", NULL, "sin(x)", "the sine", "sin(0) = 0"}, "f>f", .loop = sin_of},
    {{"sinh", NULL, "sinh(x)", "the hyperbolic sine", "sinh(0) = 0"}, "f>f", .loop = sinh_of},
    {{"sqrt", NULL, "sqrt(x)", "the square root; NaN below 0", "sqrt(16) = 4"},
     "f>f",
     .loop = sqrt_of},
    {{"tan", NULL, "tan(x)", "the tangent", "tan(0) = 0"}, "f>f", .loop = tan_of},
    {{"tanh", NULL, "tanh(x)", "the hyperbolic tangent", "tanh(0) = 0"}, "f>f", .loop = tanh_of},
    {{"trunc", NULL, "trunc(x)", "rounded towards zero", "trunc(-1.7) = -1"},
     "n>n",
     .loop = trunc_of},
    {{"xor", NULL, "xor(i, j)", "the bits that just one has", "xor(12, 10) = 6"},
     "ii>i",
     .loop = xor_of},
};

const stoa_function_group stoa_number_functions = {"Numbers", functions,
                                                   sizeof functions / sizeof functions[0]};
