/*
 * Extent, chunk grid, and the location of an element in it. Everything is row-major, the last
 * dimension fastest. Chunks are numbered in the grid of the current extent, so a new extent
 * renumbers them.
 */
#ifndef STOA_SPARSE_SHAPE_H
#define STOA_SPARSE_SHAPE_H

#include "core/error.h"
#include "hdf/hdf5.h"

typedef struct stoa_shape {
    unsigned rank; /* 1 .. H5S_MAX_RANK */
    uint64_t extent[H5S_MAX_RANK];
    uint64_t chunk[H5S_MAX_RANK];
    uint64_t grid[H5S_MAX_RANK]; /* chunks along each dimension */
    uint64_t n_elements;         /* of a chunk */
} stoa_shape;

/* A box of elements or of chunks; empty if a count is 0. */
typedef struct stoa_box {
    uint64_t start[H5S_MAX_RANK];
    uint64_t count[H5S_MAX_RANK];
} stoa_box;

/*
 * @return STOA_EINVAL if the rank is 0 or a chunk is empty; STOA_ERANGE if the extent has 2^63
 *         elements or more, or a chunk 2^32 or more
 */
stoa_status stoa_shape_make(unsigned rank, const uint64_t *extent, const uint64_t *chunk,
                            stoa_shape *shape, stoa_error *err);

/* The chunk of an element, and its position in the chunk. */
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

/* The row-major number of an element in the extent. */
static inline uint64_t stoa_shape_number(const stoa_shape *shape, const uint64_t *at)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < shape->rank; i++) {
        number = number * shape->extent[i] + at[i];
    }
    return number;
}

/* Coordinates of a chunk's first element. */
void stoa_shape_offset(const stoa_shape *shape, uint64_t number, uint64_t *offset);
/* Coordinates of an element of the chunk at `offset`. */
void stoa_shape_element(const stoa_shape *shape, const uint64_t *offset, uint64_t position,
                        uint64_t *at);
/* Whether a chunk is completely inside of the extent. */
bool stoa_shape_is_whole(const stoa_shape *shape, const uint64_t *offset);
/* The extent as a box. */
stoa_box stoa_shape_all(const stoa_shape *shape);
bool stoa_box_is_empty(const stoa_box *box, unsigned rank);
/* Intersection of a chunk, a box and the extent, relative to the chunk's first element. Returns
 * true if it is the whole chunk. */
bool stoa_box_of_chunk(const stoa_shape *shape, const stoa_box *box, const uint64_t *offset,
                       stoa_box *part);
/* @return STOA_ERANGE if the box is not inside of the extent */
stoa_status stoa_shape_holds(const stoa_shape *shape, const stoa_box *box, stoa_error *err);

/* Iterator over the rows of a part of a chunk: `n` elements from `position` on. */
typedef struct stoa_rows {
    uint64_t position;
    uint64_t n;
    const stoa_shape *shape;
    const stoa_box *part;
    uint64_t at[H5S_MAX_RANK];
} stoa_rows;

/* The first row; false if there is none. `shape` and `part` must outlive the iterator. */
bool stoa_rows_begin(stoa_rows *rows, const stoa_shape *shape, const stoa_box *part);
/* The next row; false after the last. */
bool stoa_rows_next(stoa_rows *rows);

#endif
