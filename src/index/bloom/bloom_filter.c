#include "index/bloom/bloom_filter.h"

#include <math.h>

/* Double hashing needs filters of at least this size. */
static const uint64_t min_bits = 64;
static const uint32_t max_k = 32;

static double rate_of(double k, double n, double m)
{
    return pow(1.0 - exp(-k * n / m), k);
}

/* The smallest k that reaches the rate; 0 if none does. */
static uint32_t least_k(double n, double m, double rate)
{
    for (uint32_t k = 1; k <= max_k; k++) {
        if (rate_of(k, n, m) <= rate) {
            return k;
        }
    }
    return 0;
}

stoa_bloom stoa_bloom_choose(uint64_t n, double rate, uint32_t seed)
{
    stoa_bloom bloom = {.m_bits = min_bits, .k = 0, .seed = seed};

    for (; bloom.m_bits < UINT64_C(1) << 62; bloom.m_bits *= 2) {
        bloom.k = least_k((double)n, (double)bloom.m_bits, rate);
        if (bloom.k != 0) {
            return bloom;
        }
    }
    bloom.k = 1;
    return bloom;
}

double stoa_bloom_rate(const stoa_bloom *bloom, uint64_t n_set)
{
    return pow((double)n_set / (double)bloom->m_bits, (double)bloom->k);
}

void stoa_bloom_insert(const stoa_bloom *bloom, stoa_murmur3 hash, uint8_t *filter)
{
    for (uint32_t i = 0; i < bloom->k && bloom->m_bits != 0; i++) {
        stoa_bit_set(filter, (hash.low + i * hash.high) % bloom->m_bits);
    }
}

/* a + b modulo m without overflow, for a, b < m. */
static uint64_t add_modulo(uint64_t a, uint64_t b, uint64_t m)
{
    return a >= m - b ? a - (m - b) : a + b;
}

bool stoa_bloom_holds(const stoa_bloom *bloom, stoa_bloom_reading reading, stoa_murmur3 hash,
                      const uint8_t *filter, uint32_t max_probes)
{
    const uint64_t m = bloom->m_bits;
    const uint32_t n = bloom->k < max_probes ? bloom->k : max_probes;

    if (n == 0 || m == 0) {
        return true; /* such a filter contains no information (notes D4) */
    }
    const bool is_exact = reading == STOA_BLOOM_EXACT;
    const uint64_t step = hash.high % m;
    uint64_t exact = hash.low % m;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t bit = is_exact ? exact : (hash.low + i * hash.high) % m;
        if (!stoa_bit_get(filter, bit)) {
            return false;
        }
        exact = add_modulo(exact, step, m);
    }
    return true;
}
