/* Opens and closes the place of a command. */
#include <stdlib.h>
#include <stoa/query.h>
#include <stoa/sparse.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/layouts.h"
#include "cli/common/place_parts.h"
#include "hdf/file/file.h"
#include "layout/open/chain.h"
#include "table/open/table.h"

void cli_safe_option(cli_args *args, bool *safe)
{
    cli_flag(args, safe, "--safe",
             "edit a copy of the file, which replaces it when the edit is whole");
}

static bool has_widths(const stoa_layout *layout)
{
    bool has = false;

    for (size_t i = 0; layout->classes != NULL && layout->classes[i] != NULL && !has; i++) {
        has = layout->classes[i]->open_widened != NULL;
    }
    return has;
}

void cli_widen_option(cli_args *args, bool *widens)
{
    char *const help = cli_sprintf(
        "%s: files of a set may hold an array in different widths; integers become int64 or "
        "uint64, floats float64",
        cli_layout_names(args, has_widths));

    cli_flag(args, widens, "--widen", cli_keep(args, help));
}

void cli_files_options(cli_args *args, bool *by_name, bool *is_strict)
{
    cli_flag(args, by_name, "--by-name",
             "of several tables read as one: a column that one of them lacks is missing there");
    cli_flag(
        args, is_strict, "--strict",
        "of several tables read as one: refuse types that differ; by default they are widened");
}

void cli_follow_option(cli_args *args, bool *follows)
{
    cli_flag(args, follows, "--follow-external",
             "read values that lie in other files, too: regular files below the directory of this "
             "one");
}

/* If "run.h5:events" does not exist, suggest "run.h5:/events". */
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
        STOA_TRY(cli_place_find_files(place, err));
    }
    const char *const name = place->n_files > 0 ? place->files[0] : place->place.file;
    STOA_TRY(check_colon(name, err));
    options.follow_external = place->follows;
    options.holds_edits = place->holds;
    options.patience = place->patience != NULL ? place->patience : cli_patience();
    STOA_TRY((place->is_sparse     ? stoa_sparse_file_open_with
              : place->is_earliest ? stoa_file_open_oldest
                                   : stoa_file_open_with)(name, mode, &options, &place->file, err));
    if (mode != STOA_FILE_READ) {
        STOA_TRY(stoa_trusted_open(mode == STOA_FILE_CREATE ? NULL : name, &place->trusted, err));
    }
done:
    return stoa_at(err, status, "%s", place->place.file);
}

bool cli_place_exists(const cli_place *place)
{
    struct stat about;

    return stat(place->place.file, &about) == 0;
}

stoa_status cli_place_open_target(cli_place *place, stoa_error *err)
{
    return cli_place_open_file(place, cli_place_exists(place) ? STOA_FILE_EDIT : STOA_FILE_CREATE,
                               err);
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
        char *const text = stoa_unknown_objects_text(&table->left_out);
        cli_place_tell_left_out(place, path, text);
        free(text);
    }
}

void cli_place_tell_left_out_at(const cli_place *place, const char *path)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    if (stoa_hep001_open(stoa_file_id(place->file), path, &table, &ignored) == STOA_OK) {
        tell_left_out(place, path, table);
    }
    stoa_table_close(table);
}

static void tell_unreadable(void *context, const char *column, const stoa_error *why)
{
    (void)context;
    (void)column;
    cli_remark("%s: left out: %s", why->where, why->message);
}

size_t cli_place_columns(cli_args *args, const cli_place *place, const char **columns)
{
    stoa_error ignored = STOA_ERROR_INIT; /* the query fails, too */
    char *good = NULL;
    size_t n = 0;

    (void)!stoa_query_readable(place->table, tell_unreadable, NULL, &good, &n, &ignored);
    if (good != NULL) {
        *columns = cli_keep(args, good);
    }
    return n;
}

bool cli_place_is_many(const cli_place *place)
{
    return place->n_files > 1 || (!place->is_edited && place->place.path != NULL &&
                                  stoa_path_is_pattern(place->place.path));
}

static stoa_status open_many(const cli_place *place, const char *path, stoa_table **table,
                             stoa_error *err)
{
    const char *const one[] = {place->place.file};
    const char *const *const files = place->n_files > 0 ? (const char *const *)place->files : one;
    stoa_files_options options = STOA_FILES_OPTIONS_INIT;

    options.by_name = place->by_name;
    options.strict = place->is_strict;
    return stoa_table_open_files_with(stoa_file_id(place->file), files,
                                      place->n_files > 0 ? place->n_files : 1, path, &options,
                                      table, err);
}

stoa_status cli_place_open_at(const cli_place *place, const char *path, stoa_table **table,
                              stoa_error *err)
{
    const hid_t file = stoa_file_id(place->file);

    if (cli_place_is_many(place)) {
        STOA_RETURN_NOT_OK(open_many(place, path, table, err));
    } else if (place->widens) {
        STOA_RETURN_NOT_OK(stoa_table_open_widened(file, path, table, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_table_open(file, path, table, err));
    }
    /* An edit refuses such tables with an error of its own. */
    if (!place->is_edited && !place->is_whole) {
        tell_left_out(place, path, *table);
    }
    return STOA_OK;
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
    /* Use the table's own path: the given one may have extra slashes. */
    cli_place_set_path(place, stoa_table_path(place->table));
done:
    stoa_free(only);
    return stoa_at(err, status, "%s", place->name);
}

stoa_status cli_place_open_table(cli_place *place, const char *text, stoa_file_mode mode,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(cli_place_parse(place, text, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(place, mode, err));
    return cli_place_find_table(place, err);
}

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

cli_place *cli_place_new(cli_args *args)
{
    cli_place *const place = cli_keep(args, cli_resize(NULL, 1, sizeof *place));

    *place = (cli_place){.next = args->places};
    args->places = place;
    return place;
}

void cli_place_inputs(const cli_place *place, cli_args *args, cli_texts *files)
{
    cli_texts_add(args, files, place->place.file);
    for (size_t i = 0; i < place->n_files; i++) {
        cli_texts_add(args, files, place->files[i]);
    }
}

void cli_place_close(cli_place *place)
{
    stoa_table_close(place->table);
    stoa_table_close(place->from);
    if (place->file != NULL) {
        char *stamp = NULL;
        stoa_file_close_stamped(place->file, stoa_trusted_is_empty(place->trusted) ? NULL : &stamp);
        /* A discarded edit leaves the same bytes with a new modification time. */
        cli_place_remember_trusted(place, place->place.file, stamp, false);
        stoa_free(stamp);
    }
    stoa_place_clear(&place->place);
    stoa_trusted_close(place->trusted);
    for (size_t i = 0; i < place->n_files; i++) {
        free(place->files[i]);
    }
    free(place->files);
    free(place->name);
    *place = (cli_place){0};
}

void cli_tell_unopened(void *unopened, const char *path, const char *why)
{
    cli_unopened *const all = unopened;

    cli_remark("%s:%s: %s", all->file, path, why);
    all->n++;
}

void cli_tell_totals(uint64_t n_files, uint64_t n_tables, uint64_t n_rows)
{
    cli_remark("%llu %s, %llu %s, %llu %s", (unsigned long long)n_files,
               cli_plural(n_files, "file", "files"), (unsigned long long)n_tables,
               cli_plural(n_tables, "table", "tables"), (unsigned long long)n_rows,
               cli_plural(n_rows, "row", "rows"));
}

int cli_unopened_status(const cli_unopened *unopened)
{
    return unopened->n > 0 ? CLI_NO : CLI_DONE;
}
