/* stoa update: change values in existing rows (HEP001 §11.5). */
#include "cli/edit/edit.h"

/* Split COL=VALUE pairs; false after a message. */
static bool split(cli_args *args, const cli_texts *pairs, stoa_assignment **assignments)
{
    *assignments = cli_keep(args, cli_resize(NULL, pairs->n, sizeof **assignments));
    for (size_t i = 0; i < pairs->n; i++) {
        const char *value = NULL;
        const char *const column = cli_cut(args, pairs->items[i], '=', &value);

        if (value == NULL) {
            cli_misused(args, "--set takes COLUMN=VALUE, not '%s'", pairs->items[i]);
            return false;
        }
        (*assignments)[i] = (stoa_assignment){column, value};
    }
    if (pairs->n == 0) {
        cli_misused(args, "say what to change with --set COLUMN=VALUE");
        return false;
    }
    return true;
}

static stoa_status update_rows(cli_args *args, stoa_error *err)
{
    const char *where = NULL;
    cli_texts pairs = {0};
    stoa_assignment *assignments = NULL;
    bool all = false;
    cli_edit edit = {0};
    uint64_t n = 0;

    cli_text(args, &where, "-w, --where EXPR", "change the rows for which EXPR is true");
    cli_flag(args, &all, "--all", "change every row");
    cli_list(args, &pairs, "--set COLUMN=VALUE",
             "the column's new value: an expression of the row as it was, as energy*1.02, "
             "'unknown' or null; may be repeated");
    cli_edit_rewrites(args, &edit);
    if (!cli_accepted(args) || !split(args, &pairs, &assignments)) {
        return STOA_OK;
    }
    if (all == (where != NULL)) {
        return cli_misused(args, all ? "--all and -w exclude each other"
                                     : "say which rows with -w EXPR, or --all");
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    STOA_RETURN_NOT_OK(
        stoa_table_update(edit.place->table, where, assignments, pairs.n, &edit.options, &n, err));
    return cli_edit_publish(&edit, err, "%llu %s changed", (unsigned long long)n,
                            cli_plural(n, "row", "rows"));
}

const cli_command cmd_update = {
    "update", "change values in rows of a table",
    "stoa update run.h5:/events -w 'run = 7' --set 'energy=energy*1.02'", update_rows};
