/* stoa column order: the order in which columns are shown (HEP001 §7.4). */
#include "cli/edit/edit.h"

static stoa_status column_order(cli_args *args, stoa_error *err)
{
    cli_texts columns = {0};
    cli_edit edit = {0};

    cli_edit_place(args, &edit);
    cli_operands(args, &columns, "COLUMN...", "these first, the others behind as they were");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    STOA_RETURN_NOT_OK(stoa_column_reorder(edit.place->table, columns.items, columns.n, err));
    return cli_edit_publish(&edit, err, "%s %s first now", cli_list_names(args, &columns),
                            cli_plural(columns.n, "comes", "come"));
}

const cli_command cmd_column_order = {"column order", "put columns into an order",
                                      "stoa column order run.h5:/events time energy", column_order};
