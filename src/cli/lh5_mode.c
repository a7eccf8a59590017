/* See lh5_mode.h. */
#include "cli/lh5_mode.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/progress.h"
#include "cli/source.h"
#include "hdf/ids.h"

void cli_lh5_mode_option(cli_args *args, int *mode)
{
    static const char *const modes[] = {"write_safe",     "append",        "overwrite",
                                        "overwrite_file", "append_column", NULL};

    *mode = CLI_LH5_WRITE_SAFE;
    cli_choice(args, mode, modes, "--wo-mode MODE",
               "of lh5: write_safe (the default), append, overwrite, overwrite_file or "
               "append_column, as LEGEND's writer has them");
}

bool cli_lh5_mode_accepted(cli_args *args, int mode, stoa_layout_options *options)
{
    if (mode != CLI_LH5_WRITE_SAFE && strcmp(options->layout, "lh5") != 0) {
        cli_misused(args, "--wo-mode is for --to lh5");
        return false;
    }
    options->replace = options->replace || mode == CLI_LH5_OVERWRITE;
    return true;
}

bool cli_lh5_mode_extends(int mode)
{
    return mode == CLI_LH5_APPEND || mode == CLI_LH5_APPEND_COLUMN;
}

stoa_file_mode cli_lh5_mode_of_file(int mode, const char *file)
{
    struct stat about;

    return stat(file, &about) != 0          ? STOA_FILE_CREATE
           : mode == CLI_LH5_OVERWRITE_FILE ? STOA_FILE_REPLACE
                                            : STOA_FILE_EDIT;
}

/* What there is to add, to what is there; *n rows, or columns. */
static stoa_status add(cli_place *place, struct ArrowArrayStream *stream, int mode,
                       const stoa_layout_options *options, uint64_t *n, stoa_error *err)
{
    stoa_edit_options how = STOA_EDIT_OPTIONS_INIT;
    size_t n_columns = 0;

    how.listener = options->listener;
    how.missing = options->missing;
    how.n_missing = options->n_missing;
    STOA_RETURN_NOT_OK(cli_place_find_table(place, err));
    if (strcmp(stoa_table_layout(place->table), "lh5") != 0) {
        return stoa_fail(err, STOA_ELAYOUT, "is no object of LH5");
    }
    if (mode == CLI_LH5_APPEND) {
        STOA_RETURN_NOT_OK(stoa_layout_append(place->table, stream, &how, n, err));
    } else {
        STOA_RETURN_NOT_OK(
            stoa_layout_add_columns(place->table, stream, options->codec, &how, &n_columns, err));
        *n = n_columns;
    }
    return STOA_OK;
}

stoa_status cli_lh5_extend(cli_args *args, const char *from, const char *to, int mode, bool safe,
                           const stoa_layout_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    cli_source source = {.on_error = STOA_CSV_STOP};
    cli_place place = {.safe = safe};
    uint64_t n = 0;

    if (!cli_source_accepted(args, &source, from)) {
        STOA_FAIL(err, STOA_EINVAL, "cannot be read");
    }
    STOA_TRY(cli_place_parse(&place, to, err));
    if (place.place.path == NULL && source.place.place.path != NULL) {
        cli_place_set_path(&place, source.place.place.path);
    }
    if (place.place.path == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "%s of which object? give its path, as %s:/ch1/raw",
                  mode == CLI_LH5_APPEND ? "rows" : "columns", to);
    }
    STOA_TRY(cli_place_open_file(&place, cli_lh5_mode_of_file(mode, place.place.file), err));
    const hid_t file = stoa_file_id(place.file);
    STOA_TRY(cli_source_open(args, &source, NULL, 0,
                             cli_source_is_in(&source, place.place.file) ? place.file : NULL,
                             &options->listener, err));
    if (mode == CLI_LH5_APPEND && !stoa_object_exists(file, place.place.path)) {
        STOA_TRY(stoa_layout_write(file, place.place.path, &source.stream, options, &n, err));
    } else {
        STOA_TRY(add(&place, &source.stream, mode, options, &n, err));
    }
    cli_progress_clear();
    cli_source_close(&source);
    STOA_TRY(cli_place_commit(&place, false, err));
    const bool is_rows = mode == CLI_LH5_APPEND;
    cli_remark("%s: %llu %s added from %s", place.name, (unsigned long long)n,
               is_rows ? cli_plural(n, "row", "rows") : cli_plural(n, "column", "columns"), from);

done:
    cli_source_close(&source);
    cli_place_close(&place);
    return status;
}
