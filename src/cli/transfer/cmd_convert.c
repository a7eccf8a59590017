/* stoa convert: convert one table, or all of a file, to another layout. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrow/build.h"
#include "cli/common/layouts.h"
#include "cli/common/missing.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/common/source.h"
#include "cli/transfer/convert_files.h"
#include "cli/transfer/convert_into.h"
#include "cli/transfer/unconverted.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/walk.h"
#include "layout/common/mended_texts.h"
#include "layout/convert/lost.h"

typedef struct request {
    cli_unopened unopened;
    stoa_layout_options options;
    cli_settings settings;
    const stoa_layout *layout; /* the target layout */
    stoa_layout_mode mode;
    cli_texts missing;
    cli_texts fills;
    cli_place *from;
    cli_place *to; /* not opened if its file is that of `from` */
    bool is_all;   /* whole file: each table keeps its path */
    bool is_alike; /* every table has the target's layout already, so everything can be kept */
    bool is_same_file;
    bool skips_bad;
    const char *columns;
    const char *where;
    uint64_t n_bad_tables;  /* that --skip-bad left behind */
    uint64_t n_bad_columns; /* of the others */
    cli_unconverted rest;   /* unconverted objects, if all of the source is converted */
    stoa_layout_step *steps;
    size_t n_steps;
    cli_texts paths; /* of the tables */
    cli_texts listed;
    cli_texts unopened_paths; /* of objects that cannot be opened */
    cli_texts reasons;        /* why each cannot */
    cli_texts kinds; /* of these objects, if they have the target's layout; "" for others */
    uint64_t n_tables;
    uint64_t n_rows;
    cli_args *args;
} request;

static void declare(cli_args *args, request *r, const char **from, bool *quiet)
{
    cli_text(args, &r->options.layout, "--to LAYOUT", cli_layouts_written(args));
    cli_missing_option(args, &r->missing);
    cli_fill_option(args, &r->fills);
    cli_text(args, &r->options.codec, "--codec NAME",
             "how the table is packed; docs/layouts says what a layout takes");
    cli_number(args, &r->options.chunk_rows, "--chunk ROWS", "rows in a chunk");
    cli_text(args, &r->options.title, "--title TEXT", "the table's title");
    cli_text(args, &r->columns, "-c, --columns A,B",
             "only these columns of each table, in this order");
    cli_text(args, &r->where, "-w, --where EXPR", "only rows for which EXPR is true");
    cli_flag(args, &r->skips_bad, "--skip-bad",
             "leave behind the tables and columns that cannot be opened, and say which");
    cli_flag(args, &r->options.replace, "--force", "replace a table that is there already");
    cli_unconverted_options(args, &r->rest);
    cli_settings_declare(args, &r->settings);
    cli_widen_option(args, &r->from->widens);
    cli_files_options(args, &r->from->by_name, &r->from->is_strict);
    cli_follow_option(args, &r->from->follows);
    cli_safe_option(args, &r->to->safe);
    cli_progress_option(args, quiet);
    cli_operand(args, from, "SOURCE",
                "FILE[:PATH]; every table of the file without a path; or an Arrow file");
    cli_operand(args, &args->subject, "TARGET",
                "FILE[:PATH], which is made if it is not there; the path is the source's if left "
                "out");
}

static bool accept(cli_args *args, request *r)
{
    if (r->options.layout == NULL) {
        cli_misused(args, "say --to which layout: %s", cli_layouts_written(args));
        return false;
    }
    if (!stoa_layout_is_written(r->options.layout)) {
        cli_misused(args, "--to '%s': no such layout is written; there are %s", r->options.layout,
                    cli_layouts_written(args));
        return false;
    }
    r->options.missing = cli_missing_values(args, &r->missing);
    r->options.n_missing = r->missing.n;
    r->options.n_fills = r->fills.n;
    if (!cli_fill_values(args, &r->fills, &r->options.fills)) {
        return false;
    }
    r->layout = stoa_layout_find(r->options.layout);
    if (!cli_settings_accepted(args, &r->settings, r->layout, &r->options)) {
        return false;
    }
    r->to->is_earliest = stoa_layout_setting_of(&r->options, "portable") != NULL;
    r->mode = cli_mode_of(r->layout, &r->options);
    r->options.replace = r->options.replace || r->mode == STOA_LAYOUT_REPLACE;
    return true;
}

/* --- which tables, and where ----------------------------------------------------------------- */

/* Collect the objects that a source could mean. */
static bool collect(void *context, const stoa_object *object)
{
    request *const r = context;
    const bool is_alike = stoa_layout_find_listed(object->layout) == r->layout;

    r->is_alike = r->is_alike && is_alike;
    if (stoa_layout_converts(r->is_all ? r->options.layout : NULL, object)) {
        cli_texts_add(r->args, &r->listed, cli_kept(r->args, object->path));
        cli_texts_add(r->args, &r->kinds, cli_kept(r->args, is_alike ? object->kind : ""));
    }
    return true;
}

/* Collect an object that cannot be opened. */
static void collect_unopened(void *context, const char *path, const char *why)
{
    request *const r = context;

    cli_texts_add(r->args, &r->unopened_paths, cli_kept(r->args, path));
    cli_texts_add(r->args, &r->reasons, cli_kept(r->args, why));
}

/* Name the objects that cannot be opened. Those of a table are named as its columns. */
static void tell_unopened(request *r)
{
    for (size_t i = 0; i < r->unopened_paths.n; i++) {
        const char *const path = r->unopened_paths.items[i];
        bool is_part = false;
        for (size_t k = 0; k < r->paths.n && !is_part; k++) {
            const size_t length = strlen(r->paths.items[k]);
            is_part = strncmp(path, r->paths.items[k], length) == 0 && path[length] == '/';
        }
        if (!is_part) {
            cli_tell_unopened(&r->unopened, path, r->reasons.items[i]);
        }
    }
}

/* Use the one table that represents all of a file, if the target is one place. */
static void take_whole(cli_args *args, request *r)
{
    stoa_error ignored = STOA_ERROR_INIT;
    char *only = NULL;

    if (stoa_layout_only_table(stoa_file_id(r->from->file), &only, &ignored) == STOA_OK) {
        r->paths.n = 0;
        cli_texts_add(args, &r->paths, cli_kept(args, only));
    }
    stoa_free(only);
}

static stoa_status open_source(request *r, const char *from, const char *to, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(r->to, to, err));
    STOA_TRY(cli_place_parse(r->from, from, err));
    r->is_same_file =
        r->layout->files == NULL && cli_is_same_file(r->from->place.file, r->to->place.file);
    STOA_TRY(cli_place_open_file(r->from, r->is_same_file ? STOA_FILE_EDIT : STOA_FILE_READ, err));

done:
    return stoa_at(err, status, "%s", from);
}

static bool add_step(void *context, const stoa_layout_step *step)
{
    request *const r = context;
    cli_args *const args = r->args;

    r->steps = cli_one_more(r->steps, r->n_steps, sizeof *r->steps);
    r->steps[r->n_steps++] =
        (stoa_layout_step){cli_kept(args, step->path), cli_kept(args, step->target),
                           cli_kept(args, step->outer), cli_kept(args, step->inside)};
    return true;
}

/* Whether a table is left behind, since it cannot be opened. */
static bool is_bad(request *r, const char *path)
{
    stoa_error why = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    const bool opens = stoa_table_open(stoa_file_id(r->from->file), path, &table, &why) == STOA_OK;

    stoa_table_close(table);
    if (!opens) {
        cli_remark("%s:%s: left behind: %s", r->from->place.file, path, why.message);
        r->n_bad_tables++;
    }
    return !opens;
}

static stoa_status find_steps(request *r, stoa_error *err)
{
    for (size_t i = 0; i < r->paths.n; i++) {
        const char *const path = r->paths.items[i];
        if (r->skips_bad && r->is_all && is_bad(r, path)) {
            continue;
        }
        const char *const target = r->to->place.path != NULL ? r->to->place.path
                                   : r->is_all               ? NULL
                                                             : path;
        STOA_RETURN_NOT_OK(stoa_layout_visit_steps(stoa_file_id(r->from->file), path, target,
                                                   &r->options, add_step, r, err));
    }
    return STOA_OK;
}

/* Find the unconverted objects, if a whole file is converted to another file and keeps none of them
 * anyway. */
static stoa_status find_rest(request *r, stoa_error *err)
{
    const bool is_one = r->is_all && !r->is_same_file && r->layout->files == NULL;
    const bool is_split = stoa_layout_setting_of(&r->options, STOA_LAYOUT_SPLIT) != NULL;

    if (cli_place_is_many(r->from) && (r->rest.is_kept || is_split)) {
        return stoa_fail(err, STOA_EINVAL,
                         "is several files, of which neither --keep-rest nor --" STOA_LAYOUT_SPLIT
                         " makes one; convert each");
    }
    if (r->rest.is_kept && !is_one) {
        return stoa_fail(err, STOA_EINVAL,
                         "--keep-rest is of all of a file, which becomes a new one: give no paths");
    }
    if (r->rest.is_kept && r->layout->whole != NULL) {
        return stoa_fail(err, STOA_EINVAL, "a file of %s has no place for the rest of another file",
                         r->layout->title);
    }
    if (is_one && !cli_place_is_many(r->from) && !r->is_alike) {
        STOA_RETURN_NOT_OK(
            cli_unconverted_find(&r->rest, r->args, r->from, r->steps, r->n_steps, err));
    }
    return STOA_OK;
}

static stoa_status find_tables(cli_args *args, request *r, const char *from, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_visitors visitors = STOA_LAYOUT_VISITORS_INIT;

    visitors.table = collect;
    visitors.unopened = r->from->place.path == NULL ? collect_unopened : NULL;
    r->unopened.file = r->from->place.file;
    r->is_all = r->from->place.path == NULL && r->to->place.path == NULL;
    r->is_alike = r->is_all && !r->is_same_file && !cli_place_is_many(r->from) &&
                  r->layout->copy_rest != NULL;
    if (r->from->place.path == NULL || r->layout->files != NULL) {
        STOA_TRY(stoa_layout_visit_all(stoa_file_id(r->from->file), &visitors, r, err));
    }
    if (r->from->place.path != NULL) {
        cli_texts_add(args, &r->paths, r->from->place.path);
    }
    for (size_t i = 0; r->from->place.path == NULL && i < r->listed.n; i++) {
        cli_texts_add(args, &r->paths, r->listed.items[i]);
    }
    tell_unopened(r);
    if (r->paths.n > 1 && r->to->place.path != NULL) {
        take_whole(args, r);
    }
    if (r->paths.n > 1 && r->to->place.path != NULL) {
        STOA_FAIL(err, STOA_EINVAL,
                  "holds %zu tables, which cannot all be '%s'; leave out the path of the target",
                  r->paths.n, r->to->place.path);
    }
    if (r->layout->files == NULL) {
        STOA_TRY(find_steps(r, err));
    }
    STOA_TRY(find_rest(r, err));
    if (r->paths.n == 0 && r->rest.n_items > 0 && !r->rest.is_kept) {
        STOA_FAIL(err, STOA_ENOTFOUND,
                  "holds no table; --keep-rest copies what it holds, and PATH takes one object");
    }
    if (r->paths.n == 0 && r->rest.n_items == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "holds no table");
    }

done:
    return stoa_at(err, status, "%s", from);
}

/* --- writing --------------------------------------------------------------------------------- */

/* Whether the error concerns the rows and not the target. */
static bool is_of_rows(stoa_status status)
{
    return status == STOA_EDATA || status == STOA_ETYPE || status == STOA_ELOSS ||
           status == STOA_ELAYOUT || status == STOA_EINVAL;
}

/* Convert to several files, which together form one table. */
static stoa_status convert_files(request *r, const stoa_layout_step *step, hid_t into,
                                 uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    STOA_TRY(cli_place_open_at(r->from, step->path, &table, err));
    STOA_TRY(stoa_layout_prepare(table, r->layout, err));
    STOA_TRY(stoa_layout_write_table(table, into, step->target, &r->options, n_rows, err));

done:
    stoa_table_close(table);
    return status;
}

static void keep_remark(void *context, const char *path, const char *why)
{
    request *const r = context;

    cli_unconverted_remark(&r->rest, r->args, path, why);
}

/* Report what a step's table says and what was made of it does not. A table of which only parts can
 * be opened, as it was converted, is passed over. */
static stoa_status tell_changes(request *r, const stoa_layout_step *step, hid_t file, hid_t into,
                                stoa_error *err)
{
    const char *const path = step->path;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_table *made = NULL;

    status = cli_place_is_many(r->from) ? cli_place_open_at(r->from, path, &table, &ignored)
             : r->options.widen         ? stoa_table_open_widened(file, path, &table, &ignored)
                                        : stoa_table_open(file, path, &table, &ignored);
    if (status != STOA_OK) {
        return STOA_OK;
    }
    status =
        r->layout->is_home ? stoa_mended_texts_of_table(table, path, keep_remark, r, err) : STOA_OK;
    if (status == STOA_OK && stoa_table_open(into, step->target, &made, &ignored) == STOA_OK) {
        status = stoa_layout_tell_lost(table, made, path, r->layout, keep_remark, r, err);
    }
    stoa_table_close(made);
    stoa_table_close(table);
    return status;
}

/* The same of all steps, once the target is complete: it is read as any other file. */
static stoa_status tell_all_changes(request *r, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    stoa_file *made = NULL;

    if (stoa_file_open(r->is_same_file ? r->from->place.file : r->to->place.file, STOA_FILE_READ,
                       &made, &ignored) != STOA_OK) {
        return STOA_OK;
    }
    const hid_t into = stoa_file_id(made);
    const hid_t from = r->is_same_file ? into : stoa_file_id(r->from->file);
    for (size_t i = 0; i < r->n_steps && status == STOA_OK; i++) {
        status = tell_changes(r, &r->steps[i], from, into, err);
    }
    stoa_file_close(made);
    return status;
}

/* Convert the rows and columns of a table that are asked for. *is_done is false if that is all of
 * it, which is converted otherwise. */
static stoa_status convert_part(request *r, const stoa_layout_step *step, hid_t into, bool *is_done,
                                uint64_t *n_rows, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_query *query = NULL;
    cli_place part = *r->from;
    stoa_status status = STOA_OK;

    *is_done = r->columns != NULL || r->where != NULL;
    part.is_whole = !*is_done; /* else the other way says what is left out */
    part.table = NULL;
    STOA_TRY(cli_place_open_at(&part, step->path, &part.table, err));
    options.columns = r->columns;
    options.where = r->where;
    options.listener = r->options.listener;
    if (r->columns == NULL && r->skips_bad) {
        const size_t n_bad = cli_place_columns(r->args, &part, &options.columns);
        r->n_bad_columns += n_bad;
        *is_done = *is_done || n_bad > 0;
    }
    if (*is_done) {
        STOA_TRY(stoa_layout_prepare(part.table, r->layout, err));
        status = stoa_query_open(part.table, &options, &query, err);
        STOA_TRY(stoa_at(err, status, "%s:%s", r->from->place.file, step->path));
        STOA_TRY(stoa_query_run(query, &stream, err));
        STOA_TRY(stoa_layout_write(into, step->target, &stream, &r->options, n_rows, err));
    }

done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_table_close(part.table);
    return status;
}

static stoa_status convert_rows(request *r, const stoa_layout_step *step, hid_t into,
                                uint64_t *n_rows, stoa_error *err)
{
    bool is_done = false;

    if (r->skips_bad || r->columns != NULL || r->where != NULL) {
        STOA_RETURN_NOT_OK(convert_part(r, step, into, &is_done, n_rows, err));
    }
    return is_done ? STOA_OK
           : cli_place_is_many(r->from)
               ? convert_files(r, step, into, n_rows, err)
               : stoa_layout_convert_step(stoa_file_id(r->from->file), step, into, &r->options,
                                          n_rows, err);
}

static stoa_status convert_step(request *r, const stoa_layout_step *step, hid_t into,
                                stoa_error *err)
{
    uint64_t n_rows = 0;
    stoa_status status = convert_rows(r, step, into, &n_rows, err);

    if (status == STOA_OK && !cli_place_is_many(r->from)) {
        cli_place_tell_left_out_at(r->from, step->path);
    }
    if (status == STOA_OK && r->layout->is_home) {
        status = cli_unconverted_tell_names(&r->rest, r->args, into, step, err);
    }
    r->n_tables++;
    r->n_rows += n_rows;
    return is_of_rows(status) ? stoa_within(err, status, "%s:%s", r->from->place.file, step->path)
                              : status;
}

/* Groups that list their members are written after all members exist. */
static stoa_status convert_steps(request *r, hid_t into, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **const targets = cli_resize(NULL, r->n_steps, sizeof *targets);

    r->options.unlisted = true;
    for (size_t i = 0; i < r->n_steps; i++) {
        targets[i] = r->steps[i].target;
        STOA_TRY(convert_step(r, &r->steps[i], into, err));
    }
    STOA_TRY(stoa_layout_list_written(into, targets, r->n_steps, &r->options, err));

done:
    free((void *)targets);
    return status;
}

/* Report unconverted parts of objects. Several input files that form one table have none, and
 * objects that are kept have all of theirs. */
static stoa_status tell_unread(request *r, stoa_error *err)
{
    cli_texts root = {0};

    if (cli_place_is_many(r->from)) {
        return STOA_OK;
    }
    cli_texts_add(r->args, &root, "/");
    const cli_texts *const of_tables = r->is_all ? &r->rest.tables : &r->paths;
    const bool is_whole = r->is_all && !(r->rest.is_kept && !r->is_alike);
    return cli_unconverted_tell_unread(&r->rest, r->args, r->from, r->steps, r->n_steps,
                                       is_whole ? &root : of_tables, err);
}

static stoa_status convert_all(request *r, stoa_error *err)
{
    cli_place *const target = r->is_same_file ? r->from : r->to;

    if (!r->is_same_file) {
        if (r->rest.is_kept && r->mode != STOA_LAYOUT_REPLACE_FILE && cli_place_exists(r->to)) {
            return stoa_fail(
                err, STOA_EEXISTS,
                "is there already, and --keep-rest makes a new file; give another name");
        }
        STOA_RETURN_NOT_OK(cli_open_target(r->to, r->mode, err));
    } else if (r->mode == STOA_LAYOUT_REPLACE_FILE) {
        return stoa_fail(err, STOA_EINVAL, "a file that is read cannot be overwritten");
    }
    if (r->rest.is_kept && !r->is_alike) {
        STOA_RETURN_NOT_OK(stoa_layout_copy_unconverted(
            stoa_file_id(r->from->file), stoa_file_id(r->to->file), r->rest.tables.items,
            r->rest.tables.n, &r->options.listener, err));
    }
    STOA_RETURN_NOT_OK(convert_steps(r, stoa_file_id(target->file), err));
    if (r->rest.is_kept && !r->is_alike) {
        STOA_RETURN_NOT_OK(
            stoa_layout_link_unconverted(stoa_file_id(r->from->file), stoa_file_id(r->to->file),
                                         r->rest.tables.items, r->rest.tables.n, err));
    }
    if (r->is_alike) {
        STOA_RETURN_NOT_OK(
            r->layout->copy_rest(stoa_file_id(r->from->file), stoa_file_id(target->file), err));
    }
    STOA_RETURN_NOT_OK(tell_unread(r, err));
    cli_progress_clear();
    STOA_RETURN_NOT_OK(cli_place_commit(target, false, err));
    return tell_all_changes(r, err);
}

/* --- layouts that are whole files ------------------------------------------------------------ */

/* The whole-file layout of the source, if the target has the same layout or is HEP001; else NULL.
 * Then tables, matrices and all other objects are converted. If a path is given, only tables
 * are. */
static const stoa_layout_whole *whole_of(const request *r)
{
    const bool is_all = r->from->place.path == NULL && r->to->place.path == NULL;

    for (size_t i = 0; is_all && stoa_layouts[i] != NULL; i++) {
        const stoa_layout_whole *const whole = stoa_layouts[i]->whole;
        if (whole != NULL && (r->layout->is_home || r->layout == stoa_layouts[i]) &&
            whole->is_one(stoa_file_id(r->from->file))) {
            return whole;
        }
    }
    return NULL;
}

/* Whether a table becomes a new file that cannot hold other tables. */
static bool is_alone(const request *r)
{
    return r->layout->whole != NULL && r->paths.n == 1 && r->to->place.path == NULL &&
           !cli_place_exists(r->to);
}

/* A table of a whole file has the same path in both. */
static bool add_same_path(void *context, const stoa_object *object)
{
    const stoa_layout_step step = {.path = object->path, .target = object->path};

    return add_step(context, &step);
}

typedef struct largest {
    char *path;
    uint64_t n_columns;
} largest;

static bool find_largest(void *context, const stoa_object *object)
{
    largest *const found = context;

    if (found->path == NULL || object->n_columns > found->n_columns) {
        free(found->path);
        found->path = cli_copy(object->path);
        found->n_columns = object->n_columns;
    }
    return true;
}

/* Report what a table says that became the largest one of a new file. */
static stoa_status tell_changes_alone(request *r, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_file *made = NULL;
    largest found = {.path = NULL};

    STOA_TRY(stoa_file_open(r->to->place.file, STOA_FILE_READ, &made, err));
    STOA_TRY(stoa_layout_visit(stoa_file_id(made), find_largest, &found, err));
    if (found.path != NULL) {
        const stoa_layout_step step = {.path = r->paths.items[0], .target = found.path};
        STOA_TRY(tell_changes(r, &step, stoa_file_id(r->from->file), stoa_file_id(made), err));
    }

done:
    free(found.path);
    stoa_file_close(made);
    return status;
}

static stoa_status see_filters(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    hid_t creation = H5I_INVALID_HID;

    (void)path;
    STOA_RETURN_HDF_ERROR(err, creation = stoa_dataset_properties(dataset), "get the properties");
    *(bool *)context = *(bool *)context || H5Pget_nfilters(creation) > 0;
    return stoa_hdf_close(&creation, STOA_OK, err);
}

/* Say that a whole file has become larger, since nothing in it is compressed as it was. */
static stoa_status tell_size(const request *r, const char *to, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_file *made = NULL;
    struct stat was;
    struct stat is;
    char sizes[2][16];
    bool was_packed = false;
    bool is_packed = false;

    if (r->options.codec != NULL || stat(r->from->place.file, &was) != 0 ||
        stat(r->to->place.file, &is) != 0 || is.st_size <= was.st_size) {
        return STOA_OK;
    }
    STOA_TRY(stoa_file_open(r->to->place.file, STOA_FILE_READ, &made, err));
    STOA_TRY(stoa_datasets_visit(stoa_file_id(r->from->file), see_filters, &was_packed, err));
    STOA_TRY(stoa_datasets_visit(stoa_file_id(made), see_filters, &is_packed, err));
    if (was_packed && !is_packed) {
        cli_human_bytes((uint64_t)was.st_size, sizes[0]);
        cli_human_bytes((uint64_t)is.st_size, sizes[1]);
        cli_remark("%s: takes %s, and %s %s: compression was not kept; --codec compresses it", to,
                   sizes[1], r->from->place.file, sizes[0]);
    }

done:
    stoa_file_close(made);
    return status;
}

static stoa_status convert_whole(request *r, const stoa_layout_whole *whole, const char *to,
                                 stoa_error *err)
{
    stoa_layout_counts n = {0};
    if (r->is_same_file || cli_place_exists(r->to)) {
        return stoa_fail(
            err, STOA_EEXISTS,
            "is there already, and all of such a file becomes a new one; give another name, or the "
            "paths of one table");
    }
    STOA_RETURN_NOT_OK(cli_place_open_file(r->to, STOA_FILE_CREATE, err));
    STOA_RETURN_NOT_OK(whole->convert(stoa_file_id(r->from->file), stoa_file_id(r->to->file),
                                      &r->options, keep_remark, r, &n, err));
    cli_progress_clear();
    STOA_RETURN_NOT_OK(cli_place_commit(r->to, false, err));
    STOA_RETURN_NOT_OK(stoa_layout_visit(stoa_file_id(r->from->file), add_same_path, r, err));
    STOA_RETURN_NOT_OK(tell_all_changes(r, err));
    STOA_RETURN_NOT_OK(cli_unconverted_show(&r->rest, r->from->place.file, err));
    STOA_RETURN_NOT_OK(tell_size(r, to, err));
    cli_remark("%s: %llu %s with %llu %s and %llu %s converted to %s", to,
               (unsigned long long)n.n_tables, cli_plural(n.n_tables, "table", "tables"),
               (unsigned long long)n.n_rows, cli_plural(n.n_rows, "row", "rows"),
               (unsigned long long)n.n_matrices, cli_plural(n.n_matrices, "matrix", "matrices"),
               r->options.layout);
    if (n.n_left > 0) {
        cli_remark("%s: %llu %s stayed behind (--skip-bad)", r->from->place.file,
                   (unsigned long long)n.n_left,
                   cli_plural(n.n_left, "object or column", "objects and columns"));
    }
    return STOA_OK;
}

static stoa_status convert_alone(request *r, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    STOA_TRY(cli_place_open_at(r->from, r->paths.items[0], &table, err));
    STOA_TRY(cli_place_open_file(r->to, STOA_FILE_CREATE, err));
    STOA_TRY(
        r->layout->whole->of_table(table, stoa_file_id(r->to->file), &r->options, &r->n_rows, err));
    r->n_tables = 1;
    cli_progress_clear();
    stoa_table_close(table);
    table = NULL;
    STOA_TRY(cli_place_commit(r->to, false, err));
    STOA_TRY(tell_changes_alone(r, err));

done:
    stoa_table_close(table);
    return status;
}

static stoa_status convert_to_files(request *r, stoa_error *err)
{
    const cli_files files = {r->layout, r->from,   r->to,      &r->options, r->columns,
                             r->where,  &r->paths, &r->listed, &r->kinds};

    r->n_tables = r->paths.n;
    return cli_files_convert(&files, &r->n_rows, err);
}

/* What --skip-bad left behind. */
static void tell_bad(const request *r)
{
    const unsigned long long n_objects = r->n_bad_tables + r->unopened.n;
    const unsigned long long n_columns = r->n_bad_columns;

    if (r->skips_bad && n_objects + n_columns > 0) {
        cli_remark("%s: %llu %s and %llu %s stayed behind (--skip-bad)", r->from->place.file,
                   n_objects, cli_plural(n_objects, "object", "objects"), n_columns,
                   cli_plural(n_columns, "column", "columns"));
    }
}

static stoa_status convert_tables(cli_args *args, request *r, const char *from, const char *to,
                                  stoa_error *err)
{
    STOA_RETURN_NOT_OK(find_tables(args, r, from, err));
    STOA_RETURN_NOT_OK(r->layout->files != NULL ? convert_to_files(r, err)
                       : is_alone(r)            ? convert_alone(r, err)
                                                : convert_all(r, err));
    STOA_RETURN_NOT_OK(cli_unconverted_show(&r->rest, r->from->place.file, err));
    cli_remark("%s: %llu %s with %llu %s converted to %s%s", to, (unsigned long long)r->n_tables,
               cli_plural(r->n_tables, "table", "tables"), (unsigned long long)r->n_rows,
               cli_plural(r->n_rows, "row", "rows"), r->options.layout,
               cli_unconverted_count(&r->rest, args));
    tell_bad(r);
    return STOA_OK;
}

/* A typed file holds one table. */
static stoa_status convert_typed(request *r, const cli_typed_file *kind, const char *from,
                                 const char *to, stoa_error *err)
{
    stoa_status status = STOA_OK;
    cli_texts row_index = {0};
    struct ArrowArrayStream stream = {.release = NULL};

    if (r->layout->files != NULL) {
        return stoa_fail(err, STOA_EINVAL, "is %s: import it, and convert the table then",
                         kind->title);
    }
    STOA_RETURN_NOT_OK(cli_place_parse(r->to, to, err));
    if (r->to->place.path == NULL) {
        return stoa_fail(err, STOA_EINVAL, "%s has no paths; give one, as %s:/rows", kind->title,
                         to);
    }
    STOA_TRY(kind->open(&from, 1, false, &r->options.listener, &stream, err));
    STOA_TRY(cli_typed_row_labels(r->args, &stream, &row_index, err));
    r->options.index_columns = row_index.n > 0 ? row_index.items : NULL;
    r->options.n_index_columns = row_index.n;
    STOA_TRY(cli_open_target(r->to, r->mode, err));
    STOA_TRY(stoa_layout_write(stoa_file_id(r->to->file), r->to->place.path, &stream, &r->options,
                               &r->n_rows, err));
    cli_progress_clear();
    STOA_TRY(cli_place_commit(r->to, false, err));
    cli_remark("%s: %llu %s converted to %s", to, (unsigned long long)r->n_rows,
               cli_plural(r->n_rows, "row", "rows"), r->options.layout);
done:
    stoa_stream_release(&stream);
    return status;
}

static stoa_status run(request *r, const char *from, stoa_error *err)
{
    cli_args *const args = r->args;
    const char *const to = args->subject;

    if (cli_mode_extends(r->mode)) {
        return cli_extend(args, from, to, r->layout, r->to->safe, &r->options, err);
    }
    const cli_typed_file *const kind = cli_typed_file_of(from);
    if (kind != NULL) {
        return convert_typed(r, kind, from, to, err);
    }
    STOA_RETURN_NOT_OK(open_source(r, from, to, err));
    const stoa_layout_whole *const whole = whole_of(r);
    if (whole != NULL && (r->columns != NULL || r->where != NULL)) {
        return stoa_fail(err, STOA_EINVAL,
                         "-c and -w are of one table; of all of such a file, stoa subset %s --obs "
                         "'...' --var '...' takes parts, with all members in step",
                         from);
    }
    STOA_RETURN_NOT_OK(whole != NULL ? convert_whole(r, whole, to, err)
                                     : convert_tables(args, r, from, to, err));
    args->status = r->skips_bad ? CLI_DONE : cli_unopened_status(&r->unopened);
    return STOA_OK;
}

static stoa_status convert(cli_args *args, stoa_error *err)
{
    request r = {.options = STOA_LAYOUT_OPTIONS_INIT,
                 .args = args,
                 .from = cli_place_new(args),
                 .to = cli_place_new(args)};
    const char *from = NULL;
    bool quiet = false;

    declare(args, &r, &from, &quiet);
    if (!cli_accepted(args) || !accept(args, &r)) {
        return STOA_OK;
    }
    r.from->safe = r.to->safe;
    r.options.widen = r.from->widens;
    r.options.skip_bad = r.skips_bad;
    r.options.listener = cli_listener(quiet);
    const stoa_status status = run(&r, from, err);
    free(r.steps);
    cli_unconverted_clear(&r.rest);
    return status;
}

const cli_command cmd_convert = {"convert", "write tables once more, in another layout",
                                 "stoa convert shots.h5 run.h5 --to hep001 --keep-rest", convert};
