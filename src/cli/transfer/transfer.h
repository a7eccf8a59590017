/* Copies or moves a table to another place, for `stoa copy` and `stoa move`. */
#ifndef STOA_CLI_TRANSFER_H
#define STOA_CLI_TRANSFER_H

#include "cli/common/place.h"

/* Run the command: declare its arguments, copy or move, and print a remark. */
stoa_status cli_transfer(cli_args *args, bool moves, stoa_error *err);

/* Whether a parsed place names a sparse array. */
bool cli_is_sparse_array(const cli_place *place);
/* Copy or move a sparse array; both places are parsed and not open yet. */
stoa_status cli_transfer_sparse(cli_place *from, cli_place *to, bool moves, stoa_error *err);

#endif
