/* stoa column add: columns from a text file, from a table, or computed (HEP001 §8, §12). */
#include <stdlib.h>
#include <stoa/layout.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/common/layouts.h"
#include "cli/common/missing.h"
#include "cli/common/progress.h"
#include "cli/common/source.h"
#include "cli/edit/edit.h"

typedef struct request {
    cli_args *args;
    const char *input;
    cli_texts set;
    cli_texts missing;
    const char *columns; /* `set` in the form of a query's column list */
    stoa_column_options storage;
    cli_source source;
    cli_edit edit;
} request;

/* Convert each `NAME=EXPR` to `(EXPR) as "NAME"`, joined in one list. */
static bool accept_set(cli_args *args, request *r)
{
    char *list = cli_copy("");

    for (size_t i = 0; i < r->set.n; i++) {
        const char *expression = NULL;
        const char *const name = cli_cut(args, r->set.items[i], '=', &expression);

        if (expression == NULL) {
            cli_misused(args, "--set '%s': it takes NAME=EXPR", r->set.items[i]);
            free(list);
            return false;
        }
        char *const quoted = cli_quoted(name);
        cli_append(&list, "%s(%s) as %s", i > 0 ? ", " : "", expression, quoted);
        free(quoted);
    }
    r->columns = cli_keep(args, list);
    return true;
}

/* The table may be of any layout. */
static stoa_status add_stream(const request *r, struct ArrowArrayStream *stream, size_t *n,
                              stoa_error *err)
{
    stoa_table *const table = r->edit.place->table;
    const stoa_edit_options *const how = &r->edit.options;
    const size_t before = stoa_table_n_columns(table);
    const stoa_layout *const layout = stoa_layout_of(table);

    if (layout != NULL && layout->add_columns != NULL) {
        return stoa_layout_add_columns(table, stream, r->storage.codec, how, n, err);
    }
    if (how->n_missing > 0) {
        return stoa_fail(
            err, STOA_EINVAL,
            "missing values stay what they are in HEP001 (§8.5): nothing stands for them");
    }
    STOA_RETURN_NOT_OK(stoa_column_add(table, stream, &r->storage, how, err));
    *n = stoa_table_n_columns(table) - before;
    return STOA_OK;
}

/* The query reads the table through a separate handle, because the edit replaces the other one. */
static stoa_status add_computed(const request *r, size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const cli_place *const place = r->edit.place;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};

    options.columns = r->columns;
    STOA_TRY(stoa_table_open(stoa_file_id(place->file), place->place.path, &table, err));
    STOA_TRY(stoa_query_open(table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(add_stream(r, &stream, n, err));
done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    return status;
}

static stoa_status add_read(request *r, size_t *n, stoa_error *err)
{
    const cli_place *const place = r->edit.place;
    const bool inside = cli_source_is_in(&r->source, place->place.file);

    STOA_RETURN_NOT_OK(cli_source_open(r->args, &r->source, NULL, 0, inside ? place->file : NULL,
                                       &r->edit.options.listener, err));
    STOA_RETURN_NOT_OK(add_stream(r, &r->source.stream, n, err));
    cli_source_tell_remarks(&r->source);
    cli_source_close(&r->source);
    return STOA_OK;
}

static stoa_status add_columns(request *r, stoa_error *err)
{
    size_t n = 0;

    r->edit.options.missing = cli_missing_values(r->args, &r->missing);
    r->edit.options.n_missing = r->missing.n;
    STOA_RETURN_NOT_OK(cli_edit_open(r->args, &r->edit, err));
    STOA_RETURN_NOT_OK(r->input == NULL ? add_computed(r, &n, err) : add_read(r, &n, err));
    STOA_RETURN_NOT_OK(cli_edit_commit(&r->edit, err));
    cli_source_tell_errors(&r->source);
    cli_remark("%s: %zu %s added", r->edit.place->name, n, cli_plural(n, "column", "columns"));
    return STOA_OK;
}

static bool accept(cli_args *args, request *r, const char *chunk)
{
    const cli_source *const s = &r->source;

    if ((r->input == NULL) == (r->set.n == 0)) {
        cli_misused(args, "give a file with the columns, or compute them with --set");
        return false;
    }
    if (r->input == NULL &&
        s->types.n + s->null_texts.n + s->category.n + s->no_category.n + s->units.n > 0) {
        cli_misused(args, "--set computes columns; --type and the like are for text");
        return false;
    }
    return cli_edit_chunk(args, chunk, &r->storage.chunk_rows) && accept_set(args, r) &&
           (r->input == NULL || cli_source_accepted(args, &r->source, r->input));
}

static stoa_status column_add(cli_args *args, stoa_error *err)
{
    const char *chunk = NULL;
    request r = {.args = args, .source = {.on_error = STOA_CSV_STOP}};

    cli_list(args, &r.set, "--set NAME=EXPR",
             "a column computed from those that there are; may be repeated");
    cli_text(
        args, &r.storage.codec, "--codec NAME",
        "how values are packed: auto, none, small, scaleoffset, decimal[:1-10], deflate[:1-9], "
        "zstd[:1-19], lz4 or blosc; of other layouts than HEP001 as docs/layouts says");
    cli_text(args, &chunk, "--chunk ROWS", "rows in a chunk, or contiguous");
    cli_missing_option(args, &r.missing);
    cli_source_options(args, &r.source, true);
    cli_edit_place(args, &r.edit);
    cli_progress_option(args, &r.edit.quiet);
    cli_operand(args, &r.input, "[INPUT]", CLI_SOURCE_HELP);
    const stoa_status status =
        cli_accepted(args) && accept(args, &r, chunk) ? add_columns(&r, err) : STOA_OK;
    cli_source_close(&r.source);
    return status;
}

const cli_command cmd_column_add = {
    "column add", "add columns from a file, from a table, or computed ones",
    "stoa column add run.h5:/events --set 'energy_keV=energy * 1000'", column_add};
