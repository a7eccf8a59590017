/*
 * Which instructions this processor has, so that each table of kernels is chosen once.
 *
 * A concept with kernels has one struct of function pointers and a file for each instruction set,
 * `<concept>_scalar.c`, `<concept>_avx2.c`, `<concept>_avx512.c`, `<concept>_neon.c`; all give the
 * same bits. Where they do the same, its body is one header, `<concept>_body.h`, in the words of
 * core/simd_<set>.h.
 */
#ifndef STOA_CORE_CPU_H
#define STOA_CORE_CPU_H

/* A processor's sets are in their order; those of others it has not. */
typedef enum stoa_simd {
    STOA_SIMD_SCALAR,
    STOA_SIMD_NEON,   /* what every arm64 has */
    STOA_SIMD_AVX2,   /* and BMI1, BMI2 */
    STOA_SIMD_AVX512, /* F, BW, DQ, VL, VBMI, VBMI2, GFNI: Ice Lake, Zen 4 and later */
    STOA_N_SIMD
} stoa_simd;

/* The best set of this processor, or a lesser one that the environment variable STOA_SIMD names
 * (scalar, avx2): it is how tests compare them. */
stoa_simd stoa_simd_of_cpu(void);

/* Of name_scalar, name_avx2, name_avx512 and name_neon that of a set; OF_X86 where arm64 has none
 * of its own, KERNEL_OF where there is one for AVX-512 alone. */
#if defined(__x86_64__)
#define STOA_KERNEL_OF(simd, name) ((simd) == STOA_SIMD_AVX512 ? name##_avx512 : name##_scalar)
#define STOA_SIMD_OF_X86(simd, name)                                                               \
    ((simd) == STOA_SIMD_AVX2 ? name##_avx2 : STOA_KERNEL_OF(simd, name))
#define STOA_SIMD_OF STOA_SIMD_OF_X86
#else
#define STOA_KERNEL_OF(simd, name) ((void)(simd), name##_scalar)
#define STOA_SIMD_OF_X86 STOA_KERNEL_OF
#if defined(__aarch64__)
#define STOA_SIMD_OF(simd, name) ((simd) == STOA_SIMD_NEON ? name##_neon : name##_scalar)
#else
#define STOA_SIMD_OF STOA_KERNEL_OF
#endif
#endif

#endif
