/* stoa truncate: remove rows from the end (HEP001 §11.4). */
#include "cli/edit/edit.h"

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    const uint64_t *const n_rows = context;

    *n = stoa_table_n_rows(table);
    return stoa_table_truncate(table, *n_rows, options, err);
}

static void say(void *context, const char *place, uint64_t n)
{
    const uint64_t *const n_rows = context;

    cli_remark("%s: cut from %llu %s to %llu; the room of the others stays reserved", place,
               (unsigned long long)n, cli_plural(n, "row", "rows"), (unsigned long long)*n_rows);
}

static int truncate(cli_args *args)
{
    const char *text = NULL;
    const char *number = NULL;
    uint64_t n_rows = 0;
    cli_edit edit = {0};
    const cli_edit_job job = {run, say, &n_rows};

    cli_edit_options(args, &edit);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operand(args, &number, "N", "rows to keep, from the first on");
    if (!cli_accepted(args) || !cli_edit_count(args, "N", number, &n_rows)) {
        return args->status;
    }
    return cli_edit_place(&edit, text, &job);
}

const cli_command cmd_truncate = {"truncate", "keep the first rows of a table",
                                  "stoa truncate run.h5:/events 1000", truncate};
