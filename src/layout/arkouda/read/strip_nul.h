/* Removes the NULs that end Arkouda's strings, to get Arrow's bytes (Arkouda notes §F.1). There is
 * one version per instruction set, and all give the same bytes. */
#ifndef STOA_LAYOUT_ARKOUDA_STRIP_NUL_H
#define STOA_LAYOUT_ARKOUDA_STRIP_NUL_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Bytes past the strings that may be read, and past their copies that may be overwritten. */
#define STOA_ARKOUDA_SLACK 64

/*
 * Copy n NUL-terminated strings without their NULs.
 *
 * @param bytes   of the first string
 * @param starts  n + 1 ascending offsets; only the differences matter
 * @return the number of NULs; n unless some string contains one, in which case the copy is invalid
 */
typedef uint64_t stoa_arkouda_strip_nul(const uint8_t *bytes, const int64_t *starts, uint64_t n,
                                        uint8_t *out);

stoa_arkouda_strip_nul *stoa_arkouda_strip_nul_of(stoa_simd simd);

/* One for each instruction set. */
extern stoa_arkouda_strip_nul stoa_arkouda_strip_nul_scalar;
extern stoa_arkouda_strip_nul stoa_arkouda_strip_nul_avx2;
extern stoa_arkouda_strip_nul stoa_arkouda_strip_nul_avx512;

#endif
