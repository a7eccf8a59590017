/*
 * Chunks too long for libhdf5: their section 2 is in the file's global heap, and the chunk holds a
 * reference instead (docs/sparse-format.md §3).
 *
 * libhdf5 1.14 refuses a filtered chunk whose size needs two bytes more than the size of its
 * elements, whatever the chunk index supports. Only strings and sequences reach that limit.
 */
#ifndef STOA_SPARSE_LONG_CHUNK_H
#define STOA_SPARSE_LONG_CHUNK_H

#include "sparse/format/chunk.h"
#include "sparse/store/chunk_io.h"

/* The largest chunk in bytes that libhdf5 stores in a dataset of that format. */
uint64_t stoa_long_chunk_from(const stoa_sparse_format *format);

/* Whether the first bytes of a chunk say that its section 2 is in the heap. */
bool stoa_long_chunk_is(const stoa_sparse_format *format, const uint8_t *bytes, size_t n_bytes);

/* Make a chunk short enough: write its section 2 to the heap and store a reference in its place.
 * `out` is replaced. */
stoa_status stoa_long_chunk_shorten(const stoa_sparse_format *format, const stoa_chunk_io *io,
                                    const uint8_t *bytes, size_t n_bytes, stoa_buffer *out,
                                    stoa_error *err);
/* Replace stored bytes by the whole chunk. */
stoa_status stoa_long_chunk_complete(const stoa_sparse_format *format, const stoa_chunk_io *io,
                                     stoa_buffer *bytes, stoa_error *err);
/* Free the heap object of a stored chunk, if possible. */
void stoa_long_chunk_release(const stoa_sparse_format *format, const stoa_chunk_io *io,
                             const uint8_t *bytes, size_t n_bytes);

#endif
