/* Reports the unconverted objects of a file: those that a whole-file conversion leaves out or keeps
 * unchanged. */
#ifndef STOA_CLI_UNCONVERTED_H
#define STOA_CLI_UNCONVERTED_H

#include "cli/common/place.h"

/* All strings live as long as the args. */
typedef struct cli_unconverted {
    bool is_kept;     /* --keep-rest */
    int format;       /* -f */
    cli_texts tables; /* paths of the converted tables */
    stoa_unconverted
        *items; /* an item without a kind is a remark about a converted or kept object */
    size_t n_items;
} cli_unconverted;

/* Declare --keep-rest and -f. */
void cli_unconverted_options(cli_args *args, cli_unconverted *rest);

/* Find the objects of a file that are not part of the tables of these steps. */
stoa_status cli_unconverted_find(cli_unconverted *rest, cli_args *args, const cli_place *from,
                                 const stoa_layout_step *steps, size_t n_steps, stoa_error *err);
void cli_unconverted_clear(cli_unconverted *rest);
/* Add a remark to the report. */
void cli_unconverted_remark(cli_unconverted *rest, cli_args *args, const char *path,
                            const char *why);
/* Add remarks for the columns of a step's table that were renamed in HEP001. */
stoa_status cli_unconverted_tell_names(cli_unconverted *rest, cli_args *args, hid_t into,
                                       const stoa_layout_step *step, stoa_error *err);
/* Add remarks for unconverted parts of objects at or below these paths, if the table's layout can
 * report them. */
stoa_status cli_unconverted_tell_unread(cli_unconverted *rest, cli_args *args,
                                        const cli_place *from, const stoa_layout_step *steps,
                                        size_t n_steps, const cli_texts *paths, stoa_error *err);
/* Print one line per object to stderr, or JSON to stdout. */
stoa_status cli_unconverted_show(const cli_unconverted *rest, const char *file, stoa_error *err);
/* A summary for the command's last line, ", 3 objects kept, 1 left out". It lives as long as the
 * args. */
const char *cli_unconverted_count(const cli_unconverted *rest, cli_args *args);

#endif
