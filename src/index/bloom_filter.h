/* One Bloom filter as HEP001 §10.7 prescribes it: Kirsch-Mitzenmacher double hashing over
 * MurmurHash3_x64_128. */
#ifndef STOA_INDEX_BLOOM_FILTER_H
#define STOA_INDEX_BLOOM_FILTER_H

#include "core/murmur3.h"
#include "index/key.h"

/* How the filters of an index are made. Ours have m_bits a power of two; foreign ones need not, and
 * may be degenerate: k == 0, m_bits == 0 (notes D4). */
typedef struct stoa_bloom {
    uint64_t m_bits; /* a multiple of 8 */
    uint32_t k;      /* fits into uint16 */
    uint32_t seed;
} stoa_bloom;

/* The smallest power of two for m_bits, and then the smallest k, with which a filter of n values
 * gives at most `rate` false positives; in (0, 1). */
stoa_bloom stoa_bloom_choose(uint64_t n, double rate, uint32_t seed);
/* The rate of false positives of a filter with so many bits set. */
double stoa_bloom_rate(const stoa_bloom *bloom, uint64_t n_set);

static inline stoa_murmur3 stoa_bloom_hash(const stoa_bloom *bloom, const stoa_key *key)
{
    return stoa_murmur3_x64_128(key->bytes, key->length, bloom->seed);
}

void stoa_bloom_insert(const stoa_bloom *bloom, stoa_murmur3 hash, uint8_t *filter);

/* `(h_a + i * h_b) mod (8 * m_bytes)` in 64-bit arithmetic or in exact integers: they differ where
 * m_bits is no power of two, and the text does not say which (notes D1). */
typedef enum stoa_bloom_reading { STOA_BLOOM_WRAPPED, STOA_BLOOM_EXACT } stoa_bloom_reading;

/* Whether the filter holds the value; at most `max_probes` bits are looked at. */
bool stoa_bloom_holds(const stoa_bloom *bloom, stoa_bloom_reading reading, stoa_murmur3 hash,
                      const uint8_t *filter, uint32_t max_probes);

#endif
