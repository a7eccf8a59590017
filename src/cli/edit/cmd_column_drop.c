/* stoa column drop: remove columns, with their indexes and categories (HEP001 §12). */
#include "cli/edit/edit.h"

static stoa_status column_drop(cli_args *args, stoa_error *err)
{
    cli_texts columns = {0};
    cli_edit edit = {0};

    cli_edit_place(args, &edit);
    cli_operands(args, &columns, "COLUMN...", "columns that go");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    for (size_t i = 0; i < columns.n; i++) {
        STOA_RETURN_NOT_OK(stoa_column_drop(edit.place->table, columns.items[i], err));
    }
    return cli_edit_publish(&edit, err, "%s %s dropped", cli_plural(columns.n, "column", "columns"),
                            cli_list_names(args, &columns));
}

const cli_command cmd_column_drop = {"column drop",
                                     "remove columns, with their indexes and categories",
                                     "stoa column drop run.h5:/events raw_adc", column_drop};
