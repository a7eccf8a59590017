/* stoa truncate: remove rows from the end (HEP001 §11.4). */
#include "cli/edit/edit.h"

static stoa_status truncate_table(cli_args *args, stoa_error *err)
{
    const char *number = NULL;
    uint64_t n_rows = 0;
    cli_edit edit = {0};

    cli_edit_options(args, &edit);
    cli_operand(args, &number, "N", "rows to keep, from the first on");
    if (!cli_accepted(args) || !cli_edit_count(args, "N", number, &n_rows)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    const uint64_t before = stoa_table_n_rows(edit.place->table);
    STOA_RETURN_NOT_OK(stoa_table_truncate(edit.place->table, n_rows, &edit.options, err));
    return cli_edit_publish(
        &edit, err, "cut from %llu %s to %llu; the room of the others stays reserved",
        (unsigned long long)before, cli_plural(before, "row", "rows"), (unsigned long long)n_rows);
}

const cli_command cmd_truncate = {"truncate", "keep the first rows of a table",
                                  "stoa truncate run.h5:/events 1000", truncate_table};
