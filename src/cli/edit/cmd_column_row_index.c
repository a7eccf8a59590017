/* stoa column row-index: which columns label the rows (HEP001 §9). */
#include <stdlib.h>

#include "cli/edit/edit.h"

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    const cli_texts *const columns = context;

    (void)options;
    *n = 0; /* no count to report */
    return stoa_table_label_rows(table, columns->items, columns->n, err);
}

static void say(void *context, const char *place, uint64_t n)
{
    const cli_texts *const columns = context;
    char *const names = cli_list_names(columns);

    (void)n;
    if (columns->n > 0) {
        cli_remark("%s: rows are labelled by %s", place, names);
    } else {
        cli_remark("%s: no column labels the rows", place);
    }
    free(names);
}

static int column_row_index(cli_args *args)
{
    const char *text = NULL;
    cli_texts columns = {0};
    bool none = false;
    cli_edit edit = {0};
    const cli_edit_job job = {run, say, &columns};

    cli_flag(args, &none, "--none", "rows have no labels, but their position");
    cli_safe_option(args, &edit.safe);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operands(args, &columns, "[COLUMN...]", "the levels, outermost first");
    if (!cli_accepted(args)) {
        return args->status;
    }
    if (none == (columns.n > 0)) {
        return cli_misused(args, "name the columns, or say --none");
    }
    return cli_edit_place(&edit, text, &job);
}

const cli_command cmd_column_row_index = {
    "column row-index", "say which columns label the rows, outermost first",
    "stoa column row-index run.h5:/cells donor sample cell", column_row_index};
