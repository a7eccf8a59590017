#include "cli/transfer/convert_files.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/progress.h"
#include "layout/convert/copy_part.h"
#include "layout/convert/lost.h"

static bool is_written(const cli_files *files, const void *opened, const char *source)
{
    const char *name = NULL;
    bool is = false;

    for (size_t i = 0; !is && (name = files->layout->files->name(opened, i)) != NULL; i++) {
        is = cli_is_same_file(source, name);
    }
    return is;
}

static stoa_status check_source(const cli_files *files, const void *opened, stoa_error *err)
{
    const cli_place *const from = files->from;
    const size_t n_sources = from->n_files > 1 ? from->n_files : 1;

    for (size_t i = 0; i < n_sources; i++) {
        const char *const source = from->n_files > 1 ? from->files[i] : from->place.file;

        if (is_written(files, opened, source)) {
            return stoa_at(
                err, stoa_fail(err, STOA_EINVAL, "is being read; write to files of another name"),
                "%s", source);
        }
    }
    return STOA_OK;
}

static const char *kind_of(const cli_files *files, const char *path)
{
    for (size_t i = 0; i < files->listed->n; i++) {
        if (strcmp(files->listed->items[i], path) == 0) {
            return files->kinds->items[i];
        }
    }
    return "";
}

static void tell(void *context, const char *path, const char *words)
{
    (void)context;
    (void)path;
    cli_remark("%s", words);
}

static stoa_status write_one(const cli_files *files, void *opened, const char *path,
                             uint64_t *n_rows, stoa_error *err)
{
    const char *const to = files->to->place.path; /* of the object in the target */
    const char *const name = to != NULL && to[0] == '/' ? to + 1 : to;
    uint64_t n = 0;
    stoa_query_options what = STOA_QUERY_OPTIONS_INIT;
    stoa_table *table = NULL;
    stoa_table *part = NULL;
    hid_t temporary = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    what.columns = files->columns;
    what.where = files->where;
    what.listener = files->options->listener;
    STOA_TRY(cli_place_open_at(files->from, path, &table, err));
    if (files->columns != NULL || files->where != NULL) {
        STOA_TRY(stoa_layout_copy_part(table, &what, &temporary, &part, err));
    }
    STOA_TRY(files->layout->files->write(
        opened, part != NULL ? part : table, name != NULL && name[0] != '\0' ? name : NULL,
        kind_of(files, path), files->paths->n > 1, files->options, tell, NULL, &n, err));
    *n_rows += n;
done:
    stoa_table_close(part);
    status = stoa_layout_close_temporary(&temporary, status, err);
    stoa_table_close(table);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The path of what was made of a table: its name, or its columns in the order that a file lists. */
static char *path_of(const cli_files *files, const stoa_table *table)
{
    const char *const to = files->to->place.path;
    const size_t n = stoa_table_n_columns(table);
    stoa_buffer path = {0};
    char *made = NULL;

    if (to != NULL && to[0] != '\0' && strcmp(to, "/") != 0) {
        return stoa_strdup(to);
    }
    const char **const names = cli_resize(NULL, n, sizeof *names);
    for (size_t i = 0; i < n; i++) {
        names[i] = stoa_table_column_name(table, i);
    }
    if (n > 0) {
        qsort((void *)names, n, sizeof *names, compare_names);
    }
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < n && status == STOA_OK; i++) {
        status = stoa_buffer_print(&path, NULL, "%s%s", i == 0 ? "/" : ",", names[i]);
    }
    if (status == STOA_OK) {
        (void)stoa_buffer_detach_text(&path, &made, NULL);
    }
    stoa_buffer_clear(&path);
    free((void *)names);
    return made;
}

static void tell_of(void *context, const char *path, const char *words)
{
    cli_remark("%s:%s %s", (const char *)context, path, words);
}

/* Report what tables said and their objects do not. An object of another form, which has other
 * names, is passed over. */
static stoa_status tell_lost(const cli_files *files, const char *first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_file *made = NULL;
    const bool is_open = stoa_file_open(first, STOA_FILE_READ, &made, &ignored) == STOA_OK;

    for (size_t i = 0; is_open && i < files->paths->n && status == STOA_OK; i++) {
        stoa_table *from = NULL;
        stoa_table *to = NULL;
        const bool is =
            cli_place_open_at(files->from, files->paths->items[i], &from, &ignored) == STOA_OK;
        char *const path = is ? path_of(files, from) : NULL;
        if (path != NULL && stoa_table_open(stoa_file_id(made), path, &to, &ignored) == STOA_OK) {
            status = stoa_layout_tell_lost(from, to, files->paths->items[i], files->layout, tell_of,
                                           files->from->place.file, err);
        }
        free(path);
        stoa_table_close(to);
        stoa_table_close(from);
    }
    stoa_file_close(made);
    return status;
}

stoa_status cli_files_convert(const cli_files *files, uint64_t *n_rows, stoa_error *err)
{
    void *opened = NULL;
    stoa_status status = STOA_OK;
    char *first = NULL;

    STOA_TRY(files->layout->files->open(files->to->place.file, files->options, files->to->safe,
                                        cli_patience(), &opened, err));
    STOA_TRY(check_source(files, opened, err));
    for (size_t i = 0; i < files->paths->n; i++) {
        STOA_TRY(write_one(files, opened, files->paths->items[i], n_rows, err));
    }
    cli_progress_clear();
    first = stoa_strdup(files->layout->files->name(opened, 0));
    STOA_TRY(first != NULL ? STOA_OK : stoa_fail_memory(err));
    void *const complete = opened;
    opened = NULL;
    STOA_TRY(files->layout->files->commit(complete, err));
    STOA_TRY(tell_lost(files, first, err));
done:
    free(first);
    if (opened != NULL) {
        files->layout->files->close(opened);
    }
    return status;
}
