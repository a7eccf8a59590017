/* Answers that become tables: `-o out.h5:/t` of query and export. */
#ifndef STOA_CLI_STORE_H
#define STOA_CLI_STORE_H

#include "cli/common/place.h"

/* The options of such a table; zero-initialise. */
typedef struct cli_store {
    const char *indexes;
    const char *row_index;
    cli_texts missing;
    bool safe;
    stoa_layout_options options; /* complete once accepted */
} cli_store;

/* Declare the options, but for --codec, which `export` has for matrices, too. */
void cli_store_options(cli_args *args, cli_store *store);

/* Whether FILE:/PATH, or the layout that the options name, makes the output a table. */
bool cli_store_is_meant(const cli_store *store, const char *name);

/* Check the options for an output, a table if `is_table`; false after a message. */
bool cli_store_accepted(cli_args *args, cli_store *store, const char *name, bool is_table);

/* What an answer comes from. */
typedef struct cli_store_origin {
    stoa_table *table; /* NULL: none is known, as of SQL */
    bool are_rows;     /* rows of the table, whose title and row labels are kept; else groups */
    cli_texts inputs;  /* files being read, which must not be written */
} cli_store_origin;

/* Write a stream as the table FILE:/PATH, whole or not at all. The file is made if it does not
 * exist. */
stoa_status cli_store_write(const cli_store *store, const char *name,
                            struct ArrowArrayStream *stream, const cli_store_origin *origin,
                            const stoa_listener *listener, uint64_t *n_rows, stoa_error *err);

#endif
