/* Copies and moves sparse arrays. */
#include <stoa/sparse.h>

#include "cli/transfer/export_sparse.h"
#include "cli/transfer/transfer.h"

bool cli_is_sparse_array(const cli_place *place)
{
    cli_place looked = *place;
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    bool is_one = false;

    options.patience = cli_patience();

    if (place->place.path == NULL || stoa_file_open_with(place->place.file, STOA_FILE_READ,
                                                         &options, &looked.file, NULL) != STOA_OK) {
        return false;
    }
    is_one = cli_is_sparse(&looked);
    stoa_file_close(looked.file);
    return is_one;
}

/* Elements are not read, so the connector is not needed. */
static stoa_status move_within(cli_place *place, const char *path, stoa_error *err)
{
    STOA_RETURN_NOT_OK(cli_place_open_file(place, STOA_FILE_EDIT, err));
    STOA_RETURN_NOT_OK(stoa_sparse_move(stoa_file_id(place->file), place->place.path, path, err));
    return cli_place_commit(place, false, err);
}

static stoa_status copy_within(cli_place *place, const char *path, stoa_error *err)
{
    const char *const from = place->place.path;

    place->is_sparse = true;
    STOA_RETURN_NOT_OK(cli_place_open_file(place, STOA_FILE_EDIT, err));
    STOA_RETURN_NOT_OK(
        stoa_sparse_copy(stoa_file_id(place->file), from, stoa_file_id(place->file), path, err));
    return cli_place_commit(place, false, err);
}

/* The other file is published first. If the process is killed in between, the array exists
 * twice. */
static stoa_status between_files(cli_place *from, cli_place *to, bool moves, stoa_error *err)
{
    from->is_sparse = to->is_sparse = true;
    STOA_RETURN_NOT_OK(cli_place_open_file(from, moves ? STOA_FILE_EDIT : STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(cli_place_open_target(to, err));
    STOA_RETURN_NOT_OK(stoa_sparse_copy(stoa_file_id(from->file), from->place.path,
                                        stoa_file_id(to->file), to->place.path, err));
    STOA_RETURN_NOT_OK(cli_place_commit(to, false, err));
    if (moves) {
        STOA_RETURN_NOT_OK(stoa_sparse_remove(stoa_file_id(from->file), from->place.path, err));
        STOA_RETURN_NOT_OK(cli_place_commit(from, false, err));
    }
    return STOA_OK;
}

stoa_status cli_transfer_sparse(cli_place *from, cli_place *to, bool moves, stoa_error *err)
{
    if (to->place.path == NULL) {
        cli_place_set_path(to, from->place.path);
    }
    if (cli_is_same_file(from->place.file, to->place.file)) {
        return (moves ? move_within : copy_within)(from, to->place.path, err);
    }
    return between_files(from, to, moves, err);
}
