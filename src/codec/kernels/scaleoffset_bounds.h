/* The bounds of scaleoffset_kernels.h, written as loops that compilers vectorize for each
 * instruction set. */
#ifndef STOA_CODEC_SCALEOFFSET_BOUNDS_H
#define STOA_CODEC_SCALEOFFSET_BOUNDS_H

#include "codec/kernels/scaleoffset_kernels.h"

/* The arguments `swap` and `has_fill` are constants, so that the compiler specializes the loop. The
 * fill value is replaced by the extreme of each side. Where only signed 64-bit values can be
 * compared, `top` maps unsigned ones to them. */
#define DEFINE_BOUNDS(name, type, ordered, top, SWAP)                                              \
    static inline __attribute__((always_inline))                                                   \
    stoa_so_bounds name##_as(const stoa_so_code *code, uint64_t flip, const uint8_t *values,       \
                             uint64_t n, bool swap, bool has_fill)                                 \
    {                                                                                              \
        const type fill = (type)code->fill;                                                        \
        const type lowest = (top);                                                                 \
        const type turned = (type)((type)flip ^ lowest);                                           \
        ordered least = (ordered)(type)~lowest;                                                    \
        ordered greatest = (ordered)lowest;                                                        \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            type x;                                                                                \
            memcpy(&x, values + i * sizeof x, sizeof x);                                           \
            x = swap ? SWAP(x) : x;                                                                \
            const type skips = (type)(0 - (type)(has_fill & (x == fill)));                         \
            const type y = (type)((x ^ turned) & (type)~skips);                                    \
            const ordered low = (ordered)(type)(y | (skips & (type)~lowest));                      \
            const ordered high = (ordered)(type)(y | (skips & lowest));                            \
            least = low < least ? low : least;                                                     \
            greatest = high > greatest ? high : greatest;                                          \
        }                                                                                          \
        return (stoa_so_bounds){(type)((type)least ^ lowest), (type)((type)greatest ^ lowest)};    \
    }                                                                                              \
    static stoa_so_bounds name(const stoa_so_code *code, uint64_t flip, const uint8_t *values,     \
                               uint64_t n)                                                         \
    {                                                                                              \
        if (code->swap) {                                                                          \
            return code->has_fill ? name##_as(code, flip, values, n, true, true)                   \
                                  : name##_as(code, flip, values, n, true, false);                 \
        }                                                                                          \
        return code->has_fill ? name##_as(code, flip, values, n, false, true)                      \
                              : name##_as(code, flip, values, n, false, false);                    \
    }
#define AS_IT_IS(x) (x)
DEFINE_BOUNDS(bounds_1, uint8_t, uint8_t, 0, AS_IT_IS)
DEFINE_BOUNDS(bounds_2, uint16_t, uint16_t, 0, __builtin_bswap16)
DEFINE_BOUNDS(bounds_4, uint32_t, uint32_t, 0, __builtin_bswap32)
#ifdef __AVX512F__ /* compares unsigned 64-bit values */
DEFINE_BOUNDS(bounds_8, uint64_t, uint64_t, 0, __builtin_bswap64)
#else
DEFINE_BOUNDS(bounds_8, uint64_t, int64_t, UINT64_C(1) << 63, __builtin_bswap64)
#endif

static stoa_so_bounds bounds_of(const stoa_so_code *code, uint64_t flip, const uint8_t *values,
                                uint64_t n)
{
    switch (code->size) {
    case 1:
        return bounds_1(code, flip, values, n);
    case 2:
        return bounds_2(code, flip, values, n);
    case 4:
        return bounds_4(code, flip, values, n);
    default:
        return bounds_8(code, flip, values, n);
    }
}

#endif
