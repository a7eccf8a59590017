/* Write the entries of a row with AVX-512. */
#include <immintrin.h>

#include "sparse/points/rows_put.h"

enum { LANES = 16 };

static inline unsigned count_below(const uint32_t *positions, uint32_t end)
{
    return _tzcnt_u32(~(uint32_t)_mm512_cmplt_epu32_mask(_mm512_loadu_si512(positions),
                                                         _mm512_set1_epi32((int)end)));
}

static inline void copy(uint8_t *to, const uint8_t *from, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i += 64) {
        _mm512_storeu_si512(to + i, _mm512_loadu_si512(from + i));
    }
}

/* Store eight pairs of row and column. */
static inline void put_points(uint64_t *to, __m512i row, __m512i columns)
{
    const __m512i low = _mm512_setr_epi64(0, 8, 0, 9, 0, 10, 0, 11);
    const __m512i high = _mm512_setr_epi64(0, 12, 0, 13, 0, 14, 0, 15);

    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(row, low, columns));
    _mm512_storeu_si512(to + 8, _mm512_permutex2var_epi64(row, high, columns));
}

static inline void put_places(const stoa_rows_out *out, uint64_t to, const uint32_t *at,
                              uint64_t row, uint64_t shift, stoa_place_form form)
{
    const __m512i positions = _mm512_loadu_si512(at);

    if (form == STOA_PLACE_INT32) {
        _mm512_storeu_si512((int32_t *)out->places + to,
                            _mm512_add_epi32(positions, _mm512_set1_epi32((int)shift)));
        return;
    }
    const __m512i shifts = _mm512_set1_epi64((long long)shift);
    const __m512i low =
        _mm512_add_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(positions)), shifts);
    const __m512i high =
        _mm512_add_epi64(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(positions, 1)), shifts);
    if (form == STOA_PLACE_INT64) {
        _mm512_storeu_si512((int64_t *)out->places + to, low);
        _mm512_storeu_si512((int64_t *)out->places + to + 8, high);
    } else {
        const __m512i rows = _mm512_set1_epi64((long long)row);
        put_points((uint64_t *)out->places + 2 * to, rows, low);
        put_points((uint64_t *)out->places + 2 * to + 16, rows, high);
    }
}

#include "sparse/points/rows_put_body.h"

void stoa_put_row_avx512(stoa_row_cursor *cursors, size_t n, stoa_row_target *row)
{
    put_row(cursors, n, row);
}
