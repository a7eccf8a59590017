/*
 * Locate points with AVX-512, eight at once, without branches that depend on them. Coordinates are
 * divided in double precision. Below 2^50 that is exact, because the distance of the quotient plus
 * one half to the next integer exceeds the rounding error. Chunk numbers must be below 2^50 too,
 * and positions are below 2^32.
 */
#include <immintrin.h>

#include "sparse/points/points_tuples.h"

enum { LANES = 8 };

static const double most_exact = 0x1p50;

/* Constants of one dimension. */
typedef struct axis {
    __m512d factor; /* 1 / width */
    __m512d width;  /* of a chunk */
    __m512d grid;
} axis;

/* Set up the axes. Returns whether double precision suffices. */
static bool get_axes(const stoa_shape *shape, axis *axes)
{
    double n_chunks = 1;

    for (unsigned i = 0; i < shape->rank; i++) {
        n_chunks *= (double)shape->grid[i];
        if ((double)shape->extent[i] > most_exact || n_chunks > most_exact) {
            return false;
        }
        axes[i].factor = _mm512_set1_pd(1.0 / (double)shape->chunk[i]);
        axes[i].width = _mm512_set1_pd((double)shape->chunk[i]);
        axes[i].grid = _mm512_set1_pd((double)shape->grid[i]);
    }
    return true;
}

/* Coordinate j of eight points. */
static inline __m512i column(const uint64_t *tuples, unsigned rank, unsigned j)
{
    if (rank == 1) {
        return _mm512_loadu_si512(tuples);
    }
    if (rank == 2) {
        const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        const __m512i which = _mm512_add_epi64(even, _mm512_set1_epi64(j));
        return _mm512_permutex2var_epi64(_mm512_loadu_si512(tuples), which,
                                         _mm512_loadu_si512(tuples + LANES));
    }
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_i64gather_epi64(_mm512_mullo_epi64(lanes, _mm512_set1_epi64(rank)), tuples + j,
                                  8);
}

/* The chunks of eight points, and their positions in these. */
static inline __m512i locate(const axis *axes, unsigned rank, const uint64_t *tuples,
                             __m256i *places)
{
    __m512d number = _mm512_setzero_pd();
    __m512d place = _mm512_setzero_pd();

    for (unsigned j = 0; j < rank; j++) {
        const axis *a = &axes[j];
        const __m512d at = _mm512_cvtepu64_pd(column(tuples, rank, j));
        const __m512d middle = _mm512_add_pd(at, _mm512_set1_pd(0.5));
        const __m512d chunk = _mm512_roundscale_pd(_mm512_mul_pd(middle, a->factor),
                                                   _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
        number = _mm512_fmadd_pd(number, a->grid, chunk);
        place = _mm512_fmadd_pd(place, a->width, _mm512_fnmadd_pd(chunk, a->width, at));
    }
    *places = _mm512_cvttpd_epu32(place);
    return _mm512_cvttpd_epu64(number);
}

/* Store numbers and first points of the runs that begin among eight points, compressed to the
 * front. Whole vectors are stored; there is space for one run per point. */
static inline void put_runs(stoa_point_run *to, __mmask8 begin, __m512i numbers, __m512i points)
{
    const __m512i n = _mm512_maskz_compress_epi64(begin, numbers);
    const __m512i at = _mm512_maskz_compress_epi64(begin, points);
    const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);

    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(n, low, at));
    _mm512_storeu_si512(to + LANES / 2, _mm512_permutex2var_epi64(n, high, at));
}

/* Find runs with a rank known at compile time. They are returned with their first point instead of
 * a length. Returns their number. */
static inline size_t find_runs(const axis *axes, unsigned rank, const uint64_t *tuples, size_t n,
                               uint64_t before, stoa_point_run *runs, uint32_t *places)
{
    __m512i last = _mm512_set1_epi64((long long)before);
    __m512i points = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    size_t n_runs = 0;

    for (size_t i = 0; i + LANES <= n; i += LANES) {
        __m256i in_chunks;
        const __m512i numbers = locate(axes, rank, tuples + i * rank, &in_chunks);
        const __m512i ones_before = _mm512_alignr_epi64(numbers, last, LANES - 1);
        const __mmask8 begin = _mm512_cmpneq_epu64_mask(numbers, ones_before);
        const unsigned n_begin = (unsigned)_mm_popcnt_u32(begin);
        put_runs(runs + n_runs, begin, numbers, points);
        _mm256_storeu_si256((__m256i *)(void *)(places + i), in_chunks);
        n_runs += n_begin;
        last = numbers;
        points = _mm512_add_epi64(points, _mm512_set1_epi64(LANES));
    }
    return n_runs;
}

void stoa_tuples_locate_avx512(const stoa_shape *shape, const uint64_t *tuples, size_t n,
                               stoa_point_runs *runs, uint32_t *places)
{
    const unsigned rank = shape->rank;
    const size_t whole = n - n % LANES;
    axis axes[H5S_MAX_RANK];
    size_t n_found = 0;

    if (whole == 0 || !get_axes(shape, axes)) {
        stoa_tuples_locate_scalar(shape, tuples, n, runs, places);
        return;
    }
    const bool goes_on = runs->n > 0;
    stoa_point_run *found = runs->runs + runs->n;
    const uint64_t before = goes_on ? found[-1].number : UINT64_MAX; /* no chunk has this number */
    n_found = rank == 1   ? find_runs(axes, 1, tuples, whole, before, found, places)
              : rank == 2 ? find_runs(axes, 2, tuples, whole, before, found, places)
                          : find_runs(axes, rank, tuples, whole, before, found, places);
    if (goes_on) {
        found[-1].n += n_found > 0 ? found[0].n : whole;
    }
    for (size_t i = 0; i < n_found; i++) {
        found[i].n = (i + 1 < n_found ? found[i + 1].n : whole) - found[i].n;
    }
    runs->n += n_found;
    stoa_tuples_locate_scalar(shape, tuples + whole * rank, n - whole, runs, places + whole);
}
