/* The elements of chunks side by side in a matrix, brought into the order of its rows. */
#ifndef STOA_SPARSE_POINTS_ROWS_H
#define STOA_SPARSE_POINTS_ROWS_H

#include "sparse/pieces.h"
#include "sparse/points.h"

/* Whether rows of unpacked pieces are to be put by counting: those of a matrix that are not nearly
 * empty. `pieces` have the same rows of it. */
bool stoa_points_have_rows(const stoa_shape *shape, const stoa_piece *pieces, size_t n);
/* Coordinates and, where value_size is not 0, values, from points[at] on. */
stoa_status stoa_points_put_rows(const stoa_shape *shape, const stoa_piece *pieces, size_t n,
                                 size_t value_size, stoa_points *points, uint64_t at,
                                 stoa_error *err);

#endif
