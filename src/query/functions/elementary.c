#include "query/functions/elementary.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "core/float_bits.h"
#include "core/library.h"

enum { BLOCK = 8 }; /* values of the widest vector */

/* Near the greatest double, SLEEF's pow(), sinh() and cosh() give infinity too early. */
static const double certain = 4e307;

/* What the C library and SLEEF call them. */
static const struct {
    double (*of_one)(double x);
    double (*of_two)(double x, double y);
    const char *sleef;
} functions[STOA_N_ELEMENTARY] = {
    [STOA_ACOS] = {acos, NULL, "acos"},    [STOA_ASIN] = {asin, NULL, "asin"},
    [STOA_ATAN] = {atan, NULL, "atan"},    [STOA_CBRT] = {cbrt, NULL, "cbrt"},
    [STOA_COS] = {cos, NULL, "cos"},       [STOA_COSH] = {cosh, NULL, "cosh"},
    [STOA_EXP] = {exp, NULL, "exp"},       [STOA_LN] = {log, NULL, "log"},
    [STOA_LOG10] = {log10, NULL, "log10"}, [STOA_LOG2] = {log2, NULL, "log2"},
    [STOA_SIN] = {sin, NULL, "sin"},       [STOA_SINH] = {sinh, NULL, "sinh"},
    [STOA_TAN] = {tan, NULL, "tan"},       [STOA_TANH] = {tanh, NULL, "tanh"},
    [STOA_ATAN2] = {NULL, atan2, "atan2"}, [STOA_POW] = {NULL, pow, "pow"},
};

/* Loops over whole vectors: n is a multiple of BLOCK. ---------------------------------------- */

typedef void block_loop(stoa_library_call call, const double *x, int64_t x_step, const double *y,
                        int64_t y_step, int64_t n, double *to);

#define LOOPS(set, TARGET, vector, lanes, LOAD, FILL, STORE)                                       \
    TARGET static void of_one_##set(stoa_library_call call, const double *x, int64_t x_step,       \
                                    const double *y, int64_t y_step, int64_t n, double *to)        \
    {                                                                                              \
        vector (*const f)(vector) = (vector(*)(vector))call;                                       \
        (void)x_step, (void)y, (void)y_step;                                                       \
        for (int64_t i = 0; i < n; i += (lanes)) {                                                 \
            STORE(to + i, f(LOAD(x + i)));                                                         \
        }                                                                                          \
    }                                                                                              \
    TARGET static void of_two_##set(stoa_library_call call, const double *x, int64_t x_step,       \
                                    const double *y, int64_t y_step, int64_t n, double *to)        \
    {                                                                                              \
        vector (*const f)(vector, vector) = (vector(*)(vector, vector))call;                       \
        for (int64_t i = 0; i < n; i += (lanes)) {                                                 \
            const vector a = x_step == 0 ? FILL(x[0]) : LOAD(x + i);                               \
            const vector b = y_step == 0 ? FILL(y[0]) : LOAD(y + i);                               \
            STORE(to + i, f(a, b));                                                                \
        }                                                                                          \
    }

#define LOAD_ONE(from) (*(from))
#define FILL_ONE(value) (value)
#define STORE_ONE(to, value) (*(to) = (value))
LOOPS(scalar, , double, 1, LOAD_ONE, FILL_ONE, STORE_ONE)
#if defined(__x86_64__)
LOOPS(avx2, __attribute__((target("avx2,fma"))), __m256d, 4, _mm256_loadu_pd, _mm256_set1_pd,
      _mm256_storeu_pd)
LOOPS(avx512, __attribute__((target("avx512f"))), __m512d, 8, _mm512_loadu_pd, _mm512_set1_pd,
      _mm512_storeu_pd)
#elif defined(__aarch64__)
LOOPS(neon, , float64x2_t, 2, vld1q_f64, vdupq_n_f64, vst1q_f64)
#endif

/* How SLEEF names its functions for an instruction set: all of them fuse a multiply and an add. */
static const struct {
    int lanes;
    const char *set;
    block_loop *of_one;
    block_loop *of_two;
} sets[STOA_N_SIMD] = {
    [STOA_SIMD_SCALAR] = {1, "purecfma", of_one_scalar, of_two_scalar},
#if defined(__x86_64__)
    [STOA_SIMD_AVX2] = {4, "avx2", of_one_avx2, of_two_avx2},
    [STOA_SIMD_AVX512] = {8, "avx512f", of_one_avx512, of_two_avx512},
#elif defined(__aarch64__)
    [STOA_SIMD_NEON] = {2, "advsimd", of_one_neon, of_two_neon},
#endif
};

/* SLEEF ---------------------------------------------------------------------------------------*/

static stoa_library_call calls[STOA_N_SIMD][STOA_N_ELEMENTARY];
static bool has_sleef[STOA_N_SIMD];

static bool can_fuse(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

static void find_sleef(void)
{
    static const char *const files[] = {"libsleef.so.3", "libsleef.3.dylib", NULL};

    for (int simd = 0; simd < STOA_N_SIMD && can_fuse(); simd++) {
        char names[STOA_N_ELEMENTARY][40];
        const char *wanted[STOA_N_ELEMENTARY];

        for (int f = 0; f < STOA_N_ELEMENTARY && sets[simd].set != NULL; f++) {
            (void)snprintf(names[f], sizeof names[f], "Sleef_finz_%sd%d_u10%s", functions[f].sleef,
                           sets[simd].lanes, sets[simd].set);
            wanted[f] = names[f];
        }
        has_sleef[simd] = sets[simd].set != NULL &&
                          stoa_library_find(files, wanted, STOA_N_ELEMENTARY, calls[simd]) != NULL;
    }
}

bool stoa_elementary_is_fast(stoa_simd simd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, find_sleef);
    return has_sleef[simd];
}

/* Values --------------------------------------------------------------------------------------*/

static void call_libm(stoa_elementary function, const double *x, int64_t x_step, const double *y,
                      int64_t y_step, int64_t n, double *to)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = function < STOA_N_OF_ONE ? functions[function].of_one(x[i * x_step])
                                         : functions[function].of_two(x[i * x_step], y[i * y_step]);
    }
}

/* Compute what a whole vector does not hold in a vector of its own. */
static void compute_rest(block_loop *loop, stoa_library_call call, const double *x, int64_t x_step,
                         const double *y, int64_t y_step, int64_t n, double *to)
{
    double rest[3][BLOCK] = {{0}};

    for (int64_t i = 0; i < n; i++) {
        rest[0][i] = x[i * x_step];
        rest[1][i] = y != NULL ? y[i * y_step] : 0;
    }
    loop(call, rest[0], 1, rest[1], 1, BLOCK, rest[2]);
    memcpy(to, rest[2], (size_t)n * sizeof *to);
}

/* Whether one is above `certain` in magnitude, or NaN. Differences of bits have the order of
 * floats, and loops of them become vectors. */
STOA_CLONES static bool has_uncertain(const double *values, int64_t n)
{
    uint64_t differences = 0;

    for (int64_t i = 0; i < n; i++) {
        differences |= stoa_bits_of_f64(certain) - (stoa_bits_of_f64(values[i]) << 1 >> 1);
    }
    return differences >> 63 != 0;
}

void stoa_elementary_values(stoa_simd simd, stoa_elementary function, const double *x,
                            int64_t x_step, const double *y, int64_t y_step, int64_t n, double *to)
{
    const int64_t whole = n - n % BLOCK;

    if (!stoa_elementary_is_fast(simd)) {
        call_libm(function, x, x_step, y, y_step, n, to);
        return;
    }
    block_loop *const loop = function < STOA_N_OF_ONE ? sets[simd].of_one : sets[simd].of_two;
    const stoa_library_call call = calls[simd][function];
    loop(call, x, x_step, y, y_step, whole, to);
    if (whole < n) {
        compute_rest(loop, call, x + whole * x_step, x_step, y != NULL ? y + whole * y_step : NULL,
                     y_step, n - whole, to + whole);
    }
    const bool any = has_uncertain(to, n);
    for (int64_t i = 0; any && i < n; i++) {
        if (fabs(to[i]) > certain) {
            call_libm(function, &x[i * x_step], 0, y != NULL ? &y[i * y_step] : NULL, 0, 1, &to[i]);
        }
    }
}
