/* An instruction set of this processor, at random. */
#ifndef STOA_TESTS_ANY_SIMD_H
#define STOA_TESTS_ANY_SIMD_H

#include "core/cpu.h"
#include "support/check.h"

static inline stoa_simd any_simd(void)
{
    return (stoa_simd)check_random_below((uint64_t)stoa_simd_of_cpu() + 1);
}

#endif
