/* stoa concat: the rows of several files, one after the other, in a new file. */
#include <stdlib.h>
#include <stoa/concat.h>
#include <string.h>
#include <sys/stat.h>

#include "arrow/build.h"
#include "cli/common/layouts.h"
#include "cli/common/missing.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "layout/registry.h"

typedef struct request {
    cli_args *args;
    cli_place *from;
    cli_place *to;
    cli_texts keys;
    cli_texts key_lists;
    cli_texts missing;
    stoa_concat_options options;
    uint64_t n_rows;
} request;

static void tell_left(void *context, const char *path, const char *why)
{
    const request *const r = context;

    cli_remark("%s:%s: %s", r->from->place.file, path, why);
}

/* Whether the first file is one that is joined as a whole. */
static bool is_whole(const request *r)
{
    bool is = false;

    for (size_t i = 0; r->from->place.path == NULL && stoa_layouts[i] != NULL && !is; i++) {
        const stoa_layout_whole *const one = stoa_layouts[i]->whole;
        is = one != NULL && one->is_one(stoa_file_id(r->from->file));
    }
    return is;
}

static stoa_status join_whole(request *r, stoa_error *err)
{
    const char *const one[] = {r->from->place.file};
    const char *const *const files =
        r->from->n_files > 0 ? (const char *const *)r->from->files : one;

    if (r->to->place.path != NULL) {
        return stoa_fail(err, STOA_EINVAL, "such files become a whole new one; leave out the path");
    }
    if (r->missing.n > 0) {
        return stoa_fail(err, STOA_EINVAL, "--missing is for tables, and such files are none");
    }
    return stoa_concat_files(files, r->from->n_files > 0 ? r->from->n_files : 1,
                             stoa_file_id(r->to->file), &r->options, tell_left, r, &r->n_rows, err);
}

/* --- tables ---------------------------------------------------------------------------------- */

/* The names of the columns that all files have, as a query lists them. */
static stoa_status find_common(request *r, char **columns, stoa_error *err)
{
    stoa_table *table = NULL;
    stoa_file *file = NULL;
    stoa_status status = STOA_OK;
    size_t n_common = 0;

    const size_t n = stoa_table_n_columns(r->from->table);
    bool *const is_common = cli_resize(NULL, n + 1, sizeof *is_common);
    memset(is_common, 1, n + 1);
    for (size_t i = 0; i < r->from->n_files; i++) {
        STOA_TRY(stoa_file_open(r->from->files[i], STOA_FILE_READ, &file, err));
        STOA_TRY(stoa_table_open(stoa_file_id(file), r->from->place.path, &table, err));
        for (size_t k = 0; k < n; k++) {
            const char *const name = stoa_table_column_name(r->from->table, k);
            is_common[k] = is_common[k] && stoa_table_find(table, name) != NULL;
        }
        stoa_table_close(table);
        table = NULL;
        stoa_file_close(file);
        file = NULL;
    }
    for (size_t k = 0; k < n; k++) {
        if (is_common[k]) {
            char *const name = cli_quoted(stoa_table_column_name(r->from->table, k));
            cli_append(columns, "%s%s", n_common++ > 0 ? ", " : "", name);
            free(name);
        }
    }
    if (n_common == 0) {
        STOA_FAIL(err, STOA_EDATA, "no column is in all files; --join outer takes those of any");
    }
    if (n_common == n) {
        free(*columns);
        *columns = NULL;
    }

done:
    free(is_common);
    stoa_table_close(table);
    stoa_file_close(file);
    return status;
}

/* The layout of the first file, if it can be written. */
static stoa_status find_layout(const request *r, const char **name, stoa_error *err)
{
    stoa_table *table = NULL;

    STOA_RETURN_NOT_OK(
        stoa_table_open(stoa_file_id(r->from->file), r->from->place.path, &table, err));
    const stoa_layout *const layout = stoa_layout_of(table);
    *name = layout != NULL && layout->writer != NULL && stoa_layout_writes(layout)
                ? layout->name
                : stoa_layout_home()->name;
    stoa_table_close(table);
    return STOA_OK;
}

static stoa_status write_columns(request *r, const char *columns, const char *path,
                                 const stoa_layout_options *how, stoa_error *err)
{
    stoa_query_options what = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;

    what.columns = columns;
    STOA_TRY(stoa_query_open(r->from->table, &what, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_layout_write(stoa_file_id(r->to->file), path, &stream, how, &r->n_rows, err));

done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static stoa_status join_tables(request *r, stoa_error *err)
{
    stoa_layout_options how = STOA_LAYOUT_OPTIONS_INIT;
    stoa_status status = STOA_OK;
    char *columns = NULL;

    if (r->options.label != NULL || r->options.index_unique != NULL || r->keys.n > 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "--label, --keys and --index-unique are for files of observations; the "
                         "column \"file\" of a query says where a row of a table comes from");
    }
    r->from->by_name = true;
    STOA_RETURN_NOT_OK(cli_place_find_table(r->from, err));
    columns = r->options.outer ? NULL : cli_copy("");
    STOA_TRY(r->options.outer ? STOA_OK : find_common(r, &columns, err));
    STOA_TRY(find_layout(r, &how.layout, err));
    how.listener = r->options.listener;
    how.codec = r->options.codec;
    how.missing = cli_missing_values(r->args, &r->missing);
    how.n_missing = r->missing.n;
    const char *const path = r->to->place.path != NULL ? r->to->place.path : r->from->place.path;
    STOA_TRY(columns != NULL ? write_columns(r, columns, path, &how, err)
                             : stoa_layout_write_table(r->from->table, stoa_file_id(r->to->file),
                                                       path, &how, &r->n_rows, err));

done:
    free(columns);
    return status;
}

static uint64_t size_of(const char *file)
{
    struct stat about;

    return stat(file, &about) == 0 ? (uint64_t)about.st_size : 0;
}

/* --- the command ----------------------------------------------------------------------------- */

static stoa_status run(request *r, const cli_texts *inputs, const char *to, stoa_error *err)
{
    const size_t n = inputs->n;

    STOA_RETURN_NOT_OK(cli_place_parse_all(r->args, r->from, inputs, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(r->from, STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(cli_place_parse(r->to, to, err));
    STOA_RETURN_NOT_OK(cli_place_open_file(r->to, STOA_FILE_CREATE, err));
    STOA_RETURN_NOT_OK(is_whole(r) ? join_whole(r, err) : join_tables(r, err));
    cli_progress_clear();
    stoa_table_close(r->from->table);
    r->from->table = NULL;
    STOA_RETURN_NOT_OK(cli_place_commit(r->to, false, err));
    const size_t n_files = r->from->n_files > 0 ? r->from->n_files : n;
    char size[16];
    cli_human_bytes(size_of(r->to->place.file), size);
    cli_remark("%s: %llu %s of %zu %s, %s", to, (unsigned long long)r->n_rows,
               cli_plural(r->n_rows, "row", "rows"), n_files, cli_plural(n_files, "file", "files"),
               size);
    return STOA_OK;
}

static stoa_status concat(cli_args *args, stoa_error *err)
{
    static const char *const joins[] = {"inner", "outer", NULL};
    request r = {.args = args, .options = STOA_CONCAT_OPTIONS_INIT};
    cli_texts operands = {0};
    int join = 0;
    bool quiet = false;

    r.from = args->place = cli_place_new(args);
    r.to = cli_place_new(args);
    cli_choice(args, &join, joins, "--join HOW",
               "inner (the default): columns and variables of all files; outer: of any file");
    cli_text(args, &r.options.label, "--label NAME",
             "observations: a new column that says which file a row is of");
    cli_list(args, &r.key_lists, "--keys TEXT,TEXT",
             "what that column says of each file; by default "
             "0, 1 ...");
    cli_text(args, &r.options.index_unique, "--index-unique TEXT",
             "observations: append TEXT and the key to the name of each row");
    cli_text(args, &r.options.codec, "--codec NAME",
             "how the new file is compressed, such as deflate; by default matrices are not");
    cli_missing_option(args, &r.missing);
    cli_progress_option(args, &quiet);
    cli_operands(args, &operands, "IN... OUT",
                 "files, or a table of each as FILE:PATH; then the new file");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (operands.n < 2) {
        return cli_misused(args, "give the files to join, and the new one last");
    }
    cli_split_names(args, &r.key_lists, &r.keys);
    r.options.outer = join == 1;
    r.options.keys = r.keys.items;
    r.options.n_keys = r.keys.n;
    r.options.listener = cli_listener(quiet);
    args->subject = operands.items[--operands.n];
    return run(&r, &operands, args->subject, err);
}

const cli_command cmd_concat = {"concat", "join rows of several files in a new one",
                                "stoa concat a.h5ad b.h5ad c.h5ad all.h5ad --label batch", concat};
