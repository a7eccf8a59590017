/* stoa index list: the search indexes of a table. */
#include "cli/common/args.h"
#include "cli/common/place.h"
#include "cli/edit/indexes.h"

static int index_list(cli_args *args)
{
    const char *text = NULL;
    cli_place place = {0};
    cli_indexes indexes = {0};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    int exit_status;

    cli_follow_option(args, &place.follows);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    if (!cli_accepted(args)) {
        return args->status;
    }
    STOA_TRY(cli_place_open_table(&place, text, STOA_FILE_READ, &err));
    STOA_TRY(cli_indexes_load(&indexes, place.table, &err));
    if (indexes.n > 0) {
        cli_indexes_print(&indexes, cli_place_is_trusted(&place), stdout);
    } else {
        cli_remark("%s: no index", place.name);
    }
done:
    exit_status = status == STOA_OK ? CLI_DONE : cli_fail(text, &err);
    cli_indexes_clear(&indexes);
    cli_place_close(&place);
    return exit_status;
}

const cli_command cmd_index_list = {"index list", "show the search indexes of a table",
                                    "stoa index list run.h5:/events", index_list};
