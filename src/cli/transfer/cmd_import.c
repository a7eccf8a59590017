/* stoa import: make a HEP001 table from a text file or another table. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrow/build.h"
#include "cli/common/index_kinds.h"
#include "cli/common/layouts.h"
#include "cli/common/missing.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/common/source.h"
#include "cli/edit/edit.h"
#include "cli/output/grid.h"
#include "cli/output/type_name.h"
#include "cli/transfer/import_matrix.h"
#include "core/text.h"
#include "hdf/ids.h"
#include "layout/common/mended_texts.h"
#include "layout/convert/lost.h"

typedef struct request {
    stoa_table_options options;
    cli_source source;
    cli_place *target;
    const char *input;
    cli_texts codecs;
    cli_texts chunks;
    cli_texts fills;
    cli_settings settings; /* of HEP001 tables */
    const char *indexes;
    const char *row_index;
    const char *extent; /* --shape */
    bool sparse;
    bool quiet;
    bool is_dry;      /* --dry-run */
    cli_texts rest;   /* operands after INPUT: further inputs, and PLACE */
    bool is_replaced; /* the new table's name is in use */
} request;

static void declare(cli_args *args, request *r)
{
    cli_source_options(args, &r->source, true);
    cli_files_options(args, &r->source.place.by_name, &r->source.place.is_strict);
    cli_list(args, &r->codecs, "--codec [COL=]NAME",
             "how values are packed: auto, none, small, scaleoffset, decimal[:1-10], "
             "deflate[:1-9], zstd[:1-19], lz4 or blosc; repeatable");
    cli_list(args, &r->chunks, "--chunk [COL=]ROWS",
             "rows in a chunk, or contiguous; may be repeated; of a matrix ROWSxCOLUMNS");
    cli_text(args, &r->indexes, "--index A[:KIND],B",
             "columns that get a search index: minmax, sorted, bitmap or bloom");
    cli_text(args, &r->row_index, "--row-index A,B",
             "columns that label the rows, outermost first");
    cli_text(args, &r->options.title, "--title TEXT", "the table's title");
    cli_text(args, &r->options.description, "--description TEXT", "what the table holds");
    cli_number(args, &r->options.preallocate_rows, "--preallocate ROWS",
               "make room for that many rows, for appends to come");
    cli_fill_option(args, &r->fills);
    cli_settings_declare_of(args, &r->settings, stoa_layout_home());
    cli_flag(args, &r->sparse, "--sparse",
             "make a sparse array: columns of indices, one a dimension, then one of values");
    cli_text(args, &r->extent, "--shape RxC", "of --sparse; by default as large as it must be");
    cli_flag(args, &r->is_dry, "--dry-run", "show the columns that the table would have, and stop");
    cli_flag(args, &r->options.replace, "--force", "replace a table that is there already");
    cli_safe_option(args, &r->target->safe);
    cli_progress_option(args, &r->quiet);
    cli_operand(args, &r->input, "INPUT", CLI_SOURCE_HELP);
    cli_operands(args, &r->rest, "[INPUT...] PLACE",
                 "further CSV or Parquet files, whose rows follow; then FILE[:PATH]; the "
                 "path is INPUT's name up to the first dot if left out");
}

/* Find or add the entry of a column (NULL: of all). `entries` has room for one more. */
static stoa_column_options *entry_of(stoa_column_options *entries, size_t *n, const char *column)
{
    for (size_t i = 0; i < *n; i++) {
        const char *const other = entries[i].column;

        if (other == column || (other != NULL && column != NULL && strcmp(other, column) == 0)) {
            return &entries[i];
        }
    }
    entries[*n] = (stoa_column_options){.column = column};
    return &entries[(*n)++];
}

/* Split "[COL=]VALUE". */
static const char *cut_column(cli_args *args, const char *text, const char **column)
{
    const char *value = NULL;

    *column = cli_cut(args, text, '=', &value);
    if (value == NULL) {
        *column = NULL;
        value = text;
    }
    return value;
}

static bool accept_storage(cli_args *args, request *r)
{
    stoa_column_options *const entries =
        cli_keep(args, cli_resize(NULL, r->codecs.n + r->chunks.n, sizeof *entries));
    size_t n = 0;

    for (size_t i = 0; i < r->codecs.n; i++) {
        const char *column;
        const char *const codec = cut_column(args, r->codecs.items[i], &column);

        entry_of(entries, &n, column)->codec = codec;
    }
    for (size_t i = 0; i < r->chunks.n; i++) {
        const char *column;
        const char *const rows = cut_column(args, r->chunks.items[i], &column);
        uint64_t *const to = &entry_of(entries, &n, column)->chunk_rows;

        if (!cli_edit_chunk(args, rows, to)) {
            return false;
        }
    }
    r->options.columns = entries;
    r->options.n_columns = n;
    return true;
}

/* The settings that HEP001 tables have, here and in a conversion. */
static bool accept_settings(cli_args *args, request *r)
{
    stoa_layout_options settings = STOA_LAYOUT_OPTIONS_INIT;

    if (!cli_settings_accepted(args, &r->settings, stoa_layout_home(), &settings) ||
        !cli_fill_values(args, &r->fills, &r->options.fills)) {
        return false;
    }
    r->options.n_fills = r->fills.n;
    r->target->is_earliest = stoa_layout_setting_of(&settings, "portable") != NULL;
    stoa_layout_home()->use_settings(&settings, &r->options);
    return true;
}

static bool accept_indexes(cli_args *args, request *r)
{
    cli_texts row_index = {0};

    if (r->row_index != NULL) {
        cli_split_names_of(args, r->row_index, &row_index);
    }
    r->options.index_columns = row_index.items;
    r->options.n_index_columns = row_index.n;
    return cli_index_list(args, r->indexes, &r->options.indexes, &r->options.n_indexes);
}

/* Parse PLACE, with the path "/flights" for some/where/flights.csv.gz. */
static stoa_status parse_target(const cli_args *args, const request *r, const cli_source *source,
                                stoa_error *err)
{
    const char *name = strcmp(r->input, "-") == 0 ? "" : r->input;

    STOA_RETURN_NOT_OK(cli_place_parse(r->target, args->subject, err));
    if (r->target->place.path == NULL) {
        if (source != NULL && source->is_table && source->place.place.path != NULL) {
            name = source->place.place.path;
        }
        name = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
        const size_t length = strcspn(name, ".");
        char *const path =
            length == 0 ? cli_copy("/table") : cli_sprintf("/%.*s", (int)length, name);
        cli_place_set_path(r->target, path);
        free(path);
    }
    return STOA_OK;
}

/* Check early for an existing table, before a long input is read. */
static stoa_status check_target(request *r, bool *exists, stoa_error *err)
{
    cli_place *const target = r->target;
    stoa_error unused = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    struct stat file;
    stoa_status status = STOA_OK;

    *exists = stat(target->place.file, &file) == 0;
    if (!*exists) {
        return STOA_OK;
    }
    STOA_TRY(cli_place_open_file(target, STOA_FILE_READ, err));
    r->is_replaced = stoa_object_exists(stoa_file_id(target->file), target->place.path);
    if (!r->options.replace && stoa_hep001_open(stoa_file_id(target->file), target->place.path,
                                                &table, &unused) == STOA_OK) {
        stoa_at(err, STOA_EEXISTS, "%s", target->name);
        STOA_FAIL(err, STOA_EEXISTS,
                  "there is a table already, with %llu %s; --force replaces it, 'stoa append' adds "
                  "to it",
                  (unsigned long long)stoa_table_n_rows(table),
                  cli_plural(stoa_table_n_rows(table), "row", "rows"));
    }
done:
    stoa_table_close(table);
    stoa_file_close(target->file);
    target->file = NULL;
    return status;
}

/* A text of another file, which need not be UTF-8. */
static const char *mended(cli_args *args, const char *text)
{
    char *const copy = text != NULL ? stoa_utf8_mended(text) : NULL;

    return text == NULL ? NULL : cli_keep(args, copy != NULL ? copy : cli_copy(text));
}

/* A typed file says which columns label its rows. */
static stoa_status take_labels(cli_args *args, request *r, stoa_error *err)
{
    cli_texts row_index = {0};

    if (r->source.typed == NULL || r->options.n_index_columns > 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_typed_row_labels(args, &r->source.stream, &row_index, err));
    r->options.index_columns = row_index.items;
    r->options.n_index_columns = row_index.n;
    return STOA_OK;
}

/* A copy of a table keeps settings that were not given. */
static void inherit(cli_args *args, stoa_table_options *options, const stoa_table *from)
{
    cli_texts row_index = {0};

    options->title = options->title != NULL ? options->title : mended(args, stoa_table_title(from));
    options->description = options->description != NULL
                               ? options->description
                               : mended(args, stoa_table_description(from));
    options->units_vocabulary = mended(args, stoa_table_units_vocabulary(from));
    if (options->n_index_columns == 0) {
        for (size_t i = 0; i < stoa_table_n_index_columns(from); i++) {
            cli_texts_add(args, &row_index, stoa_column_name(stoa_table_index_column(from, i)));
        }
        options->index_columns = row_index.items;
        options->n_index_columns = row_index.n;
    }
}

static void tell(void *context, const char *path, const char *words)
{
    cli_remark("%s:%s %s", (const char *)context, path, words);
}

static void tell_input(void *context, const char *path, const char *words)
{
    (void)path;
    cli_remark("%s %s", (const char *)context, words);
}

/* Report the texts of the source that HEP001 does not hold as they are. */
static stoa_status tell_mended(request *r, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    cli_source *const from = &r->source;

    if (from->is_table) {
        return stoa_mended_texts_of_table(from->place.table, stoa_table_path(from->place.table),
                                          tell, from->place.place.file, err);
    }
    STOA_TRY(stoa_stream_schema(&from->stream, &schema, err));
    STOA_TRY(stoa_mended_texts_of_fields(&schema, "", tell, (void *)(uintptr_t)r->input, err));

done:
    stoa_schema_release(&schema);
    return status;
}

/* Report what the rows of a source say and the new table does not. */
static stoa_status tell_lost_of_rows(request *r, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema rows = {.release = NULL};

    STOA_TRY(stoa_stream_schema(&r->source.stream, &rows, err));
    STOA_TRY(stoa_layout_tell_lost_of(&rows, r->target->place.file, r->target->place.path,
                                      stoa_layout_home(), tell_input, (void *)(uintptr_t)r->input,
                                      err));

done:
    stoa_schema_release(&rows);
    return status;
}

/* Report what the source says and the new table does not. `from` is a table of the same file. */
static stoa_status tell_lost(request *r, const char *from, stoa_error *err)
{
    const char *const file = r->target->place.file;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    stoa_table *was = NULL;
    stoa_table *made = NULL;

    if (!r->source.is_table) {
        return r->source.typed != NULL ? tell_lost_of_rows(r, err) : STOA_OK;
    }
    if (stoa_table_open_file(file, r->target->place.path, NULL, &made, &ignored) != STOA_OK ||
        (from != NULL && stoa_table_open_file(file, from, NULL, &was, &ignored) != STOA_OK)) {
        goto done;
    }
    const stoa_table *const table = from != NULL ? was : r->source.place.table;
    STOA_TRY(stoa_layout_tell_lost(
        table, made, stoa_table_path(table), stoa_layout_home(), tell,
        from != NULL ? (void *)(uintptr_t)file : r->source.place.place.file, err));

done:
    stoa_table_close(was);
    stoa_table_close(made);
    return status;
}

/* Show the columns, and read all rows to see whether they can be read. */
static stoa_status show_schema(request *r, stoa_error *err)
{
    static const char *const titles[] = {"column", "type", "units"};
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    uint64_t n_rows = 0;
    cli_grid grid;

    cli_grid_init(&grid, 3, titles, "lll");
    STOA_TRY(stoa_stream_schema(&r->source.stream, &schema, err));
    for (int64_t i = 0; i < schema.n_children; i++) {
        char *units = NULL;
        STOA_TRY(stoa_schema_get_text(schema.children[i], "units", &units, err));
        cli_grid_put(&grid, "%s", schema.children[i]->name);
        cli_grid_take(&grid, cli_type_name(schema.children[i]));
        cli_grid_take(&grid, units != NULL ? units : cli_copy(""));
    }
    for (;;) {
        STOA_TRY(stoa_stream_next(&r->source.stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        n_rows += (uint64_t)batch.length;
        stoa_array_release(&batch);
    }
    cli_progress_clear();
    cli_grid_print(&grid, stdout, true);
    cli_source_tell_remarks(&r->source);
    cli_source_close(&r->source);
    cli_source_tell_errors(&r->source);
    cli_remark("%s: %llu %s would be imported from %s", r->target->name, (unsigned long long)n_rows,
               cli_plural(n_rows, "row", "rows"), r->input);

done:
    stoa_schema_release(&schema);
    cli_grid_clear(&grid);
    return status;
}

static stoa_status write_table(cli_args *args, request *r, stoa_error *err)
{
    cli_place *const target = r->target;
    uint64_t n_rows = 0;
    const stoa_listener listener = cli_listener(r->quiet);
    bool exists = false;

    if (r->is_dry) {
        STOA_RETURN_NOT_OK(cli_source_open(args, &r->source, NULL, 0, NULL, &listener, err));
        return show_schema(r, err);
    }
    STOA_RETURN_NOT_OK(check_target(r, &exists, err));
    /* A table in the target file can be read only through the edit. Everything else is checked
     * before the file is changed. */
    const bool inside = exists && cli_source_is_in(&r->source, target->place.file);
    r->source.skips_damage = true;

    if (!inside) {
        STOA_RETURN_NOT_OK(cli_source_open(args, &r->source, NULL, 0, NULL, &listener, err));
    }
    STOA_RETURN_NOT_OK(
        cli_place_open_file(target, exists ? STOA_FILE_EDIT : STOA_FILE_CREATE, err));
    if (inside) {
        STOA_RETURN_NOT_OK(
            cli_source_open(args, &r->source, NULL, 0, target->file, &listener, err));
    }
    if (r->source.is_table) {
        inherit(args, &r->options, r->source.place.table);
    }
    STOA_RETURN_NOT_OK(take_labels(args, r, err));
    r->options.listener = listener;
    r->options.threads = cli_source_threads(&r->source);
    STOA_RETURN_NOT_OK(stoa_table_write(stoa_file_id(target->file), target->place.path,
                                        &r->source.stream, &r->options, &n_rows, err));
    cli_progress_clear();
    STOA_RETURN_NOT_OK(tell_mended(r, err));
    cli_source_tell_remarks(&r->source);
    const char *const own = inside ? cli_kept(args, stoa_table_path(r->source.place.table)) : NULL;
    if (inside) {
        cli_source_close(&r->source);
    }
    STOA_RETURN_NOT_OK(cli_place_commit(target, r->options.n_indexes > 0, err));
    STOA_RETURN_NOT_OK(tell_lost(r, own, err));
    cli_source_close(&r->source);
    cli_source_tell_errors(&r->source);
    char *const others =
        r->source.more.n > 0 ? cli_sprintf(" and %zu more", r->source.more.n) : cli_copy("");
    cli_remark("%s: %llu %s imported from %s%s", target->name, (unsigned long long)n_rows,
               cli_plural(n_rows, "row", "rows"), r->input, others);
    free(others);
    if (r->is_replaced) {
        cli_remark("%s: the old table is gone; 'stoa repack %s' gives its space back", target->name,
                   target->place.file);
    }
    return STOA_OK;
}

/* An option given that applies only to tables, or NULL. */
static const char *table_option(const request *r, bool reads_text)
{
    const cli_source *s = &r->source;
    const bool has_types = s->types.n > 0;
    const bool has_text = s->csv_options.no_header || s->csv_options.n_skipped > 0 ||
                          s->comment != NULL || s->decimal != NULL ||
                          s->csv_options.encoding != NULL || s->csv_options.date_format != NULL ||
                          s->null_texts.n > 0 || s->delimiter != NULL || s->on_error != 0;

    return r->is_dry                                                    ? "--dry-run"
           : r->indexes != NULL                                         ? "--index"
           : r->fills.n > 0                                             ? "--fill"
           : r->row_index != NULL                                       ? "--row-index"
           : r->options.title != NULL || r->options.description != NULL ? "--title"
           : r->options.preallocate_rows != 0                           ? "--preallocate"
           : s->units.n + s->category.n + s->no_category.n > 0 || (has_types && !reads_text)
               ? "types and units of columns"
           : has_text && !reads_text ? "how to read text"
                                     : NULL;
}

/* Whether the options apply to a matrix; false after a message. */
static bool accept_matrix(cli_args *args, request *r, cli_matrix_import *m)
{
    const char *const input = r->input;
    const bool reads_rows = r->sparse && !cli_is_matrix(input);
    const char *const setting = cli_settings_given(args, &r->settings);
    const char *const stray = setting != NULL ? setting : table_option(r, reads_rows);

    if (stray != NULL) {
        cli_misused(args, "%s is a matrix: %s does not apply", input, stray);
        return false;
    }
    if (reads_rows) {
        if (!cli_source_accepted(args, &r->source, input)) {
            return false;
        }
        m->rows = &r->source;
    }
    return cli_matrix_accepted(args, m);
}

static stoa_status import_matrix(cli_args *args, request *r, stoa_error *err)
{
    cli_matrix_import m = {.input = r->input,
                           .codecs = r->codecs,
                           .chunks = r->chunks,
                           .extent = r->extent,
                           .force = r->options.replace,
                           .follows = r->source.place.follows,
                           .quiet = r->quiet};

    if (!accept_matrix(args, r, &m)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(parse_target(args, r, m.rows, err));
    return cli_matrix_run(args, &m, r->target, err);
}

static stoa_status import_table(cli_args *args, request *r, stoa_error *err)
{
    if (r->extent != NULL) {
        return cli_misused(args, "--shape is for --sparse; a table has no shape");
    }
    if (!accept_storage(args, r) || !accept_indexes(args, r) ||
        !cli_source_accepted(args, &r->source, r->input) || !accept_settings(args, r)) {
        return STOA_OK;
    }
    args->place = r->target;
    STOA_RETURN_NOT_OK(parse_target(args, r, &r->source, err));
    return write_table(args, r, err);
}

/* The last operand is PLACE; false after a message. */
static bool take_operands(cli_args *args, request *r)
{
    if (r->rest.n == 0) {
        cli_misused(args, "PLACE is missing: FILE[:PATH]");
        return false;
    }
    args->subject = r->rest.items[--r->rest.n];
    r->source.more = r->rest;
    if (r->rest.n > 0 && (r->sparse || cli_is_matrix(r->input))) {
        cli_misused(args, "%s is a matrix: further files do not apply", r->input);
        return false;
    }
    return true;
}

static stoa_status import(cli_args *args, stoa_error *err)
{
    request r = {.options = STOA_TABLE_OPTIONS_INIT, .target = cli_place_new(args)};
    stoa_status status = STOA_OK;

    declare(args, &r);
    if (cli_accepted(args) && take_operands(args, &r)) {
        status = r.sparse || cli_is_matrix(r.input) ? import_matrix(args, &r, err)
                                                    : import_table(args, &r, err);
    }
    cli_source_close(&r.source);
    return status;
}

const cli_command cmd_import = {
    "import", "make a table from text, Arrow, Parquet, a table; a matrix from .mtx",
    "stoa import events.csv.gz run.h5:/events --units energy=MeV "
    "--index time",
    import};
