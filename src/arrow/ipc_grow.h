/* Dictionaries of Arrow's IPC format that grow from batch to batch. */
#ifndef STOA_ARROW_IPC_GROW_H
#define STOA_ARROW_IPC_GROW_H

#include "arrow/build.h"

/*
 * The values of one array, then those of another, both of the same field and without offsets.
 *
 * @param[out] out      the caller's
 * @param[out] n_bytes  that were copied are added
 * @return STOA_ETYPE for values other than strings, binaries and what has a width in bytes
 */
stoa_status stoa_ipc_grow(const struct ArrowSchema *field, const struct ArrowArray *first,
                          const struct ArrowArray *second, struct ArrowArray *out,
                          uint64_t *n_bytes, stoa_error *err);

#endif
