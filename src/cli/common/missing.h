/* --missing: the replacement of missing values in layouts that have none. --fill: the values that
 * stand for them in HEP001. */
#ifndef STOA_CLI_MISSING_H
#define STOA_CLI_MISSING_H

#include <stoa/layout.h>

#include "cli/common/args.h"

/* Declare the option, and parse its values: one entry per text, owned by the args. */
void cli_missing_option(cli_args *args, cli_texts *missing);
const stoa_missing_value *cli_missing_values(cli_args *args, const cli_texts *missing);
/* The same for --fill; false, after a message, if a text is not COL=VALUE. */
void cli_fill_option(cli_args *args, cli_texts *fills);
bool cli_fill_values(cli_args *args, const cli_texts *fills, const stoa_missing_value **values);

#endif
