/*
 * MurmurHash3_x64_128 (Austin Appleby, public domain), written from its description.
 *
 * Each round mixes 16 bytes into two 64-bit lanes. A tail of up to 15 bytes and a final mix follow.
 * Bytes are read as little-endian numbers on every machine, so the digest is the same everywhere.
 */
#include "core/murmur3.h"

static const uint64_t c1 = UINT64_C(0x87c37b91114253d5);
static const uint64_t c2 = UINT64_C(0x4cf5ad432745937f);

static uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/* Read up to eight bytes as a little-endian number. */
static uint64_t read_le(const uint8_t *bytes, size_t n)
{
    uint64_t value = 0;

    for (size_t i = 0; i < n; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static uint64_t scramble_low(uint64_t k)
{
    return rotate(k * c1, 31) * c2;
}

static uint64_t scramble_high(uint64_t k)
{
    return rotate(k * c2, 33) * c1;
}

static uint64_t finish(uint64_t h)
{
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

stoa_murmur3 stoa_murmur3_x64_128(const void *bytes, size_t n, uint32_t seed)
{
    const uint8_t *at = bytes;
    size_t left = n;
    uint64_t h1 = seed;
    uint64_t h2 = seed;

    for (; left >= 16; left -= 16, at += 16) {
        h1 ^= scramble_low(read_le(at, 8));
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= scramble_high(read_le(at + 8, 8));
        h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left > 8) {
        h2 ^= scramble_high(read_le(at + 8, left - 8));
    }
    if (left > 0) {
        h1 ^= scramble_low(read_le(at, left < 8 ? left : 8));
    }
    h1 ^= n;
    h2 ^= n;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    h2 += h1;
    return (stoa_murmur3){.low = h1, .high = h2};
}
