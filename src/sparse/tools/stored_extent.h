/*
 * The regions in which datasets of one extent have stored data: the cells of a grid that chunks
 * touch, or the whole extent. Everything between them is fill values, however much that is.
 */
#ifndef STOA_SPARSE_STORED_EXTENT_H
#define STOA_SPARSE_STORED_EXTENT_H

#include "core/memory.h"
#include "hdf/ids.h"

typedef struct stoa_stored_extent {
    int rank;
    hsize_t extent[H5S_MAX_RANK];
    hsize_t cell[H5S_MAX_RANK]; /* cell size of the grid, not larger than the extent */
    stoa_buffer numbers;        /* of cells; uint64_t, ascending */
    uint64_t n_elsewhere;       /* elements outside of these cells */
} stoa_stored_extent;

/*
 * @param datasets  of the same extent, with at least one dimension
 * @param stored    zero-initialised; free with stoa_stored_extent_clear(), also after a failure
 * @return STOA_ERANGE if the number of elements does not fit 64 bits
 */
stoa_status stoa_stored_extent_find(const hid_t *datasets, int n, stoa_stored_extent *stored,
                                    stoa_error *err);
void stoa_stored_extent_clear(stoa_stored_extent *stored);

static inline size_t stoa_stored_extent_n(const stoa_stored_extent *stored)
{
    return stored->numbers.size / sizeof(uint64_t);
}

/* The elements of stored cell `i`, clipped to the extent. */
void stoa_stored_extent_cell(const stoa_stored_extent *stored, size_t i, hsize_t *start,
                             hsize_t *count);
/* The first element outside of all cells; `n_elsewhere` must not be 0. */
void stoa_stored_extent_elsewhere(const stoa_stored_extent *stored, hsize_t *at);

#endif
