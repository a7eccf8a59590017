/* stoa index drop: remove search indexes. */
#include "cli/common/args.h"
#include "cli/common/index_kinds.h"
#include "cli/common/place.h"
#include "cli/edit/indexes.h"

static stoa_status index_drop(cli_args *args, stoa_error *err)
{
    cli_texts columns = {0};
    int kind = -1;
    cli_place *const place = args->place = cli_place_new(args);
    cli_indexes indexes = {0};

    cli_choice(args, &kind, cli_index_kinds, "--kind KIND",
               CLI_INDEX_KINDS "; by default every one");
    cli_safe_option(args, &place->safe);
    cli_operand(args, &args->subject, "PLACE", CLI_ONE_PLACE_HELP);
    cli_operands(args, &columns, "COLUMN...", "columns that lose their indexes");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_open_table(place, args->subject, STOA_FILE_EDIT, err));
    STOA_RETURN_NOT_OK(cli_indexes_load(args, &indexes, place->table, err));
    for (size_t i = 0; i < columns.n; i++) {
        STOA_RETURN_NOT_OK(cli_indexes_expect(&indexes, columns.items[i], err));
        STOA_RETURN_NOT_OK(stoa_index_drop(place->table, columns.items[i],
                                           kind < 0 ? NULL : cli_index_kinds[kind], err));
    }
    STOA_RETURN_NOT_OK(cli_place_commit(place, false, err));
    for (size_t i = 0; i < columns.n; i++) {
        cli_remark("%s: index on %s dropped", place->name, columns.items[i]);
    }
    return STOA_OK;
}

const cli_command cmd_index_drop = {"index drop", "remove search indexes",
                                    "stoa index drop run.h5:/events time", index_drop};
