/*
 * The chosen ones of a run of elements, moved together.
 *
 * Which ones are chosen is said by an Arrow bitmap. The loops read it 64 bits at a time, and pass
 * over words without a bit.
 */
#ifndef STOA_CORE_COMPACT_H
#define STOA_CORE_COMPACT_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/*
 * Elements [0, n) whose bit is set, into `out`, in their order. Not a byte past the last of them is
 * written, none past the n-th is read.
 *
 * @param bits  whole bytes; those past n do not count
 * @return how many
 */
typedef uint64_t stoa_compact(const void *elements, const uint8_t *bits, uint64_t n, void *out);

/* By width: 1, 2, 4 and 8 bytes. */
typedef struct stoa_compact_kernels {
    stoa_compact *by_width[4];
} stoa_compact_kernels;

const stoa_compact_kernels *stoa_compact_kernels_of(stoa_simd simd);

/* Place in these tables of elements of `size` bytes; -1: none. */
static inline int stoa_compact_place(size_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
}

/* One of each instruction set. */
extern const stoa_compact_kernels stoa_compact_scalar;
extern const stoa_compact_kernels stoa_compact_avx2;
extern const stoa_compact_kernels stoa_compact_avx512;

#endif
