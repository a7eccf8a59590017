/* The waveform codecs with AVX2 and BMI2. ULEB128: eight bytes at a time; one instruction extracts
 * each number, or all eight at once if each is one byte. Fields: eight at a time, after which the
 * next ones begin at a whole byte again. */
#include <immintrin.h>
#include <string.h>

#include "codec/kernels/waveform_body.h"

enum { LANES = 8 };

/* Prefix sums of eight numbers. */
static inline __m256i sums(__m256i x)
{
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    const __m256i lower = _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(3));
    return _mm256_add_epi32(x, _mm256_blend_epi32(_mm256_setzero_si256(), lower, 0xf0));
}

static inline uint32_t last_of(__m256i x)
{
    return (uint32_t)_mm256_extract_epi32(x, LANES - 1);
}

/* --- uleb128 --------------------------------------------------------------------------------- */

static const uint64_t top_bits = UINT64_C(0x8080808080808080);

/* Decode eight numbers of one byte each. Returns the last sample. */
static inline uint32_t undo_single_bytes(uint64_t bytes, uint32_t sample, int32_t *samples)
{
    const __m256i x = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)bytes));
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(x, one));
    __m256i all = sums(_mm256_xor_si256(_mm256_srli_epi32(x, 1), sign));

    all = _mm256_add_epi32(all, _mm256_set1_epi32((int)sample));
    _mm256_storeu_si256((__m256i *)(void *)samples, all);
    return last_of(all);
}

/* Decode the numbers that end in these eight bytes; `ends` marks the top bits of their last
 * bytes. */
static inline uint32_t undo_bytes(uint64_t bytes, uint64_t ends, uint32_t sample, int32_t *samples)
{
    uint64_t done = 0;

    for (size_t i = 0; ends != 0; i++) {
        const uint64_t through = ends ^ (ends - 1); /* bits of this number and all before it */
        sample += stoa_zigzag_undo((uint32_t)_pext_u64(bytes, through & ~done & ~top_bits));
        samples[i] = (int32_t)sample;
        done = through;
        ends &= ends - 1;
    }
    return sample;
}

static const char *undo_uleb128(const uint8_t *row, size_t n_bytes, int32_t *samples, size_t n)
{
    const uint8_t *at = row;
    const uint8_t *const end = row + n_bytes;
    uint32_t sample = 0;

    while (end - at >= 8 && n >= LANES) {
        uint64_t bytes = 0;
        memcpy(&bytes, at, sizeof bytes);
        const uint64_t ends = ~bytes & top_bits;
        const unsigned n_here = (unsigned)__builtin_popcountll(ends);
        if (n_here == 0) { /* a number of more than eight bytes */
            break;
        }
        sample = n_here == LANES ? undo_single_bytes(bytes, sample, samples)
                                 : undo_bytes(bytes, ends, sample, samples);
        samples += n_here;
        n -= n_here;
        at += (64 - (unsigned)__builtin_clzll(ends)) / 8;
    }
    return stoa_uleb128_rest(at, end, sample, samples, n);
}

/* --- sigcompress ----------------------------------------------------------------------------- */

/* The positions of eight fields, four in each half of a vector. */
typedef struct field_plan {
    size_t upper; /* the byte in which the fifth field begins */
    __m256i bytes;
    __m256i right;
    __m256i mask;
} field_plan;

static inline field_plan plan_fields(unsigned width)
{
    const int w = (int)width;
    const int odd = 4 * w % 8;
    const __m256i first =
        _mm256_setr_epi32(0, w, 2 * w, 3 * w, odd, w + odd, 2 * w + odd, 3 * w + odd);
    const __m256i byte =
        _mm256_mullo_epi32(_mm256_srli_epi32(first, 3), _mm256_set1_epi32(0x01010101));
    const __m256i skipped = _mm256_and_si256(first, _mm256_set1_epi32(7));

    return (field_plan){.upper = 4 * width / 8,
                        .bytes = _mm256_add_epi32(byte, _mm256_set1_epi32(0x00010203)),
                        .right = _mm256_sub_epi32(_mm256_set1_epi32(32 - w), skipped),
                        .mask = _mm256_set1_epi32((1 << w) - 1)};
}

static inline __m256i fields_of(const field_plan *plan, const uint8_t *bits, size_t n_bytes)
{
    uint8_t end[32] = {0};

    if (n_bytes < sizeof end) {
        memcpy(end, bits, n_bytes);
        bits = end;
    }
    const __m128i lower = _mm_loadu_si128((const __m128i *)(const void *)bits);
    const __m128i upper = _mm_loadu_si128((const __m128i *)(const void *)(bits + plan->upper));
    const __m256i x = _mm256_shuffle_epi8(_mm256_set_m128i(upper, lower), plan->bytes);
    return _mm256_and_si256(_mm256_srlv_epi32(x, plan->right), plan->mask);
}

static inline void store_samples(int32_t *samples, size_t n, __m256i x)
{
    int32_t all[LANES];

    if (n >= LANES) {
        _mm256_storeu_si256((__m256i *)(void *)samples, x);
    } else {
        _mm256_storeu_si256((__m256i *)(void *)all, x);
        memcpy(samples, all, n * sizeof *all);
    }
}

static void absolute(const uint8_t *bits, size_t n_bytes, unsigned width, int32_t base,
                     int32_t *samples, size_t n)
{
    const field_plan plan = plan_fields(width);
    const __m256i bases = _mm256_set1_epi32(base);

    for (size_t i = 0; i < n; i += LANES) {
        const __m256i x = fields_of(&plan, bits, n_bytes);
        store_samples(samples + i, n - i, _mm256_add_epi32(x, bases));
        bits += width;
        n_bytes -= n - i > LANES ? width : 0;
    }
}

static void steps(const uint8_t *bits, size_t n_bytes, unsigned width, int32_t step, int32_t from,
                  int32_t shift, int32_t *samples, size_t n)
{
    const field_plan plan = plan_fields(width);
    const __m256i step_of_each = _mm256_set1_epi32(step);
    const __m256i shifts = _mm256_set1_epi32(shift);
    uint32_t sample = (uint32_t)from;

    for (size_t i = 0; i < n; i += LANES) {
        __m256i x = _mm256_add_epi32(fields_of(&plan, bits, n_bytes), step_of_each);
        x = _mm256_add_epi32(sums(x), _mm256_set1_epi32((int)sample));
        sample = last_of(x);
        x = _mm256_srai_epi32(_mm256_slli_epi32(x, 16), 16);
        store_samples(samples + i, n - i, _mm256_sub_epi32(x, shifts));
        bits += width;
        n_bytes -= n - i > LANES ? width : 0;
    }
}

const stoa_waveform_kernels stoa_waveform_avx2 = {undo_uleb128, undo_sigcompress};
