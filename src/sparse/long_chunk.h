/*
 * Chunks that are longer than libhdf5 stores them: their section 2 lies in the file's global heap,
 * and what refers to it in its place (docs/sparse-format.md §3).
 *
 * libhdf5 1.14 refuses a chunk of a filtered dataset whose size takes two bytes more than that of
 * its elements, whatever room the index has. Only strings and sequences get there.
 */
#ifndef STOA_SPARSE_LONG_CHUNK_H
#define STOA_SPARSE_LONG_CHUNK_H

#include "sparse/chunk.h"
#include "sparse/chunk_io.h"

/* Bytes of a chunk, at most, that libhdf5 stores in a dataset of that format. */
uint64_t stoa_long_chunk_from(const stoa_sparse_format *format);

/* Whether a chunk's section 2 lies in the heap; as far as its first bytes tell. */
bool stoa_long_chunk_is(const stoa_sparse_format *format, const uint8_t *bytes, size_t n_bytes);

/* A whole chunk as it is to be stored; its section 2 is in the heap then. `out` is replaced. */
stoa_status stoa_long_chunk_shorten(const stoa_sparse_format *format, const stoa_chunk_io *io,
                                    const uint8_t *bytes, size_t n_bytes, stoa_buffer *out,
                                    stoa_error *err);
/* The whole chunk again, in the place of what was stored. */
stoa_status stoa_long_chunk_complete(const stoa_sparse_format *format, const stoa_chunk_io *io,
                                     stoa_buffer *bytes, stoa_error *err);
/* Give back what a stored chunk has in the heap, where that can be. */
void stoa_long_chunk_release(const stoa_sparse_format *format, const stoa_chunk_io *io,
                             const uint8_t *bytes, size_t n_bytes);

#endif
