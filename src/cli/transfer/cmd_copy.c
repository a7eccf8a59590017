/* stoa copy: copy a table or a sparse array, within its file or to another. */
#include "cli/transfer/transfer.h"

static stoa_status copy(cli_args *args, stoa_error *err)
{
    return cli_transfer(args, false, err);
}

const cli_command cmd_copy = {
    "copy", "copy a table or sparse array as it is, within a file or into another",
    "stoa copy run.h5:/events archive.h5:/2001/events", copy};
