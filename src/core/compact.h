/*
 * Compaction: copies the selected elements of an array next to each other.
 *
 * An Arrow bitmap selects the elements. The kernels read it 64 bits at a time and skip words
 * without a set bit.
 */
#ifndef STOA_CORE_COMPACT_H
#define STOA_CORE_COMPACT_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/*
 * Copy the elements in [0, n) whose bit is set to `out`, in order. No byte past the last copied
 * element is written, and none past element n - 1 is read.
 *
 * @param bits  whole bytes; bits from n on are ignored
 * @return the number of copied elements
 */
typedef uint64_t stoa_compact(const void *elements, const uint8_t *bits, uint64_t n, void *out);

/* Indexed by element width: 1, 2, 4 and 8 bytes. */
typedef struct stoa_compact_kernels {
    stoa_compact *by_width[4];
} stoa_compact_kernels;

const stoa_compact_kernels *stoa_compact_kernels_of(stoa_simd simd);

/* Index into `by_width` for elements of `size` bytes, or -1 if no kernel exists. */
static inline int stoa_compact_place(size_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
}

/* One table per instruction set. */
extern const stoa_compact_kernels stoa_compact_scalar;
extern const stoa_compact_kernels stoa_compact_avx2;
extern const stoa_compact_kernels stoa_compact_avx512;

#endif
