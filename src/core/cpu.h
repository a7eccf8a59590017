/*
 * Detection of the processor's instruction sets. Each kernel table is chosen once.
 *
 * Every set of kernels has one struct of function pointers and one file per instruction set:
 * `<concept>_scalar.c`, `<concept>_avx2.c`, `<concept>_avx512.c`, `<concept>_neon.c`. All of them
 * give bit-identical results. Where the sets share an algorithm, its body is one header,
 * `<concept>_body.h`, written with the operations of core/simd_<set>.h.
 */
#ifndef STOA_CORE_CPU_H
#define STOA_CORE_CPU_H

/* In ascending order within one architecture. A processor never has the sets of another
 * architecture. */
typedef enum stoa_simd {
    STOA_SIMD_SCALAR,
    STOA_SIMD_NEON,   /* every arm64 processor has it */
    STOA_SIMD_AVX2,   /* with BMI1 and BMI2 */
    STOA_SIMD_AVX512, /* F, BW, DQ, VL, VBMI, VBMI2, GFNI: Ice Lake, Zen 4 and later */
    STOA_N_SIMD
} stoa_simd;

/* Return the best instruction set of this processor. The environment variable STOA_SIMD (scalar,
 * avx2) selects a lower one, so that tests can compare them. */
stoa_simd stoa_simd_of_cpu(void);

/*
 * Select name_scalar, name_avx2, name_avx512 or name_neon for an instruction set.
 *
 * - STOA_SIMD_OF: kernels for all sets.
 * - STOA_SIMD_OF_X86: no NEON kernel exists.
 * - STOA_KERNEL_OF: only an AVX-512 kernel exists.
 */
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

/*
 * Compile a static function of plain loops for each instruction set. The loader picks one. The bits
 * are the same, since no multiply is fused with an add. What the loops call must be inlined. The
 * sanitizers do not know such functions, nor do clang 14 and C libraries other than glibc.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && __GNUC__ >= 12 && !defined(__clang__) &&          \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STOA_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define STOA_CLONES
#endif

#endif
