/* A table on its way to another place: what `stoa copy` and `stoa move` share. */
#ifndef STOA_CLI_TRANSFER_H
#define STOA_CLI_TRANSFER_H

#include "cli/args.h"

/* Run the command: its declarations, the copy or the move, what is said about it. */
int cli_transfer(cli_args *args, bool moves);

#endif
