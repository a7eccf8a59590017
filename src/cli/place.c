/* See place.h. */
#include "cli/place.h"

#include "table/table.h"

#include <glob.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>
#include <sys/stat.h>

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

static void clear_trusted(cli_place *place)
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
    return stoa_trust_look(place->place.file, table->path, generation_of(table));
}

/* Note a table that is trusted now. */
static bool note_trusted(void *context, const stoa_object *object)
{
    cli_place *const place = context;
    cli_trusted table = {(char *)(uintptr_t)object->path, false, 0};

    if (look(place, &table) == STOA_TRUST_HOLDS) {
        add_trusted(place, &table);
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

void cli_follow_option(cli_args *args, bool *follows)
{
    cli_flag(args, follows, "--follow-external",
             "read values that lie in other files, too: regular files below the directory of this "
             "one");
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

    if (place->n_files > 0 || strpbrk(name, "*?[") == NULL || stat(name, &about) == 0) {
        return STOA_OK;
    }
    const int failed = glob(name, 0, NULL, &found);
    for (size_t i = 0; failed == 0 && i < found.gl_pathc; i++) {
        place->files = cli_one_more(place->files, place->n_files, sizeof *place->files);
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

static stoa_status expand(cli_args *args, const char *text, cli_texts *places, stoa_error *err)
{
    cli_place place = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(&place, text, err));
    STOA_TRY(stoa_at(err, find_files(&place, err), "%s", place.place.file));
    const char *const path = place.place.path;
    for (size_t i = 0; i < place.n_files; i++) {
        char *const one = cli_sprintf("%s%s%s", place.files[i], path != NULL ? ":" : "",
                                      path != NULL ? path : "");
        cli_texts_add(args, places, cli_keep(args, one));
    }
    if (place.n_files == 0) {
        cli_texts_add(args, places, text);
    }
done:
    cli_place_close(&place);
    return status;
}

stoa_status cli_places_expand(cli_args *args, const cli_texts *operands, cli_texts *places,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < operands->n && status == STOA_OK; i++) {
        status = expand(args, operands->items[i], places, err);
    }
    return status;
}

stoa_status cli_place_parse_all(cli_args *args, cli_place *place, const cli_texts *operands,
                                stoa_error *err)
{
    cli_texts places = {0};
    stoa_place other = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(place, operands->items[0], err));
    if (operands->n == 1) {
        return STOA_OK;
    }
    STOA_TRY(cli_places_expand(args, operands, &places, err));
    for (size_t i = 0; i < places.n; i++) {
        STOA_TRY(stoa_place_parse(places.items[i], &other, err));
        if (place->place.path == NULL && other.path != NULL) {
            cli_place_set_path(place, other.path);
        }
        if (other.path != NULL && strcmp(other.path, place->place.path) != 0) {
            STOA_FAIL(err, STOA_EINVAL,
                      "'%s' has another path than '%s'; files are read as one table of one path",
                      places.items[i], place->place.path);
        }
        place->files = cli_one_more(place->files, place->n_files, sizeof *place->files);
        place->files[place->n_files++] = cli_copy(other.file);
        stoa_place_clear(&other);
    }
    free(place->place.file);
    place->place.file = cli_copy(place->files[0]);
    rename_place(place);
done:
    stoa_place_clear(&other);
    return status;
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
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_status status = STOA_OK;

    if (mode == STOA_FILE_EDIT && place->safe) {
        mode = STOA_FILE_SAFE;
    }
    place->is_edited = mode != STOA_FILE_READ;
    if (mode == STOA_FILE_READ) {
        STOA_TRY(cli_place_find_file(place, err));
        STOA_TRY(find_files(place, err));
    }
    const char *const name = place->n_files > 0 ? place->files[0] : place->place.file;
    STOA_TRY(check_colon(name, err));
    options.follow_external = place->follows;
    STOA_TRY((place->is_sparse ? stoa_sparse_file_open_with
                               : stoa_file_open_with)(name, mode, &options, &place->file, err));
    if (mode == STOA_FILE_EDIT || mode == STOA_FILE_SAFE) {
        STOA_TRY(cli_place_note_trusted(place, err));
    }
done:
    return stoa_at(err, status, "%s", place->place.file);
}

void cli_place_tell_left_out(const cli_place *place, const char *path, const char *left_out)
{
    if (left_out != NULL) {
        cli_remark("%s:%s: left out, since Stoa does not know it: %s (HEP001 §7.6)",
                   place->place.file, path, left_out);
    }
}

static void tell_left_out(const cli_place *place, const char *path, const stoa_table *table)
{
    if (table->left_out.n > 0) {
        char *const text = stoa_left_outs_text(&table->left_out);
        cli_place_tell_left_out(place, path, text);
        free(text);
    }
}

void cli_place_tell_left_out_at(const cli_place *place, const char *path)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    if (stoa_table_open(stoa_file_id(place->file), path, &table, &ignored) == STOA_OK) {
        tell_left_out(place, path, table);
    }
    stoa_table_close(table);
}

stoa_status cli_place_open_at(const cli_place *place, const char *path, stoa_table **table,
                              stoa_error *err)
{
    const hid_t file = stoa_file_id(place->file);
    stoa_status status = STOA_OK;

    if (place->n_files > 1) {
        STOA_TRY(stoa_layout_open_files(file, (const char *const *)place->files, place->n_files,
                                        path, table, err));
    } else if (place->widens) {
        STOA_TRY(stoa_layout_open_widened(file, path, table, err));
    } else {
        STOA_TRY(stoa_layout_open(file, path, table, err));
    }
    /* An edit refuses such a table, and says so itself. */
    if (!place->is_edited && !place->is_whole) {
        tell_left_out(place, path, *table);
    }
done:
    return status;
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

static void remember(const char *file, const cli_trusted *table)
{
    stoa_error err = STOA_ERROR_INIT;

    if (stoa_trust_record(file, table->path, generation_of(table), NULL, &err) != STOA_OK) {
        cli_remark("%s:%s: its indexes could not be noted as trusted: %s%s%s", file, table->path,
                   err.where, err.where[0] != '\0' ? ": " : "", err.message);
    }
}

void cli_place_remember_trusted(const cli_place *place, const char *file)
{
    for (size_t i = 0; i < place->n_trusted; i++) {
        remember(file, &place->trusted[i]);
    }
}

static void remember_trusted(const cli_place *place)
{
    cli_place_remember_trusted(place, place->place.file);
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

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

void cli_place_inputs(const cli_place *place, cli_args *args, cli_texts *files)
{
    cli_texts_add(args, files, place->place.file);
    for (size_t i = 0; i < place->n_files; i++) {
        cli_texts_add(args, files, place->files[i]);
    }
}

stoa_status cli_place_commit(cli_place *place, bool trust, stoa_error *err)
{
    stoa_file *const file = place->file;
    const bool is_new = trust && !cli_place_was_trusted(place);
    cli_place after = {.file = file};
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
    status = stoa_file_commit(file, err);
    /* A failure leaves the old bytes with a new time. */
    cli_place_remember_trusted(status == STOA_OK ? &after : place, place->place.file);
    clear_trusted(&after);
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

void cli_place_close(cli_place *place)
{
    stoa_table_close(place->table);
    if (place->file != NULL) {
        stoa_file_close(place->file);
        remember_trusted(place); /* a discarded edit leaves the old bytes with a new time */
    }
    stoa_place_clear(&place->place);
    clear_trusted(place);
    for (size_t i = 0; i < place->n_files; i++) {
        free(place->files[i]);
    }
    free(place->files);
    free(place->name);
    *place = (cli_place){0};
}
