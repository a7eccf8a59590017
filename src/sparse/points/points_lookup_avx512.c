/* Look up positions with AVX-512, sixteen at once. The number of matches is unpredictable, so the
 * only branch is on whether all sixteen match. */
#include <immintrin.h>

#include "sparse/points/points_lookup.h"

enum { LANES = 16 };

/* A mask of the first n lanes. */
static inline __mmask16 first(uint32_t n)
{
    return (__mmask16)((UINT32_C(1) << n) - 1);
}

static inline void copy(uint8_t *to, const uint8_t *from, uint32_t n, size_t size)
{
    if (size == 4) {
        _mm512_mask_storeu_epi32(to, first(n), _mm512_maskz_loadu_epi32(first(n), from));
    } else {
        const __mmask8 low = (__mmask8)first(n);
        const __mmask8 high = (__mmask8)(first(n) >> 8);
        _mm512_mask_storeu_epi64(to, low, _mm512_maskz_loadu_epi64(low, from));
        _mm512_mask_storeu_epi64(to + 64, high, _mm512_maskz_loadu_epi64(high, from + 64));
    }
}

/* Copy the values of consecutive elements from the cursor on that match the positions, at most
 * sixteen. Returns their number. */
static inline uint32_t get_some(stoa_chunk_cursor *f, const uint32_t *places, uint32_t n,
                                size_t size, uint8_t *to)
{
    const stoa_sparse_chunk *list = f->list;
    const size_t left = list->n - f->at;
    const uint32_t in_reach = n < left ? n : (uint32_t)left;
    const uint32_t most = in_reach < LANES ? in_reach : LANES;

    if (most == 0) {
        return 0;
    }
    const __m512i there = _mm512_maskz_loadu_epi32(first(most), list->positions + f->at);
    const __m512i wanted = _mm512_maskz_loadu_epi32(first(most), places);
    const uint32_t are_equal =
        _cvtmask16_u32(_mm512_mask_cmpeq_epi32_mask(first(most), there, wanted));
    const uint32_t n_equal = (uint32_t)__builtin_ctz(~are_equal);
    copy(to, list->values + f->at * size, n_equal, size);
    f->last = n_equal > 0 ? places[n_equal - 1] + 1 : f->last; /* at most UINT32_MAX */
    f->at += n_equal;
    return n_equal;
}

/* Look up with a value size known at compile time. */
static inline void get(stoa_chunk_cursor *f, const uint32_t *places, uint32_t n, size_t size,
                       const uint8_t *fill, uint8_t *to)
{
    for (uint32_t i = 0; i < n;) {
        const uint32_t some = get_some(f, places + i, n - i, size, to + i * size);
        i += some;
        if (some < LANES && i < n) {
            stoa_chunk_cursor_find(f, places[i], size, fill, to + i * size);
            i++;
        }
    }
    stoa_chunk_cursor_leave(f, size);
}

void stoa_chunk_cursor_get_avx512(stoa_chunk_cursor *finger, const uint32_t *places, uint32_t n,
                                  size_t size, const uint8_t *fill, uint8_t *to)
{
    if (size == 4) {
        get(finger, places, n, 4, fill, to);
    } else if (size == 8) {
        get(finger, places, n, 8, fill, to);
    } else {
        stoa_chunk_cursor_get_scalar(finger, places, n, size, fill, to);
    }
}
