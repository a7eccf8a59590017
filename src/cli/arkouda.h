/* What `stoa convert --to arkouda` has besides: locales, modes, forms, and what is said of them. */
#ifndef STOA_CLI_ARKOUDA_H
#define STOA_CLI_ARKOUDA_H

#include "cli/place.h"

/* Zero-initialise. */
typedef struct cli_arkouda {
    const char *locales;
    const char *mode;
    const char *form;
    bool no_offsets;
    bool is_target; /* --to arkouda */
    stoa_arkouda_options options;
    char *name; /* of the object in the target; NULL: not said. Borrowed from the place */
    stoa_arkouda_files *files;
} cli_arkouda;

void cli_arkouda_options(cli_args *args, cli_arkouda *arkouda);
/* Understand what was given; false after a complaint. */
bool cli_arkouda_accepted(cli_args *args, cli_arkouda *arkouda, stoa_layout_options *options);

stoa_status cli_arkouda_open(cli_arkouda *arkouda, const cli_place *to, stoa_error *err);
/* The files are none of those that are read: an edit would wait for its own reader. */
stoa_status cli_arkouda_check_source(const cli_arkouda *arkouda, const cli_place *from,
                                     stoa_error *err);
/* One table, called as in its file where there are several. What is of a kind of Arkouda's, the
 * word of `stoa ls`, stays of it, under its name, unless --as says otherwise. */
stoa_status cli_arkouda_write(cli_arkouda *arkouda, stoa_table *table, const char *kind,
                              bool is_one_of_several, const stoa_layout_options *options,
                              uint64_t *n_rows, stoa_error *err);
stoa_status cli_arkouda_commit(cli_arkouda *arkouda, stoa_error *err);
void cli_arkouda_close(cli_arkouda *arkouda);

#endif
