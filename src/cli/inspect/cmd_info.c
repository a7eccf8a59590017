/* stoa info: what a table contains, and how it is stored. */
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "cli/common/args.h"
#include "cli/common/layouts.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/common/terminal.h"
#include "cli/edit/indexes.h"
#include "cli/inspect/array_summary.h"
#include "cli/inspect/column_summary.h"
#include "cli/inspect/sparse.h"
#include "cli/output/cell.h"
#include "cli/output/grid.h"
#include "cli/output/type_name.h"
#include "cli/transfer/export_sparse.h"

/* In tables with at most this many cells, missing values and ranges are computed by default. */
enum { SMALL_TABLE_CELLS = 10000000 };

static void put_fact(const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0') {
        char *const line = cli_within_line(stdout, cli_copy(value));

        cli_paint(stdout, "1");
        printf("%-12s", name);
        cli_paint(stdout, "0");
        printf(" %s\n", line);
        free(line);
    }
}

/* How many files and objects a table is read from, if there are several. */
static void put_origins(const stoa_table_parts *parts)
{
    char number[24];
    size_t n_files = 0;

    for (size_t i = 0; parts != NULL && i < parts->n; i++) {
        n_files += i == 0 || parts->items[i].file != parts->items[i - 1].file;
    }
    if (parts != NULL) {
        snprintf(number, sizeof number, "%zu", n_files);
        put_fact("files", number);
    }
    if (parts != NULL && parts->n > n_files) {
        snprintf(number, sizeof number, "%zu", parts->n);
        put_fact("objects", number);
    }
}

/* Print what ls shows of an array whose entries the table is; nothing for other tables. */
static void put_array(const cli_place *place)
{
    hid_t object = stoa_object_open(stoa_file_id(place->file), stoa_table_path(place->table));
    stoa_array_object shown = {.path = NULL};
    const bool is_one = object >= 0 && stoa_layout_is_array(object, &shown);
    char bytes[16];

    if (is_one && stoa_layout_of(place->table) == NULL) {
        char *const shape = cli_extent(shown.rank, shown.extent);
        char *const kind = cli_sprintf("%s of %s", shown.kind, shown.layout);
        cli_human_bytes(shown.n_bytes, bytes);
        put_fact("kind", kind);
        put_fact("shape", shape);
        put_fact("stored", bytes);
        free(shape);
        free(kind);
    }
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
}

static void put_facts(const cli_place *place)
{
    char number[24];
    char *version = !cli_is_home(place->table)
                        ? cli_copy(stoa_table_layout(place->table))
                        : cli_sprintf("HEP001 %s", stoa_table_version(place->table) != NULL
                                                       ? stoa_table_version(place->table)
                                                       : "?");
    char *labels = cli_copy("");

    for (size_t i = 0; i < stoa_table_n_index_columns(place->table); i++) {
        cli_append(&labels, "%s%s", i > 0 ? ", " : "",
                   stoa_column_name(stoa_table_index_column(place->table, i)));
    }
    put_fact("table", place->name);
    put_fact("title", stoa_table_title(place->table));
    put_fact("description", stoa_table_description(place->table));
    put_fact("layout", version);
    snprintf(number, sizeof number, "%llu", (unsigned long long)stoa_table_n_rows(place->table));
    put_fact("rows", number);
    put_origins(place->table->parts);
    put_array(place);
    put_fact("row labels", labels);
    put_fact("units from", stoa_table_units_vocabulary(place->table));
    free(version);
    free(labels);
}

/* Print an annotation; arrays as [1, 2]. */
static stoa_status put_note(void *context, const stoa_user_attribute *note, stoa_error *err)
{
    cli_grid *const grid = context;
    stoa_sink sink = {.err = err};

    if (note->values == NULL) {
        stoa_sink_text(&sink, note->text);
    } else {
        stoa_sink_text(&sink, note->is_scalar ? "" : "[");
        for (int64_t i = 0; i < note->n; i++) {
            stoa_sink_text(&sink, i > 0 ? ", " : "");
            cli_cell(&sink, note->values, i);
        }
        stoa_sink_text(&sink, note->is_scalar ? "" : "]");
    }
    cli_grid_put(grid, "%s", note->name);
    cli_grid_put(grid, "%.*s", (int)sink.text.size,
                 sink.text.data != NULL ? (const char *)sink.text.data : "");
    stoa_sink_clear(&sink);
    return sink.status;
}

/* Print a section, unless it has no lines. */
static void put_section(cli_grid *grid)
{
    if (grid->n_cells > 0) {
        putchar('\n');
        cli_grid_print(grid, stdout, true);
    }
}

/* Print the annotations that users gave a table. */
static stoa_status put_notes(const stoa_table *table, stoa_error *err)
{
    static const char *const titles[] = {"attribute", "value"};
    stoa_status status = STOA_OK;
    cli_grid grid;

    cli_grid_init(&grid, 2, titles, "ll");
    STOA_TRY(stoa_layout_visit_user_attributes(table, put_note, &grid, err));
    put_section(&grid);

done:
    cli_grid_clear(&grid);
    return status;
}

static stoa_status metadata(const struct ArrowSchema *schema, const char *key, cli_grid *grid,
                            stoa_error *err)
{
    char *text = NULL;
    const stoa_status status = stoa_schema_get_text(schema, key, &text, err);

    if (status == STOA_OK) {
        cli_grid_take(grid, text != NULL ? text : cli_copy(""));
    }
    return status;
}

/* Fill a column's line in either grid. */
static void put_unreadable(cli_grid *grid, int n)
{
    for (int i = 0; i < n; i++) {
        cli_grid_put(grid, "%s", i == 0 ? "cannot be read" : "");
    }
}

static stoa_status put_schema(const stoa_table *table, const cli_contents *contents,
                              stoa_error *err)
{
    static const char *const titles[] = {"column",   "type",  "missing",    "least",
                                         "greatest", "units", "description"};
    cli_grid grid;
    stoa_status status = STOA_OK;

    cli_grid_init(&grid, 7, titles, "llrrrll");
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        const cli_content *const content = &contents->items[i];
        struct ArrowSchema schema = {0};

        cli_grid_put(&grid, "%s", stoa_column_name(column));
        if (content->is_unreadable) {
            put_unreadable(&grid, 6);
            continue;
        }
        STOA_TRY(stoa_column_schema(column, &schema, err));
        cli_grid_take(&grid, cli_type_name(&schema));
        cli_grid_put(&grid, "%s", content->missing != NULL ? content->missing : "?");
        cli_grid_put(&grid, "%s", content->least != NULL ? content->least : "");
        cli_grid_put(&grid, "%s", content->greatest != NULL ? content->greatest : "");
        status = metadata(&schema, "units", &grid, err);
        if (status == STOA_OK) {
            status = metadata(&schema, "description", &grid, err);
        }
        stoa_schema_release(&schema);
        if (status != STOA_OK) {
            goto done;
        }
    }
    putchar('\n');
    cli_grid_print(&grid, stdout, true);
done:
    cli_grid_clear(&grid);
    return status;
}

/* --- labels of categories -------------------------------------------------------------------- */

/* Of a category with more labels, the first ones are shown. */
enum { MAX_LABELS = 20 };

/* "north, south", the labels of an array of codes. */
static stoa_status list_labels(const stoa_view *labels, stoa_sink *sink)
{
    for (int64_t i = 0; i < labels->length && i < MAX_LABELS; i++) {
        stoa_sink_text(sink, i > 0 ? ", " : "");
        cli_cell(sink, labels, i);
    }
    stoa_sink_text(sink, labels->length > MAX_LABELS ? ", ..." : "");
    return sink->status;
}

/* Add the line of a column, if it is categorical or an enumeration. */
static stoa_status put_labels_of(stoa_column *column, cli_grid *grid, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    stoa_sink sink = {.err = err};
    stoa_view codes;
    stoa_view labels;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    if (schema.dictionary == NULL) {
        goto done;
    }
    STOA_TRY(stoa_column_read(column, 0, 0, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &codes, err));
    STOA_TRY(stoa_view_dictionary(&codes, &labels, err));
    STOA_TRY(list_labels(&labels, &sink));
    cli_grid_put(grid, "%s", stoa_column_name(column));
    cli_grid_take(grid, cli_type_name(schema.dictionary));
    cli_grid_put(grid, "%lld", (long long)labels.length);
    cli_grid_put(grid, "%s", (schema.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0 ? "yes" : "no");
    cli_grid_put(grid, "%.*s", (int)sink.text.size,
                 sink.text.data != NULL ? (const char *)sink.text.data : "");

done:
    stoa_sink_clear(&sink);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* Print the labels of all categories; nothing if there are none. */
static stoa_status put_labels(const stoa_table *table, const cli_contents *contents,
                              stoa_error *err)
{
    static const char *const titles[] = {"category", "type", "n", "ordered", "labels"};
    stoa_status status = STOA_OK;
    cli_grid grid;

    cli_grid_init(&grid, 5, titles, "llrll");
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        if (!contents->items[i].is_unreadable) {
            STOA_TRY(put_labels_of(stoa_table_column(table, i), &grid, err));
        }
    }
    put_section(&grid);

done:
    cli_grid_clear(&grid);
    return status;
}

/* --- storage --------------------------------------------------------------------------------- */

static void put_ratio(cli_grid *grid, uint64_t raw, uint64_t stored)
{
    if (stored > 0) {
        cli_grid_put(grid, "%.1f", (double)raw / (double)stored);
    } else {
        cli_grid_put(grid, "-");
    }
}

static stoa_status load_storage(const stoa_table *table, const cli_contents *contents,
                                cli_grid *grid, stoa_error *err)
{
    static const char *const titles[] = {"column",  "datatype", "layout", "chunk rows",
                                         "filters", "stored",   "ratio"};
    uint64_t n_stored = 0;
    uint64_t n_raw = 0;
    char stored[16];

    cli_grid_init(grid, 7, titles, "lllrlrr");
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        stoa_column_storage s = STOA_COLUMN_STORAGE_INIT;

        cli_grid_put(grid, "%s", stoa_column_name(column));
        if (contents->items[i].is_unreadable) {
            put_unreadable(grid, 6);
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_column_storage_of(column, &s, err));
        cli_human_bytes(s.n_stored_bytes, stored);
        cli_grid_put(grid, "%s", s.datatype);
        cli_grid_put(grid, "%s", s.layout);
        if (s.chunk_rows > 0) {
            cli_grid_put(grid, "%llu", (unsigned long long)s.chunk_rows);
        } else {
            cli_grid_put(grid, "-");
        }
        cli_grid_put(grid, "%s", s.filters[0] != '\0' ? s.filters : "-");
        cli_grid_put(grid, "%s", stored);
        put_ratio(grid, s.n_raw_bytes, s.n_stored_bytes);
        n_stored += s.n_stored_bytes;
        n_raw += s.n_raw_bytes;
    }
    cli_human_bytes(n_stored, stored);
    for (int i = 0; i < 5; i++) {
        cli_grid_put(grid, "%s", i == 0 ? "all" : "");
    }
    cli_grid_put(grid, "%s", stored);
    put_ratio(grid, n_raw, n_stored);
    return STOA_OK;
}

static void put_indexes(const cli_place *place, const cli_indexes *indexes)
{
    if (indexes->n > 0) {
        putchar('\n');
        cli_indexes_print(indexes, cli_place_is_trusted(place), stdout);
    }
}

/* Print the bins of a histogram's axis. */
static void put_axis(cli_grid *grid, unsigned number, const stoa_axis *axis)
{
    cli_grid_put(grid, "axis_%u", number);
    cli_grid_put(grid, "%llu", (unsigned long long)axis->n_bins);
    cli_grid_put(grid, "%.10g", stoa_axis_edge(axis, 0));
    cli_grid_put(grid, "%.10g", stoa_axis_edge(axis, axis->n_bins));
    if (axis->edges != NULL) {
        cli_grid_put(grid, "edges of their own");
    } else {
        cli_grid_put(grid, "%.10g each",
                     axis->n_bins > 0 ? (axis->last - axis->first) / (double)axis->n_bins : 0);
    }
    cli_grid_put(grid, axis->is_closed_left ? "[low, high)" : "(low, high]");
    cli_grid_put(grid, "%s", axis->units != NULL ? axis->units : "");
}

/* Print the binning of a histogram (LH5 notes §4.4); nothing for other tables. */
static stoa_status put_binning(const cli_place *place, stoa_error *err)
{
    static const char *const titles[] = {"axis", "bins", "from", "to", "width", "bin", "units"};
    stoa_histogram histogram;
    bool is_one = false;
    cli_grid grid;

    STOA_RETURN_NOT_OK(stoa_layout_find_histogram(stoa_file_id(place->file), place->place.path,
                                                  &is_one, &histogram, err));
    if (is_one) {
        put_fact("weights", histogram.is_density ? "a density" : "counts, no density");
        putchar('\n');
        cli_grid_init(&grid, 7, titles, "lrrrlll");
        for (unsigned i = 0; i < histogram.n_axes; i++) {
            put_axis(&grid, i, &histogram.axes[i]);
        }
        cli_grid_print(&grid, stdout, true);
        cli_grid_clear(&grid);
        stoa_histogram_close(&histogram);
    }
    return STOA_OK;
}

/* --- sparse arrays --------------------------------------------------------------------------- */

static void put_shape(const char *name, const uint64_t *sizes, unsigned rank)
{
    char *const shape = cli_extent(rank, sizes);

    put_fact(name, shape);
    free(shape);
}

static stoa_status put_sparse(const cli_place *place, stoa_error *err)
{
    stoa_sparse *array = NULL;
    stoa_sparse_info about = STOA_SPARSE_INFO_INIT;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_sink sections = {.out = stdout, .err = err};
    char number[80];
    char bytes[16];
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_open(stoa_file_id(place->file), place->place.path, NULL, &array, err));
    STOA_TRY(stoa_sparse_describe(array, &about, err));
    STOA_TRY(stoa_element_of(about.type, &element, err));
    put_fact("array", place->name);
    put_fact("layout", "sparse");
    put_fact("type", element.text);
    put_shape("shape", about.extent, about.rank);
    put_shape("chunk", about.chunk, about.rank);
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)about.n_defined);
    put_fact("defined", number);
    cli_human_bytes(about.n_stored_bytes, bytes);
    (void)snprintf(number, sizeof number, "%llu %s, %s", (unsigned long long)about.n_chunks,
                   cli_plural(about.n_chunks, "chunk", "chunks"), bytes);
    put_fact("stored", number);
    putchar('\n');
    STOA_TRY(cli_sparse_sections(&sections, about.dataset, err));
    STOA_TRY(stoa_sink_flush(&sections));
done:
    stoa_sink_clear(&sections);
    stoa_element_clear(&element);
    stoa_sparse_close(array); /* nothing was changed */
    return stoa_at(err, status, "%s", place->name);
}

/* --- arrays ---------------------------------------------------------------------------------- */

/* Whether a table is a dataset that stands alone, or a part of one, and not rows of members. */
static bool is_array(const stoa_table *table)
{
    const stoa_layout *const layout = stoa_layout_of(table);

    return layout != NULL && layout->rest != NULL && H5Iget_type(table->group) == H5I_DATASET &&
           stoa_table_n_columns(table) <= 2;
}

/* Print the shape that the rows have, and how the whole dataset is stored. */
static stoa_status put_array_facts(const stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    cli_array_facts facts;

    STOA_TRY(cli_array_describe(table, &facts, err));
    put_fact("type", facts.type);
    put_fact("shape", facts.shape);
    put_fact("chunk", facts.chunk);
    put_fact("filters", facts.filters);
    put_fact("stored", facts.stored);

done:
    cli_array_facts_clear(&facts);
    return status;
}

static stoa_status put_statistics(stoa_table *table, const stoa_listener *listener, stoa_error *err)
{
    static const char *const titles[] = {"column", "values",   "missing", "NaN",
                                         "least",  "greatest", "mean",    "stddev"};
    stoa_status status = STOA_OK;
    cli_grid grid;

    cli_grid_init(&grid, 8, titles, "lrrrrrrr");
    STOA_TRY(cli_array_statistics(table, listener, &grid, err));
    put_section(&grid);

done:
    cli_grid_clear(&grid);
    return status;
}

/* --- the command ----------------------------------------------------------------------------- */

typedef struct request {
    bool scan;
    bool quiet;
    bool widens;
    bool by_name;
    bool is_strict;
    bool follows;
    uint64_t n_tables; /* shown so far, with their files and rows */
    uint64_t n_files;
    uint64_t n_rows;
} request;

static stoa_status put_table(cli_args *args, const request *r, cli_place *place, stoa_error *err)
{
    stoa_status status = STOA_OK;
    cli_contents contents = {0};
    cli_grid storage = {0};
    cli_indexes indexes = {0};

    STOA_TRY(cli_place_find_table(place, err));
    const uint64_t n_columns = stoa_table_n_columns(place->table);
    const bool is_small =
        n_columns == 0 || stoa_table_n_rows(place->table) <= SMALL_TABLE_CELLS / n_columns;
    const stoa_listener listener = cli_listener(r->quiet);

    if (is_array(place->table)) {
        put_facts(place);
        STOA_TRY(put_array_facts(place->table, err));
        STOA_TRY(put_notes(place->table, err));
        STOA_TRY(r->scan ? put_statistics(place->table, &listener, err) : STOA_OK);
        goto done;
    }
    /* First the part that needs open datasets: with very many columns, reading rows closes them. */
    STOA_TRY(cli_contents_check(&contents, place->table, err));
    if (contents.n_unreadable > 0) {
        args->status = CLI_FAILED;
    }
    STOA_TRY(load_storage(place->table, &contents, &storage, err));
    STOA_TRY(cli_indexes_load(args, &indexes, place->table, err));
    STOA_TRY(cli_contents_load(&contents, place->table, r->scan || is_small, &listener, err));
    cli_progress_clear();
    put_facts(place);
    STOA_TRY(put_notes(place->table, err));
    STOA_TRY(cli_place_is_many(place) ? STOA_OK : put_binning(place, err));
    STOA_TRY(put_schema(place->table, &contents, err));
    STOA_TRY(put_labels(place->table, &contents, err));
    putchar('\n');
    cli_grid_print(&storage, stdout, true);
    put_indexes(place, &indexes);
done:
    cli_contents_clear(&contents);
    cli_grid_clear(&storage);
    return status;
}

static void print_place(cli_args *args, request *r, const char *text)
{
    cli_place place = {.widens = r->widens,
                       .by_name = r->by_name,
                       .is_strict = r->is_strict,
                       .follows = r->follows};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(&place, text, &err));
    STOA_TRY(cli_place_open_file(&place, STOA_FILE_READ, &err));
    STOA_TRY(cli_is_sparse(&place) ? put_sparse(&place, &err) : put_table(args, r, &place, &err));
    r->n_files += place.n_files > 0 ? place.n_files : 1;
    if (place.table != NULL) {
        r->n_tables += place.table->parts != NULL ? place.table->parts->n : 1;
        r->n_rows += stoa_table_n_rows(place.table);
    }
done:
    if (status != STOA_OK) {
        args->status = cli_fail(text, &err); /* continue with the other places */
    }
    cli_place_close(&place);
}

static stoa_status info(cli_args *args, stoa_error *err)
{
    request r = {.scan = false};
    cli_texts places = {0};

    (void)err; /* errors are those of the places */
    cli_flag(args, &r.scan, "--scan",
             "count missing values and find ranges in tables of more than 10 million cells too; "
             "of an array its least, greatest and mean value");
    cli_widen_option(args, &r.widens);
    cli_files_options(args, &r.by_name, &r.is_strict);
    cli_follow_option(args, &r.follows);
    cli_progress_option(args, &r.quiet);
    cli_operands(args, &places, "PLACE...", CLI_PLACE_HELP "; or an array");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    for (size_t i = 0; i < places.n; i++) {
        printf("%s", i > 0 ? "\n" : "");
        print_place(args, &r, places.items[i]);
    }
    if (places.n > 1) {
        cli_tell_totals(r.n_files, r.n_tables, r.n_rows);
    }
    return STOA_OK;
}

const cli_command cmd_info = {"info", "show a table's columns, storage and indexes",
                              "stoa info run.h5:/events", info};
