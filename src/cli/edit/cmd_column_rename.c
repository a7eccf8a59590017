/* stoa column rename: rename a column (HEP001 §8.1). */
#include "cli/edit/edit.h"

typedef struct renaming {
    const char *from;
    const char *to;
} renaming;

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    const renaming *const names = context;

    (void)options;
    *n = 0; /* no count to report */
    return stoa_column_rename(table, names->from, names->to, err);
}

static void say(void *context, const char *place, uint64_t n)
{
    const renaming *const names = context;

    (void)n;
    cli_remark("%s: column %s is called %s now", place, names->from, names->to);
}

static int column_rename(cli_args *args)
{
    const char *text = NULL;
    renaming names = {0};
    cli_edit edit = {0};
    const cli_edit_job job = {run, say, &names};

    cli_safe_option(args, &edit.safe);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operand(args, &names.from, "COLUMN", "the column");
    cli_operand(args, &names.to, "NAME", "its new name");
    return cli_accepted(args) ? cli_edit_place(&edit, text, &job) : args->status;
}

const cli_command cmd_column_rename = {"column rename", "give a column another name",
                                       "stoa column rename run.h5:/events e energy", column_rename};
