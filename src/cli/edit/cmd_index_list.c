/* stoa index list: the search indexes of a table. */
#include "cli/common/args.h"
#include "cli/common/place.h"
#include "cli/edit/indexes.h"

static stoa_status index_list(cli_args *args, stoa_error *err)
{
    cli_place *const place = cli_place_new(args);
    cli_indexes indexes = {0};

    cli_follow_option(args, &place->follows);
    cli_operand(args, &args->subject, "PLACE", CLI_ONE_PLACE_HELP);
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_open_table(place, args->subject, STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(cli_indexes_load(args, &indexes, place->table, err));
    if (indexes.n > 0) {
        cli_indexes_print(&indexes, cli_place_is_trusted(place), NULL);
    } else {
        cli_remark("%s: no index", place->name);
    }
    return STOA_OK;
}

const cli_command cmd_index_list = {"index list", "show the search indexes of a table",
                                    "stoa index list run.h5:/events", index_list};
