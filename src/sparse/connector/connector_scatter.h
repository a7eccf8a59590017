/*
 * H5Dread() and H5Dwrite() of elements that do not form long runs.
 *
 * Points, and hyperslabs of many short runs, may lie anywhere. They are sorted by chunk, so that
 * the store touches each chunk once a batch, on several threads. Regular hyperslabs such as columns
 * go through few chunks, and neighbouring columns go through the same ones. These chunks stay in
 * the cache.
 */
#ifndef STOA_SPARSE_CONNECTOR_SCATTER_H
#define STOA_SPARSE_CONNECTOR_SCATTER_H

#include "sparse/store/store.h"

/* One dataset's part of a call. The store's format has no heap. */
typedef struct stoa_scatter {
    stoa_store *store;
    const uint64_t *extent; /* of the file space, of the store's rank */
    hid_t file_space;
    hid_t memory_space; /* or H5S_BLOCK */
    uint64_t n;         /* elements selected in each space */
    hid_t file_type;
    hid_t memory_type;
    hid_t dxpl;
    size_t file_size;   /* of an element */
    size_t memory_size; /* of an element */
    bool converts;
    bool merges; /* only some members of an element are converted; the others keep their value */
} stoa_scatter;

/* Read into `to`, or write from `from` if `to` is NULL. */
stoa_status stoa_scatter_move(const stoa_scatter *scatter, uint8_t *to, const uint8_t *from,
                              stoa_error *err);
/* Write a regular hyperslab of single elements from `from`, without merging members. Implemented in
 * connector_strided.c. */
stoa_status stoa_scatter_write_lines(const stoa_scatter *scatter, const uint8_t *from,
                                     stoa_error *err);

#endif
