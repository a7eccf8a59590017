/* stoa column rename: rename a column (HEP001 §8.1). */
#include "cli/edit/edit.h"

static stoa_status column_rename(cli_args *args, stoa_error *err)
{
    const char *from = NULL;
    const char *to = NULL;
    cli_edit edit = {0};

    cli_edit_place(args, &edit);
    cli_operand(args, &from, "COLUMN", "the column");
    cli_operand(args, &to, "NAME", "its new name");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    STOA_RETURN_NOT_OK(stoa_column_rename(edit.place->table, from, to, err));
    return cli_edit_publish(&edit, err, "column %s is called %s now", from, to);
}

const cli_command cmd_column_rename = {"column rename", "give a column another name",
                                       "stoa column rename run.h5:/events e energy", column_rename};
