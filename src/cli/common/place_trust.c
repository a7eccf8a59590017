/* Records which tables of a place the user trusts, before an edit and after it. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/place_parts.h"

static const uint64_t *generation_of(const cli_trusted *table)
{
    return table->has_generation ? &table->generation : NULL;
}

static void read_generation(const cli_place *place, cli_trusted *table)
{
    table->has_generation =
        stoa_trust_generation(stoa_file_id(place->file), table->path, &table->generation);
}

static void add_trusted(cli_place *place, const cli_trusted *table)
{
    place->trusted = cli_one_more(place->trusted, place->n_trusted, sizeof *place->trusted);
    place->trusted[place->n_trusted] = *table;
    place->trusted[place->n_trusted++].path = cli_copy(table->path);
}

void cli_place_clear_trusted(cli_place *place)
{
    for (size_t i = 0; i < place->n_trusted; i++) {
        free(place->trusted[i].path);
    }
    free(place->trusted);
    place->trusted = NULL;
    place->n_trusted = 0;
}

static stoa_trust look(const cli_place *place, cli_trusted *table)
{
    read_generation(place, table);
    return stoa_trust_get(place->place.file, table->path, generation_of(table));
}

/* Record the table if it is trusted. */
static bool note_trusted(void *context, const stoa_object *object)
{
    cli_place *const place = context;
    cli_trusted table = {(char *)(uintptr_t)object->path, false, 0};

    if (look(place, &table) == STOA_TRUST_HOLDS) {
        add_trusted(place, &table);
    }
    return true;
}

stoa_status cli_place_note_trusted(cli_place *place, stoa_error *err)
{
    return stoa_place_visit(stoa_file_id(place->file), note_trusted, place, err);
}

static void remember(const char *file, const cli_trusted *table, const char *stamp)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_status status =
        stamp != NULL ? stoa_trust_record(file, table->path, generation_of(table), stamp, &err)
                      : stoa_fail(&err, STOA_EIO, "its time stamps tell no change from another");

    if (status != STOA_OK) {
        cli_remark("%s:%s: its indexes could not be noted as trusted: %s%s%s", file, table->path,
                   err.where, err.where[0] != '\0' ? ": " : "", err.message);
    }
}

void cli_place_remember_trusted(const cli_place *place, const char *file, const char *stamp)
{
    for (size_t i = 0; i < place->n_trusted; i++) {
        remember(file, &place->trusted[i], stamp);
    }
}

void cli_place_move_trust(cli_place *place, const char *from, const char *to)
{
    for (size_t i = 0; from != NULL && i < place->n_trusted; i++) {
        if (strcmp(place->trusted[i].path, from) == 0) {
            free(place->trusted[i].path);
            place->trusted[i--] = place->trusted[--place->n_trusted];
        }
    }
    if (to != NULL) {
        const cli_trusted table = {(char *)(uintptr_t)to, false, 0};
        add_trusted(place, &table); /* the commit reads its GENERATION */
    }
}

stoa_status cli_place_commit(cli_place *place, bool trust, stoa_error *err)
{
    stoa_file *const file = place->file;
    const bool is_new = trust && !cli_place_was_trusted(place);
    cli_place after = {.file = file};
    char *stamp = NULL;
    stoa_status status;

    for (size_t i = 0; i < place->n_trusted; i++) {
        add_trusted(&after, &place->trusted[i]);
    }
    if (is_new) {
        add_trusted(&after, &(cli_trusted){place->place.path, false, 0});
    }
    for (size_t i = 0; i < after.n_trusted; i++) {
        read_generation(place, &after.trusted[i]);
    }
    stoa_table_close(place->table);
    place->table = NULL;
    place->file = NULL;
    status = stoa_file_commit_stamped(file, after.n_trusted > 0 ? &stamp : NULL, err);
    /* A failed commit leaves the same bytes with a new modification time. */
    cli_place_remember_trusted(status == STOA_OK ? &after : place, place->place.file, stamp);
    stoa_free(stamp);
    cli_place_clear_trusted(&after);
    return stoa_at(err, status, "%s", place->name);
}

bool cli_place_was_trusted(const cli_place *place)
{
    for (size_t i = 0; i < place->n_trusted; i++) {
        if (strcmp(place->trusted[i].path, place->place.path) == 0) {
            return true;
        }
    }
    return false;
}

stoa_trust cli_place_trust(const cli_place *place)
{
    cli_trusted table = {place->place.path, false, 0};

    return look(place, &table);
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
