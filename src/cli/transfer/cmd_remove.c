/* stoa remove: delete a table or a sparse array. */
#include <stoa/sparse.h>

#include "cli/common/place.h"
#include "cli/transfer/export_sparse.h"

static int remove_table(cli_args *args)
{
    const char *text = NULL;
    cli_place place = {0};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    int exit_status;

    cli_safe_option(args, &place.safe);
    cli_operand(args, &text, "PLACE", "FILE:PATH of a table, sound or not, or of a sparse array");
    if (!cli_accepted(args)) {
        return args->status;
    }
    STOA_TRY(cli_place_parse(&place, text, &err));
    if (place.place.path == NULL) {
        cli_place_close(&place);
        return cli_misused(args, "say which table or sparse array: FILE:PATH");
    }
    STOA_TRY(cli_place_open_file(&place, STOA_FILE_EDIT, &err));
    const hid_t file = stoa_file_id(place.file);
    STOA_TRY((cli_is_sparse(&place) ? stoa_sparse_remove
                                    : stoa_table_remove)(file, place.place.path, &err));
    cli_place_move_trust(&place, place.place.path, NULL);
    STOA_TRY(cli_place_commit(&place, false, &err));
    cli_remark("%s: removed; 'stoa repack %s' gives its space back", place.name, place.place.file);
done:
    exit_status =
        status == STOA_OK ? CLI_DONE : cli_fail(place.name != NULL ? place.name : text, &err);
    cli_place_close(&place);
    return exit_status;
}

const cli_command cmd_remove = {"remove", "delete a table or a sparse array",
                                "stoa remove run.h5:/events", remove_table};
