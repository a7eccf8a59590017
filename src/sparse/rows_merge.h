/* The entries of chunks side by side in a matrix, brought into the order of its rows. */
#ifndef STOA_SPARSE_ROWS_MERGE_H
#define STOA_SPARSE_ROWS_MERGE_H

#include "sparse/pieces.h"
#include "sparse/rows_put.h"

/* Whether unpacked pieces, which have the same rows, are worth it: a row of a piece has about an
 * entry or more. */
bool stoa_rows_are_filled(const stoa_shape *shape, const stoa_piece *pieces, size_t n);
/*
 * Row by row, the pieces taking turns, so that entries are written one after the other.
 *
 * @param pieces  unpacked, n > 0, from left to right, with the same rows
 * @param first   where the first entry goes
 * @param limit   where the last one ends
 * @param[out] ends  where each row of the pieces ends; NULL: nobody wants to know
 */
stoa_status stoa_rows_merge(const stoa_shape *shape, const stoa_piece *const *pieces, size_t n,
                            const stoa_rows_out *out, uint64_t first, uint64_t limit,
                            uint64_t *ends, stoa_error *err);

#endif
