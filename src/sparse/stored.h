/*
 * Where datasets of one extent have stored anything: cells of a grid that chunks touch, or all of
 * it. What lies between them is fill values, however much that is.
 */
#ifndef STOA_SPARSE_STORED_H
#define STOA_SPARSE_STORED_H

#include "core/memory.h"
#include "hdf/ids.h"

typedef struct stoa_stored {
    int rank;
    hsize_t extent[H5S_MAX_RANK];
    hsize_t cell[H5S_MAX_RANK]; /* of the grid, not larger than the extent */
    stoa_buffer numbers;        /* of cells, uint64_t, ascending */
    uint64_t n_elsewhere;       /* elements that are in none of these cells */
} stoa_stored;

/*
 * @param datasets  of the same extent, which has a dimension at least
 * @param stored    zero to begin with; cleared by stoa_stored_clear() in every case
 * @return STOA_ERANGE where the extent has more elements than 64 bits count
 */
stoa_status stoa_stored_find(const hid_t *datasets, int n, stoa_stored *stored, stoa_error *err);
void stoa_stored_clear(stoa_stored *stored);

static inline size_t stoa_stored_n(const stoa_stored *stored)
{
    return stored->numbers.size / sizeof(uint64_t);
}

/* The elements of cell `i` of those that are stored, inside of the extent. */
void stoa_stored_cell(const stoa_stored *stored, size_t i, hsize_t *start, hsize_t *count);
/* The first element that is in none of them; `n_elsewhere` is not 0. */
void stoa_stored_elsewhere(const stoa_stored *stored, hsize_t *at);

#endif
