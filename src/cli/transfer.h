/* A table on its way to another place: what `stoa copy` and `stoa move` share. */
#ifndef STOA_CLI_TRANSFER_H
#define STOA_CLI_TRANSFER_H

#include "cli/place.h"

/* Run the command: its declarations, the copy or the move, what is said about it. */
int cli_transfer(cli_args *args, bool moves);

/* Whether a place, parsed, names a sparse array. */
bool cli_is_sparse_array(const cli_place *place);
/* Copy or move it; both places are parsed, neither is open yet. */
stoa_status cli_transfer_sparse(cli_place *from, cli_place *to, bool moves, stoa_error *err);

#endif
