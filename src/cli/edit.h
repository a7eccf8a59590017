/* What the commands that edit tables share: their options, the edit of one place, its end. */
#ifndef STOA_CLI_EDIT_H
#define STOA_CLI_EDIT_H

#include "cli/args.h"
#include "cli/place.h"

typedef struct cli_edit {
    int on_index; /* see cli_edit_options() */
    bool safe;
    bool quiet;
    stoa_edit_options options;
} cli_edit;

/* Declare --on-index, --safe and --no-progress; start from a zeroed cli_edit. */
void cli_edit_options(cli_args *args, cli_edit *edit);
/* After the arguments were accepted: the library's options. Signals are caught from here on. */
void cli_edit_begin(cli_edit *edit);

/* What a command does to its table; `say` is given the `n` that `run` sets, if it does. */
typedef struct cli_edit_job {
    stoa_status (*run)(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err);
    /* One remark, once the edit is published. */
    void (*say)(void *context, const char *place, uint64_t n);
    void *context;
} cli_edit_job;

/* Open the place, edit its table, publish: an exit status. */
int cli_edit_place(cli_edit *edit, const char *text, const cli_edit_job *job);

/* `text` as a number of rows; false after a complaint about `what`. */
bool cli_edit_count(cli_args *args, const char *what, const char *text, uint64_t *n);
/* The value of --chunk: rows, or "contiguous"; NULL leaves it at 0. False after a complaint. */
bool cli_edit_chunk(cli_args *args, const char *text, uint64_t *rows);

/* "a, b and c"; the caller's. */
char *cli_list_names(const cli_texts *names);

#endif
