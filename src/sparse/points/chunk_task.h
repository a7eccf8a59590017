/* Pieces: the parts of chunks that lie in a box. One thread reads the chunks, and others unpack
 * them. */
#ifndef STOA_SPARSE_CHUNK_TASK_H
#define STOA_SPARSE_CHUNK_TASK_H

#include "sparse/store/store_parts.h"

/* Zero-initialise; free with stoa_chunk_task_clear(). */
typedef struct stoa_chunk_task {
    uint64_t offset[H5S_MAX_RANK];
    stoa_box part; /* the part of the chunk that is in the box */
    const stoa_chunk_entry
        *entry; /* set while the bytes have yet to be read into `raw`; otherwise NULL */
    stoa_buffer raw;
    uint32_t mask;
    const stoa_sparse_chunk *list; /* the elements in the box: `chunk`, or a cached list */
    bool is_all;                   /* the whole chunk is in the box */
    stoa_sparse_chunk chunk;
} stoa_chunk_task;

/* Prepare a chunk that stoa_store_chunks() returned. It is read from the file or taken from the
 * cache. Only one thread of a store at a time. */
stoa_status stoa_chunk_task_open(stoa_store *store, const stoa_box *box, uint64_t number,
                                 stoa_chunk_task *piece, stoa_error *err);
/* Read the bytes if stoa_chunk_task_open() has left that to other threads. Any thread may call it.
 */
stoa_status stoa_chunk_task_load(const stoa_store *store, stoa_chunk_task *piece, stoa_error *err);
/*
 * Unpack a piece. Any thread may call it.
 *
 * @param value_size  0 for positions only
 */
stoa_status stoa_chunk_task_unpack(const stoa_store *store, size_t value_size,
                                   stoa_sparse_coder *coder, stoa_chunk_task *piece,
                                   stoa_error *err);
void stoa_chunk_task_clear(stoa_chunk_task *piece);

/* A coder for each of n threads; NULL if memory is exhausted. Filters run by libhdf5 must run on
 * the caller's thread. */
stoa_sparse_coder *stoa_coders_open(const stoa_store *store, unsigned n);
/* NULL is allowed. */
void stoa_coders_close(stoa_sparse_coder *coders, unsigned n);

/* Clear and free an array of pieces; NULL is allowed. */
void stoa_chunk_tasks_clear(stoa_chunk_task *pieces, size_t n);
/* Get an array of `n` pieces, reusing the memory of the previous one. NULL if memory is exhausted.
 * Give it back before the next call; NULL is allowed. Memory within a limit is kept for reuse. */
stoa_chunk_task *stoa_chunk_tasks_get(stoa_store *store, size_t n);
void stoa_chunk_tasks_put(stoa_store *store, stoa_chunk_task *pieces);

#endif
