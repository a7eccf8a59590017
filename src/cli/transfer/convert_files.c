#include "cli/transfer/convert_files.h"

stoa_status cli_files_open(cli_files *files, const cli_place *to,
                           const stoa_layout_options *options, stoa_error *err)
{
    char *const path = to->place.path;

    files->name = path != NULL && path[0] == '/' ? path + 1 : path;
    if (files->name != NULL && files->name[0] == '\0') {
        files->name = NULL;
    }
    return files->layout->files->open(to->place.file, options, to->safe, cli_patience(),
                                      &files->opened, err);
}

static bool is_written(const cli_files *files, const char *source)
{
    const char *name = NULL;
    bool is = false;

    for (size_t i = 0; !is && (name = files->layout->files->name(files->opened, i)) != NULL; i++) {
        is = cli_is_same_file(source, name);
    }
    return is;
}

stoa_status cli_files_check_source(const cli_files *files, const cli_place *from, stoa_error *err)
{
    const size_t n_sources = from->n_files > 1 ? from->n_files : 1;

    for (size_t i = 0; i < n_sources; i++) {
        const char *const source = from->n_files > 1 ? from->files[i] : from->place.file;
        if (is_written(files, source)) {
            return stoa_at(
                err, stoa_fail(err, STOA_EINVAL, "is being read; write to files of another name"),
                "%s", source);
        }
    }
    return STOA_OK;
}

static void tell(void *context, const char *path, const char *words)
{
    (void)context;
    (void)path;
    cli_remark("%s", words);
}

stoa_status cli_files_write(cli_files *files, stoa_table *table, const char *kind,
                            bool is_one_of_several, const stoa_layout_options *options,
                            uint64_t *n_rows, stoa_error *err)
{
    return files->layout->files->write(files->opened, table, files->name, kind, is_one_of_several,
                                       options, tell, NULL, n_rows, err);
}

stoa_status cli_files_commit(cli_files *files, stoa_error *err)
{
    void *const opened = files->opened;

    files->opened = NULL;
    return files->layout->files->commit(opened, err);
}

void cli_files_close(cli_files *files)
{
    if (files->opened != NULL) {
        files->layout->files->close(files->opened);
    }
    files->opened = NULL;
}
