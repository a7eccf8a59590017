/*
 * What the open datasets of one table share: a descriptor of each file they lie in, a cache of
 * their chunks, and buffers that nobody uses just now. Opened before them and closed after them, by
 * the thread that calls libhdf5.
 *
 * What is kept of what was read, and for how long. Fractions are of the budget: 128 MiB, or the
 * `memory` of stoa_open_options.
 *
 *      what                          bytes at most                 until
 *      unpacked chunks, rows near    half, those used last         others drive them out, or the
 *      each other, codes of texts                                  read context is closed
 *      blocks of large chunks that   a quarter                     the next large chunk
 *      left the cache
 *      scratches                     16, an eighth                 the next reader borrows them
 *      released batches of LH5's     8 MiB, or 32 MiB of encoded   the next batch
 *      lists, a column (layout/lh5)  arrays; not of the budget
 *      zones and texts of a column   about 1 MiB, and 3 MiB        NROWS is another, or the column
 *      (column/read/learned.h)                                          is loaded anew or closed
 *
 * A reader holds a chunk, and has two scratches, as long as it is at work (column/read/reader.h).
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
/* Files are mapped into memory (descriptor.h): those that were met, and from now on when they are
 * met. To be said before any of its datasets is read. */
void stoa_read_context_map(stoa_read_context *read_context);

/* The descriptor of a dataset's file, which stays the read context's; one whose fd is -1 where the
 * dataset must be read by libhdf5. */
stoa_status stoa_read_context_descriptor(stoa_read_context *read_context, hid_t dataset,
                                         const stoa_descriptor **descriptor, stoa_error *err);
stoa_chunk_cache *stoa_read_context_cache(stoa_read_context *read_context);

/* A scratch that somebody has left, or an empty one; from then on the caller's. On any thread; the
 * read context may be NULL. */
stoa_scratch stoa_read_context_borrow(stoa_read_context *read_context);
/* Leave it for the next one, unless there are enough; it is empty afterwards. */
void stoa_read_context_return(stoa_read_context *read_context, stoa_scratch *scratch);

#endif
