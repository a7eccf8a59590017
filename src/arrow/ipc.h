/*
 * Reads and writes Arrow's IPC format, as files and streams:
 * https://arrow.apache.org/docs/format/Columnar.html
 *
 * Supported types are numbers, booleans, strings, binaries, dates, times, decimals, times of day,
 * lists, structs and dictionaries; in reading also nulls, and views of strings and binaries.
 * Compressed bodies (LZ4 frames, Zstandard) can be read, not written. All input is
 * untrusted. Memory is allocated only for bytes that have been read or decompressed. Decompression
 * may yield at most 256 times the compressed size, or 1 GiB if that is more.
 */
#ifndef STOA_ARROW_IPC_H
#define STOA_ARROW_IPC_H

#include <stdio.h>
#include <stoa/progress.h>

#include "arrow/build.h"

/* Whether the bytes (8 at least) begin a file or a stream. */
bool stoa_ipc_begins(const void *bytes);
/* The same, and of Feather files of version 1, which stoa_ipc_open() refuses by their name. */
bool stoa_ipc_is_claimed(const void *bytes);

/* A source of bytes. */
typedef struct stoa_ipc_source {
    const char *name; /* for messages, borrowed for the call; may be NULL */
    void *context;
    /* Read into `bytes`; fewer than `capacity` bytes only at the end. */
    stoa_status (*read)(void *context, void *bytes, size_t capacity, size_t *n, stoa_error *err);
    void (*close)(void *context); /* may be NULL */
} stoa_ipc_source;

/*
 * Open a file or a stream as a stream of batches. The schema is read at once.
 *
 * @param source  closed with the stream, or if this call fails
 * @return STOA_EDATA if it is damaged or not Arrow data; STOA_EVERSION or STOA_ETYPE for an
 *         unsupported version or type
 */
stoa_status stoa_ipc_open(const stoa_ipc_source *source, struct ArrowArrayStream *stream,
                          stoa_error *err);

/*
 * Write a stream as a file. The stream is consumed; the caller still releases it.
 *
 * @param[out] n_rows  may be NULL
 * @return STOA_ETYPE for unsupported types, and dictionaries of lists or structs; STOA_EINVAL if a
 *         dictionary changes, which the file format does not allow
 */
stoa_status stoa_ipc_write(struct ArrowArrayStream *stream, FILE *out,
                           const stoa_listener *listener, uint64_t *n_rows, stoa_error *err);
/* The same in the stream format, whose readers need not seek. A dictionary may change: the new one
 * replaces the old one from that batch on. Each batch is flushed. */
stoa_status stoa_ipc_write_stream(struct ArrowArrayStream *stream, FILE *out,
                                  const stoa_listener *listener, uint64_t *n_rows, stoa_error *err);

#endif
