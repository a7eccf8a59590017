/* Reports the unconverted objects of a file: those that a whole-file conversion leaves out or keeps
 * unchanged. */
#ifndef STOA_CLI_UNCONVERTED_H
#define STOA_CLI_UNCONVERTED_H

#include "cli/common/place.h"

/* All strings live as long as the args. */
typedef struct cli_rest {
    bool is_kept;     /* --keep-rest */
    int format;       /* -f */
    cli_texts tables; /* paths of the converted tables */
    stoa_rest *items; /* an item without a kind is a remark about a converted or kept object */
    size_t n_items;
} cli_rest;

/* Declare --keep-rest and -f. */
void cli_rest_options(cli_args *args, cli_rest *rest);

/* Find the objects of a file that are not part of the tables of these steps. */
stoa_status cli_rest_find(cli_rest *rest, cli_args *args, const cli_place *from,
                          const stoa_layout_step *steps, size_t n_steps, stoa_error *err);
void cli_rest_clear(cli_rest *rest);
/* Add a remark to the report. */
void cli_rest_remark(cli_rest *rest, cli_args *args, const char *path, const char *why);
/* Add remarks for the columns of a step's table that were renamed in HEP001. */
stoa_status cli_rest_tell_names(cli_rest *rest, cli_args *args, hid_t into,
                                const stoa_layout_step *step, stoa_error *err);
/* Add remarks for unconverted parts of objects at or below these paths, if the table's layout can
 * report them. */
stoa_status cli_rest_tell_unread(cli_rest *rest, cli_args *args, const cli_place *from,
                                 const stoa_layout_step *steps, size_t n_steps,
                                 const cli_texts *paths, stoa_error *err);
/* Print one line per object to stderr, or JSON to stdout. */
stoa_status cli_rest_show(const cli_rest *rest, const char *file, stoa_error *err);
/* A summary for the command's last line, ", 3 objects kept, 1 left out". It lives as long as the
 * args. */
const char *cli_rest_count(const cli_rest *rest, cli_args *args);

#endif
