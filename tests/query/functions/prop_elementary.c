/* Exponentials, logarithms, powers, roots and angles: within one unit in the last place of what the
 * C library computes in long double, at every length and for every special value, with the same
 * bits on every instruction set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/functions/elementary.h"
#include "support/check.h"

enum { N = 1003 }; /* not a multiple of a vector's length */

static const struct {
    const char *name;
    long double (*of_one)(long double x);
    long double (*of_two)(long double x, long double y);
    double from, to;
} wanted[STOA_N_ELEMENTARY] = {
    [STOA_ACOS] = {"acos", acosl, NULL, -1, 1},
    [STOA_ASIN] = {"asin", asinl, NULL, -1, 1},
    [STOA_ATAN] = {"atan", atanl, NULL, -10, 10},
    [STOA_CBRT] = {"cbrt", cbrtl, NULL, -1e6, 1e6},
    [STOA_COS] = {"cos", cosl, NULL, -100, 100},
    [STOA_COSH] = {"cosh", coshl, NULL, -711, 711},
    [STOA_EXP] = {"exp", expl, NULL, -750, 720},
    [STOA_LN] = {"ln", logl, NULL, 0, 10},
    [STOA_LOG10] = {"log10", log10l, NULL, 0, 1000},
    [STOA_LOG2] = {"log2", log2l, NULL, 0, 2},
    [STOA_SIN] = {"sin", sinl, NULL, -100, 100},
    [STOA_SINH] = {"sinh", sinhl, NULL, -711, 711},
    [STOA_TAN] = {"tan", tanl, NULL, -100, 100},
    [STOA_TANH] = {"tanh", tanhl, NULL, -20, 20},
    [STOA_ATAN2] = {"atan2", NULL, atan2l, -100, 100},
    [STOA_POW] = {"pow", NULL, powl, 0, 200},
};

static const double special[] = {0.0,
                                 -0.0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 0.5,
                                 -0.5,
                                 3,
                                 8,
                                 27,
                                 100,
                                 1000,
                                 1024,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 5e-324,
                                 -5e-324,
                                 2.2250738585072014e-308,
                                 1.7976931348623157e308,
                                 1e22,
                                 1e300,
                                 -1e300,
                                 1e-300,
                                 709.9,
                                 710.2,
                                 -710.2,
                                 710.5,
                                 -745.1,
                                 -746,
                                 -1074,
                                 1023.5,
                                 3.141592653589793};
enum { N_SPECIAL = sizeof special / sizeof special[0] };

static double any_value(double from, double to)
{
    const uint64_t random = check_random();
    double value;

    switch (random % 3) {
    case 0:
        return special[check_random_below(N_SPECIAL)];
    case 1:
        memcpy(&value, &(uint64_t){check_random()}, sizeof value);
        return value;
    default:
        return from + (to - from) * ((double)(random >> 11) * 0x1p-53);
    }
}

/* How far a value is from the true one, in units in the last place; infinity for another kind of
 * value. */
static double units(double value, long double truth)
{
    const double rounded = (double)truth;
    int exponent = 0;

    if (isnan(value) || isnan(rounded)) {
        return isnan(value) && isnan(rounded) ? 0 : INFINITY;
    }
    if (isinf(value) || isinf(rounded) || rounded == 0) {
        return value == rounded && signbit(value) == signbit(rounded) ? 0 : INFINITY;
    }
    (void)frexp(rounded, &exponent);
    return (double)(fabsl(value - truth) / fmax(ldexp(1, exponent - 53), 5e-324));
}

/* The C library's own functions are up to four units off. */
static double bound_of(long double truth, bool is_fast)
{
    return is_fast && fabsl(truth) < 4e307L ? 1.01 : 4;
}

static void check_values(stoa_elementary f, const double *x, int64_t x_step, const double *y,
                         int64_t y_step, int64_t n, bool is_fast, const double *values)
{
    for (int64_t i = 0; i < n; i++) {
        const double a = x[i * x_step];
        const double b = y[i * y_step];
        const long double truth =
            wanted[f].of_one != NULL ? wanted[f].of_one(a) : wanted[f].of_two(a, b);

        if (units(values[i], truth) > bound_of(truth, is_fast)) {
            printf("%s(%.17g, %.17g) is %.17g, not %.17Lg\n", wanted[f].name, a, b, values[i],
                   truth);
            CHECK(false);
        }
    }
}

static void every_function_is_exact_to_a_unit(void)
{
    const char *const peers = getenv("STOA_REQUIRE_PEERS");
    const stoa_simd best = stoa_simd_of_cpu();
    const bool is_fast = stoa_elementary_is_fast(best);
    static double x[N], y[N], values[N], again[N];

    if (peers != NULL && strcmp(peers, "1") == 0) {
        CHECK(is_fast); /* else only the C library would be tested */
    }
    for (uint64_t k = 0; k < check_n_cases(20) * STOA_N_ELEMENTARY; k++) {
        const stoa_elementary f = (stoa_elementary)(k % STOA_N_ELEMENTARY);
        const int64_t x_step = f < STOA_N_OF_ONE || check_random_below(3) > 0;
        const int64_t y_step = check_random_below(2) > 0;
        const int64_t n = (int64_t)check_random_below(N + 1);

        for (int i = 0; i < N; i++) {
            x[i] = any_value(wanted[f].from, wanted[f].to);
            y[i] = any_value(-100, 100);
        }
        stoa_elementary_values(best, f, x, x_step, y, y_step, n, values);
        check_values(f, x, x_step, y, y_step, n, is_fast, values);
        for (int simd = 0; simd < (int)best; simd++) {
            if (stoa_elementary_is_fast(simd) == is_fast) {
                stoa_elementary_values((stoa_simd)simd, f, x, x_step, y, y_step, n, again);
                check_values(f, x, x_step, y, y_step, n, is_fast, again);
                for (int64_t i = 0; i < n; i++) {
                    CHECK(isnan(values[i]) || memcmp(&values[i], &again[i], sizeof values[i]) == 0);
                }
            }
        }
    }
}

/* Which people expect to be exact, and which no bound on the error promises. */
static void powers_of_whole_numbers_are_exact(void)
{
    const stoa_simd simd = stoa_simd_of_cpu();

    for (int k = -22; k <= 22; k++) {
        const double x = pow(10, k);
        double value = 0;

        stoa_elementary_values(simd, STOA_LOG10, &x, 1, NULL, 0, 1, &value);
        CHECK(value == k);
        stoa_elementary_values(simd, STOA_LOG2, &(double){ldexp(1, k)}, 1, NULL, 0, 1, &value);
        CHECK(value == k);
        stoa_elementary_values(simd, STOA_CBRT, &(double){(double)k * k * k}, 1, NULL, 0, 1,
                               &value);
        CHECK(value == k || !stoa_elementary_is_fast(simd));
        stoa_elementary_values(simd, STOA_POW, &(double){k}, 1, &(double){3}, 1, 1, &value);
        CHECK(value == (double)k * k * k);
    }
}

TEST_MAIN(TEST(every_function_is_exact_to_a_unit), TEST(powers_of_whole_numbers_are_exact))
