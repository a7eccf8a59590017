/*
 * Offsets and limbs, from how Arkouda's files have them to how Arrow does, for each instruction set
 * (Arkouda notes §E.3, §F). All give the same numbers.
 */
#ifndef STOA_LAYOUT_ARKOUDA_TURN_H
#define STOA_LAYOUT_ARKOUDA_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

typedef struct stoa_arkouda_turn {
    /* Whether offsets, one at least, begin with 0 or above and never go down; `base` is added to
     * each, whether they do or not. */
    bool (*rebase)(int64_t *offsets, uint64_t n, uint64_t base);
    /* Whether each of n strings has a byte at least, the last of which is a NUL.
     *
     * @param starts  n + 1 of them; the differences alone matter
     * @param bytes   from the first of them on, as many as these say if they ascend */
    bool (*are_ended)(const int64_t *starts, uint64_t n, const uint8_t *bytes);
    /* n offsets of Arrow's, the first of which is `first`, without the NULs of strings, one of
     * each, or with `n_nuls` 0. */
    void (*place_small)(const int64_t *starts, uint64_t n, unsigned n_nuls, int64_t first,
                        int32_t *offsets);
    void (*place_large)(const int64_t *starts, uint64_t n, unsigned n_nuls, int64_t first,
                        int64_t *offsets);
    /* Wide integers of limbs, the lowest byte first.
     *
     * @param limbs    those of each place, `stride` after the ones of the place below
     * @param masks    what is kept of the limbs of each place
     * @param[out] to  n * n_limbs * 8 bytes */
    void (*weave)(const uint64_t *limbs, uint64_t stride, size_t n_limbs, const uint64_t *masks,
                  uint64_t n, uint8_t *to);
} stoa_arkouda_turn;

const stoa_arkouda_turn *stoa_arkouda_turn_of(stoa_simd simd);

/* One of each instruction set. */
extern const stoa_arkouda_turn stoa_arkouda_turn_scalar;
extern const stoa_arkouda_turn stoa_arkouda_turn_avx2;
extern const stoa_arkouda_turn stoa_arkouda_turn_avx512;

#endif
