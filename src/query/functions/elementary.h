/*
 * Exponentials, logarithms, powers, roots and angles of vectors.
 *
 * SLEEF computes them if the system has it (libsleef.so.3), several times as fast as the C library.
 * Its deterministic functions give the same bits on every instruction set, within one unit in the
 * last place. Otherwise the C library computes them.
 */
#ifndef STOA_QUERY_FUNCTIONS_ELEMENTARY_H
#define STOA_QUERY_FUNCTIONS_ELEMENTARY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cpu.h"

typedef enum stoa_elementary {
    STOA_ACOS,
    STOA_ASIN,
    STOA_ATAN,
    STOA_CBRT,
    STOA_COS,
    STOA_COSH,
    STOA_EXP,
    STOA_LN,
    STOA_LOG10,
    STOA_LOG2,
    STOA_SIN,
    STOA_SINH,
    STOA_TAN,
    STOA_TANH,
    STOA_N_OF_ONE, /* those above take one argument, those below two */
    STOA_ATAN2 = STOA_N_OF_ONE,
    STOA_POW,
    STOA_N_ELEMENTARY
} stoa_elementary;

/*
 * Compute a function of n values.
 *
 * @param x, y   n values each, or one for all of them if x_step or y_step is 0; 1 otherwise. y is
 *               for functions of two arguments.
 * @param[out] to  n values
 */
void stoa_elementary_values(stoa_simd simd, stoa_elementary function, const double *x,
                            int64_t x_step, const double *y, int64_t y_step, int64_t n, double *to);

/* Whether SLEEF computes them on that instruction set. */
bool stoa_elementary_is_fast(stoa_simd simd);

#endif
