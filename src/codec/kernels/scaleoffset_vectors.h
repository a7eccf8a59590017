/*
 * What scale-offset's kernels for vectors share, in the words of core/simd_<set>.h, which the file
 * includes before. Functions take the size of a value, in bytes, as a constant.
 */
#ifndef STOA_CODEC_SCALEOFFSET_VECTORS_H
#define STOA_CODEC_SCALEOFFSET_VECTORS_H

/* Without it, gcc makes one function of two sizes, which plans and loops at run time. */
#define INLINE static inline __attribute__((always_inline))

static inline simd splat(unsigned size, uint64_t x)
{
    switch (size) {
    case 1:
        return simd_splat_8(x);
    case 2:
        return simd_splat_16(x);
    case 4:
        return simd_splat_32(x);
    default:
        return simd_splat_64(x);
    }
}

/* A table for simd_look_up() that reverses the bytes of each value, or leaves them in place. */
static inline simd byte_order(unsigned size, bool swap)
{
    uint8_t from[SIMD_BYTES];

    for (unsigned i = 0; i < SIMD_BYTES; i++) {
        from[i] = (uint8_t)((swap ? i ^ (size - 1) : i) % 16);
    }
    return simd_load(from);
}

/* Joins the codes of each 64-bit word at its low end. The first code becomes the highest. */
static inline simd runs_of(unsigned size, simd codes, unsigned width)
{
    if (size == 1) {
        const simd even = simd_and(codes, simd_splat_16(0xff));
        codes = simd_or(simd_left_16(even, width), simd_right_16(codes, 8));
        width *= 2;
    }
    if (size <= 2) {
        const simd even = simd_and(codes, simd_splat_32(0xffff));
        codes = simd_or(simd_left_32(even, width), simd_right_32(codes, 16));
        width *= 2;
    }
    if (size <= 4) {
        const simd even = simd_and(codes, simd_splat_64(0xffffffff));
        codes = simd_or(simd_left_64(even, width), simd_right_64(codes, 32));
    }
    return codes;
}

#endif
