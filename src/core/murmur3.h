/* MurmurHash3_x64_128, the hash that HEP001 §10.7 prescribes for Bloom filters. */
#ifndef STOA_CORE_MURMUR3_H
#define STOA_CORE_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

typedef struct stoa_murmur3 {
    uint64_t low;  /* first eight bytes of the digest, little-endian: h_a (notes D2) */
    uint64_t high; /* last eight bytes: h_b */
} stoa_murmur3;

stoa_murmur3 stoa_murmur3_x64_128(const void *bytes, size_t n, uint32_t seed);

#endif
