/*
 * Rows of groups that have small numbers: the numbers made of keys, and values added up by them.
 *
 * Numbers stand below a bound `n_numbers` that the caller keeps small. A row that does not count
 * is added to the number behind the last one, so that no loop has a branch. Portions of all numbers
 * and of that one stand side by side, four times: row i adds to the ones of turn i % 4, as
 * neighbouring rows often are of one group, and an addition must wait for the one before. What is
 * added is exact, or said not to be; so every table gives the same bits, and the turns cannot be
 * seen.
 */
#ifndef STOA_QUERY_GROUP_KERNELS_H
#define STOA_QUERY_GROUP_KERNELS_H

#include "arrow/type.h"
#include "core/cpu.h"

/* Portions of a number, and rows that may be added to one. */
enum { STOA_TURNS = 4, STOA_PORTION_ROWS = 8192 };
/* A set of numbers may have this many. */
enum { STOA_KNOWN_NUMBERS = 1024 };

/* How a key's values become a digit of the rows' numbers. */
typedef struct stoa_digits {
    uint64_t base;    /* the value that is digit 0; */
    uint32_t missing; /* the digit of rows that do not count, */
    uint32_t place;   /* and what a digit is worth */
    bool is_first;    /* the numbers are made anew */
} stoa_digits;

/* Floats of 32 bits, added as doubles. */
typedef struct stoa_float_portion {
    double sum;
    double n;
} stoa_float_portion;

/* Integers of up to 32 bits: the sum times 2^16, plus the number of rows. */
typedef int64_t stoa_integer_portion;
#define STOA_PORTION_UNIT 65536

/* Of the floats that count, as bits without their sign, shifted up by one: the least but for
 * zeros, less one (UINT32_MAX if there are but zeros); and the greatest. */
typedef struct stoa_magnitudes {
    uint32_t least;
    uint32_t most;
} stoa_magnitudes;

/*
 * @param values   n of the kind
 * @param mask     n bits, in whole words: the rows that count, bits past n being 0; NULL: all rows
 * @param numbers  a row; those of rows that do not count may be anything
 */
typedef struct stoa_group_kernels {
    /* By kind, INT8 .. UINT64: add the digits times their place; those of rows that do not count
     * are `missing`. Returns the greatest difference from the base of those that do. */
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
