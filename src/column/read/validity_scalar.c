/* Validity mask kernels without special instructions, and the choice of instruction set. */
#include <string.h>

#include "column/read/validity_loops.h"

#define IS_NAN_2(value) (((value)&0x7fffu) > 0x7c00u)
#define IS_NAN_4(value) (((value)&0x7fffffffu) > 0x7f800000u)
#define IS_NAN_8(value) (((value)&UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000))

/* Define a kernel: eight elements make a byte, and marked elements are counted. */
#define DEFINE_MARK(name, parameters, type, is_marked)                                             \
    static uint64_t name parameters                                                                \
    {                                                                                              \
        const type *values = elements;                                                             \
        uint64_t n_marked = 0;                                                                     \
        for (uint64_t i = 0; i < n; i += 8) {                                                      \
            const uint64_t left = n - i < 8 ? n - i : 8;                                           \
            unsigned byte = 0;                                                                     \
            for (unsigned k = 0; k < left; k++) {                                                  \
                const type value = values[i + k];                                                  \
                const unsigned marked = (is_marked);                                               \
                byte |= (marked ^ 1u) << k;                                                        \
                n_marked += marked;                                                                \
            }                                                                                      \
            bits[i >> 3] = (uint8_t)byte;                                                          \
        }                                                                                          \
        return n_marked;                                                                           \
    }

#define UNEQUAL (const void *elements, uint64_t n, uint64_t marker, uint8_t *bits)
#define NUMBERS (const void *elements, uint64_t n, uint8_t *bits)

DEFINE_MARK(unequal_1, UNEQUAL, uint8_t, value == (uint8_t)marker)
DEFINE_MARK(unequal_2, UNEQUAL, uint16_t, value == (uint16_t)marker)
DEFINE_MARK(unequal_4, UNEQUAL, uint32_t, value == (uint32_t)marker)
DEFINE_MARK(unequal_8, UNEQUAL, uint64_t, value == marker)
DEFINE_MARK(numbers_2, NUMBERS, uint16_t, IS_NAN_2(value))
DEFINE_MARK(numbers_4, NUMBERS, uint32_t, IS_NAN_4(value))
DEFINE_MARK(numbers_8, NUMBERS, uint64_t, IS_NAN_8(value))

DEFINE_BELOW(below_1, uint8_t)
DEFINE_BELOW(below_2, uint16_t)
DEFINE_BELOW(below_4, uint32_t)
DEFINE_BELOW(below_8, uint64_t)

const stoa_validity_kernels stoa_validity_kernels_scalar = STOA_VALIDITY_TABLE;

const stoa_validity_kernels *stoa_validity_kernels_of(stoa_simd simd)
{
    return STOA_SIMD_OF(simd, &stoa_validity_kernels);
}
