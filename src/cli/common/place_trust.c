/* Keeps the trust in the tables of a place over an edit. */
#include "cli/common/place_parts.h"
#include "cli/common/progress.h"
#include "hdf/copy/repack.h"

void cli_place_remember_trusted(const cli_place *place, const char *file, const char *stamp,
                                bool is_edited)
{
    stoa_error err = STOA_ERROR_INIT;

    if (stoa_trusted_record(place->trusted, file, stamp, is_edited, &err) != STOA_OK) {
        cli_remark("%s: its indexes could not be noted as trusted: %s%s%s", file, err.where,
                   err.where[0] != '\0' ? ": " : "", err.message);
    }
}

stoa_status cli_place_move_trust(cli_place *place, const char *from, const char *to,
                                 stoa_error *err)
{
    return stoa_trusted_move(place->trusted, from, to, err);
}

stoa_status cli_place_commit(cli_place *place, bool trust, stoa_error *err)
{
    stoa_file *const file = place->file;
    char *stamp = NULL;

    if (trust) {
        STOA_RETURN_NOT_OK(cli_place_move_trust(place, NULL, place->place.path, err));
    }
    stoa_trusted_look(place->trusted, stoa_file_id(file), place->place.path);
    stoa_table_close(place->table);
    place->table = NULL;
    place->file = NULL;
    const stoa_status status =
        stoa_file_commit_stamped(file, stoa_trusted_is_empty(place->trusted) ? NULL : &stamp, err);
    /* A failed commit leaves the same bytes with a new modification time. */
    cli_place_remember_trusted(place, place->place.file, stamp, status == STOA_OK);
    stoa_free(stamp);
    return stoa_at(err, status, "%s", place->name);
}

stoa_status cli_place_repack(cli_place *place, const char *to, const stoa_other_storage *storage,
                             const stoa_listener *listener, stoa_error *err)
{
    const char *const from = place->place.file;
    char *stamp = NULL;

    stoa_trusted_close(place->trusted);
    place->trusted = NULL;
    STOA_RETURN_NOT_OK(stoa_trusted_open(from, &place->trusted, err));
    const stoa_status status =
        stoa_hdf_repack(from, to, storage, cli_patience(), listener, &stamp, err);
    cli_progress_clear();
    if (status == STOA_OK) { /* Stoa itself copied the chunks */
        cli_place_remember_trusted(place, to, stamp, false);
    }
    stoa_free(stamp);
    return status;
}

bool cli_place_was_trusted(const cli_place *place)
{
    return stoa_trusted_had(place->trusted, place->place.path);
}

stoa_trust cli_place_trust(const cli_place *place)
{
    uint64_t generation = 0;
    const bool has =
        stoa_trust_generation(stoa_file_id(place->file), place->place.path, &generation);

    return stoa_trust_get(place->place.file, place->place.path, has ? &generation : NULL);
}

bool cli_place_is_trusted(const cli_place *place)
{
    return cli_place_trust(place) == STOA_TRUST_HOLDS;
}

bool cli_place_tell_trust(const cli_place *place, stoa_trust trust)
{
    if (trust == STOA_TRUST_TOUCHED) {
        cli_remark(
            "%s: its indexes are not used, though size and time of the file are what they "
            "were when it was trusted: it was moved, linked or given other rights, or changed "
            "and its time put back (ctime); 'stoa index verify %s' tells",
            place->name, place->name);
    } else if (trust == STOA_TRUST_CHANGED) {
        cli_remark("%s: its indexes are not used: the file changed since they were trusted; 'stoa "
                   "index verify %s' compares them again",
                   place->name, place->name);
    }
    return trust == STOA_TRUST_TOUCHED || trust == STOA_TRUST_CHANGED;
}
