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
    bool safe;
    bool quiet;
} request;

/* Convert each `NAME=EXPR` to `(EXPR) as "NAME"`, joined in one list. */
static bool accept_set(cli_args *args, request *r)
{
    char *list = cli_copy("");

    for (size_t i = 0; i < r->set.n; i++) {
        const char *expression = NULL;
        const char *const name = cli_cut(args, r->set.items[i], '=', &expression);
        char *quoted = cli_resize(NULL, 2 * strlen(name) + 1, 1);
        size_t n = 0;
        char *longer;

        if (expression == NULL) {
            cli_misused(args, "--set '%s': it takes NAME=EXPR", r->set.items[i]);
            free(quoted);
            free(list);
            return false;
        }
        for (const char *c = name; *c != '\0'; c++) {
            quoted[n++] = *c;
            if (*c == '"') {
                quoted[n++] = '"';
            }
        }
        quoted[n] = '\0';
        longer = cli_sprintf("%s%s(%s) as \"%s\"", list, i > 0 ? ", " : "", expression, quoted);
        free(quoted);
        free(list);
        list = longer;
    }
    r->columns = cli_keep(args, list);
    return true;
}

/* The table may be of any layout. */
static stoa_status add_stream(const cli_place *place, struct ArrowArrayStream *stream,
                              const request *r, const stoa_edit_options *how, size_t *n,
                              stoa_error *err)
{
    const size_t before = stoa_table_n_columns(place->table);
    const stoa_layout *const layout = stoa_layout_of(place->table);

    if (layout != NULL && layout->add_columns != NULL) {
        return stoa_layout_add_columns(place->table, stream, r->storage.codec, how, n, err);
    }
    if (how->n_missing > 0) {
        return stoa_fail(
            err, STOA_EINVAL,
            "missing values stay what they are in HEP001 (§8.5): nothing stands for them");
    }
    STOA_RETURN_NOT_OK(stoa_column_add(place->table, stream, &r->storage, how, err));
    *n = stoa_table_n_columns(place->table) - before;
    return STOA_OK;
}

/* The query reads the table through a separate handle, because the edit replaces the other one. */
static stoa_status add_computed(cli_place *place, const request *r, const stoa_edit_options *how,
                                size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};

    options.columns = r->columns;
    STOA_TRY(stoa_table_open(stoa_file_id(place->file), place->place.path, &table, err));
    STOA_TRY(stoa_query_open(table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(add_stream(place, &stream, r, how, n, err));
done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    return status;
}

static stoa_status add_read(cli_place *place, request *r, const stoa_edit_options *how, size_t *n,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool inside = cli_source_is_in(&r->source, place->place.file);

    STOA_TRY(cli_source_open(r->args, &r->source, NULL, 0, inside ? place->file : NULL,
                             &how->listener, err));
    STOA_TRY(add_stream(place, &r->source.stream, r, how, n, err));
done:
    cli_source_close(&r->source);
    return status;
}

static int add_columns(const char *text, request *r)
{
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    cli_place place = {.safe = r->safe};
    size_t n = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    int exit_status;

    options.listener = cli_listener(r->quiet);
    options.missing = cli_missing_values(r->args, &r->missing);
    options.n_missing = r->missing.n;
    STOA_TRY(cli_place_open_table(&place, text, STOA_FILE_EDIT, &err));
    STOA_TRY(r->input == NULL ? add_computed(&place, r, &options, &n, &err)
                              : add_read(&place, r, &options, &n, &err));
    cli_progress_clear();
    STOA_TRY(cli_place_commit(&place, false, &err));
    cli_source_tell_errors(&r->source);
    cli_remark("%s: %zu %s added", place.name, n, cli_plural(n, "column", "columns"));
done:
    exit_status =
        status == STOA_OK ? CLI_DONE : cli_fail(place.name != NULL ? place.name : text, &err);
    cli_source_close(&r->source);
    cli_place_close(&place);
    return exit_status;
}

static int column_add(cli_args *args)
{
    const char *text = NULL;
    const char *chunk = NULL;
    request r = {.args = args, .source = {.on_error = STOA_CSV_STOP}};
    int exit_status;

    cli_list(args, &r.set, "--set NAME=EXPR",
             "a column computed from those that there are; may be repeated");
    cli_text(args, &r.storage.codec, "--codec NAME",
             "how values are packed: auto, none, small, scaleoffset, deflate[:1-9], zstd[:1-19], "
             "lz4 or blosc; of other layouts than HEP001 as docs/layouts says");
    cli_text(args, &chunk, "--chunk ROWS", "rows in a chunk, or contiguous");
    cli_missing_option(args, &r.missing);
    cli_source_options(args, &r.source, true);
    cli_safe_option(args, &r.safe);
    cli_progress_option(args, &r.quiet);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operand(args, &r.input, "[INPUT]", CLI_SOURCE_HELP);
    if (!cli_accepted(args)) {
        return args->status;
    }
    if ((r.input == NULL) == (r.set.n == 0)) {
        return cli_misused(args, "give a file with the columns, or compute them with --set");
    }
    if (r.input == NULL && r.source.types.n + r.source.null_texts.n + r.source.category.n +
                                   r.source.no_category.n + r.source.units.n >
                               0) {
        return cli_misused(args, "--set computes columns; --type and the like are for text");
    }
    if (!cli_edit_chunk(args, chunk, &r.storage.chunk_rows)) {
        return args->status;
    }
    exit_status =
        accept_set(args, &r) && (r.input == NULL || cli_source_accepted(args, &r.source, r.input))
            ? add_columns(text, &r)
            : args->status;
    cli_source_close(&r.source);
    return exit_status;
}

const cli_command cmd_column_add = {
    "column add", "add columns from a file, from a table, or computed ones",
    "stoa column add run.h5:/events --set 'energy_keV=energy * 1000'", column_add};
