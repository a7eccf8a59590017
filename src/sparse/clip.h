/* Elements of a chunk that lie outside of the dataset's extent: stored by programs that know
 * nothing of structured chunks, and shown to nobody (sparse fact sheet §2.4). */
#ifndef STOA_SPARSE_CLIP_H
#define STOA_SPARSE_CLIP_H

#include "sparse/chunk.h"
#include "sparse/shape.h"

/*
 * Leave out those of a chunk that begins at `offset`.
 *
 * @param value_size  0: there are positions alone
 * @return how many there were
 */
size_t stoa_clip(const stoa_shape *shape, const uint64_t *offset, size_t value_size,
                 stoa_sparse_chunk *chunk);

/* Their positions; `outside` has room for chunk->n. */
size_t stoa_clip_outside(const stoa_shape *shape, const uint64_t *offset,
                         const stoa_sparse_chunk *chunk, uint32_t *outside);

#endif
