/*
 * Section 0 as the RFC's direct calls hand it over: a selection as H5Sencode2() writes it, of the
 * dataset's dataspace (sparse fact sheet §5.2, §10). Written and read here, as H5Sdecode() takes
 * the square of the number of blocks.
 */
#ifndef STOA_SPARSE_BLOB_H
#define STOA_SPARSE_BLOB_H

#include "core/memory.h"
#include "sparse/shape.h"

/*
 * Append the selection of some elements of one chunk: blocks where these are few, else points.
 *
 * @param offset     coordinates of the chunk's first element
 * @param positions  ascending, none twice, inside of the extent
 */
stoa_status stoa_blob_write(const stoa_shape *shape, const uint64_t *offset,
                            const uint32_t *positions, size_t n, stoa_buffer *out, stoa_error *err);

/*
 * The elements of a selection, as positions in a chunk: those of points in their order, with every
 * repetition, all others ascending.
 *
 * @param[out] positions  the caller's, free()d
 * @return STOA_EDATA where the bytes are no selection; STOA_ERANGE where one of its elements is
 *         outside of the chunk or of the extent
 */
stoa_status stoa_blob_read(const stoa_shape *shape, const uint64_t *offset, const uint8_t *bytes,
                           size_t n_bytes, uint32_t **positions, size_t *n, stoa_error *err);

#endif
