/* Which instructions kernels may use, for src/core/cpu.c */
#include <stdlib.h>

#include "core/cpu.h"
#include "support/check.h"

/* With STOA_SIMD as it is set, or NULL. */
static stoa_simd with(const char *name)
{
    if (name != NULL) {
        CHECK(setenv("STOA_SIMD", name, 1) == 0);
    } else {
        CHECK(unsetenv("STOA_SIMD") == 0);
    }
    return stoa_simd_of_cpu();
}

static void a_lesser_set_can_be_named_and_no_greater_one(void)
{
    const stoa_simd best = with(NULL);

    CHECK_U64(with("scalar"), STOA_SIMD_SCALAR);
    CHECK_U64(with("avx2"), best < STOA_SIMD_AVX2 ? best : STOA_SIMD_AVX2);
    CHECK_U64(with("avx512"), best);
    CHECK_U64(with("neon"), best);
    CHECK_U64(with(""), best);
    CHECK_U64(with(NULL), best);
}

static void a_set_is_used_if_the_processor_has_all_of_it(void)
{
    const stoa_simd best = with(NULL);

#if defined(__x86_64__)
    __builtin_cpu_init();
    CHECK(best < STOA_SIMD_AVX2 ||
          (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")));
    CHECK(best < STOA_SIMD_AVX512 || __builtin_cpu_supports("avx512vbmi2"));
    CHECK(best >= STOA_SIMD_AVX2 || !__builtin_cpu_supports("avx512vbmi2"));
#elif defined(__aarch64__)
    CHECK_U64(best, STOA_SIMD_NEON);
#else
    CHECK_U64(best, STOA_SIMD_SCALAR);
#endif
}

TEST_MAIN(TEST(a_lesser_set_can_be_named_and_no_greater_one),
          TEST(a_set_is_used_if_the_processor_has_all_of_it))
