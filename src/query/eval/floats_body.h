/* Doubles in the words of core/simd_<set>.h, which the including file includes before. */
#ifndef STOA_QUERY_FLOATS_BODY_H
#define STOA_QUERY_FLOATS_BODY_H

#define W (SIMD_BYTES / 8) /* 64-bit values per vector */
#define INLINE static inline __attribute__((always_inline))

typedef double floats __attribute__((vector_size(SIMD_BYTES)));

INLINE floats load_f32(const float *from)
{
    return (floats)simd_widen_f32(from);
}

INLINE floats load_f64(const double *from)
{
    return (floats)simd_load(from);
}

/* Add values, as stoa_two_sum() does. */
INLINE void two_sum(floats value, floats *sum, floats *lost)
{
    const floats before = *sum;
    const floats after = before + value;
    const floats added = after - before;

    *lost += (before - (after - added)) + (value - added);
    *sum = after;
}

#endif
