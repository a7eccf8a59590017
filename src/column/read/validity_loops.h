/* Kernels of validity.h that the compiler vectorizes for each instruction set, and the table of
 * kernels. */
#ifndef STOA_COLUMN_VALIDITY_LOOPS_H
#define STOA_COLUMN_VALIDITY_LOOPS_H

#include "column/read/validity.h"

#define DEFINE_BELOW(name, type)                                                                   \
    static bool name(const void *elements, uint64_t n, uint64_t limit)                             \
    {                                                                                              \
        const type *values = elements;                                                             \
        type largest = 0;                                                                          \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            largest = values[i] > largest ? values[i] : largest;                                   \
        }                                                                                          \
        return n == 0 || largest < limit;                                                          \
    }

/* The table, for a file that defines all kernels by these names. */
#define STOA_VALIDITY_TABLE                                                                        \
    {                                                                                              \
        .unequal = {unequal_1, unequal_2, unequal_4, unequal_8},                                   \
        .numbers = {NULL, numbers_2, numbers_4, numbers_8},                                        \
        .below = {below_1, below_2, below_4, below_8},                                             \
    }

#endif
