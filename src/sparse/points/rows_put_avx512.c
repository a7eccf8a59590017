/*
 * Write the entries of a row with AVX-512. Sixteen entries are copied, and only those in the row
 * are counted; the next ones overwrite the rest. Entries are written one by one where the output
 * belongs to another thread, or where the chunk has fewer than sixteen left.
 */
#include <immintrin.h>

#include "sparse/points/rows_put.h"

enum { LANES = 16 };

static inline void copy(uint8_t *to, const uint8_t *from, size_t n_vectors)
{
    for (size_t i = 0; i < n_vectors; i++) {
        _mm512_storeu_si512(to + i * 64, _mm512_loadu_si512(from + i * 64));
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

/* position + shift is the column. */
static inline void put_places(const stoa_rows_out *out, uint64_t to, __m512i positions,
                              uint64_t row, uint64_t shift, stoa_place_form form)
{
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

/* Prefetch the next row of a chunk, which may be as long as this one. It is used only after all
 * other chunks, and hardware prefetchers do not follow so many streams. */
static inline void want(const uint32_t *positions, const uint8_t *values, size_t n, size_t size)
{
    /* Its first entries have been loaded already, and a short row has no others. */
    for (size_t i = LANES; n >= LANES && i <= LANES + n; i += LANES) {
        _mm_prefetch((const void *)((uintptr_t)positions + i * sizeof *positions), _MM_HINT_T0);
        for (size_t k = 0; k < LANES * size; k += 64) {
            _mm_prefetch((const void *)((uintptr_t)values + i * size + k), _MM_HINT_T0);
        }
    }
}

/* Write the row with form and value size known at compile time. */
static inline void put_cursors(stoa_row_cursor *cursors, size_t n, stoa_row_target *row,
                               stoa_place_form form, size_t size)
{
    const stoa_rows_out out = *row->out;
    const __m512i end = _mm512_set1_epi32((int)row->end);
    uint64_t to = row->to;

    for (size_t i = 0; i < n; i++) {
        stoa_row_cursor *c = &cursors[i];
        const uint32_t *at = c->positions;
        const uint8_t *values = c->values;
        unsigned n_put = LANES;
        while (n_put == LANES && c->end - at >= LANES && row->limit - to >= LANES) {
            const __m512i positions = _mm512_loadu_si512(at);
            n_put = _tzcnt_u32(~(uint32_t)_mm512_cmplt_epu32_mask(positions, end));
            put_places(&out, to, positions, row->row, c->column - row->begin, form);
            if (size > 0) {
                copy(out.values + to * size, values, size / 4);
            }
            at += n_put;
            values += n_put * size;
            to += n_put;
        }
        want(at, values, (size_t)(at - c->positions), size);
        c->positions = at;
        c->values = values;
        if (n_put == LANES) { /* the row may continue */
            row->to = to;
            stoa_put_row_scalar(c, 1, row);
            to = row->to;
        }
    }
    row->to = to;
}

static inline void put_form(stoa_row_cursor *cursors, size_t n, stoa_row_target *row,
                            stoa_place_form form)
{
    switch (row->out->size) {
    case 0:
        put_cursors(cursors, n, row, form, 0);
        break;
    case 4:
        put_cursors(cursors, n, row, form, 4);
        break;
    case 8:
        put_cursors(cursors, n, row, form, 8);
        break;
    default:
        stoa_put_row_scalar(cursors, n, row);
        break;
    }
}

void stoa_put_row_avx512(stoa_row_cursor *cursors, size_t n, stoa_row_target *row)
{
    switch (row->out->form) {
    case STOA_PLACE_INT32:
        put_form(cursors, n, row, STOA_PLACE_INT32);
        break;
    case STOA_PLACE_INT64:
        put_form(cursors, n, row, STOA_PLACE_INT64);
        break;
    default:
        put_form(cursors, n, row, STOA_PLACE_POINT);
        break;
    }
}
