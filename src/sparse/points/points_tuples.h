/* Locate points given as coordinates: find their chunks, and their positions in these. */
#ifndef STOA_SPARSE_POINTS_TUPLES_H
#define STOA_SPARSE_POINTS_TUPLES_H

#include "core/cpu.h"
#include "sparse/points/points.h"

/*
 * Append the chunks of n points to `runs` and store their positions in these. The points must be
 * inside of the extent.
 *
 * @param tuples  shape (n, rank)
 */
typedef void stoa_tuples_locate(const stoa_shape *shape, const uint64_t *tuples, size_t n,
                                stoa_point_runs *runs, uint32_t *places);

/* One implementation per instruction set. */
stoa_tuples_locate stoa_tuples_locate_scalar;
#if defined(__x86_64__)
stoa_tuples_locate stoa_tuples_locate_avx512;
#endif

static inline stoa_tuples_locate *stoa_tuples_locate_of(stoa_simd simd)
{
    return STOA_KERNEL_OF(simd, stoa_tuples_locate);
}

#endif
