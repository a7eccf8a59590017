/* Planes joined and split byte by byte: the definition of the kernels of shuffle.h. */
#include <string.h>

#include "codec/shuffle.h"

static inline void join(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                        size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++) {
            elements[i * stride + k] = planes[k * distance + i];
        }
    }
}

static inline void split(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                         size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++) {
            planes[k * distance + i] = elements[i * stride + k];
        }
    }
}

static void join2(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    (void)stride;
    join(elements, 2, planes, distance, n, 2);
}

static void join4(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    (void)stride;
    join(elements, 4, planes, distance, n, 4);
}

static void join8(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    join(elements, stride, planes, distance, n, 8);
}

static void split2(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    (void)stride;
    split(planes, distance, elements, 2, n, 2);
}

static void split4(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    (void)stride;
    split(planes, distance, elements, 4, n, 4);
}

static void split8(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    split(planes, distance, elements, stride, n, 8);
}

/* Hacker's Delight, 7-3: 2 x 2 blocks of 1, 2, then 4 bits a side. Bytes are numbered from the low
 * end whatever the machine. */
static void transpose_bits(uint8_t *bytes, size_t n_bytes)
{
    for (; n_bytes >= 8; n_bytes -= 8, bytes += 8) {
        uint64_t x = 0;
        uint64_t t = 0;

        for (unsigned i = 0; i < 8; i++) {
            x |= (uint64_t)bytes[i] << (8 * i);
        }
        t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
        x ^= t ^ t << 7;
        t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
        x ^= t ^ t << 14;
        t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
        x ^= t ^ t << 28;
        for (unsigned i = 0; i < 8; i++) {
            bytes[i] = (uint8_t)(x >> (8 * i));
        }
    }
}

const stoa_shuffle_kernels stoa_shuffle_scalar = {
    .join2 = join2,
    .join4 = join4,
    .join8 = join8,
    .split2 = split2,
    .split4 = split4,
    .split8 = split8,
    .transpose_bits = transpose_bits,
};
