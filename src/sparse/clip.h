/* The elements of a chunk that lie in a box of it: those inside of the dataset's extent above all,
 * as programs that know nothing of structured chunks store others, too, which are shown to nobody
 * (sparse fact sheet §2.4). */
#ifndef STOA_SPARSE_CLIP_H
#define STOA_SPARSE_CLIP_H

#include "sparse/chunk.h"
#include "sparse/shape.h"

/*
 * Leave out those outside.
 *
 * @param part        relative to the chunk: stoa_box_of_chunk()
 * @param value_size  0: there are positions alone
 * @param to          where the others go, with room for all; may be `chunk` itself
 */
void stoa_clip(const stoa_shape *shape, const stoa_box *part, size_t value_size,
               const stoa_sparse_chunk *chunk, stoa_sparse_chunk *to);

/* Positions of those outside; `outside` has room for chunk->n. Returns how many there are. */
size_t stoa_clip_outside(const stoa_shape *shape, const stoa_box *part,
                         const stoa_sparse_chunk *chunk, uint32_t *outside);

#endif
