/*
 * Compaction with AVX2 and BMI2.
 *
 * Sparse words are copied element by element, which is fastest. For dense words, pext builds the
 * shuffle of a register, or compacts bytes directly, 8 at a time.
 */
#include <immintrin.h>

#include "core/compact_body.h"
#include "core/set_bits_avx2.h"

/* Fewer selected elements among 64 are copied one by one. */
enum { DENSE = 12 };

static inline uint64_t count(const uint8_t *bits, uint64_t n)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < n; i += 64) {
        total += (uint64_t)_mm_popcnt_u64(stoa_compact_word(bits, i, n));
    }
    return total;
}

/* Store 8 elements, the selected ones first. */
static inline void put_1(const uint8_t *from, unsigned bits, uint8_t *to)
{
    uint64_t x;

    memcpy(&x, from, sizeof x);
    x = _pext_u64(x, stoa_bytes_of_bits(bits));
    memcpy(to, &x, sizeof x);
}

static inline void put_2(const uint16_t *from, unsigned bits, uint16_t *to)
{
    const __m128i places =
        _mm_cvtepu8_epi16(_mm_cvtsi64_si128((long long)stoa_places_of_bits(bits)));
    const __m128i order =
        _mm_add_epi8(_mm_mullo_epi16(places, _mm_set1_epi16(0x0202)), _mm_set1_epi16(0x0100));
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);

    _mm_storeu_si128((__m128i *)(void *)to, _mm_shuffle_epi8(x, order));
}

static inline void put_4(const uint32_t *from, unsigned bits, uint32_t *to)
{
    const __m256i order = stoa_lanes_of_bits(bits);
    const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)from);

    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(x, order));
}

/* Treat an element as two 32-bit halves, 4 elements at a time. */
static inline void put_8(const uint64_t *from, unsigned bits, uint64_t *to)
{
    for (unsigned half = 0; half < 2; half++, bits >>= 4, from += 4) {
        const unsigned pairs = (unsigned)_pdep_u32(bits & 15, 0x55) * 3;
        const __m256i order = stoa_lanes_of_bits(pairs);
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)from);
        _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(x, order));
        to += _mm_popcnt_u32(bits & 15);
    }
}

/* A vector store writes up to 8 elements past the selected ones. It is used only while that many
 * elements are still to come. */
#define DEFINE_COMPACT(name, type, PUT)                                                            \
    static uint64_t name(const void *elements, const uint8_t *bits, uint64_t n, void *out)         \
    {                                                                                              \
        const type *from = elements;                                                               \
        type *to = out;                                                                            \
        const uint64_t total = count(bits, n);                                                     \
        const type *const end = to + total;                                                        \
        for (uint64_t i = 0; i < n; i += 64) {                                                     \
            uint64_t word = stoa_compact_word(bits, i, n);                                         \
            const uint64_t n_chosen = (uint64_t)_mm_popcnt_u64(word);                              \
            if (n_chosen < DENSE || n - i < 64 || (uint64_t)(end - to) < n_chosen + 8) {           \
                STOA_COMPACT_ONE_BY_ONE(type, from + i, word, to);                                 \
                continue;                                                                          \
            }                                                                                      \
            for (unsigned k = 0; k < 64; k += 8, word >>= 8) {                                     \
                PUT(from + i + k, (unsigned)word & 0xff, to);                                      \
                to += _mm_popcnt_u32((unsigned)word & 0xff);                                       \
            }                                                                                      \
        }                                                                                          \
        return total;                                                                              \
    }

DEFINE_COMPACT(compact_1, uint8_t, put_1)
DEFINE_COMPACT(compact_2, uint16_t, put_2)
DEFINE_COMPACT(compact_4, uint32_t, put_4)
DEFINE_COMPACT(compact_8, uint64_t, put_8)

const stoa_compact_kernels stoa_compact_avx2 = STOA_COMPACT_TABLE;
