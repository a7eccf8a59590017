/*
 * Which instructions this processor has, so that each table of kernels is chosen once.
 *
 * A concept with kernels has one struct of function pointers and a file for each instruction set,
 * `<concept>_scalar.c`, `<concept>_avx2.c`, `<concept>_avx512.c`; all give the same bits.
 */
#ifndef STOA_CORE_CPU_H
#define STOA_CORE_CPU_H

typedef enum stoa_simd {
    STOA_SIMD_SCALAR,
    STOA_SIMD_AVX2,  /* and BMI1, BMI2 */
    STOA_SIMD_AVX512 /* F, BW, DQ, VL, VBMI, VBMI2, GFNI: Ice Lake, Zen 4 and later */
} stoa_simd;

/* The best set of this processor, or a lesser one that the environment variable STOA_SIMD names
 * (scalar, avx2, avx512): it is how tests compare them. */
stoa_simd stoa_simd_of_cpu(void);

/* Of a kernel that is one function, `name_scalar` and `name_avx512`: the one for a processor. */
#if defined(__x86_64__)
#define STOA_KERNEL_OF(simd, name) ((simd) == STOA_SIMD_AVX512 ? name##_avx512 : name##_scalar)
#else
#define STOA_KERNEL_OF(simd, name) ((void)(simd), name##_scalar)
#endif

#endif
