/*
 * The read context: what the open datasets of one table share. These are a descriptor of each of
 * their files, a cache of decoded chunks, and a pool of scratch buffers. Open it before them and
 * close it after them, on the thread that calls libhdf5.
 *
 * The caches of an open table, each with its limit and lifetime. Fractions are of the budget: 128
 * MiB, or the `memory` of stoa_open_options.
 *
 * - Decoded chunks, short runs of rows, codes of strings: half. The least recently used are
 *   evicted; the rest live until the read context is closed.
 * - Recycled blocks of large chunks that were evicted: a quarter, until the next large chunk.
 * - Scratch buffers: 16, and an eighth, until the next reader borrows them.
 * - Released batches of a list column (column/list), until the next batch: 8 MiB, or 32 MiB of
 *   LH5's encoded arrays. They are not in the budget.
 * - A column's zone map and learned dictionary (column/read/learned.h): about 1 MiB and 3 MiB,
 *   until NROWS changes or the column is reloaded or closed.
 *
 * A working reader also holds one chunk and two scratch buffers (column/read/reader.h).
 */
#ifndef STOA_HDF_READ_CONTEXT_H
#define STOA_HDF_READ_CONTEXT_H

#include "codec/pipeline.h"
#include "hdf/chunk/chunk_cache.h"
#include "hdf/file/descriptor.h"

typedef struct stoa_read_context stoa_read_context;

stoa_status stoa_read_context_open(stoa_read_context **read_context, stoa_error *err);
void stoa_read_context_close(stoa_read_context *read_context);
/* Set the budget in bytes. Call it before any of its datasets is read. */
void stoa_read_context_limit(stoa_read_context *read_context, uint64_t memory);
/* Map files into memory (descriptor.h), those already known and new ones. Call it before any of its
 * datasets is read. */
void stoa_read_context_map(stoa_read_context *read_context);

/* Get the descriptor of a dataset's file, which the read context owns. Its fd is -1 if libhdf5 must
 * read the dataset. */
stoa_status stoa_read_context_descriptor(stoa_read_context *read_context, hid_t dataset,
                                         const stoa_descriptor **descriptor, stoa_error *err);
stoa_chunk_cache *stoa_read_context_cache(stoa_read_context *read_context);

/* Get a returned scratch, or an empty one. The caller owns it. May be called on any thread, and
 * with NULL. */
stoa_scratch stoa_read_context_borrow(stoa_read_context *read_context);
/* Return a scratch to the pool, or free it if the pool is full. It is empty afterwards. */
void stoa_read_context_return(stoa_read_context *read_context, stoa_scratch *scratch);

#endif
