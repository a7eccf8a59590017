/* What the files that write Arrow's IPC format share. */
#ifndef STOA_ARROW_IPC_WRITE_H
#define STOA_ARROW_IPC_WRITE_H

#include <stoa/arrow.h>

#include "arrow/ipc_flat.h"

/*
 * The table of a schema, which the offset at `at` leads to. Dictionaries are numbered as their
 * fields come, each before what lies in it.
 *
 * @return STOA_ETYPE naming the column that is not written
 */
stoa_status stoa_ipc_put_schema(stoa_flat_writer *flat, size_t at, const struct ArrowSchema *schema,
                                stoa_error *err);

#endif
