/* --missing: the replacement of missing values in layouts that have none. */
#ifndef STOA_CLI_MISSING_H
#define STOA_CLI_MISSING_H

#include <stoa/layout.h>

#include "cli/common/args.h"

/* Declare the option, and parse its values: one entry per text, owned by the args. */
void cli_missing_option(cli_args *args, cli_texts *missing);
const stoa_missing_value *cli_missing_values(cli_args *args, const cli_texts *missing);

#endif
