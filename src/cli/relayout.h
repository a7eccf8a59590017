/* Other storage for datasets, as `stoa repack` is told it: -l, -f, --defined-elements, --exclude
 * (sparse RFC §4.6, in the words of h5repack). */
#ifndef STOA_CLI_RELAYOUT_H
#define STOA_CLI_RELAYOUT_H

#include "cli/args.h"
#include "sparse/relayout.h"

typedef struct cli_relayout {
    cli_texts layouts;
    cli_texts filters;
    const char *defined; /* a list, or the name of a file with one */
    const char *exclude;
    stoa_regions regions;
    stoa_relayouts all;
} cli_relayout;

void cli_relayout_options(cli_args *args, cli_relayout *relayout);
/* Is there anything that asks for it? */
bool cli_relayout_is_wanted(const cli_relayout *relayout);
/* Understand what was given; false after a complaint. */
bool cli_relayout_accepted(cli_args *args, cli_relayout *relayout);
/* Read the list of elements, find the datasets in the file and test what is asked of them. */
stoa_status cli_relayout_resolve(cli_relayout *relayout, hid_t file, stoa_error *err);
void cli_relayout_clear(cli_relayout *relayout);

#endif
