/* stoa delete: delete rows (HEP001 §11.4, §11.5). */
#include "cli/edit/edit.h"

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    const char *const *const where = context;

    return stoa_table_delete(table, *where, options, n, err);
}

static void say(void *context, const char *place, uint64_t n)
{
    (void)context;
    cli_remark("%s: %llu %s deleted%s", place, (unsigned long long)n, cli_plural(n, "row", "rows"),
               n > 0 ? "; every column was rewritten from the first of them on" : "");
}

static int delete_rows(cli_args *args)
{
    const char *text = NULL;
    const char *where = NULL;
    cli_edit edit = {0};
    const cli_edit_job job = {run, say, &where};

    cli_text(args, &where, "-w, --where EXPR", "delete the rows for which EXPR is true");
    cli_edit_options(args, &edit);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    if (!cli_accepted(args)) {
        return args->status;
    }
    if (where == NULL) {
        return cli_misused(args,
                           "say which rows with -w EXPR; 'stoa truncate PLACE 0' deletes all");
    }
    return cli_edit_place(&edit, text, &job);
}

const cli_command cmd_delete = {"delete", "take rows out of a table",
                                "stoa delete run.h5:/events -w 'energy is null'", delete_rows};
