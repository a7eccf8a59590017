/* Prints the usage text of a command from its declarations. */
#ifndef STOA_CLI_USAGE_H
#define STOA_CLI_USAGE_H

#include "cli/common/args.h"

void cli_usage(const cli_args *args, FILE *out);

#endif
