/* Write the entries of a row with AVX2. */
#include <immintrin.h>

#include "sparse/points/rows_put.h"

enum { LANES = 8 };

static inline __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

static inline void store(void *to, __m256i x)
{
    _mm256_storeu_si256(to, x);
}

static inline unsigned count_below(const uint32_t *positions, uint32_t end)
{
    const __m256i x = load(positions);
    const __m256i are_not = _mm256_cmpeq_epi32(_mm256_max_epu32(x, _mm256_set1_epi32((int)end)), x);

    return _tzcnt_u32((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(are_not)) | 1U << LANES);
}

static inline void copy(uint8_t *to, const uint8_t *from, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i += 32) {
        store(to + i, load(from + i));
    }
}

/* Store four pairs of row and column. */
static inline void put_points(uint64_t *to, __m256i row, __m256i columns)
{
    const __m256i even = _mm256_unpacklo_epi64(row, columns);
    const __m256i odd = _mm256_unpackhi_epi64(row, columns);

    store(to, _mm256_permute2x128_si256(even, odd, 0x20));
    store(to + 4, _mm256_permute2x128_si256(even, odd, 0x31));
}

static inline void put_places(const stoa_rows_out *out, uint64_t to, const uint32_t *at,
                              uint64_t row, uint64_t shift, stoa_place_form form)
{
    const __m256i positions = load(at);

    if (form == STOA_PLACE_INT32) {
        store((int32_t *)out->places + to,
              _mm256_add_epi32(positions, _mm256_set1_epi32((int)shift)));
        return;
    }
    const __m256i shifts = _mm256_set1_epi64x((long long)shift);
    const __m256i low =
        _mm256_add_epi64(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(positions)), shifts);
    const __m256i high =
        _mm256_add_epi64(_mm256_cvtepu32_epi64(_mm256_extracti128_si256(positions, 1)), shifts);
    if (form == STOA_PLACE_INT64) {
        store((int64_t *)out->places + to, low);
        store((int64_t *)out->places + to + 4, high);
    } else {
        const __m256i rows = _mm256_set1_epi64x((long long)row);
        put_points((uint64_t *)out->places + 2 * to, rows, low);
        put_points((uint64_t *)out->places + 2 * to + 8, rows, high);
    }
}

#include "sparse/points/rows_put_body.h"

void stoa_put_row_avx2(stoa_row_cursor *cursors, size_t n, stoa_row_target *row)
{
    put_row(cursors, n, row);
}
