/* stoa column drop: remove columns, with their indexes and categories (HEP001 §12). */
#include <stdlib.h>

#include "cli/edit/edit.h"

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    const cli_texts *const columns = context;

    (void)options;
    *n = 0; /* no count to report */
    for (size_t i = 0; i < columns->n; i++) {
        STOA_RETURN_NOT_OK(stoa_column_drop(table, columns->items[i], err));
    }
    return STOA_OK;
}

static void say(void *context, const char *place, uint64_t n)
{
    const cli_texts *const columns = context;
    char *const names = cli_list_names(columns);

    (void)n;
    cli_remark("%s: %s %s dropped", place, cli_plural(columns->n, "column", "columns"), names);
    free(names);
}

static int column_drop(cli_args *args)
{
    const char *text = NULL;
    cli_texts columns = {0};
    cli_edit edit = {0};
    const cli_edit_job job = {run, say, &columns};

    cli_safe_option(args, &edit.safe);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operands(args, &columns, "COLUMN...", "columns that go");
    return cli_accepted(args) ? cli_edit_place(&edit, text, &job) : args->status;
}

const cli_command cmd_column_drop = {"column drop",
                                     "remove columns, with their indexes and categories",
                                     "stoa column drop run.h5:/events raw_adc", column_drop};
