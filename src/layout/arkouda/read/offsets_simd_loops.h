/* The loops of offsets_simd.h and their table. The compiler vectorises them for each instruction
 * set. */
#ifndef STOA_LAYOUT_ARKOUDA_OFFSETS_SIMD_LOOPS_H
#define STOA_LAYOUT_ARKOUDA_OFFSETS_SIMD_LOOPS_H

#include <string.h>

#include "codec/bytes.h"
#include "layout/arkouda/read/offsets_simd.h"

/* The sign of the combined values tells whether all are valid. */
static bool rebase(int64_t *offsets, uint64_t n, uint64_t base)
{
    uint64_t signs = (uint64_t)offsets[0];

    for (uint64_t i = 1; i < n; i++) {
        signs |= (uint64_t)offsets[i] | ((uint64_t)offsets[i] - (uint64_t)offsets[i - 1]);
    }
    for (uint64_t i = 0; base > 0 && i < n; i++) {
        offsets[i] = (int64_t)((uint64_t)offsets[i] + base);
    }
    return signs >> 63 == 0;
}

static bool are_ended(const int64_t *starts, uint64_t n, const uint8_t *bytes)
{
    const int64_t base = starts[0] + 1;
    uint64_t signs = 0;
    uint8_t ends = 0;

    for (uint64_t i = 0; i < n; i++) {
        signs |= (uint64_t)(starts[i + 1] - starts[i] - 1);
    }
    if (signs >> 63 != 0) {
        return false;
    }
    for (uint64_t i = 1; i <= n; i++) {
        ends |= bytes[starts[i] - base];
    }
    return ends == 0;
}

#define DEFINE_PLACE(name, type, unsigned_type)                                                    \
    static void name(const int64_t *starts, uint64_t n, unsigned n_nuls, int64_t first,            \
                     type *offsets)                                                                \
    {                                                                                              \
        const unsigned_type base = (unsigned_type)starts[0] - (unsigned_type)first;                \
        const unsigned_type nuls = (unsigned_type)n_nuls;                                          \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            offsets[i] = (type)((unsigned_type)starts[i] - base - nuls * (unsigned_type)i);        \
        }                                                                                          \
    }

DEFINE_PLACE(place_small, int32_t, uint32_t)
DEFINE_PLACE(place_large, int64_t, uint64_t)

/* Two limbs are the common case. */
static void weave(const uint64_t *limbs, uint64_t stride, size_t n_limbs, const uint64_t *masks,
                  uint64_t n, uint8_t *restrict to)
{
    const size_t size = n_limbs * sizeof *limbs;

    for (uint64_t i = 0; n_limbs == 2 && i < n; i++) {
        stoa_put_le64(to + i * 16, limbs[i] & masks[0]);
        stoa_put_le64(to + i * 16 + 8, limbs[stride + i] & masks[1]);
    }
    for (size_t l = 0; n_limbs != 2 && l < n_limbs; l++) {
        for (uint64_t i = 0; i < n; i++) {
            stoa_put_le64(to + i * size + l * sizeof *limbs, limbs[l * stride + i] & masks[l]);
        }
    }
}

enum { LANES = 64, MAX_STEPS = 255, STRIDE = 16 };

/* Counts in bytes, for as many steps as a byte can count. */
static inline uint64_t count_nuls(const uint8_t *bytes, uint64_t n)
{
    uint64_t n_nuls = 0;

    while (n >= LANES) {
        const uint64_t steps = n / LANES < MAX_STEPS ? n / LANES : MAX_STEPS;
        uint8_t lanes[LANES] = {0};
        for (uint64_t i = 0; i < steps; i++, bytes += LANES) {
            for (size_t k = 0; k < LANES; k++) {
                lanes[k] = (uint8_t)(lanes[k] + (bytes[k] == 0));
            }
        }
        for (size_t k = 0; k < LANES; k++) {
            n_nuls += lanes[k];
        }
        n -= steps * LANES;
    }
    for (uint64_t i = 0; i < n; i++) {
        n_nuls += bytes[i] == 0;
    }
    return n_nuls;
}

static inline uint64_t strip_nul(const uint8_t *bytes, const int64_t *starts, uint64_t n,
                                 uint8_t *out)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *const from = bytes + (starts[i] - starts[0]);
        const int64_t length = starts[i + 1] - starts[i] - 1;
        for (int64_t done = 0; done < length; done += STRIDE) {
            memcpy(out + done, from + done, STRIDE);
        }
        out += length;
    }
    return count_nuls(bytes, (uint64_t)(starts[n] - starts[0]));
}

/* The table of functions, in a file that includes this header. */
#define STOA_ARKOUDA_TURN_TABLE(strip)                                                             \
    {                                                                                              \
        .rebase = rebase, .are_ended = are_ended, .strip_nul = (strip),                            \
        .place_small = place_small, .place_large = place_large, .weave = weave                     \
    }

#endif
