/* stoa preallocate: reserve space for rows (HEP001 §11.3). */
#include "cli/edit/edit.h"

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    const uint64_t *const extent = context;
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;

    STOA_RETURN_NOT_OK(stoa_table_preallocate(table, *extent, options, err));
    storage.extent = *extent;
    if (stoa_table_n_columns(table) > 0) {
        STOA_RETURN_NOT_OK(stoa_column_storage_of(stoa_table_column(table, 0), &storage, err));
    }
    *n = storage.extent;
    return STOA_OK;
}

static void say(void *context, const char *place, uint64_t n)
{
    (void)context;
    cli_remark("%s: room for %llu %s", place, (unsigned long long)n, cli_plural(n, "row", "rows"));
}

static int preallocate(cli_args *args)
{
    const char *text = NULL;
    const char *number = NULL;
    uint64_t extent = 0;
    cli_edit edit = {0};
    const cli_edit_job job = {run, say, &extent};

    cli_edit_options(args, &edit);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operand(args, &number, "N", "rows there is to be room for in all");
    if (!cli_accepted(args) || !cli_edit_count(args, "N", number, &extent)) {
        return args->status;
    }
    return cli_edit_place(&edit, text, &job);
}

const cli_command cmd_preallocate = {"preallocate", "make room for rows to come",
                                     "stoa preallocate run.h5:/events 1000000", preallocate};
