/*
 * Joins and splits planes with vectors, for shuffle_<set>.c. Include it after one of
 * core/simd_<set>.h, and after definitions of
 *
 *     REST                                The kernels for elements after whole vectors.
 *     IS_APART                            Whether elements may have gaps between them. If not, REST
 *                                         handles such elements.
 *     put_elements(to, stride, n, k, x)   Stores the elements of n bytes in the k-th of n vectors.
 *     get_elements(from, stride, n, k)    Loads them.
 *     join_order(n, x), split_order(n, x) Reorder the bytes of a plane before or after.
 *
 * Zipping n vectors, each with the one n / 2 further on, rotates the index of every byte by one
 * bit. log2(n) such rounds turn planes into elements; four rounds turn elements into planes. Bytes
 * never leave their 16-byte lane.
 */
#ifndef STOA_CODEC_SHUFFLE_BODY_H
#define STOA_CODEC_SHUFFLE_BODY_H

#include "codec/kernels/shuffle_loops.h"

/* The compiler must inline it to unroll its loops. */
#define INLINE static inline __attribute__((always_inline))

INLINE void zip(simd *x, size_t n)
{
    simd y[8];

    for (size_t k = 0; k < n / 2; k++) {
        y[2 * k] = simd_zip_low(x[k], x[k + n / 2]);
        y[2 * k + 1] = simd_zip_high(x[k], x[k + n / 2]);
    }
    for (size_t k = 0; k < n; k++) {
        x[k] = y[k];
    }
}

INLINE size_t join(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                   size_t n, size_t n_planes)
{
    size_t i = 0;

    for (; i + SIMD_BYTES <= n; i += SIMD_BYTES) {
        simd x[8];
        for (size_t k = 0; k < n_planes; k++) {
            x[k] = join_order(n_planes, simd_load(planes + k * distance + i));
        }
        for (size_t round = 1; round < n_planes; round *= 2) {
            zip(x, n_planes);
        }
        for (size_t k = 0; k < n_planes; k++) {
            put_elements(elements + i * stride, stride, n_planes, k, x[k]);
        }
    }
    return i;
}

INLINE size_t split(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                    size_t n, size_t n_planes)
{
    size_t i = 0;

    for (; i + SIMD_BYTES <= n; i += SIMD_BYTES) {
        simd x[8];
        for (size_t k = 0; k < n_planes; k++) {
            x[k] = get_elements(elements + i * stride, stride, n_planes, k);
        }
        for (size_t round = 1; round < 16; round *= 2) {
            zip(x, n_planes);
        }
        for (size_t k = 0; k < n_planes; k++) {
            simd_store(planes + k * distance + i, split_order(n_planes, x[k]));
        }
    }
    return i;
}

static void join4(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    const size_t done = join(elements, 4, planes, distance, n, 4);

    REST.join4(elements + done * 4, stride, planes + done, distance, n - done);
}

static void join8(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    const size_t done = stride == 8 ? join(elements, 8, planes, distance, n, 8)
                        : IS_APART  ? join(elements, stride, planes, distance, n, 8)
                                    : 0;

    REST.join8(elements + done * stride, stride, planes + done, distance, n - done);
}

static void split4(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    const size_t done = split(planes, distance, elements, 4, n, 4);

    REST.split4(planes + done, distance, elements + done * 4, stride, n - done);
}

static void split8(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    const size_t done = stride == 8 ? split(planes, distance, elements, 8, n, 8)
                        : IS_APART  ? split(planes, distance, elements, stride, n, 8)
                                    : 0;

    REST.split8(planes + done, distance, elements + done * stride, stride, n - done);
}

#endif
