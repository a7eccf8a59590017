/*
 * Kernels for rows with small group numbers: they make the numbers from keys, and add up values by
 * number.
 *
 * Numbers are less than `n_numbers`, which the caller keeps small. A row that does not count is
 * added to number n_numbers, so no loop has a branch.
 *
 * Each number has four portions side by side, and row i is added to portion i % 4 (its turn).
 * Neighbouring rows often are of one group, and each addition would have to wait for the one
 * before.
 *
 * Sums are exact, or reported as inexact. So all instruction sets give the same bits, and the turns
 * do not affect the result.
 */
#ifndef STOA_QUERY_GROUP_KERNELS_H
#define STOA_QUERY_GROUP_KERNELS_H

#include "arrow/type.h"
#include "core/cpu.h"

/* Portions per number, and most rows that may be added to a portion. */
enum { STOA_TURNS = 4, STOA_PORTION_ROWS = 8192 };
/* Capacity of the bitmap of known numbers. */
enum { STOA_KNOWN_NUMBERS = 1024 };

/* How a key's values become a digit of the rows' numbers. */
typedef struct stoa_digits {
    uint64_t base;    /* the value that has digit 0 */
    uint32_t missing; /* the digit of rows that do not count */
    uint32_t place;   /* the weight of the digit */
    bool is_first;    /* first key: numbers are set, not added to */
} stoa_digits;

/* 32-bit floats, added as doubles. */
typedef struct stoa_float_portion {
    double sum;
    double n;
} stoa_float_portion;

/* Integers of up to 32 bits: the sum times 2^16, plus the number of rows. */
typedef int64_t stoa_integer_portion;
#define STOA_PORTION_UNIT 65536

/* The range of magnitudes of the floats that count: bits without the sign, shifted up by one.
 * `least` is the smallest one other than zero, minus one (UINT32_MAX if all are zeros). */
typedef struct stoa_magnitudes {
    uint32_t least;
    uint32_t most;
} stoa_magnitudes;

/*
 * @param values   n values of the kind
 * @param mask     a bitmap of the rows that count, in whole words, 0 past n; NULL: all rows
 * @param numbers  per row; undefined for rows that do not count
 */
typedef struct stoa_group_kernels {
    /* By kind, INT8 .. UINT64: add each digit times its weight. Rows that do not count get the
     * digit `missing`. Returns the largest difference from the base, of rows that count. */
    uint64_t (*digits[STOA_KIND_UINT64 + 1])(const void *values, const uint64_t *mask, int64_t n,
                                             const stoa_digits *how, uint32_t *numbers);
    /* By kind, INT8 .. UINT32. */
    void (*integers[STOA_KIND_UINT32 + 1])(const void *values, const uint64_t *mask, int64_t n,
                                           const uint32_t *numbers, uint32_t n_numbers,
                                           stoa_integer_portion *portions);
    stoa_magnitudes (*floats)(const float *values, const uint64_t *mask, int64_t n,
                              const uint32_t *numbers, uint32_t n_numbers,
                              stoa_float_portion *portions);
    void (*counts)(const uint64_t *mask, int64_t n, const uint32_t *numbers, uint32_t n_numbers,
                   uint32_t *portions);
    /* Which of 64 numbers below STOA_KNOWN_NUMBERS are not in a set. */
    uint64_t (*unknown)(const uint32_t *numbers, const uint64_t *set);
} stoa_group_kernels;

const stoa_group_kernels *stoa_group_kernels_of(stoa_simd simd);

extern const stoa_group_kernels stoa_group_kernels_scalar;
extern const stoa_group_kernels stoa_group_kernels_avx2;
extern const stoa_group_kernels stoa_group_kernels_avx512;

#endif
