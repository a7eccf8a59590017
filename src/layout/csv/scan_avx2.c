/* The scanner with AVX2: two vectors of 32 bytes. */
#include <immintrin.h>
#include <stdint.h>

typedef struct word64 {
    __m256i low;
    __m256i high;
} word64;

static inline word64 load(const char *text)
{
    return (word64){_mm256_loadu_si256((const __m256i *)(const void *)text),
                    _mm256_loadu_si256((const __m256i *)(const void *)(text + 32))};
}

static inline uint64_t join(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

static inline uint64_t equal(const word64 *word, char c)
{
    const __m256i wanted = _mm256_set1_epi8(c);

    return join(_mm256_cmpeq_epi8(word->low, wanted), _mm256_cmpeq_epi8(word->high, wanted));
}

static inline uint64_t high(const word64 *word)
{
    return join(word->low, word->high);
}

#include "layout/csv/scan_body.h"

const stoa_csv_scan stoa_csv_scan_avx2 = {count, mark};
