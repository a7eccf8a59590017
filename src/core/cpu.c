/* The instruction sets of this processor. */
#include "core/cpu.h"

#include <stdlib.h>
#include <string.h>

static stoa_simd best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("gfni")) {
        return STOA_SIMD_AVX512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2")) {
        return STOA_SIMD_AVX2;
    }
#endif
    return STOA_SIMD_SCALAR;
}

stoa_simd stoa_simd_of_cpu(void)
{
    static const char *const names[] = {"scalar", "avx2", "avx512"};
    const char *wanted = getenv("STOA_SIMD");
    const stoa_simd has = best();

    for (int i = 0; wanted != NULL && i < (int)has; i++) {
        if (strcmp(wanted, names[i]) == 0) {
            return (stoa_simd)i;
        }
    }
    return has;
}
