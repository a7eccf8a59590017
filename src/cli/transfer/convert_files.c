#include "cli/transfer/convert_files.h"

#include <string.h>

#include "cli/common/progress.h"

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
    stoa_table *table = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_open_at(files->from, path, &table, err));
    STOA_TRY(files->layout->files->write(
        opened, table, name != NULL && name[0] != '\0' ? name : NULL, kind_of(files, path),
        files->paths->n > 1, files->options, tell, NULL, &n, err));
    *n_rows += n;
done:
    stoa_table_close(table);
    return status;
}

stoa_status cli_files_convert(const cli_files *files, uint64_t *n_rows, stoa_error *err)
{
    void *opened = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(files->layout->files->open(files->to->place.file, files->options, files->to->safe,
                                        cli_patience(), &opened, err));
    STOA_TRY(check_source(files, opened, err));
    for (size_t i = 0; i < files->paths->n; i++) {
        STOA_TRY(write_one(files, opened, files->paths->items[i], n_rows, err));
    }
    cli_progress_clear();
    void *const complete = opened;
    opened = NULL;
    STOA_TRY(files->layout->files->commit(complete, err));
done:
    if (opened != NULL) {
        files->layout->files->close(opened);
    }
    return status;
}
