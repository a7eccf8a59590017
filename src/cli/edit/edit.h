/* Shared by the commands that edit a table: options, opening, commit and messages. */
#ifndef STOA_CLI_EDIT_H
#define STOA_CLI_EDIT_H

#include "cli/common/args.h"
#include "cli/common/place.h"

/* An edit of the table at PLACE. */
typedef struct cli_edit {
    cli_place *place;
    int on_index;
    bool quiet;
    bool rewrites; /* the old rows' space is given back afterwards: cli_edit_rewrites() */
    bool keeps_space;
    uint64_t size_before;
    stoa_edit_options options;
} cli_edit;

/* Declare --safe and PLACE; cli_edit_options() also --on-index and --no-progress. The cli_edit must
 * be zeroed. */
void cli_edit_place(cli_args *args, cli_edit *edit);
void cli_edit_options(cli_args *args, cli_edit *edit);
/* The same, and --no-repack, for edits that write rows to new space. If the file has grown and much
 * of it is unused then, cli_edit_publish() writes it anew. */
void cli_edit_rewrites(cli_args *args, cli_edit *edit);
/* Open the table, once the arguments are accepted. Catches signals from here on. */
stoa_status cli_edit_open(cli_args *args, cli_edit *edit, stoa_error *err);
/* The same for a place that is parsed. */
stoa_status cli_edit_open_place(cli_edit *edit, stoa_error *err);
/* Publish the edit. Indexes that were trusted remain trusted: the edit has updated them. */
stoa_status cli_edit_commit(cli_edit *edit, stoa_error *err);
/* The same, and print a remark about it after the name of the place. */
stoa_status cli_edit_publish(cli_edit *edit, stoa_error *err, const char *format, ...)
    STOA_PRINTF(3, 4);

/* Parse `text` as a number of rows; false after a message about `what`. */
bool cli_edit_count(cli_args *args, const char *what, const char *text, uint64_t *n);
/* Parse the value of --chunk: rows, or "contiguous"; NULL leaves it at 0. False after a message. */
bool cli_edit_chunk(cli_args *args, const char *text, uint64_t *rows);

/* Join names as "a, b and c"; it lives as long as the args. */
const char *cli_list_names(cli_args *args, const cli_texts *names);

#endif
