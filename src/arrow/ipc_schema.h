/* Schemas of Arrow's IPC format: what ipc_read.c makes of the first message. */
#ifndef STOA_ARROW_IPC_SCHEMA_H
#define STOA_ARROW_IPC_SCHEMA_H

#include "arrow/build.h"
#include "arrow/ipc_flat.h"

/* The schema's table as a struct of its columns; the caller's, none after a failure. */
stoa_status stoa_ipc_read_schema(stoa_flat *flat, const stoa_flat_table *table,
                                 struct ArrowSchema *schema, stoa_error *err);

#endif
