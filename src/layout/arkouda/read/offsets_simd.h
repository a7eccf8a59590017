/* Converts offsets, strings and limbs from Arkouda's form to Arrow's (Arkouda notes §E.3, §F).
 * There is one version per instruction set, and all give the same numbers. */
#ifndef STOA_LAYOUT_ARKOUDA_OFFSETS_SIMD_H
#define STOA_LAYOUT_ARKOUDA_OFFSETS_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Bytes past strings that may be read, and past their copies that may be overwritten. */
#define STOA_ARKOUDA_SLACK 64

typedef struct stoa_arkouda_offsets_simd {
    /* Add `base` to all of n offsets, n >= 1. Returns whether they start at 0 or above and never
     * decrease; `base` is added in any case. */
    bool (*rebase)(int64_t *offsets, uint64_t n, uint64_t base);
    /*
     * Whether each of n strings has at least one byte, and ends with a NUL.
     *
     * @param starts  n + 1 offsets; only the differences matter
     * @param bytes   of the first string; as many as ascending offsets say
     */
    bool (*are_ended)(const int64_t *starts, uint64_t n, const uint8_t *bytes);
    /*
     * Copy n NUL-terminated strings without their NULs. STOA_ARKOUDA_SLACK more bytes follow
     * both of `bytes` and `out`.
     *
     * @param bytes   of the first string
     * @param starts  n + 1 ascending offsets; only the differences matter
     * @return the number of NULs; n unless some string contains one, in which case the copy is
     *         invalid
     */
    uint64_t (*strip_nul)(const uint8_t *bytes, const int64_t *starts, uint64_t n, uint8_t *out);
    /* Compute n offsets of Arrow, starting at `first`. `n_nuls` is 1 to leave out one NUL per
     * string, or 0. */
    void (*place_small)(const int64_t *starts, uint64_t n, unsigned n_nuls, int64_t first,
                        int32_t *offsets);
    void (*place_large)(const int64_t *starts, uint64_t n, unsigned n_nuls, int64_t first,
                        int64_t *offsets);
    /*
     * Interleave limbs into big integers, lowest byte first.
     *
     * @param limbs    those of one place after another, `stride` apart
     * @param masks    the bits to keep, one mask per place
     * @param[out] to  n * n_limbs * 8 bytes
     */
    void (*weave)(const uint64_t *limbs, uint64_t stride, size_t n_limbs, const uint64_t *masks,
                  uint64_t n, uint8_t *to);
} stoa_arkouda_offsets_simd;

const stoa_arkouda_offsets_simd *stoa_arkouda_offsets_simd_of(stoa_simd simd);

/* One for each instruction set. */
extern const stoa_arkouda_offsets_simd stoa_arkouda_offsets_simd_scalar;
extern const stoa_arkouda_offsets_simd stoa_arkouda_offsets_simd_avx2;
extern const stoa_arkouda_offsets_simd stoa_arkouda_offsets_simd_avx512;

#endif
