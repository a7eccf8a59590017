/* MurmurHash3_x64_128, after Austin Appleby's reference implementation (public domain). */
#include "core/murmur3.h"

static const uint64_t c1 = UINT64_C(0x87c37b91114253d5);
static const uint64_t c2 = UINT64_C(0x4cf5ad432745937f);

static uint64_t rotate(uint64_t x, unsigned n)
{
    return (x << n) | (x >> (64 - n));
}

/* Up to eight bytes, little-endian. */
static uint64_t load(const uint8_t *bytes, size_t n)
{
    uint64_t x = 0;

    for (size_t i = n; i > 0; i--) {
        x = (x << 8) | bytes[i - 1];
    }
    return x;
}

static uint64_t mix_first(uint64_t k)
{
    return rotate(k * c1, 31) * c2;
}

static uint64_t mix_second(uint64_t k)
{
    return rotate(k * c2, 33) * c1;
}

static uint64_t finish(uint64_t k)
{
    k ^= k >> 33;
    k *= UINT64_C(0xff51afd7ed558ccd);
    k ^= k >> 33;
    k *= UINT64_C(0xc4ceb9fe1a85ec53);
    return k ^ (k >> 33);
}

void stoa_murmur3(const void *data, size_t length, uint32_t seed, uint64_t hash[2])
{
    const uint8_t *bytes = data;
    size_t left = length;
    uint64_t h1 = seed;
    uint64_t h2 = seed;

    for (; left >= 16; bytes += 16, left -= 16) {
        h1 ^= mix_first(load(bytes, 8));
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= mix_second(load(bytes + 8, 8));
        h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left > 8) {
        h2 ^= mix_second(load(bytes + 8, left - 8));
    }
    if (left > 0) {
        h1 ^= mix_first(load(bytes, left < 8 ? left : 8));
    }
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    hash[0] = h1;
    hash[1] = h2 + h1;
}
