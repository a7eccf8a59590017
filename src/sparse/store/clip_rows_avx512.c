/*
 * Clip elements of a matrix with AVX-512, sixteen at once. The column of each element determines
 * whether it is kept, and the kept ones are compressed. The row of a position is computed by a
 * division in double precision. It is exact for all 32-bit positions, because the distance of the
 * quotient to the next integer exceeds the rounding error.
 */
#include <immintrin.h>

#include "sparse/store/clip_rows.h"

enum { LANES = 16 };

/* Constants of rows and of the kept columns. */
typedef struct columns {
    __m512d factor; /* 1 / width */
    __m512i width;
    __m512i start;
    __m512i count;
} columns;

static inline __m256i rows_of(const columns *c, __m256i positions)
{
    const __m512d middle = _mm512_add_pd(_mm512_cvtepu32_pd(positions), _mm512_set1_pd(0.5));

    return _mm512_cvttpd_epu32(_mm512_mul_pd(middle, c->factor));
}

static inline __mmask16 are_kept(const columns *c, __m512i positions)
{
    const __m256i low = rows_of(c, _mm512_castsi512_si256(positions));
    const __m256i high = rows_of(c, _mm512_extracti64x4_epi64(positions, 1));
    const __m512i rows = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    const __m512i column = _mm512_sub_epi32(positions, _mm512_mullo_epi32(rows, c->width));

    return _mm512_cmplt_epu32_mask(_mm512_sub_epi32(column, c->start), c->count);
}

/* Compress values in place. Whole vectors are stored, over values that have been read already. */
static inline void move_values(uint8_t *to, const uint8_t *from, __mmask16 kept, size_t size)
{
    if (size == 4) {
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(kept, _mm512_loadu_si512(from)));
    } else if (size == 8) {
        const __m512i low = _mm512_loadu_si512(from);
        const __m512i high = _mm512_loadu_si512(from + 64);
        const unsigned n_low = (unsigned)_mm_popcnt_u32(kept & 0xff);
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi64((__mmask8)kept, low));
        _mm512_storeu_si512(to + (size_t)n_low * 8,
                            _mm512_maskz_compress_epi64((__mmask8)(kept >> 8), high));
    }
}

/* Keep elements, with a value size known at compile time. `*first` becomes the next element to
 * process. */
static inline size_t keep(const columns *c, size_t size, const stoa_sparse_chunk *chunk,
                          size_t *first, size_t end, stoa_sparse_chunk *to)
{
    size_t i = *first;
    size_t n = 0;

    for (; end - i >= LANES; i += LANES) {
        const __m512i positions = _mm512_loadu_si512(chunk->positions + i);
        const __mmask16 kept = are_kept(c, positions);
        /* Count immediately. If gcc 12 spills the mask across a call (of ThreadSanitizer), it saves
         * 16 bits and then counts 32. */
        const unsigned n_kept = (unsigned)_mm_popcnt_u32(kept);
        _mm512_storeu_si512(to->positions + n, _mm512_maskz_compress_epi32(kept, positions));
        if (size > 0) {
            move_values(to->values + n * size, chunk->values + i * size, kept, size);
        }
        n += n_kept;
    }
    *first = i;
    return n;
}

size_t stoa_clip_rows_avx512(const stoa_shape *shape, const stoa_box *part, size_t value_size,
                             const stoa_sparse_chunk *chunk, size_t first, size_t end,
                             stoa_sparse_chunk *to)
{
    size_t n = 0;

    if (shape->rank == 2 && (value_size == 0 || value_size == 4 || value_size == 8)) {
        const columns c = {.factor = _mm512_set1_pd(1.0 / (double)shape->chunk[1]),
                           .width = _mm512_set1_epi32((int)shape->chunk[1]),
                           .start = _mm512_set1_epi32((int)part->start[1]),
                           .count = _mm512_set1_epi32((int)part->count[1])};
        n = value_size == 0   ? keep(&c, 0, chunk, &first, end, to)
            : value_size == 4 ? keep(&c, 4, chunk, &first, end, to)
                              : keep(&c, 8, chunk, &first, end, to);
    }
    stoa_sparse_chunk rest = {.positions = to->positions + n,
                              .values = value_size > 0 ? to->values + n * value_size : NULL};
    return n + stoa_clip_rows_scalar(shape, part, value_size, chunk, first, end, &rest);
}
