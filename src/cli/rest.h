/* What a conversion of a whole file leaves out, or keeps as it is: the report on it. */
#ifndef STOA_CLI_REST_H
#define STOA_CLI_REST_H

#include "cli/place.h"

/* All texts live as long as the args. */
typedef struct cli_rest {
    bool is_kept;     /* --keep-rest */
    int format;       /* -f */
    cli_texts tables; /* that are converted */
    stoa_rest *items; /* without a kind: a remark on what was converted or kept */
    size_t n_items;
} cli_rest;

/* Declare --keep-rest and -f. */
void cli_rest_options(cli_args *args, cli_rest *rest);

/* Find what a file holds beside the tables of these steps. */
stoa_status cli_rest_find(cli_rest *rest, cli_args *args, const cli_place *from,
                          const stoa_layout_step *steps, size_t n_steps, stoa_error *err);
void cli_rest_clear(cli_rest *rest);
/* One more line for the report. */
void cli_rest_remark(cli_rest *rest, cli_args *args, const char *path, const char *why);
/* Such lines for columns of a step's table, which is HEP001's now, that have other names than they
 * had. */
stoa_status cli_rest_tell_names(cli_rest *rest, cli_args *args, hid_t into,
                                const stoa_layout_step *step, stoa_error *err);
/* Such lines for what stays behind of objects at these paths and below, where a step's table is of
 * a layout that can say so. */
stoa_status cli_rest_tell_unread(cli_rest *rest, cli_args *args, const cli_place *from,
                                 const stoa_layout_step *steps, size_t n_steps,
                                 const cli_texts *paths, stoa_error *err);
/* Copy what was found into a file that is empty still. */
stoa_status cli_rest_copy(const cli_rest *rest, const cli_place *from, const cli_place *to,
                          const stoa_listener *listener, stoa_error *err);
/* Link what are names of the tables, which are there now. */
stoa_status cli_rest_link(const cli_rest *rest, const cli_place *from, const cli_place *to,
                          stoa_error *err);
/* A line for each, on stderr; or JSON, on stdout. */
stoa_status cli_rest_show(const cli_rest *rest, const char *file, stoa_error *err);
/* ", 3 objects kept, 1 left out", for the end of the command's last line; lives as long as the
 * args. */
const char *cli_rest_count(const cli_rest *rest, cli_args *args);

#endif
