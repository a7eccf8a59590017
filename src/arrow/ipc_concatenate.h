/* Delta dictionaries of Arrow's IPC format: concatenates the values. */
#ifndef STOA_ARROW_IPC_CONCATENATE_H
#define STOA_ARROW_IPC_CONCATENATE_H

#include "arrow/build.h"

/*
 * Concatenate two arrays of the same field, neither of them sliced.
 *
 * @param[out] out      the caller releases it
 * @param[out] n_bytes  increased by the number of bytes copied
 * @return STOA_ETYPE unless the values are strings, binaries or of a width in whole bytes
 */
stoa_status stoa_ipc_concatenate(const struct ArrowSchema *field, const struct ArrowArray *first,
                                 const struct ArrowArray *second, struct ArrowArray *out,
                                 uint64_t *n_bytes, stoa_error *err);

#endif
