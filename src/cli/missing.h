/* --missing: what stands for missing values in layouts that hold none. */
#ifndef STOA_CLI_MISSING_H
#define STOA_CLI_MISSING_H

#include <stoa/layout.h>

#include "cli/args.h"

/* Declare it; and what was said, kept until the arguments are freed: as many as there are texts. */
void cli_missing_option(cli_args *args, cli_texts *missing);
const stoa_missing_value *cli_missing_values(cli_args *args, const cli_texts *missing);

#endif
