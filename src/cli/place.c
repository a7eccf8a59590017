/* See place.h. */
#include "cli/place.h"

#include <glob.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/allocations.h"

static void rename_place(cli_place *place)
{
    free(place->name);
    place->name = place->place.path == NULL
                      ? cli_copy(place->place.file)
                      : cli_sprintf("%s:%s", place->place.file, place->place.path);
}

stoa_status cli_place_parse(cli_place *place, const char *text, stoa_error *err)
{
    const stoa_status status = stoa_place_parse(text, &place->place, err);

    if (status == STOA_OK) {
        rename_place(place);
    }
    return stoa_at(err, status, "%s", text);
}

stoa_status cli_place_find_file(cli_place *place, stoa_error *err)
{
    char *found = NULL;
    const stoa_status status = stoa_layout_find_file(place->place.file, &found, err);

    if (found != NULL) {
        free(place->place.file);
        place->place.file = found;
        rename_place(place);
    }
    return status;
}

void cli_place_set_path(cli_place *place, const char *path)
{
    free(place->place.path);
    place->place.path = cli_copy(path);
    rename_place(place);
}

/* Note a table that is trusted now. */
static bool note_trusted(void *context, const stoa_object *object)
{
    cli_place *const place = context;

    if (stoa_trust_holds(place->place.file, object->path)) {
        place->trusted = cli_resize(place->trusted, place->n_trusted + 1, sizeof *place->trusted);
        place->trusted[place->n_trusted++] = cli_copy(object->path);
    }
    return true;
}

void cli_safe_option(cli_args *args, bool *safe)
{
    cli_flag(args, safe, "--safe",
             "edit a copy of the file, which replaces it when the edit is whole");
}

void cli_widen_option(cli_args *args, bool *widens)
{
    cli_flag(args, widens, "--widen",
             "arkouda: files of a set may hold an array in different widths; integers become int64 "
             "or uint64, floats float64");
}

stoa_status cli_place_note_trusted(cli_place *place, stoa_error *err)
{
    return stoa_place_list(stoa_file_id(place->file), note_trusted, place, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Where no such file is there and the name is a pattern, the files that it means, sorted. */
static stoa_status find_files(cli_place *place, stoa_error *err)
{
    const char *const name = place->place.file;
    struct stat about;
    glob_t found = {.gl_pathc = 0};

    if (strpbrk(name, "*?[") == NULL || stat(name, &about) == 0) {
        return STOA_OK;
    }
    const int failed = glob(name, 0, NULL, &found);
    for (size_t i = 0; failed == 0 && i < found.gl_pathc; i++) {
        place->files = cli_resize(place->files, place->n_files + 1, sizeof *place->files);
        place->files[place->n_files++] = cli_copy(found.gl_pathv[i]);
    }
    globfree(&found);
    if (place->n_files == 0) {
        return stoa_fail(err, failed == GLOB_NOSPACE ? STOA_ENOMEM : STOA_ENOTFOUND,
                         "no file has a name of this pattern");
    }
    qsort(place->files, place->n_files, sizeof *place->files, by_name);
    return STOA_OK;
}

/* Of "run.h5:events", where there is no such file, a path is meant. */
static stoa_status check_colon(const char *name, stoa_error *err)
{
    const char *const colon = strrchr(name, ':');
    char *const file = colon != NULL ? cli_sprintf("%.*s", (int)(colon - name), name) : NULL;
    struct stat about;
    const bool is_meant = file != NULL && stat(name, &about) != 0 && stat(file, &about) == 0 &&
                          S_ISREG(about.st_mode);
    const stoa_status status =
        is_meant ? stoa_fail(err, STOA_ENOTFOUND, "no such file; a path begins with '/': '%s:/%s'",
                             file, colon + 1)
                 : STOA_OK;

    free(file);
    return status;
}

stoa_status cli_place_open_file(cli_place *place, stoa_file_mode mode, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (mode == STOA_FILE_EDIT && place->safe) {
        mode = STOA_FILE_SAFE;
    }
    if (mode == STOA_FILE_READ) {
        STOA_TRY(cli_place_find_file(place, err));
        STOA_TRY(find_files(place, err));
    }
    const char *const name = place->n_files > 0 ? place->files[0] : place->place.file;
    STOA_TRY(check_colon(name, err));
    STOA_TRY(
        (place->is_sparse ? stoa_sparse_file_open : stoa_file_open)(name, mode, &place->file, err));
    if (mode == STOA_FILE_EDIT || mode == STOA_FILE_SAFE) {
        STOA_TRY(cli_place_note_trusted(place, err));
    }
done:
    return stoa_at(err, status, "%s", place->place.file);
}

stoa_status cli_place_open_at(const cli_place *place, const char *path, stoa_table **table,
                              stoa_error *err)
{
    const hid_t file = stoa_file_id(place->file);

    if (place->n_files > 1) {
        return stoa_layout_open_files(file, (const char *const *)place->files, place->n_files, path,
                                      table, err);
    }
    return place->widens ? stoa_layout_open_widened(file, path, table, err)
                         : stoa_layout_open(file, path, table, err);
}

stoa_status cli_place_find_table(cli_place *place, stoa_error *err)
{
    const hid_t file = stoa_file_id(place->file);
    stoa_status status = STOA_OK;
    char *only = NULL;

    if (place->place.path == NULL) {
        STOA_TRY(stoa_layout_only_table(file, &only, err));
        cli_place_set_path(place, only);
    }
    STOA_TRY(cli_place_open_at(place, place->place.path, &place->table, err));
    /* As the table calls itself: a path may have been written with a slash too many. */
    cli_place_set_path(place, stoa_table_path(place->table));
done:
    free(only);
    return stoa_at(err, status, "%s", place->name);
}

stoa_status cli_place_open_table(cli_place *place, const char *text, stoa_file_mode mode,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(place, text, err));
    STOA_TRY(cli_place_open_file(place, mode, err));
    STOA_TRY(cli_place_find_table(place, err));
done:
    return status;
}

static void remember(const char *file, const char *path)
{
    stoa_error err = STOA_ERROR_INIT;

    if (stoa_trust_record(file, path, &err) != STOA_OK) {
        cli_remark("%s:%s: its indexes could not be noted as trusted: %s", file, path, err.message);
    }
}

void cli_place_remember_trusted(const cli_place *place, const char *file)
{
    for (size_t i = 0; i < place->n_trusted; i++) {
        remember(file, place->trusted[i]);
    }
}

static void remember_trusted(const cli_place *place)
{
    cli_place_remember_trusted(place, place->place.file);
}

void cli_place_move_trust(cli_place *place, const char *from, const char *to)
{
    for (size_t i = 0; from != NULL && i < place->n_trusted; i++) {
        if (strcmp(place->trusted[i], from) == 0) {
            free(place->trusted[i]);
            place->trusted[i--] = place->trusted[--place->n_trusted];
        }
    }
    if (to != NULL) {
        place->trusted = cli_resize(place->trusted, place->n_trusted + 1, sizeof *place->trusted);
        place->trusted[place->n_trusted++] = cli_copy(to);
    }
}

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

stoa_status cli_place_commit(cli_place *place, bool trust, stoa_error *err)
{
    stoa_file *const file = place->file;
    stoa_status status;

    stoa_table_close(place->table);
    place->table = NULL;
    place->file = NULL;
    if (cli_memory_ran_out()) { /* what was left out for want of it is not known */
        status = stoa_fail_memory(err);
        stoa_file_close(file);
    } else {
        status = stoa_file_commit(file, err);
    }
    remember_trusted(place); /* also after a failure, which leaves the old bytes with a new time */
    if (status == STOA_OK && trust && !cli_place_was_trusted(place)) {
        remember(place->place.file, place->place.path);
    }
    return stoa_at(err, status, "%s", place->name);
}

bool cli_place_was_trusted(const cli_place *place)
{
    for (size_t i = 0; i < place->n_trusted; i++) {
        if (strcmp(place->trusted[i], place->place.path) == 0) {
            return true;
        }
    }
    return false;
}

bool cli_place_is_trusted(const cli_place *place)
{
    return stoa_trust_holds(place->place.file, place->place.path);
}

void cli_place_close(cli_place *place)
{
    stoa_table_close(place->table);
    if (place->file != NULL) {
        stoa_file_close(place->file);
        remember_trusted(place); /* a discarded edit leaves the old bytes with a new time */
    }
    stoa_place_clear(&place->place);
    for (size_t i = 0; i < place->n_trusted; i++) {
        free(place->trusted[i]);
    }
    free(place->trusted);
    for (size_t i = 0; i < place->n_files; i++) {
        free(place->files[i]);
    }
    free(place->files);
    free(place->name);
    *place = (cli_place){0};
}
