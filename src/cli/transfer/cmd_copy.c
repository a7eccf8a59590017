/* stoa copy: copy a table or a sparse array, within its file or to another. */
#include "cli/transfer/transfer.h"

static int copy(cli_args *args)
{
    return cli_transfer(args, false);
}

const cli_command cmd_copy = {
    "copy", "copy a table or sparse array as it is, within a file or into another",
    "stoa copy run.h5:/events archive.h5:/2001/events", copy};
