/*
 * Clip elements of a matrix with AVX2, eight at once. As with AVX-512, the column of each element
 * determines whether it is kept, and its row is computed by a division in double precision.
 */
#include <immintrin.h>

#include "core/set_bits_avx2.h"
#include "sparse/store/clip_rows.h"

enum { LANES = 8 };

/* Constants of rows and of the kept columns. */
typedef struct columns {
    __m256d factor; /* 1 / width */
    __m256i width;
    __m256i start;
    __m256i count;
} columns;

static inline __m128i rows_of(const columns *c, __m128i positions)
{
    const __m256d middle = _mm256_add_pd(_mm256_cvtepi32_pd(positions), _mm256_set1_pd(0.5));

    return _mm256_cvttpd_epi32(_mm256_mul_pd(middle, c->factor));
}

/* A bit an element. */
static inline unsigned are_kept(const columns *c, __m256i positions)
{
    const __m256i rows = _mm256_set_m128i(rows_of(c, _mm256_extracti128_si256(positions, 1)),
                                          rows_of(c, _mm256_castsi256_si128(positions)));
    const __m256i column = _mm256_sub_epi32(positions, _mm256_mullo_epi32(rows, c->width));
    const __m256i at = _mm256_sub_epi32(column, c->start);
    const __m256i are_not = _mm256_cmpeq_epi32(_mm256_max_epu32(at, c->count), at);

    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(are_not)) ^ 0xff;
}

/* Move the kept ones of eight 32-bit words to the front. */
static inline __m256i compress(__m256i words, unsigned kept)
{
    return _mm256_permutevar8x32_epi32(words, stoa_lanes_of_bits(kept));
}

/* Compress values in place. Whole vectors are stored, over values that have been read already. */
static inline void move_values(uint8_t *to, const uint8_t *from, unsigned kept, size_t size)
{
    const __m256i low = _mm256_loadu_si256((const void *)from);

    if (size == 4) {
        _mm256_storeu_si256((void *)to, compress(low, kept));
    } else { /* two words each */
        const __m256i high = _mm256_loadu_si256((const void *)(from + 32));
        const uint64_t words = _pdep_u64(kept, 0x5555) * 3;
        _mm256_storeu_si256((void *)to, compress(low, words & 0xff));
        to += (size_t)_mm_popcnt_u32(kept & 0xf) * 8;
        _mm256_storeu_si256((void *)to, compress(high, (unsigned)(words >> 8)));
    }
}

/* Keep elements, with a value size known at compile time. `*first` becomes the next element to
 * process. */
static inline size_t keep(const columns *c, size_t size, const stoa_sparse_chunk *chunk,
                          size_t *first, size_t end, stoa_sparse_chunk *to)
{
    const uint32_t *positions = chunk->positions;
    const uint8_t *values = chunk->values;
    uint32_t *to_positions = to->positions;
    uint8_t *to_values = to->values;
    size_t i = *first;
    size_t n = 0;

    for (; end - i >= LANES; i += LANES) {
        const __m256i some = _mm256_loadu_si256((const void *)(positions + i));
        const unsigned kept = are_kept(c, some);
        _mm256_storeu_si256((void *)(to_positions + n), compress(some, kept));
        if (size > 0) {
            move_values(to_values + n * size, values + i * size, kept, size);
        }
        n += (unsigned)_mm_popcnt_u32(kept);
    }
    *first = i;
    return n;
}

size_t stoa_clip_rows_avx2(const stoa_shape *shape, const stoa_box *part, size_t value_size,
                           const stoa_sparse_chunk *chunk, size_t first, size_t end,
                           stoa_sparse_chunk *to)
{
    size_t n = 0;

    if (shape->rank == 2 && shape->n_elements <= INT32_MAX &&
        (value_size == 0 || value_size == 4 || value_size == 8)) {
        const columns c = {.factor = _mm256_set1_pd(1.0 / (double)shape->chunk[1]),
                           .width = _mm256_set1_epi32((int)shape->chunk[1]),
                           .start = _mm256_set1_epi32((int)part->start[1]),
                           .count = _mm256_set1_epi32((int)part->count[1])};
        n = value_size == 0   ? keep(&c, 0, chunk, &first, end, to)
            : value_size == 4 ? keep(&c, 4, chunk, &first, end, to)
                              : keep(&c, 8, chunk, &first, end, to);
    }
    stoa_sparse_chunk rest = {.positions = to->positions + n,
                              .values = value_size > 0 ? to->values + n * value_size : NULL};
    return n + stoa_clip_rows_scalar(shape, part, value_size, chunk, first, end, &rest);
}
