/* Shared by ipc_write.c and ipc_write_schema.c. */
#ifndef STOA_ARROW_IPC_WRITE_H
#define STOA_ARROW_IPC_WRITE_H

#include <stoa/arrow.h>

#include "arrow/ipc_flat.h"

/*
 * Write the table of a schema and store its offset at `at`. Dictionaries are numbered in field
 * order, each before those nested in it.
 *
 * @return STOA_ETYPE, naming the column, if its type is unsupported
 */
stoa_status stoa_ipc_put_schema(stoa_flat_writer *flat, size_t at, const struct ArrowSchema *schema,
                                stoa_error *err);

#endif
