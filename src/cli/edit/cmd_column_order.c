/* stoa column order: the order in which columns are shown (HEP001 §7.4). */
#include <stdlib.h>

#include "cli/edit/edit.h"

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    const cli_texts *const columns = context;

    (void)options;
    *n = 0; /* no count to report */
    return stoa_column_reorder(table, columns->items, columns->n, err);
}

static void say(void *context, const char *place, uint64_t n)
{
    const cli_texts *const columns = context;
    char *const names = cli_list_names(columns);

    (void)n;
    cli_remark("%s: %s %s first now", place, names, cli_plural(columns->n, "comes", "come"));
    free(names);
}

static int column_order(cli_args *args)
{
    const char *text = NULL;
    cli_texts columns = {0};
    cli_edit edit = {0};
    const cli_edit_job job = {run, say, &columns};

    cli_safe_option(args, &edit.safe);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operands(args, &columns, "COLUMN...", "these first, the others behind as they were");
    return cli_accepted(args) ? cli_edit_place(&edit, text, &job) : args->status;
}

const cli_command cmd_column_order = {"column order", "put columns into an order",
                                      "stoa column order run.h5:/events time energy", column_order};
