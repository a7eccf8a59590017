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
#elif defined(__aarch64__)
    return STOA_SIMD_NEON;
#endif
    return STOA_SIMD_SCALAR;
}

stoa_simd stoa_simd_of_cpu(void)
{
    static const struct {
        const char *name;
        stoa_simd simd;
    } lesser[] = {{"scalar", STOA_SIMD_SCALAR}, {"avx2", STOA_SIMD_AVX2}};
    const char *wanted = getenv("STOA_SIMD");
    const stoa_simd has = best();

    for (size_t i = 0; wanted != NULL && i < sizeof lesser / sizeof *lesser; i++) {
        if (lesser[i].simd < has && strcmp(wanted, lesser[i].name) == 0) {
            return lesser[i].simd;
        }
    }
    return has;
}
