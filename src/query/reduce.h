/*
 * Runs of stored values reduced to one: sums, extremes, squares. No value is widened into memory.
 *
 * A float sum is made in 16 lanes: row i of the run belongs to lane i % 16; a lane keeps its sum
 * and what rounding took from it (Knuth's two-sum); then the lanes are added in one order. A row
 * that is left out adds +0, which changes no bit. So every table gives the same bits, whatever its
 * vectors' width. Sums of integers are exact.
 *
 * Of float32, a block of 64 rows has four for each lane. A double holds their sum exactly where no
 * magnitude of a lane's four is much larger than another, and then it is added as one; a block in
 * which they are too far apart in any lane is added row by row.
 */
#ifndef STOA_QUERY_REDUCE_H
#define STOA_QUERY_REDUCE_H

#include "arrow/type.h"
#include "core/cpu.h"

#define STOA_REDUCE_LANES 16
#define STOA_REDUCE_BLOCK 64

/* Four floats of 24 bits, their exponents at most so far apart, have a sum of 53 bits. */
#define STOA_REDUCE_APART 27
#define STOA_FLOAT_SIGNIFICAND 23   /* bits of a float32 below its exponent */
#define STOA_HALVING 0x1.0000002p27 /* times it, less that less it: a double's upper 26 bits */

/* What 64 bits may hold. */
typedef union stoa_word {
    double f64;
    int64_t i64;
    uint64_t u64;
} stoa_word;

/*
 * @param values  n of the kind
 * @param mask    n bits, in whole words: the rows that count, bits past n being 0; NULL: all rows
 */
typedef void (*stoa_reduction)(const void *values, const uint64_t *mask, int64_t n,
                               stoa_word out[2]);

typedef struct stoa_reductions {
    /* By kind, INT8 .. UINT64, FLOAT32 and FLOAT64; NULL for others. */
    /* Integers: the low and the high 64 bits of the sum. Floats: the sum and what it lost; where
     * the sum is not finite, what is lost is not either. n is at most 2^31. */
    stoa_reduction sum[STOA_KIND_FLOAT64 + 1];
    /* The least and the greatest as int64, uint64 or double, NaNs apart. Of nothing: the greatest
     * and the least that there are (infinities). Which of two zeros, is not said. */
    stoa_reduction range[STOA_KIND_FLOAT64 + 1];
    /* Floats: the sum of differences from `center` and what it lost, that of their squares and what
     * that lost; neither a difference nor a square is rounded. A sum of squares that is not finite
     * says that a value is not, or a square; then nothing else is said. */
    void (*squares[STOA_KIND_FLOAT64 + 1])(const void *values, const uint64_t *mask, int64_t n,
                                           double center, stoa_word out[4]);
} stoa_reductions;

const stoa_reductions *stoa_reductions_of(stoa_simd simd);

extern const stoa_reductions stoa_reductions_scalar;
extern const stoa_reductions stoa_reductions_avx2;
extern const stoa_reductions stoa_reductions_avx512;
extern const stoa_reductions stoa_reductions_neon;

/* Add without loss but for what `lost` cannot hold. `sum` is never -0 if it was +0 at first. */
static inline void stoa_two_sum(double value, double *sum, double *lost)
{
    const double before = *sum;
    const double after = before + value;
    const double added = after - before;

    *lost += (before - (after - added)) + (value - added);
    *sum = after;
}

/* What a product of two doubles is more than their rounded product, by Dekker's halves of 26 bits.
 */
static inline double stoa_product_lost(double x, double y, double product)
{
    const double x_high = x * STOA_HALVING - (x * STOA_HALVING - x);
    const double y_high = y * STOA_HALVING - (y * STOA_HALVING - y);
    const double x_low = x - x_high;
    const double y_low = y - y_high;

    return ((x_high * y_high - product) + (x_high * y_low + x_low * y_high)) + x_low * y_low;
}

/* A value's difference from `center`, and the square of that, added without loss as above. */
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

/* Add up the lanes, halves upon halves. The arrays are used up. */
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

/* The least and the greatest of the lanes', in the order of the lanes. */
static inline void stoa_reduce_range(const double *least, const double *greatest, stoa_word out[2])
{
    out[0].f64 = least[0];
    out[1].f64 = greatest[0];
    for (int i = 1; i < STOA_REDUCE_LANES; i++) {
        out[0].f64 = least[i] < out[0].f64 ? least[i] : out[0].f64;
        out[1].f64 = greatest[i] > out[1].f64 ? greatest[i] : out[1].f64;
    }
}

/* Lanes of differences and of squares. */
static inline void stoa_reduce_squares(double sums[2][STOA_REDUCE_LANES],
                                       double lost[2][STOA_REDUCE_LANES], stoa_word out[4])
{
    stoa_reduce_lanes(sums[0], lost[0], out);
    stoa_reduce_lanes(sums[1], lost[1], out + 2);
}

/* A table of the functions sum_i8, range_i8, ... of one file. */
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
