/* Record batches and dictionary batches of Arrow's IPC format. */
#ifndef STOA_ARROW_IPC_BATCH_H
#define STOA_ARROW_IPC_BATCH_H

#include "arrow/ipc_decompress.h"
#include "arrow/ipc_schema.h"

typedef struct stoa_ipc_batch {
    stoa_flat *flat;
    const stoa_flat_table *table; /* a RecordBatch */
    const stoa_buffer *body;
    struct ArrowSchema *const *fields; /* of its columns */
    int64_t n_fields;
    stoa_ipc_dictionary *dictionaries; /* those of the columns, in the same order */
    size_t n_dictionaries;
} stoa_ipc_batch;

/*
 * Read the columns as a struct. The caller releases it, after a failure as well.
 *
 * @param unpacker  decompresses compressed batches
 * @return STOA_EDATA if the batch does not match its schema, or comes before its dictionaries
 */
stoa_status stoa_ipc_read_batch(const stoa_ipc_batch *batch, stoa_decompressor *unpacker,
                                struct ArrowArray *out, stoa_error *err);

#endif
