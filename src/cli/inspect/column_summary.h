/* Summaries of a table's columns: type names, counts of missing values, ranges. */
#ifndef STOA_CLI_COLUMN_SUMMARY_H
#define STOA_CLI_COLUMN_SUMMARY_H

#include "cli/common/cli.h"

typedef struct cli_content {
    char *missing; /* each NULL if unknown or meaningless */
    char *least;
    char *greatest;
    bool is_unreadable;
} cli_content;

typedef struct cli_contents {
    cli_content *items; /* one per column */
    size_t n;
    size_t n_unreadable;
    bool is_json; /* bounds are JSON */
} cli_contents;

/* Find out which columns can be read, and complain of the others. */
stoa_status cli_contents_check(cli_contents *contents, const stoa_table *table, stoa_error *err);
/* Load the summaries of these. `scan`: compute them with a query, which may read the whole table.
 */
stoa_status cli_contents_load(cli_contents *contents, stoa_table *table, bool scan,
                              const stoa_listener *listener, stoa_error *err);
void cli_contents_clear(cli_contents *contents);

#endif
