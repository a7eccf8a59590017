/* What the columns of a table hold: types as people say them, missing counts, ranges. */
#ifndef STOA_CLI_CONTENTS_H
#define STOA_CLI_CONTENTS_H

#include "cli/cli.h"

typedef struct cli_content {
    char *missing; /* each NULL where it is not known, or has no meaning */
    char *least;
    char *greatest;
} cli_content;

typedef struct cli_contents {
    cli_content *items; /* one a column */
    size_t n;
} cli_contents;

/* Make room for every column; `scan`: ask the table itself, reading all of it. */
stoa_status cli_contents_load(cli_contents *contents, stoa_table *table, bool scan,
                              const stoa_listener *listener, stoa_error *err);
void cli_contents_clear(cli_contents *contents);

/* "int16", "timestamp[ms, Europe/Berlin]", "category", "list of float32"; the caller's. */
char *cli_type_name(const struct ArrowSchema *schema);

#endif
