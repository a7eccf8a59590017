/* Removes NULs string by string. The compiler vectorises these loops for each instruction set. */
#ifndef STOA_LAYOUT_ARKOUDA_STRIP_NUL_LOOPS_H
#define STOA_LAYOUT_ARKOUDA_STRIP_NUL_LOOPS_H

#include <string.h>

#include "layout/arkouda/read/strip_nul.h"

enum { LANES = 64, MOST_STEPS = 255, STRIDE = 16 };

/* Counts in bytes, for as many steps as a byte can count. */
static inline uint64_t count_nuls(const uint8_t *bytes, uint64_t n)
{
    uint64_t n_nuls = 0;

    while (n >= LANES) {
        const uint64_t steps = n / LANES < MOST_STEPS ? n / LANES : MOST_STEPS;
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

static inline uint64_t drop(const uint8_t *bytes, const int64_t *starts, uint64_t n, uint8_t *out)
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

#endif
