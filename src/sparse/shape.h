/*
 * Extent, chunks, and where an element lies in them; everything row-major, the last dimension
 * fastest. Chunks are numbered in the grid of the extent as it is: a new extent gives new numbers.
 */
#ifndef STOA_SPARSE_SHAPE_H
#define STOA_SPARSE_SHAPE_H

#include <hdf5.h>

#include "core/error.h"

typedef struct stoa_shape {
    unsigned rank; /* 1 .. H5S_MAX_RANK */
    uint64_t extent[H5S_MAX_RANK];
    uint64_t chunk[H5S_MAX_RANK];
    uint64_t grid[H5S_MAX_RANK]; /* chunks that each dimension is cut into */
    uint64_t n_elements;         /* of a chunk */
} stoa_shape;

/* A box of elements, or of chunks; empty where a count is 0. */
typedef struct stoa_box {
    uint64_t start[H5S_MAX_RANK];
    uint64_t count[H5S_MAX_RANK];
} stoa_box;

/*
 * @return STOA_EINVAL where the rank is 0 or a chunk has no element; STOA_ERANGE where the extent
 *         has 2^63 elements or more, or a chunk 2^32
 */
stoa_status stoa_shape_make(unsigned rank, const uint64_t *extent, const uint64_t *chunk,
                            stoa_shape *shape, stoa_error *err);

/* The chunk that an element lies in, and where in it. */
static inline uint64_t stoa_shape_locate(const stoa_shape *shape, const uint64_t *at,
                                         uint64_t *position)
{
    uint64_t number = 0;
    uint64_t in_chunk = 0;

    for (unsigned i = 0; i < shape->rank; i++) {
        const uint64_t c = at[i] / shape->chunk[i];
        number = number * shape->grid[i] + c;
        in_chunk = in_chunk * shape->chunk[i] + (at[i] - c * shape->chunk[i]);
    }
    *position = in_chunk;
    return number;
}

/* Coordinates of a chunk's first element. */
void stoa_shape_offset(const stoa_shape *shape, uint64_t number, uint64_t *offset);
/* Coordinates of an element of the chunk that begins at `offset`. */
void stoa_shape_element(const stoa_shape *shape, const uint64_t *offset, uint64_t position,
                        uint64_t *at);
/* Whether all of a chunk is inside of the extent. */
bool stoa_shape_is_whole(const stoa_shape *shape, const uint64_t *offset);
/* The extent as a box. */
stoa_box stoa_shape_all(const stoa_shape *shape);
/* Elements of a box; 0 where it is empty, UINT64_MAX where they are too many to count. */
uint64_t stoa_box_volume(const stoa_box *box, unsigned rank);
/* STOA_ERANGE where the box is not inside of the extent. */
stoa_status stoa_shape_holds(const stoa_shape *shape, const stoa_box *box, stoa_error *err);

#endif
