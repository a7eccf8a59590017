/*
 * Sparse matrices (<stoa/sparse_matrix.h>). The chunks of an array of rank 2 are processed in
 * bands: a band is all chunks that share rows, or columns.
 *
 * One thread processes a band. It goes through the chunks in order, with one of them in memory
 * unless they are kept. Each band writes to its own rows, or columns, so results do not depend on
 * the timing of threads.
 */
#ifndef STOA_SPARSE_MATRIX_PARTS_H
#define STOA_SPARSE_MATRIX_PARTS_H

#include <stoa/sparse_matrix.h>

#include "sparse/array/array.h"
#include "sparse/points/rows_put.h"

/* @return STOA_EINVAL if the array does not have rank 2; STOA_ETYPE for elements of variable
 *         length */
stoa_status stoa_matrix_must_be_one(const stoa_sparse *array, stoa_error *err);

/* Free with stoa_bands_clear(), also after a failure. */
typedef struct stoa_bands {
    stoa_sparse *array;
    uint64_t *numbers; /* of the chunks, grouped by band */
    uint64_t *firsts;  /* index in `numbers` of each band's first chunk; shape (n + 1,) */
    uint64_t n;
    struct stoa_chunk_task
        *kept;        /* shape (firsts[n],): unpacked chunks, kept for the next run; or NULL */
    uint64_t *counts; /* shape (firsts[n],): entries of each chunk; NULL if not counted */
} stoa_bands;

/* Group the chunks by rows, or by columns. Bands without chunks are omitted. */
stoa_status stoa_bands_open(stoa_sparse *array, bool by_columns, stoa_bands *bands,
                            stoa_error *err);
/* For algorithms of two passes: keep unpacked chunks with their values in memory, if they are not
 * too large. */
stoa_status stoa_bands_keep(stoa_bands *bands, stoa_error *err);
void stoa_bands_clear(stoa_bands *bands);

/* Called for one chunk of a band, restricted to the extent, with values in the file's type. Threads
 * call it concurrently, with different `worker` and `band`. */
typedef stoa_status (*stoa_band_visit)(void *context, unsigned worker, uint64_t band,
                                       const uint64_t *offset, const stoa_sparse_chunk *chunk,
                                       stoa_error *err);

/* @param wants_values  if false, chunk->values must not be used */
stoa_status stoa_bands_run(const stoa_bands *bands, bool wants_values, stoa_band_visit visit,
                           void *context, stoa_error *err);

/*
 * Count the entries of each chunk. The number comes from the chunk's header, and must be verified
 * when the chunk is unpacked. A chunk whose header does not suffice is unpacked and kept.
 *
 * @param[out] n  STOA_UNKNOWN if chunks would have to be unpacked twice
 */
stoa_status stoa_bands_count(stoa_bands *bands, uint64_t *n, stoa_error *err);
/* Called with all chunks of a band, unpacked and in order; shape (n,). */
typedef stoa_status (*stoa_band_process)(void *context, uint64_t band,
                                         const struct stoa_chunk_task *const *pieces, size_t n,
                                         stoa_error *err);
/* Process whole bands, one per thread. Each thread has one band in memory. */
stoa_status stoa_bands_process(const stoa_bands *bands, stoa_band_process take, void *context,
                               stoa_error *err);
/* Whether the stored chunks of each band are within the bound of the store's cache. */
bool stoa_bands_are_narrow(const stoa_bands *bands);
/*
 * Convert counted bands of rows to CSR. Worthwhile if each row of a chunk has one entry or more.
 *
 * @param out     space for all entries
 * @param starts  row pointers, shape (rows + 1,)
 */
stoa_status stoa_bands_merge(const stoa_bands *bands, const stoa_rows_out *out, uint64_t *starts,
                             stoa_error *err);

/* The elements of a chunk that share a row. */
typedef struct stoa_chunk_row {
    size_t first;   /* index in the chunk */
    size_t n;       /* number of elements */
    uint64_t row;   /* of the array */
    uint64_t shift; /* position + shift is the column in the array */
} stoa_chunk_row;

/* The row of the element `first`, which must exist. */
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
