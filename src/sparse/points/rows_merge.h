/* Merge the entries of horizontally adjacent chunks of a matrix into row order. */
#ifndef STOA_SPARSE_ROWS_MERGE_H
#define STOA_SPARSE_ROWS_MERGE_H

#include "sparse/points/chunk_task.h"
#include "sparse/points/rows_put.h"

/* Whether the merge is worthwhile for unpacked pieces that share their rows. That is so if a row of
 * a piece has about one entry or more. */
bool stoa_rows_are_filled(const stoa_shape *shape, const stoa_chunk_task *pieces, size_t n);
/*
 * Merge the pieces row by row, so that the output is written sequentially.
 *
 * @param pieces     unpacked, n > 0, from left to right, with the same rows
 * @param first      index of the first entry in the output
 * @param limit      end of the output
 * @param[out] ends  end of each row; may be NULL
 */
stoa_status stoa_rows_merge(const stoa_shape *shape, const stoa_chunk_task *const *pieces, size_t n,
                            const stoa_rows_out *out, uint64_t first, uint64_t limit,
                            uint64_t *ends, stoa_error *err);

#endif
