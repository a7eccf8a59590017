/* stoa move: move a table or a sparse array, within its file or to another. */
#include "cli/transfer/transfer.h"

static stoa_status move(cli_args *args, stoa_error *err)
{
    return cli_transfer(args, true, err);
}

const cli_command cmd_move = {"move", "move a table or sparse array, within a file or into another",
                              "stoa move run.h5:/events run.h5:/old/events", move};
