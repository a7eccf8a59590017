/*
 * Strings without the NULs that end them, for each instruction set: what stands between Arkouda's
 * bytes and Arrow's (Arkouda notes §F.1). All give the same bytes.
 */
#ifndef STOA_LAYOUT_ARKOUDA_DROP_H
#define STOA_LAYOUT_ARKOUDA_DROP_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Bytes behind the strings that are read, and behind their copies that are written over. */
#define STOA_ARKOUDA_SLACK 64

/*
 * Copy n strings, each of which ends with a NUL, without these.
 *
 * @param bytes   from the first of them on
 * @param starts  n + 1 of them, ascending; the differences alone matter
 * @return how many NULs there are: n, unless some lie inside of strings; then what was copied is
 *         worth nothing
 */
typedef uint64_t stoa_arkouda_drop(const uint8_t *bytes, const int64_t *starts, uint64_t n,
                                   uint8_t *out);

stoa_arkouda_drop *stoa_arkouda_drop_of(stoa_simd simd);

/* One of each instruction set. */
extern stoa_arkouda_drop stoa_arkouda_drop_scalar;
extern stoa_arkouda_drop stoa_arkouda_drop_avx2;
extern stoa_arkouda_drop stoa_arkouda_drop_avx512;

#endif
