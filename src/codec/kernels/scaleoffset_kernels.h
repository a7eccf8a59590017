/*
 * The kernels of the scale-offset filter, one table per instruction set. All give the same results.
 *
 * Every 8 values have codes of `width` whole bytes, so kernels may start and stop at any multiple
 * of 8.
 */
#ifndef STOA_CODEC_SCALEOFFSET_KERNELS_H
#define STOA_CODEC_SCALEOFFSET_KERNELS_H

#include <string.h>

#include "codec/kernels/scaleoffset.h"

/* How values map to codes. */
typedef struct stoa_so_code {
    uint32_t size;  /* bytes per value: 1, 2, 4 or 8 */
    uint32_t width; /* bits per code: 1 .. 8 * size - 1 */
    bool swap;      /* values are not in native byte order */
    bool has_fill;
    uint64_t fill;  /* its code is all ones */
    uint64_t least; /* the value of code 0; its upper bits are ignored */
} stoa_so_code;

/* The minimum and maximum of the values other than the fill value, in 64 bits, sign-extended. The
 * minimum exceeds the maximum if there are no such values. Signed values are ordered by their bits
 * with the sign bit inverted: see stoa_so_flip(). */
typedef struct stoa_so_bounds {
    uint64_t least;
    uint64_t greatest;
} stoa_so_bounds;

typedef struct stoa_so_kernels {
    /* Decode `n` values from `bits`, which has at least ceil(n * width / 8) bytes. */
    void (*unpack)(const stoa_so_code *code, const uint8_t *bits, size_t n_bytes, uint64_t n,
                   uint8_t *values);
    /* Bounds of `values` with the bits of `flip` inverted, compared as unsigned. */
    stoa_so_bounds (*bounds)(const stoa_so_code *code, uint64_t flip, const uint8_t *values,
                             uint64_t n);
    /* Encode to exactly ceil(n * width / 8) bytes, the last one padded with zeros. */
    void (*pack)(const stoa_so_code *code, const uint8_t *values, uint64_t n, uint8_t *bits);
} stoa_so_kernels;

extern const stoa_so_kernels stoa_so_scalar;
extern const stoa_so_kernels stoa_so_avx2;
extern const stoa_so_kernels stoa_so_avx512;
extern const stoa_so_kernels stoa_so_neon;

/* Calls `f` with the size of the values as a constant, so that a compiler makes a loop for each. */
#define STOA_SO_BY_SIZE(f, code, ...)                                                              \
    ((code)->size == 1   ? f(1, code, __VA_ARGS__)                                                 \
     : (code)->size == 2 ? f(2, code, __VA_ARGS__)                                                 \
     : (code)->size == 4 ? f(4, code, __VA_ARGS__)                                                 \
                         : f(8, code, __VA_ARGS__))

const stoa_so_kernels *stoa_so_kernels_of(stoa_simd simd);

/* The lowest `n` bits set, n in 1 .. 64. */
static inline uint64_t stoa_so_ones(unsigned n)
{
    return UINT64_MAX >> (64 - n);
}

static inline uint64_t stoa_so_big_endian(uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap64(x);
#else
    return x;
#endif
}

/* Load one value. With a constant size this compiles to a load, and at most a bswap. */
static inline uint64_t stoa_so_load(const uint8_t *from, unsigned size, bool swap)
{
    uint16_t x2;
    uint32_t x4;
    uint64_t x8;

    switch (size) {
    case 1:
        return *from;
    case 2:
        memcpy(&x2, from, 2);
        return swap ? __builtin_bswap16(x2) : x2;
    case 4:
        memcpy(&x4, from, 4);
        return swap ? __builtin_bswap32(x4) : x4;
    default:
        memcpy(&x8, from, 8);
        return swap ? __builtin_bswap64(x8) : x8;
    }
}

static inline void stoa_so_store(uint8_t *to, unsigned size, bool swap, uint64_t value)
{
    const uint16_t x2 = swap ? __builtin_bswap16((uint16_t)value) : (uint16_t)value;
    const uint32_t x4 = swap ? __builtin_bswap32((uint32_t)value) : (uint32_t)value;
    const uint64_t x8 = swap ? __builtin_bswap64(value) : value;

    switch (size) {
    case 1:
        *to = (uint8_t)value;
        break;
    case 2:
        memcpy(to, &x2, 2);
        break;
    case 4:
        memcpy(to, &x4, 4);
        break;
    default:
        memcpy(to, &x8, 8);
        break;
    }
}

/* Read the code at bit `at`; `bits` contains its `width` bits. */
static inline uint64_t stoa_so_code_at(const uint8_t *bits, size_t n_bytes, uint64_t at,
                                       unsigned width)
{
    const size_t first = (size_t)(at / 8);
    const unsigned skip = at % 8;
    uint64_t window = 0;

    if (n_bytes - first >= 8) {
        memcpy(&window, bits + first, 8);
        window = stoa_so_big_endian(window) << skip;
        if (skip + width > 64) { /* the rest is in a ninth byte */
            window |= (uint64_t)bits[first + 8] >> (8 - skip);
        }
    } else {
        for (size_t i = first; i < n_bytes; i++) {
            window |= (uint64_t)bits[i] << (56 - 8 * (i - first));
        }
        window <<= skip;
    }
    return window >> (64 - width);
}

/* Writes a bit stream in whole words, so that it never writes past the end. */
typedef struct stoa_so_writer {
    uint8_t *next;
    uint64_t pending; /* filled from the top */
    unsigned n_pending;
} stoa_so_writer;

/* Append the lowest `n` bits of `x`, n in 1 .. 64; higher bits must be 0. */
static inline void stoa_so_append(stoa_so_writer *writer, uint64_t x, unsigned n)
{
    const unsigned n_all = writer->n_pending + n;

    if (n_all < 64) {
        writer->pending |= x << (64 - n_all);
        writer->n_pending = n_all;
        return;
    }
    const unsigned n_left = n_all - 64;
    const uint64_t word = stoa_so_big_endian(writer->pending | x >> n_left);
    memcpy(writer->next, &word, 8);
    writer->next += 8;
    writer->pending = n_left > 0 ? x << (64 - n_left) : 0;
    writer->n_pending = n_left;
}

static inline void stoa_so_flush(stoa_so_writer *writer)
{
    for (unsigned done = 0; done < writer->n_pending; done += 8) {
        *writer->next++ = (uint8_t)(writer->pending >> (56 - done));
    }
    writer->pending = 0;
    writer->n_pending = 0;
}

#endif
