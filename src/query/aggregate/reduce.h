/*
 * Reductions of stored values to one result: sums, minimum and maximum, sums of squares. Values are
 * not widened into memory.
 *
 * A float sum is built in 16 lanes: row i belongs to lane i % 16. Each lane keeps its sum and the
 * rounding error (Knuth's two-sum). In the end the lanes are added in a fixed order. Rows that do
 * not count add +0, which changes no bit. So all instruction sets give the same bits, whatever
 * their vector width. Integer sums are exact.
 *
 * For float32, a block of 64 rows has four rows per lane. A double holds the sum of four exactly
 * unless their magnitudes are too far apart, so they are added as one value. If they are too far
 * apart in any lane, the block is added row by row.
 */
#ifndef STOA_QUERY_REDUCE_H
#define STOA_QUERY_REDUCE_H

#include "arrow/type.h"
#include "core/cpu.h"

#define STOA_REDUCE_LANES 16
#define STOA_REDUCE_BLOCK 64

/* Four floats of 24 bits whose exponents differ by at most this have a sum of 53 bits. */
#define STOA_REDUCE_APART 27
#define STOA_FLOAT_SIGNIFICAND 23   /* bits of a float32 below its exponent */
#define STOA_HALVING 0x1.0000002p27 /* splits a double: x * it - (x * it - x) is the upper half */

/* A 64-bit value. */
typedef union stoa_word {
    double f64;
    int64_t i64;
    uint64_t u64;
} stoa_word;

/* A bitmap of the rows that count among the 64 from `at` on. Without a mask all n rows do. */
static inline uint64_t stoa_mask_word(const uint64_t *mask, int64_t at, int64_t n)
{
    if (mask != NULL) {
        return mask[at / 64];
    }
    return n - at < 64 ? (UINT64_C(1) << (n - at)) - 1 : UINT64_MAX;
}

/*
 * @param values  n of the kind
 * @param mask    a bitmap of the rows that count, in whole words, 0 past n; NULL: all rows
 */
typedef void (*stoa_reduction)(const void *values, const uint64_t *mask, int64_t n,
                               stoa_word out[2]);

typedef struct stoa_reductions {
    /* By kind, INT8 .. UINT64, FLOAT32 and FLOAT64; NULL for others. */
    /* Integers: the low and the high 64 bits of the sum. Floats: the sum and its rounding error,
     * which is undefined if the sum is not finite. n is at most 2^31. */
    stoa_reduction sum[STOA_KIND_FLOAT64 + 1];
    /* The least and the greatest value as int64, uint64 or double, ignoring NaNs. Without
     * values: the greatest and the least of the type (infinities). Either of two zeros may be
     * returned. */
    stoa_reduction range[STOA_KIND_FLOAT64 + 1];
    /* Floats: the sum of differences from `center` and its rounding error, then the same for
     * their squares. Neither a difference nor a square is rounded. If the sum of squares is not
     * finite, a value or a square is not; the other results are undefined then. */
    void (*squares[STOA_KIND_FLOAT64 + 1])(const void *values, const uint64_t *mask, int64_t n,
                                           double center, stoa_word out[4]);
} stoa_reductions;

const stoa_reductions *stoa_reductions_of(stoa_simd simd);

extern const stoa_reductions stoa_reductions_scalar;
extern const stoa_reductions stoa_reductions_avx2;
extern const stoa_reductions stoa_reductions_avx512;
extern const stoa_reductions stoa_reductions_neon;

/* Add a value; `lost` accumulates the rounding error. `sum` does not become -0 if it was +0 at
 * first. */
static inline void stoa_two_sum(double value, double *sum, double *lost)
{
    const double before = *sum;
    const double after = before + value;
    const double added = after - before;

    *lost += (before - (after - added)) + (value - added);
    *sum = after;
}

/* The rounding error of a product of two doubles, by Dekker's halves of 26 bits. */
static inline double stoa_product_lost(double x, double y, double product)
{
    const double x_high = x * STOA_HALVING - (x * STOA_HALVING - x);
    const double y_high = y * STOA_HALVING - (y * STOA_HALVING - y);
    const double x_low = x - x_high;
    const double y_low = y - y_high;

    return ((x_high * y_high - product) + (x_high * y_low + x_low * y_high)) + x_low * y_low;
}

/* Add a value's difference from `center`, and its square, with rounding errors as above. */
static inline void stoa_two_square(double value, double center, double *sum, double *lost,
                                   double *squares, double *squares_lost)
{
    const double off = value - center;
    const double taken = off - value;
    const double rest = (value - (off - taken)) - (center + taken);
    const double square = off * off;

    stoa_two_sum(off, sum, lost);
    *lost += rest;
    stoa_two_sum(square, squares, squares_lost);
    *squares_lost += stoa_product_lost(off, off, square) + 2 * off * rest;
}

/* Add up the lanes by repeated halving. Overwrites the arrays. */
static inline void stoa_reduce_lanes(double *sums, double *lost, stoa_word out[2])
{
    for (int half = STOA_REDUCE_LANES / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            stoa_two_sum(sums[i + half], &sums[i], &lost[i]);
            lost[i] += lost[i + half];
        }
    }
    out[0].f64 = sums[0];
    out[1].f64 = lost[0];
}

/* The least and the greatest value of all lanes, in lane order. */
static inline void stoa_reduce_range(const double *least, const double *greatest, stoa_word out[2])
{
    out[0].f64 = least[0];
    out[1].f64 = greatest[0];
    for (int i = 1; i < STOA_REDUCE_LANES; i++) {
        out[0].f64 = least[i] < out[0].f64 ? least[i] : out[0].f64;
        out[1].f64 = greatest[i] > out[1].f64 ? greatest[i] : out[1].f64;
    }
}

/* Add up the lanes of differences and of squares. */
static inline void stoa_reduce_squares(double sums[2][STOA_REDUCE_LANES],
                                       double lost[2][STOA_REDUCE_LANES], stoa_word out[4])
{
    stoa_reduce_lanes(sums[0], lost[0], out);
    stoa_reduce_lanes(sums[1], lost[1], out + 2);
}

/* The functions sum_i8, range_i8, ... of one file, by kind. */
#define STOA_REDUCTIONS_BY_KIND(prefix)                                                            \
    {                                                                                              \
        [STOA_KIND_INT8] = prefix##_i8, [STOA_KIND_INT16] = prefix##_i16,                          \
        [STOA_KIND_INT32] = prefix##_i32, [STOA_KIND_INT64] = prefix##_i64,                        \
        [STOA_KIND_UINT8] = prefix##_u8, [STOA_KIND_UINT16] = prefix##_u16,                        \
        [STOA_KIND_UINT32] = prefix##_u32, [STOA_KIND_UINT64] = prefix##_u64,                      \
        [STOA_KIND_FLOAT32] = prefix##_f32, [STOA_KIND_FLOAT64] = prefix##_f64                     \
    }
#define STOA_REDUCTIONS                                                                            \
    {                                                                                              \
        .sum = STOA_REDUCTIONS_BY_KIND(sum), .range = STOA_REDUCTIONS_BY_KIND(range), .squares = { \
            [STOA_KIND_FLOAT32] = squares_f32,                                                     \
            [STOA_KIND_FLOAT64] = squares_f64                                                      \
        }                                                                                          \
    }

#endif
