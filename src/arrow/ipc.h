/*
 * Arrow's IPC format, in files and streams: https://arrow.apache.org/docs/format/Columnar.html
 *
 * Known are numbers, booleans, strings, binaries, dates, times, lists, structs, dictionaries; for
 * reading also compressed bodies (LZ4 frames, Zstandard). Everything read is untrusted: no more
 * memory is asked for than bytes have come, or have come out of compressed ones, of which that is
 * 256 times as many at most, or 1 GiB.
 */
#ifndef STOA_ARROW_IPC_H
#define STOA_ARROW_IPC_H

#include <stdio.h>
#include <stoa/progress.h>

#include "arrow/build.h"

/* Whether bytes (8 at least) begin a file or a stream. */
bool stoa_ipc_begins(const void *bytes);

/* Where bytes come from. */
typedef struct stoa_ipc_source {
    const char *name; /* for messages, borrowed for the call; NULL: none */
    void *context;
    /* Fill `bytes`; fewer than `capacity` only at the end. */
    stoa_status (*read)(void *context, void *bytes, size_t capacity, size_t *n, stoa_error *err);
    void (*close)(void *context); /* may be NULL */
} stoa_ipc_source;

/*
 * A stream over a file or a stream, batch by batch; its schema is read now.
 *
 * @param source  closed with the stream, also where this call fails
 * @return STOA_EDATA where it is damaged or none; STOA_EVERSION, STOA_ETYPE for what is not known
 */
stoa_status stoa_ipc_open(const stoa_ipc_source *source, struct ArrowArrayStream *stream,
                          stoa_error *err);

/*
 * Write a stream as a file; consumes it, the caller still releases it.
 *
 * @param[out] n_rows  may be NULL
 * @return STOA_ETYPE for types that are not known, and dictionaries of lists or structs;
 *         STOA_EINVAL for a dictionary that changes, which a file cannot have
 */
stoa_status stoa_ipc_write(struct ArrowArrayStream *stream, FILE *out,
                           const stoa_listener *listener, uint64_t *n_rows, stoa_error *err);

#endif
