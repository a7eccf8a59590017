/* Finds and opens the files and tables of places. */
#include "sql/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoa/arrays.h>
#include <stoa/index.h>
#include <stoa/memory.h>
#include <string.h>
#include <sys/stat.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "core/text.h"
#include "layout/open/chain.h"

static bool has_hdf5_suffix(const char *file)
{
    static const char *const suffixes[] = {".h5", ".hdf5", ".hdf", ".he5", ".h5ad"};
    const size_t length = strlen(file);

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (stoa_ends_with(file, length, suffixes[i])) {
            return true;
        }
    }
    return false;
}

/* Whether a file begins like one of HDF5; a block of the user's may come first. */
static bool is_hdf5_file(const char *name)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    enum { LAST_START = 65536 };
    char found[sizeof signature] = "";
    FILE *const file = fopen(name, "rb");
    bool is = false;

    for (long at = 0; file != NULL && !is && at <= LAST_START; at = at == 0 ? 512 : at * 2) {
        is = fseek(file, at, SEEK_SET) == 0 && fread(found, sizeof found, 1, file) == 1 &&
             memcmp(found, signature, sizeof found) == 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return is;
}

bool stoa_sql_is_place(const char *name)
{
    stoa_place place = {0};
    struct stat about;
    bool is = false;

    if (stoa_place_parse(name, &place, NULL) == STOA_OK) {
        const bool has_path = place.path != NULL && place.path[1] != '/'; /* no address */
        is = has_path || has_hdf5_suffix(place.file) ||
             (stat(place.file, &about) == 0 && S_ISREG(about.st_mode) && is_hdf5_file(place.file));
    }
    stoa_place_clear(&place);
    return is;
}

/* Files ---------------------------------------------------------------------------------------- */

static stoa_status add_files(stoa_file_names *files, char *name, stoa_error *err)
{
    struct stat about;
    char *first = NULL;
    stoa_status status = STOA_OK;

    if (stat(name, &about) == 0) {
        return stoa_file_names_add(files, &name, 1, err);
    }
    STOA_RETURN_NOT_OK(stoa_layout_find_file(name, &first, err)); /* a set of files */
    if (first == NULL && stoa_file_is_pattern(name)) {
        return stoa_file_names_match(files, name, err);
    }
    /* Opening a file that is not there says what is wrong. */
    status = stoa_file_names_add(files, first != NULL ? &first : &name, 1, err);
    stoa_free(first);
    return status;
}

static stoa_status add_place(stoa_sql_place *place, const char *name, stoa_error *err)
{
    stoa_place parsed = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_place_parse(name, &parsed, err));
    STOA_TRY(add_files(&place->files, parsed.file, err));
    if (place->path == NULL && parsed.path != NULL) {
        place->path = parsed.path;
        parsed.path = NULL;
    } else if (parsed.path != NULL && strcmp(parsed.path, place->path) != 0) {
        STOA_FAIL(err, STOA_EINVAL,
                  "it has another path than '%s'; files are read as one table of one path",
                  place->name);
    }

done:
    stoa_place_clear(&parsed);
    return stoa_at(err, status, "%s", name);
}

stoa_status stoa_sql_place_find(stoa_sql_place *place, const char *const *names, size_t n,
                                stoa_error *err)
{
    if (n == 0) {
        return stoa_fail(err, STOA_EINVAL, "a list of places has none");
    }
    place->name = strdup(names[0]);
    STOA_RETURN_NO_MEMORY(err, place->name);
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(add_place(place, names[i], err));
    }
    return STOA_OK;
}

void stoa_sql_place_clear(stoa_sql_place *place)
{
    stoa_file_names_clear(&place->files);
    free(place->path);
    free(place->name);
    *place = (stoa_sql_place){.name = NULL};
}

/* Tables --------------------------------------------------------------------------------------- */

/* Find the path, if none was given, and whether the indexes may be used. */
static stoa_status find_table(stoa_sql_place *place, hid_t file, stoa_error *err)
{
    char *only = NULL;
    uint64_t generation = 0;

    if (place->path == NULL) {
        STOA_RETURN_NOT_OK(stoa_layout_only_table(file, &only, err));
        place->path = strdup(only);
        stoa_free(only);
        STOA_RETURN_NO_MEMORY(err, place->path);
        place->is_only = true;
    }
    place->is_many = place->files.n > 1 || stoa_path_is_pattern(place->path);
    if (!place->is_many) {
        const bool has = stoa_trust_generation(file, place->path, &generation);
        place->uses_indexes = stoa_trust_get(place->files.names[0], place->path,
                                             has ? &generation : NULL) == STOA_TRUST_HOLDS;
    }
    return STOA_OK;
}

/* Note what is known of a table that was kept. */
static stoa_status note_kept(stoa_sql_place *place, const stoa_sql_handle *handle, stoa_error *err)
{
    if (place->is_found) {
        return STOA_OK;
    }
    place->is_only = place->path == NULL;
    if (place->is_only) {
        place->path = strdup(handle->path);
        STOA_RETURN_NO_MEMORY(err, place->path);
    }
    place->uses_indexes = handle->uses_indexes;
    place->is_found = true;
    return STOA_OK;
}

static stoa_status note_opened(const stoa_sql_place *place, stoa_sql_handle *handle,
                               stoa_error *err)
{
    handle->is_only = place->is_only;
    handle->uses_indexes = place->uses_indexes;
    return stoa_sql_handle_note(handle, place->files.names[0], place->path, err);
}

stoa_status stoa_sql_place_open(stoa_sql_place *place, stoa_sql_handle *handle, stoa_error *err)
{
    const char *const name = place->files.names[0];
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_files_options together = STOA_FILES_OPTIONS_INIT;
    stoa_status status = STOA_OK;

    *handle = (stoa_sql_handle){.file = NULL};
    if (place->files.n == 1 && stoa_sql_kept_take(place->kept, name, place->path, handle)) {
        STOA_TRY(note_kept(place, handle, err));
        goto done;
    }
    (void)stat(name, &handle->about); /* without a file, opening fails */
    options.follow_external = place->follows;
    options.patience = place->patience.size > 0 ? &place->patience : NULL;
    together.by_name = place->by_name;
    STOA_TRY(stoa_file_open_with(name, STOA_FILE_READ, &options, &handle->file, err));
    const hid_t file = stoa_file_id(handle->file);
    if (!place->is_found) {
        STOA_TRY(find_table(place, file, err));
        place->is_found = true;
    }
    STOA_TRY(place->is_many ? stoa_table_open_files_with(
                                  file, (const char *const *)place->files.names, place->files.n,
                                  place->path, &together, &handle->table, err)
                            : stoa_table_open(file, place->path, &handle->table, err));
    STOA_TRY(note_opened(place, handle, err));

done:
    if (status != STOA_OK) {
        stoa_sql_handle_close(handle);
    }
    return stoa_at(err, status, "%s%s%s", name, place->path != NULL ? ":" : "",
                   place->path != NULL ? place->path : "");
}

void stoa_sql_place_close(const stoa_sql_place *place, stoa_sql_handle *handle)
{
    if (place->is_many) {
        stoa_sql_handle_close(handle);
    } else {
        stoa_sql_kept_give(place->kept, handle);
    }
}

/* Columns -------------------------------------------------------------------------------------- */

static stoa_status readable_columns(const stoa_table *table, void (*tell)(const char *remark),
                                    struct ArrowSchema *out, stoa_error *err)
{
    const size_t n = stoa_table_n_columns(table);
    stoa_error why = STOA_ERROR_INIT;
    int64_t n_good = 0;

    STOA_RETURN_NOT_OK(stoa_schema_make(out, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, (int64_t)n, err));
    for (size_t i = 0; i < n; i++) {
        stoa_error here = STOA_ERROR_INIT;

        if (stoa_column_schema(stoa_table_column(table, i), out->children[n_good], &here) ==
            STOA_OK) {
            n_good++;
            continue;
        }
        if (tell != NULL) {
            char text[sizeof here.where + sizeof here.message + 64];
            (void)snprintf(text, sizeof text, "%s: left out: %s", here.where, here.message);
            tell(text);
        }
        why = why.status == STOA_OK ? here : why;
    }
    out->n_children = n_good;
    if (n_good == 0 && n > 0) {
        if (err != NULL) {
            *err = why;
        }
        return why.status;
    }
    return STOA_OK;
}

stoa_status stoa_sql_columns(const stoa_table *table, void (*tell)(const char *remark),
                             struct ArrowSchema *out, stoa_error *err)
{
    struct ArrowSchema stored = {.release = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(readable_columns(table, tell, &stored, err));
    STOA_TRY(stoa_schema_cast(&stored, NULL, out, err));

done:
    stoa_schema_release(&stored);
    return status;
}
