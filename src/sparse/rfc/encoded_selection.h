/*
 * Section 0 as the RFC's direct calls exchange it: a selection of the dataset's dataspace in the
 * encoding of H5Sencode2() (sparse fact sheet §5.2, §10). It is encoded and decoded here because
 * H5Sdecode() takes time proportional to the square of the number of blocks.
 */
#ifndef STOA_SPARSE_ENCODED_SELECTION_H
#define STOA_SPARSE_ENCODED_SELECTION_H

#include "core/memory.h"
#include "sparse/format/shape.h"

/*
 * Append the selection of some elements of one chunk, as blocks if there are few of them, otherwise
 * as points.
 *
 * @param offset     coordinates of the chunk's first element
 * @param positions  ascending, without duplicates, inside of the extent
 */
stoa_status stoa_encoded_selection_write(const stoa_shape *shape, const uint64_t *offset,
                                         const uint32_t *positions, size_t n, stoa_buffer *out,
                                         stoa_error *err);

/*
 * Decode a selection to positions in a chunk. Points keep their order and duplicates; all other
 * selections come in ascending order.
 *
 * @param[out] positions  the caller frees it
 * @return STOA_EDATA if the bytes are not a selection; STOA_ERANGE if an element is outside of the
 *         chunk or of the extent
 */
stoa_status stoa_encoded_selection_read(const stoa_shape *shape, const uint64_t *offset,
                                        const uint8_t *bytes, size_t n_bytes, uint32_t **positions,
                                        size_t *n, stoa_error *err);

#endif
