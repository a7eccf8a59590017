/* Collects the search indexes of a table, for several commands. */
#ifndef STOA_CLI_INDEXES_H
#define STOA_CLI_INDEXES_H

#include "cli/common/args.h"
#include "cli/output/grid.h"

typedef struct cli_index {
    const char *column;
    const char *kind;
    const char *problem; /* why it is not usable; "" if it is */
    uint64_t n_entries;
    uint64_t n_bytes;
    bool usable;
    bool stale; /* not usable, because its tokens do not fit the table */
} cli_index;

typedef struct cli_indexes {
    cli_index *items;
    size_t n;
    size_t n_usable;
} cli_indexes;

/* Their memory belongs to the args. */
stoa_status cli_indexes_load(cli_args *args, cli_indexes *indexes, const stoa_table *table,
                             stoa_error *err);
/* Whether the column has an index of any kind. */
bool cli_indexes_cover(const cli_indexes *indexes, const char *column);
/* STOA_ENOTFOUND if it has none. */
stoa_status cli_indexes_expect(const cli_indexes *indexes, const char *column, stoa_error *err);

/* Print the indexes as a table to stdout, or add them to an object of `json`, unless it is NULL.
 * `trusted`: queries may use them. */
void cli_indexes_print(const cli_indexes *indexes, bool trusted, cli_json *json);

#endif
