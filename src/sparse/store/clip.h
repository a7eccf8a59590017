/* Restrict the elements of a chunk to a box, most often to the dataset's extent. Programs that know
 * nothing of structured chunks store elements outside of the extent too; these are never shown
 * (sparse fact sheet §2.4). */
#ifndef STOA_SPARSE_CLIP_H
#define STOA_SPARSE_CLIP_H

#include "sparse/format/chunk.h"
#include "sparse/format/shape.h"

/*
 * Keep only the elements inside of a box.
 *
 * @param part        relative to the chunk, see stoa_box_of_chunk()
 * @param value_size  0 if there are positions only
 * @param to          receives the elements and has space for all; may be `chunk` itself
 */
void stoa_clip(const stoa_shape *shape, const stoa_box *part, size_t value_size,
               const stoa_sparse_chunk *chunk, stoa_sparse_chunk *to);

/* Positions of the elements outside of a box. `outside` has space for chunk->n. Returns their
 * number. */
size_t stoa_clip_outside(const stoa_shape *shape, const stoa_box *part,
                         const stoa_sparse_chunk *chunk, uint32_t *outside);

#endif
