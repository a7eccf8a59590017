/*
 * A row's entries with AVX-512: sixteen are copied, and those count that are in the row. The others
 * are written over by what comes next; where that is not this thread's, or the chunk has no sixteen
 * left, they are taken one by one.
 */
#include <immintrin.h>

#include "sparse/matrix_put.h"

enum { LANES = 16 };

static inline void copy(uint8_t *to, const uint8_t *from, size_t n_vectors)
{
    for (size_t i = 0; i < n_vectors; i++) {
        _mm512_storeu_si512(to + i * 64, _mm512_loadu_si512(from + i * 64));
    }
}

static inline void put_indices(const stoa_row_target *r, __m512i positions, unsigned index_size)
{
    if (index_size == 4) {
        _mm512_storeu_si512((int32_t *)r->out->indices + r->to,
                            _mm512_add_epi32(positions, _mm512_set1_epi32((int)r->shift)));
    } else {
        const __m512i shift = _mm512_set1_epi64((long long)r->shift);
        int64_t *to = (int64_t *)r->out->indices + r->to;
        const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(positions));
        const __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(positions, 1));
        _mm512_storeu_si512(to, _mm512_add_epi64(low, shift));
        _mm512_storeu_si512(to + 8, _mm512_add_epi64(high, shift));
    }
}

/* Whether the row goes on behind what was put. */
static inline bool put_vectors(stoa_row_cursor *c, stoa_row_target *r, unsigned index_size,
                               size_t size)
{
    const __m512i end = _mm512_set1_epi32((int)r->end);
    unsigned n = LANES;

    while (n == LANES && c->end - c->positions >= LANES && r->limit - r->to >= LANES) {
        const __m512i positions = _mm512_loadu_si512(c->positions);
        n = _tzcnt_u32(~(uint32_t)_mm512_cmplt_epu32_mask(positions, end));
        put_indices(r, positions, index_size);
        copy(r->out->values + r->to * size, c->values, size / 4);
        c->positions += n;
        c->values += n * size;
        r->to += n;
    }
    return n == LANES;
}

void stoa_put_row_avx512(stoa_row_cursor *cursor, stoa_row_target *row)
{
    const size_t size = row->out->size;
    bool goes_on = true;

    if (size == 4) {
        goes_on = row->out->index_size == 4 ? put_vectors(cursor, row, 4, 4)
                                            : put_vectors(cursor, row, 8, 4);
    } else if (size == 8) {
        goes_on = row->out->index_size == 4 ? put_vectors(cursor, row, 4, 8)
                                            : put_vectors(cursor, row, 8, 8);
    }
    if (goes_on) {
        stoa_put_row_scalar(cursor, row);
    }
}
