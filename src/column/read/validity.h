/*
 * Validity masks: one bit per element that tells whether a test holds, 64 elements per word.
 *
 * Kernels for each instruction set: the canonical missing-value test (HEP001 §8.5), and the test
 * that all codes have a label (§8.7).
 */
#ifndef STOA_COLUMN_VALIDITY_H
#define STOA_COLUMN_VALIDITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Clear bit i of `bits` if element i equals `value` (its lowest bytes), else set it. Bits of the
 * last byte past n are cleared. Returns the number of equal elements. */
typedef uint64_t stoa_validity_unequal(const void *elements, uint64_t n, uint64_t value,
                                       uint8_t *bits);
/* The same with a test for NaN. */
typedef uint64_t stoa_validity_numbers(const void *elements, uint64_t n, uint8_t *bits);
/* Whether every element, as an unsigned number, is below `limit`. */
typedef bool stoa_all_below(const void *elements, uint64_t n, uint64_t limit);

/* By width: 1, 2, 4 and 8 bytes. numbers[0] is NULL: no float has one byte. */
typedef struct stoa_validity_kernels {
    stoa_validity_unequal *unequal[4];
    stoa_validity_numbers *numbers[4];
    stoa_all_below *below[4];
} stoa_validity_kernels;

/* Position in these tables for elements of `size` bytes; -1: none. */
static inline int stoa_validity_place(size_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
}

const stoa_validity_kernels *stoa_validity_kernels_of(stoa_simd simd);

/* One table per instruction set. */
extern const stoa_validity_kernels stoa_validity_kernels_scalar;
extern const stoa_validity_kernels stoa_validity_kernels_avx2;
extern const stoa_validity_kernels stoa_validity_kernels_avx512;
extern const stoa_validity_kernels stoa_validity_kernels_neon;

#endif
