/* Arrow's IPC format in memory: what stoa_ipc_write() makes of batches, and reading such bytes. */
#ifndef STOA_TESTS_ARROW_IPC_KIT_H
#define STOA_TESTS_ARROW_IPC_KIT_H

#include "arrow/ipc.h"
#include "support/batches.h"

/* Bytes, and how far they were read. */
typedef struct ipc_bytes {
    const uint8_t *bytes;
    size_t n;
    size_t at;
} ipc_bytes;

/* The stream over bytes, or why there is none. */
stoa_status ipc_open_bytes(ipc_bytes *bytes, struct ArrowArrayStream *stream, stoa_error *err);
/* Write batches, which are taken over; *bytes is to be free()d. */
void ipc_write_bytes(batch *batches, size_t n, uint8_t **bytes, size_t *n_bytes);
/* A batch with a column of every kind that is read and written, of `n` rows. */
batch ipc_any_batch(int64_t n);

#endif
