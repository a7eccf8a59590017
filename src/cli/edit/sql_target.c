#include "cli/edit/sql_target.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrow/build.h"
#include "cli/common/layouts.h"
#include "cli/common/progress.h"
#include "cli/edit/edit.h"
#include "cli/output/store.h"
#include "sql/decimals.h"
#include "sql/target.h"

typedef struct request {
    cli_args *args;
    stoa_sql *sql;
    const stoa_listener *listener;
    stoa_sql_target target;
    cli_store store;
    cli_store_origin origin;
    struct ArrowArrayStream rows;
} request;

/* --- options --------------------------------------------------------------------------------- */

static bool is_true(const char *value)
{
    return value[0] == '\0' || strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0;
}

/* The options of COPY are those of the command, without their dashes. */
static stoa_status take_options(request *r, stoa_error *err)
{
    cli_store *const store = &r->store;

    for (size_t i = 0; i < r->target.n_options; i++) {
        const stoa_sql_option *const option = &r->target.options[i];
        const struct {
            const char *name;
            const char **to;
        } texts[] = {{"index", &store->indexes},
                     {"row_index", &store->row_index},
                     {"codec", &store->options.codec},
                     {"title", &store->options.title},
                     {"layout", &store->options.layout}};
        const bool is_overwrite = strcmp(option->name, "overwrite") == 0;
        bool is_known = is_overwrite;

        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            if (strcmp(option->name, texts[k].name) == 0) {
                *texts[k].to = option->value;
                is_known = true;
            }
        }
        store->options.replace = is_overwrite ? is_true(option->value) : store->options.replace;
        if (!is_known) {
            return stoa_fail(err, STOA_EINVAL,
                             "COPY to a place has no option '%s'; there are index, row_index, "
                             "codec, title, layout and overwrite",
                             option->name);
        }
    }
    return STOA_OK;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Open the rows of the query, and find the files that it reads. */
static stoa_status open_rows(request *r, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_sql_run(r->sql, r->target.query, &r->rows, err));
    STOA_RETURN_NOT_OK(stoa_sql_round_decimals(&r->rows, err));
    for (size_t i = 0; i < r->sql->files.n; i++) {
        cli_texts_add(r->args, &r->origin.inputs, cli_kept(r->args, r->sql->files.names[i]));
    }
    return STOA_OK;
}

static stoa_status drain(struct ArrowArrayStream *stream, stoa_error *err)
{
    struct ArrowArray batch = {.release = NULL};
    stoa_status status = STOA_OK;

    do {
        stoa_array_release(&batch);
        status = stoa_stream_next(stream, &batch, err);
    } while (status == STOA_OK && batch.release != NULL);
    return status;
}

/* A stream whose columns have other names. */
typedef struct renamed {
    struct ArrowArrayStream *from; /* borrowed */
    struct ArrowSchema schema;
} renamed;

static stoa_status renamed_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((renamed *)self)->schema, out, err);
}

static stoa_status renamed_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    return stoa_stream_next(((renamed *)self)->from, out, err);
}

/* The name of the column that column i of an INSERT goes to; NULL past the last. */
static const char *insert_name(const request *r, const stoa_table *table, size_t i)
{
    const stoa_sql_target *const t = &r->target;

    if (t->n_columns > 0) {
        return i < t->n_columns ? t->columns[i] : NULL;
    }
    return stoa_table_column_name(table, i);
}

/* Columns are matched by their order: give them the table's names. */
static stoa_status rename_columns(const request *r, const stoa_table *table,
                                  struct ArrowArrayStream *from, renamed *to, stoa_error *err)
{
    struct ArrowSchema rows = {.release = NULL};
    stoa_status status = STOA_OK;

    to->from = from;
    STOA_TRY(stoa_stream_schema(from, &rows, err));
    STOA_TRY(stoa_schema_copy(&rows, &to->schema, err));
    const size_t n = (size_t)rows.n_children;
    if (!r->target.is_by_name && n > 0 &&
        (insert_name(r, table, n - 1) == NULL || insert_name(r, table, n) != NULL)) {
        STOA_FAIL(err, STOA_EINVAL,
                  "gets rows of %zu columns, which are not its own in number; name them, as in "
                  "insert into '%s' (a, b), or say by name",
                  n, r->target.name);
    }
    for (size_t i = 0; !r->target.is_by_name && i < n; i++) {
        STOA_TRY(stoa_schema_rename(to->schema.children[i], insert_name(r, table, i), err));
    }

done:
    stoa_schema_release(&rows);
    return status;
}

/* --- statements ------------------------------------------------------------------------------ */

static stoa_status write_new(request *r, stoa_error *err)
{
    const stoa_sql_target *const t = &r->target;
    uint64_t n = 0;

    STOA_RETURN_NOT_OK(take_options(r, err));
    r->store.options.replace = r->store.options.replace || t->kind == STOA_SQL_REPLACE;
    if (!cli_store_accepted(r->args, &r->store, t->name, true)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(open_rows(r, err));
    const stoa_status status =
        cli_store_write(&r->store, t->name, &r->rows, &r->origin, r->listener, &n, err);
    if (status == STOA_EEXISTS && t->skips_existing) {
        if (err != NULL) {
            *err = (stoa_error)STOA_ERROR_INIT;
        }
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(status);
    cli_progress_clear();
    cli_remark("%s: %llu %s written", t->name, (unsigned long long)n, cli_plural(n, "row", "rows"));
    return STOA_OK;
}

static stoa_status append_rows(request *r, stoa_error *err)
{
    static const stoa_producer producer = {renamed_schema, renamed_next, NULL};
    stoa_status status = STOA_OK;
    struct ArrowArrayStream stream = {.release = NULL};
    renamed to = {.from = NULL};
    cli_edit edit = {.options = STOA_EDIT_OPTIONS_INIT};
    uint64_t n = 0;

    edit.place = r->args->place = cli_place_new(r->args);
    STOA_TRY(open_rows(r, err));
    STOA_TRY(cli_place_parse(edit.place, r->target.name, err));
    for (size_t i = 0; i < r->origin.inputs.n; i++) {
        if (cli_is_same_file(r->origin.inputs.items[i], edit.place->place.file)) {
            STOA_FAIL(err, STOA_EINVAL,
                      "is being read; write to another file, and 'stoa append' "
                      "the rows then");
        }
    }
    STOA_TRY(cli_edit_open_place(&edit, err));
    STOA_TRY(rename_columns(r, edit.place->table, &r->rows, &to, err));
    STOA_TRY(stoa_stream_make(&stream, &producer, &to, err));
    STOA_TRY(cli_is_home(edit.place->table)
                 ? stoa_table_append(edit.place->table, &stream, &edit.options, &n, err)
                 : stoa_layout_append(edit.place->table, &stream, &edit.options, &n, err));
    STOA_TRY(cli_edit_publish(&edit, err, "%llu %s appended", (unsigned long long)n,
                              cli_plural(n, "row", "rows")));

done:
    stoa_stream_release(&stream);
    stoa_schema_release(&to.schema);
    cli_place_close(edit.place);
    r->args->place = NULL;
    return stoa_at(err, status, "%s", r->target.name);
}

/* DuckDB copies a query, but no table of a file. */
static stoa_status copy_by_duckdb(request *r, stoa_error *err)
{
    char *const statement = cli_sprintf("COPY (%s) %s", r->target.query, r->target.rest);
    stoa_status status = stoa_sql_run(r->sql, statement, &r->rows, err);

    status = status == STOA_OK ? drain(&r->rows, err) : status;
    free(statement);
    return status;
}

stoa_status cli_sql_write_place(cli_args *args, stoa_sql *sql, const char *statement,
                                const stoa_listener *listener, bool *is_run, stoa_error *err)
{
    request r = {.args = args,
                 .sql = sql,
                 .listener = listener,
                 .store = {.options = STOA_LAYOUT_OPTIONS_INIT}};
    stoa_status status = STOA_OK;
    bool is_target = false;

    *is_run = false;
    STOA_TRY(stoa_sql_target_read(statement, &r.target, &is_target, err));
    const bool is_place = is_target && cli_store_is_meant(&r.store, r.target.name);
    *is_run = is_place || (is_target && r.target.is_of_name);
    if (!*is_run) {
        goto done;
    }
    stoa_sql_forget(sql); /* it may be a file that earlier statements have read */
    STOA_TRY(!is_place                          ? copy_by_duckdb(&r, err)
             : r.target.kind == STOA_SQL_INSERT ? append_rows(&r, err)
                                                : write_new(&r, err));

done:
    stoa_stream_release(&r.rows);
    stoa_sql_target_clear(&r.target);
    return status;
}
