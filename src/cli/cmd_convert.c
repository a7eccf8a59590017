/* stoa convert: one table, or all of a file, in another layout. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/place.h"
#include "cli/progress.h"

typedef struct request {
    stoa_layout_options options;
    cli_texts missing;
    cli_place from;
    cli_place to;  /* its file is not opened where it is that of `from` */
    bool is_whole; /* every table of the source, */
    bool is_lh5;   /* each of which is LH5 */
    bool is_same_file;
    cli_texts paths; /* of the tables */
    uint64_t n_rows;
} request;

static void declare(cli_args *args, request *r, const char **from, const char **to, bool *safe,
                    bool *quiet)
{
    cli_text(args, &r->options.layout, "--to LAYOUT", "hep001, pytables, h5tb, ...");
    cli_list(args, &r->missing, "--missing [COL=]VALUE",
             "what stands for missing values that the layout cannot hold: a value of the column's "
             "type, or nan, which makes numbers float64; may be repeated");
    cli_text(args, &r->options.codec, "--codec NAME",
             "how the table is packed; docs/layouts says what a layout takes");
    cli_number(args, &r->options.chunk_rows, "--chunk ROWS", "rows in a chunk");
    cli_text(args, &r->options.title, "--title TEXT", "the table's title");
    cli_flag(args, &r->options.replace, "--force", "replace a table that is there already");
    cli_safe_option(args, safe);
    cli_progress_option(args, quiet);
    cli_operand(args, from, "SOURCE", "FILE[:PATH]; every table of the file without a path");
    cli_operand(args, to, "TARGET",
                "FILE[:PATH], which is made if it is not there; the path is the source's if left "
                "out");
}

static bool accept(cli_args *args, request *r)
{
    stoa_missing_value *const values =
        cli_keep(args, cli_resize(NULL, r->missing.n, sizeof *values));

    if (r->options.layout == NULL) {
        cli_misused(args, "say --to which layout: %s", stoa_layout_written());
        return false;
    }
    if (!stoa_layout_is_written(r->options.layout)) {
        cli_misused(args, "--to '%s': no such layout is written; there are %s", r->options.layout,
                    stoa_layout_written());
        return false;
    }
    for (size_t i = 0; i < r->missing.n; i++) {
        values[i].column = cli_cut(args, r->missing.items[i], '=', &values[i].value);
        if (values[i].value == NULL) {
            values[i] = (stoa_missing_value){NULL, r->missing.items[i]};
        }
    }
    r->options.missing = values;
    r->options.n_missing = r->missing.n;
    return true;
}

/* --- which tables, and where ----------------------------------------------------------------- */

typedef struct collector {
    cli_args *args;
    cli_texts *paths;
} collector;

static bool collect(void *context, const stoa_object *object)
{
    collector *const c = context;

    cli_texts_add(c->args, c->paths, cli_keep(c->args, cli_copy(object->path)));
    return true;
}

static stoa_status open_source(cli_args *args, request *r, const char *from, const char *to,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    collector c = {args, &r->paths};

    STOA_TRY(cli_place_parse(&r->to, to, err));
    STOA_TRY(cli_place_parse(&r->from, from, err));
    r->is_same_file = cli_is_same_file(r->from.place.file, r->to.place.file);
    STOA_TRY(cli_place_open_file(&r->from, r->is_same_file ? STOA_FILE_EDIT : STOA_FILE_READ, err));
    if (r->from.place.path != NULL) {
        cli_texts_add(args, &r->paths, r->from.place.path);
    } else {
        r->is_whole = true;
        STOA_TRY(stoa_layout_list(stoa_file_id(r->from.file), collect, &c, err));
    }
    if (r->paths.n == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "holds no table");
    }
    if (r->paths.n > 1 && r->to.place.path != NULL) {
        STOA_FAIL(err, STOA_EINVAL,
                  "holds %zu tables, which cannot all be '%s'; leave out the path of the target",
                  r->paths.n, r->to.place.path);
    }

done:
    return stoa_at(err, status, "%s", from);
}

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status convert_one(request *r, const char *path, hid_t into, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    uint64_t n_rows = 0;
    const char *const target = r->to.place.path != NULL ? r->to.place.path : path;

    STOA_TRY(stoa_layout_open(stoa_file_id(r->from.file), path, &table, err));
    r->is_lh5 = r->is_lh5 && strcmp(stoa_table_info_of(table).layout, "lh5") == 0;
    STOA_TRY(stoa_layout_write_table(table, into, target, &r->options, &n_rows, err));
    r->n_rows += n_rows;

done:
    stoa_table_close(table);
    return status;
}

static stoa_status convert_all(request *r, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct stat about;
    cli_place *const target = r->is_same_file ? &r->from : &r->to;

    if (!r->is_same_file) {
        const bool exists = stat(r->to.place.file, &about) == 0;
        STOA_TRY(cli_place_open_file(&r->to, exists ? STOA_FILE_EDIT : STOA_FILE_CREATE, err));
    }
    r->is_lh5 = r->is_whole && !r->is_same_file && strcmp(r->options.layout, "lh5") == 0;
    for (size_t i = 0; i < r->paths.n; i++) {
        STOA_TRY(convert_one(r, r->paths.items[i], stoa_file_id(target->file), err));
    }
    if (r->is_lh5) {
        STOA_TRY(stoa_lh5_copy_rest(stoa_file_id(r->from.file), stoa_file_id(target->file), err));
    }
    cli_progress_clear();
    STOA_TRY(cli_place_commit(target, false, err));

done:
    return status;
}

static int convert(cli_args *args)
{
    request r = {.options = STOA_LAYOUT_OPTIONS_INIT};
    const char *from = NULL;
    const char *to = NULL;
    bool safe = false;
    bool quiet = false;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    int exit_status;

    declare(args, &r, &from, &to, &safe, &quiet);
    if (!cli_accepted(args) || !accept(args, &r)) {
        return args->status;
    }
    r.from.safe = r.to.safe = safe;
    r.options.listener = cli_listener(quiet);
    STOA_TRY(open_source(args, &r, from, to, &err));
    STOA_TRY(convert_all(&r, &err));
    cli_remark("%s: %zu %s with %llu %s converted to %s", to, r.paths.n,
               cli_plural(r.paths.n, "table", "tables"), (unsigned long long)r.n_rows,
               cli_plural(r.n_rows, "row", "rows"), r.options.layout);
done:
    exit_status = status == STOA_OK ? CLI_DONE : cli_fail(to, &err);
    cli_place_close(&r.to);
    cli_place_close(&r.from);
    return exit_status;
}

const cli_command cmd_convert = {
    "convert", "write tables once more, in another layout",
    "stoa convert run.h5:/events run_pytables.h5 --to pytables --missing -1", convert};
