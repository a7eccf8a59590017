/* Points one after the other; and which way a processor has. */
#include "sparse/points_tuples.h"

/* Most points are in the chunk of the one before: then nothing is divided. */
void stoa_tuples_locate_scalar(const stoa_shape *shape, const uint64_t *tuples, size_t n,
                               stoa_point_runs *runs, uint32_t *places)
{
    const unsigned rank = shape->rank;
    const uint64_t *at = tuples;
    uint64_t offset[H5S_MAX_RANK];
    uint64_t number = 0;

    for (size_t i = 0; i < n; i++, at += rank) {
        uint64_t position = 0;
        bool is_same = i > 0;
        for (unsigned j = 0; is_same && j < rank; j++) {
            const uint64_t local = at[j] - offset[j];
            is_same = local < shape->chunk[j];
            position = position * shape->chunk[j] + local;
        }
        if (!is_same) {
            number = stoa_shape_locate(shape, at, &position);
            stoa_shape_offset(shape, number, offset);
        }
        stoa_point_runs_add(runs, number, 1);
        places[i] = (uint32_t)position;
    }
}

stoa_tuples_locate *stoa_tuples_locate_of(stoa_simd simd)
{
#if defined(__x86_64__)
    if (simd == STOA_SIMD_AVX512) {
        return stoa_tuples_locate_avx512;
    }
#endif
    (void)simd;
    return stoa_tuples_locate_scalar;
}
