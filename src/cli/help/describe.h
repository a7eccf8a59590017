/* All commands with their options and operands, as JSON: `stoa help -f json`. */
#ifndef STOA_CLI_DESCRIBE_H
#define STOA_CLI_DESCRIBE_H

#include "cli/common/cli.h"

/* @param commands  end with NULL */
void cli_describe_commands(const cli_command *const *commands, FILE *out);

#endif
