/* Changes to the storage of datasets that `stoa repack` is given: -l, -f, --defined-elements,
 * --exclude (sparse RFC §4.6, with h5repack's syntax). */
#ifndef STOA_CLI_RELAYOUT_H
#define STOA_CLI_RELAYOUT_H

#include "cli/common/args.h"
#include "sparse/tools/relayout.h"

typedef struct cli_relayout {
    cli_texts layouts;
    cli_texts filters;
    const char *defined; /* a list, or the name of a file that contains one */
    const char *exclude;
    stoa_regions regions;
    stoa_relayouts all;
} cli_relayout;

void cli_relayout_options(cli_args *args, cli_relayout *relayout);
/* Whether any change was requested. */
bool cli_relayout_is_wanted(const cli_relayout *relayout);
/* Parse the options; false after a message. */
bool cli_relayout_accepted(cli_args *args, cli_relayout *relayout);
/* Read the list of elements, find the datasets in the file and check the requested changes. */
stoa_status cli_relayout_resolve(cli_relayout *relayout, hid_t file, stoa_error *err);
void cli_relayout_clear(cli_relayout *relayout);

#endif
