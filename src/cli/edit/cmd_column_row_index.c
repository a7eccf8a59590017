/* stoa column row-index: which columns label the rows (HEP001 §9). */
#include "cli/edit/edit.h"

static stoa_status column_row_index(cli_args *args, stoa_error *err)
{
    cli_texts columns = {0};
    bool none = false;
    cli_edit edit = {0};

    cli_flag(args, &none, "--none", "rows have no labels, but their position");
    cli_edit_place(args, &edit);
    cli_operands(args, &columns, "[COLUMN...]", "the levels, outermost first");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (none == (columns.n > 0)) {
        return cli_misused(args, "name the columns, or say --none");
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    STOA_RETURN_NOT_OK(stoa_table_label_rows(edit.place->table, columns.items, columns.n, err));
    return none ? cli_edit_publish(&edit, err, "no column labels the rows")
                : cli_edit_publish(&edit, err, "rows are labelled by %s",
                                   cli_list_names(args, &columns));
}

const cli_command cmd_column_row_index = {
    "column row-index", "say which columns label the rows, outermost first",
    "stoa column row-index run.h5:/cells donor sample cell", column_row_index};
