/* stoa remove: delete a table or a sparse array. */
#include <stoa/sparse.h>

#include "cli/common/place.h"
#include "cli/transfer/export_sparse.h"

static stoa_status remove_table(cli_args *args, stoa_error *err)
{
    cli_place *const place = args->place = cli_place_new(args);

    cli_safe_option(args, &place->safe);
    cli_operand(args, &args->subject, "PLACE",
                "FILE:PATH of a table, sound or not, or of a sparse array");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_parse(place, args->subject, err));
    if (place->place.path == NULL) {
        return cli_misused(args, "say which table or sparse array: FILE:PATH");
    }
    STOA_RETURN_NOT_OK(cli_place_open_file(place, STOA_FILE_EDIT, err));
    const hid_t file = stoa_file_id(place->file);
    STOA_RETURN_NOT_OK((cli_is_sparse(place) ? stoa_sparse_remove
                                             : stoa_table_remove)(file, place->place.path, err));
    STOA_RETURN_NOT_OK(cli_place_move_trust(place, place->place.path, NULL, err));
    STOA_RETURN_NOT_OK(cli_place_commit(place, false, err));
    cli_remark("%s: removed; 'stoa repack %s' gives its space back", place->name,
               place->place.file);
    return STOA_OK;
}

const cli_command cmd_remove = {"remove", "delete a table or a sparse array",
                                "stoa remove run.h5:/events", remove_table};
