/* stoa preallocate: reserve space for rows (HEP001 §11.3). */
#include "cli/edit/edit.h"

static stoa_status preallocate(cli_args *args, stoa_error *err)
{
    const char *number = NULL;
    uint64_t extent = 0;
    cli_edit edit = {0};
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;

    cli_edit_options(args, &edit);
    cli_operand(args, &number, "N", "rows there is to be room for in all");
    if (!cli_accepted(args) || !cli_edit_count(args, "N", number, &extent)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    stoa_table *const table = edit.place->table;
    STOA_RETURN_NOT_OK(stoa_table_preallocate(table, extent, &edit.options, err));
    storage.extent = extent;
    if (stoa_table_n_columns(table) > 0) {
        STOA_RETURN_NOT_OK(stoa_column_storage_of(stoa_table_column(table, 0), &storage, err));
    }
    return cli_edit_publish(&edit, err, "room for %llu %s", (unsigned long long)storage.extent,
                            cli_plural(storage.extent, "row", "rows"));
}

const cli_command cmd_preallocate = {"preallocate", "make room for rows to come",
                                     "stoa preallocate run.h5:/events 1000000", preallocate};
