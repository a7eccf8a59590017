/* Shared by the commands that edit a table: options, opening, commit and messages. */
#ifndef STOA_CLI_EDIT_H
#define STOA_CLI_EDIT_H

#include "cli/common/args.h"
#include "cli/common/place.h"

typedef struct cli_edit {
    int on_index; /* see cli_edit_options() */
    bool safe;
    bool quiet;
    stoa_edit_options options;
} cli_edit;

/* Declare --on-index, --safe and --no-progress. The cli_edit must be zeroed. */
void cli_edit_options(cli_args *args, cli_edit *edit);
/* Set the library's options, once the arguments are accepted. Catches signals from here on. */
void cli_edit_begin(cli_edit *edit);

/* An edit of a table; `say` gets the `n` that `run` sets. */
typedef struct cli_edit_job {
    stoa_status (*run)(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err);
    /* Print one remark after the edit is published. */
    void (*say)(void *context, const char *place, uint64_t n);
    void *context;
} cli_edit_job;

/* Open the place, edit its table and publish. Returns an exit status. */
int cli_edit_place(cli_edit *edit, const char *text, const cli_edit_job *job);

/* Parse `text` as a number of rows; false after a message about `what`. */
bool cli_edit_count(cli_args *args, const char *what, const char *text, uint64_t *n);
/* Parse the value of --chunk: rows, or "contiguous"; NULL leaves it at 0. False after a message. */
bool cli_edit_chunk(cli_args *args, const char *text, uint64_t *rows);

/* Join names as "a, b and c"; the caller frees the result. */
char *cli_list_names(const cli_texts *names);

#endif
