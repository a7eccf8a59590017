/* The waveform codecs with AVX-512 and VBMI2. ULEB128: 64 bytes at a time; one mask marks the ends
 * of their numbers, and up to sixteen numbers are assembled at once. Fields: sixteen at a time,
 * each from the four bytes that it begins in. */
#include <immintrin.h>

#include "codec/kernels/waveform_body.h"

enum { VECTOR = 64, LANES = 16 };

/* Prefix sums of sixteen numbers. */
static inline __m512i sums(__m512i x)
{
    const __m512i zero = _mm512_setzero_si512();

    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
    return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
}

/* Broadcast the last number to all lanes. */
static inline __m512i last_of(__m512i x)
{
    return _mm512_permutexvar_epi32(_mm512_set1_epi32(LANES - 1), x);
}

static inline __mmask16 first_lanes(size_t n)
{
    return n >= LANES ? (__mmask16)0xffff : (__mmask16)((1U << n) - 1);
}

static inline __m512i iota(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* --- uleb128 --------------------------------------------------------------------------------- */

/* Assemble sixteen numbers of at most four bytes, given where each begins and ends in `bytes`. */
static inline __m512i numbers_of(__m512i bytes, __m512i begins, __m512i ends)
{
    const __m512i from = _mm512_add_epi32(_mm512_mullo_epi32(begins, _mm512_set1_epi32(0x01010101)),
                                          _mm512_set1_epi32(0x03020100));
    const __m512i unused = _mm512_slli_epi32(
        _mm512_sub_epi32(_mm512_add_epi32(begins, _mm512_set1_epi32(3)), ends), 3);
    const __m512i mask = _mm512_srlv_epi32(_mm512_set1_epi32(0x7f7f7f7f), unused);
    const __m512i x = _mm512_and_si512(_mm512_permutexvar_epi8(from, bytes), mask);
    const __m512i pairs = _mm512_maddubs_epi16(_mm512_set1_epi16((short)0x8001), x);
    return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x40000001));
}

static inline __m512i zigzag_undo(__m512i x)
{
    const __m512i odd = _mm512_and_si512(x, _mm512_set1_epi32(1));

    return _mm512_xor_si512(_mm512_srli_epi32(x, 1), _mm512_sub_epi32(_mm512_setzero_si512(), odd));
}

/* Decode the n numbers that end in these bytes; `ends` marks their last bytes. Returns the last
 * sample in all lanes. */
static inline __m512i undo_bytes(__m512i bytes, __mmask64 ends, size_t n, __m512i sample,
                                 int32_t *samples)
{
    uint8_t places[VECTOR];
    uint8_t begins[VECTOR];
    static const uint8_t each[VECTOR] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i positions = _mm512_loadu_si512(each);
    const __m512i last = _mm512_maskz_compress_epi8(ends, positions);
    /* a number begins after the end of the previous one, the first one at 0 */
    const __m512i first = _mm512_maskz_permutexvar_epi8(
        ~(__mmask64)1, _mm512_sub_epi8(positions, _mm512_set1_epi8(1)),
        _mm512_add_epi8(last, _mm512_set1_epi8(1)));

    _mm512_storeu_si512(places, last);
    _mm512_storeu_si512(begins, first);
    for (size_t i = 0; i < n; i += LANES) {
        const __mmask16 lanes = first_lanes(n - i);
        const __m512i x = numbers_of(
            bytes,
            _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(begins + i))),
            _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(places + i))));
        const __m512i all =
            _mm512_add_epi32(sums(_mm512_maskz_mov_epi32(lanes, zigzag_undo(x))), sample);
        _mm512_mask_storeu_epi32(samples + i, lanes, all);
        sample = last_of(all);
    }
    return sample;
}

static const char *undo_uleb128(const uint8_t *row, size_t n_bytes, int32_t *samples, size_t n)
{
    const uint8_t *at = row;
    const uint8_t *const end = row + n_bytes;
    __m512i sample = _mm512_setzero_si512();

    while (end - at >= VECTOR) {
        const __m512i bytes = _mm512_loadu_si512(at);
        const __mmask64 goes_on = _mm512_movepi8_mask(bytes);
        const __mmask64 ends = ~goes_on;
        const size_t n_here = (size_t)__builtin_popcountll(ends);
        const bool is_long = (goes_on & goes_on >> 1 & goes_on >> 2 & goes_on >> 3) != 0;
        if (is_long || n_here > n) {
            break;
        }
        sample = undo_bytes(bytes, ends, n_here, sample, samples);
        samples += n_here;
        n -= n_here;
        at += VECTOR - (unsigned)__builtin_clzll(ends);
    }
    return stoa_uleb128_rest(at, end, (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(sample)),
                             samples, n);
}

/* --- sigcompress ----------------------------------------------------------------------------- */

/* The positions of sixteen fields. */
typedef struct field_plan {
    __m512i bytes;
    __m512i right;
    __m512i mask;
} field_plan;

static inline field_plan plan_fields(unsigned width)
{
    const int w = (int)width;
    const __m512i first = _mm512_mullo_epi32(iota(), _mm512_set1_epi32(w));
    const __m512i byte =
        _mm512_mullo_epi32(_mm512_srli_epi32(first, 3), _mm512_set1_epi32(0x01010101));
    const __m512i skipped = _mm512_and_si512(first, _mm512_set1_epi32(7));

    return (field_plan){.bytes = _mm512_add_epi32(byte, _mm512_set1_epi32(0x00010203)),
                        .right = _mm512_sub_epi32(_mm512_set1_epi32(32 - w), skipped),
                        .mask = _mm512_set1_epi32((1 << w) - 1)};
}

static inline __m512i fields_of(const field_plan *plan, const uint8_t *bits, size_t n_bytes)
{
    const __m512i bytes = n_bytes >= VECTOR
                              ? _mm512_loadu_si512(bits)
                              : _mm512_maskz_loadu_epi8((UINT64_C(1) << n_bytes) - 1, bits);

    return _mm512_and_si512(
        _mm512_srlv_epi32(_mm512_permutexvar_epi8(plan->bytes, bytes), plan->right), plan->mask);
}

static void absolute(const uint8_t *bits, size_t n_bytes, unsigned width, int32_t base,
                     int32_t *samples, size_t n)
{
    const field_plan plan = plan_fields(width);
    const __m512i bases = _mm512_set1_epi32(base);

    for (size_t i = 0; i < n; i += LANES) {
        const __m512i x = _mm512_add_epi32(fields_of(&plan, bits, n_bytes), bases);
        _mm512_mask_storeu_epi32(samples + i, first_lanes(n - i), x);
        bits += (size_t)2 * width;
        n_bytes -= n - i > LANES ? 2 * width : 0;
    }
}

static void steps(const uint8_t *bits, size_t n_bytes, unsigned width, int32_t step, int32_t from,
                  int32_t shift, int32_t *samples, size_t n)
{
    const field_plan plan = plan_fields(width);
    const __m512i step_of_each = _mm512_set1_epi32(step);
    const __m512i shifts = _mm512_set1_epi32(shift);
    __m512i sample = _mm512_set1_epi32(from);

    for (size_t i = 0; i < n; i += LANES) {
        __m512i x = _mm512_add_epi32(fields_of(&plan, bits, n_bytes), step_of_each);
        x = _mm512_add_epi32(sums(x), sample);
        sample = last_of(x);
        x = _mm512_srai_epi32(_mm512_slli_epi32(x, 16), 16);
        _mm512_mask_storeu_epi32(samples + i, first_lanes(n - i), _mm512_sub_epi32(x, shifts));
        bits += (size_t)2 * width;
        n_bytes -= n - i > LANES ? 2 * width : 0;
    }
}

const stoa_waveform_kernels stoa_waveform_avx512 = {undo_uleb128, undo_sigcompress};
