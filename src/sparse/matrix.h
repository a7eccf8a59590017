/*
 * What the files of sparse matrices share (<stoa/sparse_matrix.h>): the chunks of an array of rank
 * 2 in bands, which are all that have rows, or columns, in common.
 *
 * A band is one thread's, which goes through its chunks in order and has one of them in memory,
 * unless they are kept.
 * Bands write to rows, or columns, of their own, so that no result depends on who is first.
 */
#ifndef STOA_SPARSE_MATRIX_PARTS_H
#define STOA_SPARSE_MATRIX_PARTS_H

#include <stoa/sparse_matrix.h>

#include "sparse/array.h"
#include "sparse/rows_put.h"

/* STOA_EINVAL for an array of another rank. */
stoa_status stoa_matrix_must_be_one(const stoa_sparse *array, stoa_error *err);

/* Released by stoa_bands_clear(), also after a failure. */
typedef struct stoa_bands {
    stoa_sparse *array;
    uint64_t *numbers; /* of chunks, by bands */
    uint64_t *firsts;  /* in numbers, of each band; shape (n + 1,) */
    uint64_t n;
    struct stoa_piece *kept; /* shape (firsts[n],): chunks that the next run finds unpacked; NULL */
    uint64_t *counts;        /* shape (firsts[n],): entries of chunks; NULL: not counted */
} stoa_bands;

/* Bands that share rows, or else columns; those without chunks are left out. */
stoa_status stoa_bands_open(stoa_sparse *array, bool by_columns, stoa_bands *bands,
                            stoa_error *err);
/* For those who run twice: what is unpacked stays in memory, values too, if it is not too much. */
stoa_status stoa_bands_keep(stoa_bands *bands, stoa_error *err);
void stoa_bands_clear(stoa_bands *bands);

/* One chunk of a band, its elements inside of the extent, values in the file's type. Called by
 * several threads, with different `worker` and `band`. */
typedef stoa_status (*stoa_band_visit)(void *context, unsigned worker, uint64_t band,
                                       const uint64_t *offset, const stoa_sparse_chunk *chunk,
                                       stoa_error *err);

/* @param wants_values  else chunk->values is not to be looked at */
stoa_status stoa_bands_run(const stoa_bands *bands, bool wants_values, stoa_band_visit visit,
                           void *context, stoa_error *err);

/*
 * How many entries each chunk has: from its head, which is to be tested by whoever unpacks it, or
 * from itself, which is kept then.
 *
 * @param[out] n  STOA_UNKNOWN where chunks would have to be unpacked twice
 */
stoa_status stoa_bands_count(stoa_bands *bands, uint64_t *n, stoa_error *err);
/* All chunks of a band, unpacked, in order; shape (n,). */
typedef stoa_status (*stoa_band_take)(void *context, uint64_t band,
                                      const struct stoa_piece *const *pieces, size_t n,
                                      stoa_error *err);
/* Bands as a whole, each one thread's, which has one of them in memory. */
stoa_status stoa_bands_take(const stoa_bands *bands, stoa_band_take take, void *context,
                            stoa_error *err);
/* Whether so much memory is no more than what the store's cache may have. */
bool stoa_bands_are_narrow(const stoa_bands *bands);
/*
 * Bands by rows that are counted, as CSR. Worth it where a row of a chunk has an entry or more.
 *
 * @param out     room for all entries
 * @param starts  pointers, shape (rows + 1,)
 */
stoa_status stoa_bands_merge(const stoa_bands *bands, const stoa_rows_out *out, uint64_t *starts,
                             stoa_error *err);

/* Elements of a chunk that share a row. */
typedef struct stoa_chunk_row {
    size_t first;   /* in the chunk */
    size_t n;       /* of them */
    uint64_t row;   /* of the array */
    uint64_t shift; /* what makes a position the column in the array */
} stoa_chunk_row;

/* The row of the element `first`, which there must be. */
static inline stoa_chunk_row stoa_chunk_row_at(const stoa_sparse_chunk *chunk, size_t first,
                                               const uint64_t *offset, uint64_t width)
{
    const uint64_t row = chunk->positions[first] / width;
    const uint64_t end = (row + 1) * width;
    size_t i = first + 1;

    while (i < chunk->n && chunk->positions[i] < end) {
        i++;
    }
    return (stoa_chunk_row){
        .first = first, .n = i - first, .row = offset[0] + row, .shift = offset[1] - row * width};
}

#endif
