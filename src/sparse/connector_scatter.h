/*
 * H5Dread() and H5Dwrite() of elements that are not runs.
 *
 * Those that lie anywhere, points and hyperslabs put together of many short runs, go to the store,
 * or come from it, sorted by chunk, so that each chunk is touched once a batch, by several threads.
 * Columns and the like, which regular hyperslabs are, go down few chunks, and the next one down the
 * same: these chunks stay in the cache.
 */
#ifndef STOA_SPARSE_CONNECTOR_SCATTER_H
#define STOA_SPARSE_CONNECTOR_SCATTER_H

#include "sparse/store.h"

/* One dataset's part of a call. The store's format has no heap. */
typedef struct stoa_scatter {
    stoa_store *store;
    const uint64_t *extent; /* of the file space, of the store's rank */
    hid_t file_space;
    hid_t memory_space; /* or H5S_BLOCK */
    uint64_t n;         /* elements selected in each */
    hid_t file_type;
    hid_t memory_type;
    hid_t dxpl;
    size_t file_size;   /* of an element */
    size_t memory_size; /* of an element */
    bool converts;
    bool merges; /* parts of an element may not be converted: they stay as they are */
} stoa_scatter;

/* Into `to`, or out of `from` where that is NULL. */
stoa_status stoa_scatter_move(const stoa_scatter *scatter, uint8_t *to, const uint8_t *from,
                              stoa_error *err);
/* Out of `from`, the file's being a regular hyperslab of single elements; nothing merges.
 * connector_lines.c has it. */
stoa_status stoa_scatter_write_lines(const stoa_scatter *scatter, const uint8_t *from,
                                     stoa_error *err);

#endif
