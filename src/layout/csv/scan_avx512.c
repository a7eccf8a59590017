/* The scanner with AVX-512: 64 bytes are one vector. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512i word64;

static inline word64 load(const char *text)
{
    return _mm512_loadu_si512(text);
}

static inline uint64_t equal(const word64 *word, char c)
{
    return _mm512_cmpeq_epi8_mask(*word, _mm512_set1_epi8(c));
}

static inline uint64_t high(const word64 *word)
{
    return _mm512_movepi8_mask(*word);
}

#include "layout/csv/scan_body.h"

const stoa_csv_scan stoa_csv_scan_avx512 = {count, mark};
