/* A single Bloom filter by HEP001 §10.7: Kirsch-Mitzenmacher double hashing over
 * MurmurHash3_x64_128. */
#ifndef STOA_INDEX_BLOOM_FILTER_H
#define STOA_INDEX_BLOOM_FILTER_H

#include "core/murmur3.h"
#include "index/common/equality_key.h"

/* Parameters of an index's filters. Ours have a power of two as m_bits. Foreign ones may have any,
 * and may be degenerate: k == 0 or m_bits == 0 (notes D4). */
typedef struct stoa_bloom {
    uint64_t m_bits; /* a multiple of 8 */
    uint32_t k;      /* fits into a uint16 */
    uint32_t seed;
} stoa_bloom;

/* Choose the smallest power of two for m_bits, and then the smallest k, for at most `rate` false
 * positives with n values. `rate` is in (0, 1). */
stoa_bloom stoa_bloom_choose(uint64_t n, double rate, uint32_t seed);
/* The false-positive rate of a filter with n_set bits set. */
double stoa_bloom_rate(const stoa_bloom *bloom, uint64_t n_set);

static inline stoa_murmur3 stoa_bloom_hash(const stoa_bloom *bloom, const stoa_key *key)
{
    return stoa_murmur3_x64_128(key->bytes, key->length, bloom->seed);
}

void stoa_bloom_insert(const stoa_bloom *bloom, stoa_murmur3 hash, uint8_t *filter);

/* Whether `(h_a + i * h_b) mod (8 * m_bytes)` wraps at 64 bits or is exact. The results differ if
 * m_bits is not a power of two, and §10.7 does not say which is meant (notes D1). */
typedef enum stoa_bloom_reading { STOA_BLOOM_WRAPPED, STOA_BLOOM_EXACT } stoa_bloom_reading;

/* Whether the filter may contain the value. Tests at most `max_probes` bits. */
bool stoa_bloom_holds(const stoa_bloom *bloom, stoa_bloom_reading reading, stoa_murmur3 hash,
                      const uint8_t *filter, uint32_t max_probes);

#endif
