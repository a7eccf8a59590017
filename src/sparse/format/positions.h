/*
 * Section 0 of a structured chunk: the positions of its defined elements (docs/sparse-format.md
 * §4).
 *
 * Positions are linear, row-major and relative to the chunk, so they do not depend on the dataset's
 * extent. They are encoded in the smallest of these forms: runs, Rice-coded gaps, Rice-coded holes,
 * or a bitmap. For randomly scattered elements the size is within a tenth of the
 * information-theoretic minimum, at every density. The input is untrusted.
 */
#ifndef STOA_SPARSE_POSITIONS_H
#define STOA_SPARSE_POSITIONS_H

#include "core/memory.h"

/* Whether positions ascend, without duplicates. */
static inline bool stoa_positions_ascend(const uint32_t *positions, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (positions[i] <= positions[i - 1]) {
            return false;
        }
    }
    return true;
}

/* Upper bound in bytes of the encoded positions of a chunk. */
size_t stoa_positions_bound(uint64_t n_elements);

/*
 * Append the positions in the smallest form.
 *
 * @param positions   ascending, without duplicates, all below n_elements
 * @param n           0 appends nothing
 * @param n_elements  of the chunk; at most UINT32_MAX
 */
stoa_status stoa_positions_encode(const uint32_t *positions, size_t n, uint64_t n_elements,
                                  stoa_buffer *out, stoa_error *err);

/*
 * Decode exactly `n` positions from exactly `n_bytes` bytes.
 *
 * @param[out] positions  space for n
 * @return STOA_EDATA if the bytes do not match; STOA_ENOMEM
 */
stoa_status stoa_positions_decode(const uint8_t *bytes, size_t n_bytes, size_t n,
                                  uint64_t n_elements, uint32_t *positions, stoa_error *err);

#endif
