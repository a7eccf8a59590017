#include "cli/transfer/convert_into.h"

#include <string.h>

#include "cli/common/progress.h"
#include "cli/common/source.h"
#include "hdf/ids.h"

stoa_layout_mode cli_mode_of(const stoa_layout *to, const stoa_layout_options *options)
{
    return to->mode != NULL ? to->mode(options) : STOA_LAYOUT_SAFE;
}

bool cli_mode_extends(stoa_layout_mode mode)
{
    return mode == STOA_LAYOUT_APPEND || mode == STOA_LAYOUT_APPEND_COLUMNS;
}

stoa_status cli_open_target(cli_place *place, stoa_layout_mode mode, stoa_error *err)
{
    return mode == STOA_LAYOUT_REPLACE_FILE && cli_place_exists(place)
               ? cli_place_open_file(place, STOA_FILE_REPLACE, err)
               : cli_place_open_target(place, err);
}

/* Append rows or columns; *n is their number. */
static stoa_status add(cli_place *place, struct ArrowArrayStream *stream, const stoa_layout *layout,
                       const stoa_layout_options *options, uint64_t *n, stoa_error *err)
{
    stoa_edit_options how = STOA_EDIT_OPTIONS_INIT;
    size_t n_columns = 0;

    how.listener = options->listener;
    how.missing = options->missing;
    how.n_missing = options->n_missing;
    STOA_RETURN_NOT_OK(cli_place_find_table(place, err));
    if (stoa_layout_of(place->table) != layout) {
        return stoa_fail(err, STOA_ELAYOUT, "is no object of %s", layout->title);
    }
    if (cli_mode_of(layout, options) == STOA_LAYOUT_APPEND) {
        STOA_RETURN_NOT_OK(stoa_layout_append(place->table, stream, &how, n, err));
    } else {
        STOA_RETURN_NOT_OK(
            stoa_layout_add_columns(place->table, stream, options->codec, &how, &n_columns, err));
        *n = n_columns;
    }
    return STOA_OK;
}

stoa_status cli_extend(cli_args *args, const char *from, const char *to, const stoa_layout *layout,
                       bool safe, const stoa_layout_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_mode mode = cli_mode_of(layout, options);
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
                  mode == STOA_LAYOUT_APPEND ? "rows" : "columns", to);
    }
    STOA_TRY(cli_open_target(&place, mode, err));
    const hid_t file = stoa_file_id(place.file);
    STOA_TRY(cli_source_open(args, &source, NULL, 0,
                             cli_source_is_in(&source, place.place.file) ? place.file : NULL,
                             &options->listener, err));
    if (mode == STOA_LAYOUT_APPEND && !stoa_object_exists(file, place.place.path)) {
        STOA_TRY(stoa_layout_write(file, place.place.path, &source.stream, options, &n, err));
    } else {
        STOA_TRY(add(&place, &source.stream, layout, options, &n, err));
    }
    cli_progress_clear();
    cli_source_close(&source);
    STOA_TRY(cli_place_commit(&place, false, err));
    const bool is_rows = mode == STOA_LAYOUT_APPEND;
    cli_remark("%s: %llu %s added from %s", place.name, (unsigned long long)n,
               is_rows ? cli_plural(n, "row", "rows") : cli_plural(n, "column", "columns"), from);

done:
    cli_source_close(&source);
    cli_place_close(&place);
    return status;
}
