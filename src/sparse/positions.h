/*
 * Section 0 of a structured chunk: which of its elements are defined (docs/sparse-format.md §4).
 *
 * Positions are linear, row-major and relative to the chunk, so that they do not depend on the
 * dataset's extent. They are written as whichever is smallest of runs, Rice-coded gaps, Rice-coded
 * holes and a bitmap; for randomly scattered elements that stays within a tenth of what information
 * theory asks, at every density. What is read is not believed.
 */
#ifndef STOA_SPARSE_POSITIONS_H
#define STOA_SPARSE_POSITIONS_H

#include "core/memory.h"

/* Bytes that positions in a chunk of so many elements never exceed. */
size_t stoa_positions_bound(uint64_t n_elements);

/*
 * Append the smallest form.
 *
 * @param positions   ascending, none twice, all below n_elements
 * @param n           0 appends nothing
 * @param n_elements  of the chunk; at most UINT32_MAX
 */
stoa_status stoa_positions_encode(const uint32_t *positions, size_t n, uint64_t n_elements,
                                  stoa_buffer *out, stoa_error *err);

/*
 * Exactly `n` positions from exactly `n_bytes` bytes.
 *
 * @param[out] positions  room for n
 * @return STOA_EDATA where the bytes say anything else; STOA_ENOMEM
 */
stoa_status stoa_positions_decode(const uint8_t *bytes, size_t n_bytes, size_t n,
                                  uint64_t n_elements, uint32_t *positions, stoa_error *err);

#endif
