/* Schemas of Arrow's IPC format: what ipc_read.c makes of the first message. */
#ifndef STOA_ARROW_IPC_SCHEMA_H
#define STOA_ARROW_IPC_SCHEMA_H

#include "arrow/build.h"
#include "arrow/ipc_flat.h"

/* A column, or a part of one, whose values come in a dictionary. */
typedef struct stoa_ipc_dictionary {
    int64_t id;
    const struct ArrowSchema *field; /* its `dictionary` is of the values; the schema's */
    size_t n_inside;                 /* of those that follow, how many are parts of its values */
    struct ArrowArray values;        /* release NULL: not there yet */
} stoa_ipc_dictionary;

/*
 * The schema's table as a struct of its columns; the caller's, none after a failure.
 *
 * @param[out] dictionaries  stoa_ipc_dictionary, appended in the order of fields, each before those
 *                           inside of it; no id twice
 */
stoa_status stoa_ipc_read_schema(stoa_flat *flat, const stoa_flat_table *table,
                                 struct ArrowSchema *schema, stoa_buffer *dictionaries,
                                 stoa_error *err);

#endif
