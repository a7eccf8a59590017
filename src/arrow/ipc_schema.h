/* Reads the schema message of Arrow's IPC format. */
#ifndef STOA_ARROW_IPC_SCHEMA_H
#define STOA_ARROW_IPC_SCHEMA_H

#include "arrow/build.h"
#include "arrow/ipc_flat.h"

/* A column, or a nested field, that is dictionary-encoded. */
typedef struct stoa_ipc_dictionary {
    int64_t id;
    const struct ArrowSchema *field; /* in the schema; its `dictionary` describes the values */
    size_t n_inside;                 /* number of following entries that are nested in its values */
    struct ArrowArray values;        /* release is NULL until they have been read */
} stoa_ipc_dictionary;

/*
 * Read the schema as a struct of its columns. The caller releases it; it is empty after a failure.
 *
 * @param[out] dictionaries  stoa_ipc_dictionary, appended in the order of fields, each before those
 *                           nested in it; ids are unique
 */
stoa_status stoa_ipc_read_schema(stoa_flat *flat, const stoa_flat_table *table,
                                 struct ArrowSchema *schema, stoa_buffer *dictionaries,
                                 stoa_error *err);

#endif
