/* stoa index drop: remove search indexes. */
#include "cli/common/args.h"
#include "cli/common/place.h"
#include "cli/edit/indexes.h"

static int index_drop(cli_args *args)
{
    const char *text = NULL;
    cli_texts columns = {0};
    int kind = -1;
    cli_place place = {0};
    cli_indexes indexes = {0};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    int exit_status;

    cli_choice(args, &kind, cli_index_kinds, "--kind KIND",
               CLI_INDEX_KINDS "; by default every one");
    cli_safe_option(args, &place.safe);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operands(args, &columns, "COLUMN...", "columns that lose their indexes");
    if (!cli_accepted(args)) {
        return args->status;
    }
    STOA_TRY(cli_place_open_table(&place, text, STOA_FILE_EDIT, &err));
    STOA_TRY(cli_indexes_load(&indexes, place.table, &err));
    for (size_t i = 0; i < columns.n; i++) {
        if (!cli_indexes_cover(&indexes, columns.items[i])) {
            STOA_FAIL(&err, STOA_ENOTFOUND,
                      "there is no index on '%s'; 'stoa index list' shows those there are",
                      columns.items[i]);
        }
        STOA_TRY(stoa_index_drop(place.table, columns.items[i],
                                 kind < 0 ? NULL : cli_index_kinds[kind], &err));
    }
    STOA_TRY(cli_place_commit(&place, false, &err));
    for (size_t i = 0; i < columns.n; i++) {
        cli_remark("%s: index on %s dropped", place.name, columns.items[i]);
    }
done:
    exit_status =
        status == STOA_OK ? CLI_DONE : cli_fail(place.name != NULL ? place.name : text, &err);
    cli_indexes_clear(&indexes);
    cli_place_close(&place);
    return exit_status;
}

const cli_command cmd_index_drop = {"index drop", "remove search indexes",
                                    "stoa index drop run.h5:/events time", index_drop};
