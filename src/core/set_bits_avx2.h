/* Where the set bits of a byte are, for kernels with AVX2 and BMI2. */
#ifndef STOA_CORE_SET_BITS_AVX2_H
#define STOA_CORE_SET_BITS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

/* Expand each of 8 bits to a byte of ones or zeros. */
static inline uint64_t stoa_bytes_of_bits(unsigned bits)
{
    return _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 0xff;
}

/* The places of the set bits, ascending, one per byte. Bytes behind them are 0. */
static inline uint64_t stoa_places_of_bits(unsigned bits)
{
    return _pext_u64(UINT64_C(0x0706050403020100), stoa_bytes_of_bits(bits));
}

/* The same, one per lane of 32 bits. */
static inline __m256i stoa_lanes_of_bits(unsigned bits)
{
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)stoa_places_of_bits(bits)));
}

#endif
