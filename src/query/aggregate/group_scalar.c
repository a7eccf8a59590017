/* Group kernels in plain C, the reference for the others. */
#include "query/aggregate/group_kernels.h"

static uint64_t unknown(const uint32_t *numbers, const uint64_t *set)
{
    uint64_t bits = 0;

    for (int i = 0; i < 64; i++) {
        bits |= (~set[numbers[i] / 64] >> (numbers[i] % 64) & 1) << i;
    }
    return bits;
}

#include "query/aggregate/group_loops.h"

const stoa_group_kernels stoa_group_kernels_scalar = STOA_GROUP_KERNELS;

const stoa_group_kernels *stoa_group_kernels_of(stoa_simd simd)
{
    return STOA_SIMD_OF_X86(simd, &stoa_group_kernels);
}
