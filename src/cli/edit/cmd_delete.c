/* stoa delete: delete rows (HEP001 §11.4, §11.5). */
#include "cli/edit/edit.h"

static stoa_status delete_rows(cli_args *args, stoa_error *err)
{
    const char *where = NULL;
    cli_edit edit = {0};
    uint64_t n = 0;

    cli_text(args, &where, "-w, --where EXPR", "delete the rows for which EXPR is true");
    cli_edit_rewrites(args, &edit);
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (where == NULL) {
        return cli_misused(args,
                           "say which rows with -w EXPR; 'stoa truncate PLACE 0' deletes all");
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    STOA_RETURN_NOT_OK(stoa_table_delete(edit.place->table, where, &edit.options, &n, err));
    return cli_edit_publish(&edit, err, "%llu %s deleted%s", (unsigned long long)n,
                            cli_plural(n, "row", "rows"),
                            n > 0 ? "; every column was rewritten from the first of them on" : "");
}

const cli_command cmd_delete = {"delete", "take rows out of a table",
                                "stoa delete run.h5:/events -w 'energy is null'", delete_rows};
