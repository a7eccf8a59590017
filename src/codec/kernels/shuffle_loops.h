/* The kernels of shuffle.h as plain loops, which the compiler vectorizes if it can. */
#ifndef STOA_CODEC_SHUFFLE_LOOPS_H
#define STOA_CODEC_SHUFFLE_LOOPS_H

#include <string.h>

#include "codec/kernels/shuffle.h"

static inline void join_loop(uint8_t *elements, size_t stride, const uint8_t *planes,
                             size_t distance, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++) {
            elements[i * stride + k] = planes[k * distance + i];
        }
    }
}

static inline void split_loop(uint8_t *planes, size_t distance, const uint8_t *elements,
                              size_t stride, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++) {
            planes[k * distance + i] = elements[i * stride + k];
        }
    }
}

static inline uint64_t little_endian(uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(x);
#else
    return x;
#endif
}

/* Hacker's Delight, 7-3: transposes 2 x 2 blocks of 1, 2, then 4 bits a side. Bytes are numbered
 * from the low end on any machine. */
static inline void transpose_loop(uint8_t *bytes, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i += 8) {
        uint64_t x;
        memcpy(&x, bytes + i, sizeof x);
        x = little_endian(x);
        uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
        x ^= t ^ t << 7;
        t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
        x ^= t ^ t << 14;
        t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
        x ^= t ^ t << 28;
        x = little_endian(x);
        memcpy(bytes + i, &x, sizeof x);
    }
}

/* For two planes, hand-written vectors are not faster. */
static void join2(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    (void)stride;
    join_loop(elements, 2, planes, distance, n, 2);
}

static void split2(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    (void)stride;
    split_loop(planes, distance, elements, 2, n, 2);
}

#define STOA_SHUFFLE_TABLE                                                                         \
    {                                                                                              \
        .join2 = join2, .join4 = join4, .join8 = join8, .split2 = split2, .split4 = split4,        \
        .split8 = split8, .transpose_bits = transpose_bits,                                        \
    }

#endif
