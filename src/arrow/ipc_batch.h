/* Batches of Arrow's IPC format, those of dictionaries too: what ipc_read.c makes of a message. */
#ifndef STOA_ARROW_IPC_BATCH_H
#define STOA_ARROW_IPC_BATCH_H

#include "arrow/ipc_packed.h"
#include "arrow/ipc_schema.h"

typedef struct stoa_ipc_batch {
    stoa_flat *flat;
    const stoa_flat_table *table; /* a RecordBatch */
    const stoa_buffer *body;
    struct ArrowSchema *const *fields; /* of its columns */
    int64_t n_fields;
    stoa_ipc_dictionary *dictionaries; /* of these columns, in their order */
    size_t n_dictionaries;
} stoa_ipc_batch;

/*
 * The columns as a struct; the caller's, also after a failure, to be released.
 *
 * @param unpacker  for batches that are compressed
 * @return STOA_EDATA where it is not as its schema says, or before its dictionaries
 */
stoa_status stoa_ipc_take_batch(const stoa_ipc_batch *batch, stoa_unpacker *unpacker,
                                struct ArrowArray *out, stoa_error *err);

#endif
