/* Arrow's IPC format in memory: bytes written by stoa_ipc_write(), and streams that read them. */
#ifndef STOA_TESTS_ARROW_IPC_KIT_H
#define STOA_TESTS_ARROW_IPC_KIT_H

#include "arrow/ipc.h"
#include "support/batches.h"

/* Bytes and the position of the reader. */
typedef struct ipc_bytes {
    const uint8_t *bytes;
    size_t n;
    size_t at;
} ipc_bytes;

/* Open a stream over bytes. */
stoa_status ipc_open_bytes(ipc_bytes *bytes, struct ArrowArrayStream *stream, stoa_error *err);
/* Write batches, which are taken over. The caller calls free() for *bytes. */
void ipc_write_bytes(batch *batches, size_t n, uint8_t **bytes, size_t *n_bytes);
/* The same in the stream format. */
void ipc_write_stream_bytes(batch *batches, size_t n, uint8_t **bytes, size_t *n_bytes);
/* Make a batch of `n` rows, with a column of every kind that is read and written. */
batch ipc_any_batch(int64_t n);

#endif
