/* stoa info: what a table contains, and how it is stored. */
#include <math.h>
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

/* Of the names of facts. */
enum { FACT_WIDTH = 12 };

/* The bytes of a text that are shown in a line of `width`: up to a blank, if there is one. */
static size_t fitting(const char *text, size_t width)
{
    const size_t n = cli_fitting(text, width);
    size_t end = n;

    while (text[n] != '\0' && end > 0 && text[end] != ' ') {
        end--;
    }
    return end > 0 ? end : n;
}

/* Print a text behind the name of a fact; on a terminal in lines below each other. */
static void put_wrapped(const char *text)
{
    const size_t before = FACT_WIDTH + 1;
    const size_t room = cli_is_terminal(stdout) ? cli_terminal_width(stdout) : SIZE_MAX;
    const size_t width = room > 2 * before ? room - before : SIZE_MAX;

    do {
        const size_t n = fitting(text, width);
        printf(" %.*s\n", (int)n, text);
        text += n;
        text += strspn(text, " ");
        cli_pad(stdout, *text != '\0' ? FACT_WIDTH : 0);
    } while (*text != '\0');
}

/* What is said of a place goes to a JSON object, or to stdout as text if it is NULL. */
static void put_fact(cli_json *json, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0') {
        return;
    }
    if (json != NULL) {
        cli_json_text(json, name, value);
    } else {
        char *const line = cli_within_line(stdout, cli_copy(value));

        cli_paint(stdout, "1");
        printf("%-*s", FACT_WIDTH, name);
        cli_paint(stdout, "0");
        put_wrapped(line);
        free(line);
    }
}

static void put_count(cli_json *json, const char *name, uint64_t n)
{
    char number[24];

    if (json != NULL) {
        cli_json_count(json, name, n);
    } else {
        snprintf(number, sizeof number, "%llu", (unsigned long long)n);
        put_fact(NULL, name, number);
    }
}

static void put_shape(cli_json *json, const char *name, const uint64_t *sizes, unsigned rank)
{
    if (json != NULL) {
        cli_json_counts(json, name, sizes, rank);
    } else {
        char *const shape = cli_extent(rank, sizes);
        put_fact(NULL, name, shape);
        free(shape);
    }
}

/* The bytes that are stored; `before` says of what. */
static void put_stored(cli_json *json, const char *before, uint64_t n_bytes)
{
    char bytes[16];

    if (json != NULL) {
        cli_json_count(json, "bytes", n_bytes);
    } else {
        cli_human_bytes(n_bytes, bytes);
        char *const text = cli_sprintf("%s%s", before, bytes);
        put_fact(NULL, "stored", text);
        free(text);
    }
}

/* What every JSON object begins with; `kind` is what `ls` calls it. */
static void put_head(cli_json *json, const cli_place *place, const char *path, const char *kind)
{
    if (json != NULL) {
        cli_json_text(json, "file", place->place.file);
        cli_json_text(json, "path", path);
        cli_json_text(json, "kind", kind);
    }
}

/* How many files and objects a table is read from, if there are several. */
static void put_origins(cli_json *json, const stoa_table_parts *parts)
{
    size_t n_files = 0;

    for (size_t i = 0; parts != NULL && i < parts->n; i++) {
        n_files += i == 0 || parts->items[i].file != parts->items[i - 1].file;
    }
    if (parts != NULL) {
        put_count(json, "files", n_files);
    }
    if (parts != NULL && parts->n > n_files) {
        put_count(json, "objects", parts->n);
    }
}

/* Whether a table has the entries of an array; what ls shows of that array. */
static bool is_of_array(const cli_place *place, hid_t *object, stoa_array_object *shown)
{
    *object = stoa_object_open(stoa_file_id(place->file), stoa_table_path(place->table));
    return *object >= 0 && stoa_layout_is_array(*object, shown) &&
           stoa_layout_of(place->table) == NULL;
}

/* Print what ls shows of an array. */
static void put_array(cli_json *json, const stoa_array_object *shown)
{
    char *const kind = cli_sprintf("%s of %s", shown->kind, shown->layout);

    put_fact(json, "kind", json != NULL ? NULL : kind);
    put_shape(json, "shape", shown->extent, shown->rank);
    put_stored(json, "", shown->n_bytes);
    free(kind);
}

/* The names of the columns that label the rows. */
static void put_row_labels(cli_json *json, const stoa_table *table)
{
    const size_t n = stoa_table_n_index_columns(table);
    char *labels = cli_copy(json != NULL ? "[" : "");

    for (size_t i = 0; i < n; i++) {
        const char *const name = stoa_column_name(stoa_table_index_column(table, i));
        char *const shown = json != NULL ? cli_json_quoted(name) : cli_copy(name);
        cli_append(&labels, "%s%s", i > 0 ? ", " : "", shown);
        free(shown);
    }
    if (json != NULL) {
        cli_append(&labels, "]");
        cli_json_value(json, "row labels", labels);
    } else {
        put_fact(NULL, "row labels", labels);
    }
    free(labels);
}

static void put_facts(cli_json *json, const cli_place *place, const char *kind)
{
    char *version = !cli_is_home(place->table)
                        ? cli_copy(stoa_table_layout(place->table))
                        : cli_sprintf("HEP001 %s", stoa_table_version(place->table) != NULL
                                                       ? stoa_table_version(place->table)
                                                       : "?");
    hid_t object = H5I_INVALID_HID;
    stoa_array_object shown = {.path = NULL};
    const bool is_entries = is_of_array(place, &object, &shown);

    put_head(json, place, stoa_table_path(place->table), is_entries ? shown.kind : kind);
    put_fact(json, "table", json != NULL ? NULL : place->name);
    put_fact(json, "title", stoa_table_title(place->table));
    put_fact(json, "description", stoa_table_description(place->table));
    if (json != NULL) {
        put_fact(json, "layout", is_entries ? shown.layout : stoa_table_layout(place->table));
        put_fact(json, "version", stoa_table_version(place->table));
    } else {
        put_fact(NULL, "layout", version);
    }
    put_count(json, "rows", stoa_table_n_rows(place->table));
    if (json != NULL) {
        put_count(json, "columns", stoa_table_n_columns(place->table));
    }
    put_origins(json, place->table->parts);
    if (is_entries) {
        put_array(json, &shown);
    }
    put_row_labels(json, place->table);
    put_fact(json, "units from", stoa_table_units_vocabulary(place->table));
    free(version);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
}

/* Add the text of a sink to a grid, and clear the sink. JSON is it already. */
static stoa_status put_sink(cli_grid *grid, stoa_sink *sink)
{
    char *text = NULL;

    stoa_sink_char(sink, '\0');
    if (sink->status == STOA_OK) {
        text = stoa_buffer_detach(&sink->text);
        (grid->is_json ? cli_grid_take_number : cli_grid_take)(grid, text);
    }
    stoa_sink_clear(sink);
    return sink->status;
}

/* "1, 2", the first items of an array. */
static void put_items(const cli_grid *grid, stoa_sink *sink, const stoa_view *items, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        stoa_sink_text(sink, i > 0 ? ", " : "");
        (grid->is_json ? cli_cell_write_json : cli_cell)(sink, items, i);
    }
}

/* A text, if there is one. */
static void put_text(cli_grid *grid, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        cli_grid_put(grid, "%s", text);
    } else {
        cli_grid_none(grid, "");
    }
}

/* Print an annotation; arrays as [1, 2]. */
static stoa_status put_note(void *context, const stoa_user_attribute *note, stoa_error *err)
{
    cli_grid *const grid = context;
    stoa_sink sink = {.err = err};

    cli_grid_put(grid, "%s", note->name);
    if (note->values == NULL) {
        cli_grid_put(grid, "%s", note->text);
        return STOA_OK;
    }
    stoa_sink_text(&sink, note->is_scalar ? "" : "[");
    put_items(grid, &sink, note->values, note->n);
    stoa_sink_text(&sink, note->is_scalar ? "" : "]");
    return put_sink(grid, &sink);
}

/* Print a section, unless it has no lines. In JSON it then is an empty array. */
static void put_section(cli_json *json, cli_grid *grid, const char *name)
{
    if (json != NULL) {
        cli_grid_print_json(grid, json, name);
    } else if (grid->n_cells > 0) {
        putchar('\n');
        cli_grid_print(grid, stdout, true);
    }
}

/* Print the annotations that users gave a table. */
static stoa_status put_notes(cli_json *json, const stoa_table *table, stoa_error *err)
{
    static const char *const titles[] = {"attribute", "value"};
    stoa_status status = STOA_OK;
    cli_grid grid;

    cli_grid_init(&grid, 2, titles, "ll");
    grid.is_json = json != NULL;
    STOA_TRY(stoa_layout_visit_user_attributes(table, put_note, &grid, err));
    put_section(json, &grid, "attributes");

done:
    cli_grid_clear(&grid);
    return status;
}

static stoa_status metadata(const struct ArrowSchema *schema, const char *key, cli_grid *grid,
                            stoa_error *err)
{
    char *text = NULL;
    const stoa_status status = stoa_schema_get_text(schema, key, &text, err);

    if (status == STOA_OK && text != NULL) {
        cli_grid_take(grid, text);
    } else if (status == STOA_OK) {
        cli_grid_none(grid, "");
    }
    return status;
}

/* Fill a column's line in either grid. */
static void put_unreadable(cli_grid *grid, int n)
{
    for (int i = 0; i < n; i++) {
        cli_grid_none(grid, i == 0 ? "cannot be read" : "");
    }
}

/* A text of a number, if it is known. */
static void put_known(cli_grid *grid, const char *text, const char *otherwise)
{
    if (text != NULL) {
        cli_grid_take_number(grid, cli_copy(text));
    } else {
        cli_grid_none(grid, otherwise);
    }
}

static stoa_status put_schema(cli_json *json, const stoa_table *table, const cli_contents *contents,
                              stoa_error *err)
{
    static const char *const titles[] = {"column",   "type",  "missing",    "least",
                                         "greatest", "units", "description"};
    cli_grid grid;
    stoa_status status = STOA_OK;

    cli_grid_init(&grid, 7, titles, "llrrrll");
    grid.is_json = json != NULL;
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
        put_known(&grid, content->missing, "?");
        put_known(&grid, content->least, "");
        put_known(&grid, content->greatest, "");
        status = metadata(&schema, "units", &grid, err);
        if (status == STOA_OK) {
            status = metadata(&schema, "description", &grid, err);
        }
        stoa_schema_release(&schema);
        if (status != STOA_OK) {
            goto done;
        }
    }
    if (json == NULL && grid.n_cells == 0) {
        putchar('\n'); /* a table without columns has the titles */
        cli_grid_print(&grid, stdout, true);
    }
    put_section(json, &grid, "schema");
done:
    cli_grid_clear(&grid);
    return status;
}

/* --- labels of categories -------------------------------------------------------------------- */

/* Of a category with more labels, the first ones are shown. */
enum { MAX_LABELS = 20 };

/* "north, south", the labels of an array of codes; in JSON all of them. */
static void list_labels(const cli_grid *grid, const stoa_view *labels, stoa_sink *sink)
{
    if (grid->is_json) {
        stoa_sink_char(sink, '[');
        put_items(grid, sink, labels, labels->length);
        stoa_sink_char(sink, ']');
    } else {
        const bool is_cut = labels->length > MAX_LABELS;
        put_items(grid, sink, labels, is_cut ? MAX_LABELS : labels->length);
        stoa_sink_text(sink, is_cut ? ", ..." : "");
    }
}

static void put_yes(cli_grid *grid, bool is_so)
{
    const char *const json = is_so ? "true" : "false";

    cli_grid_take_number(grid, cli_copy(grid->is_json ? json : is_so ? "yes" : "no"));
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
    list_labels(grid, &labels, &sink);
    STOA_TRY(sink.status);
    cli_grid_put(grid, "%s", stoa_column_name(column));
    cli_grid_take(grid, cli_type_name(schema.dictionary));
    cli_grid_count(grid, (uint64_t)labels.length);
    put_yes(grid, (schema.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0);
    STOA_TRY(put_sink(grid, &sink));

done:
    stoa_sink_clear(&sink);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* Print the labels of all categories; nothing if there are none. */
static stoa_status put_labels(cli_json *json, const stoa_table *table, const cli_contents *contents,
                              stoa_error *err)
{
    const char *const titles[] = {json != NULL ? "column" : "category", "type", "n", "ordered",
                                  "labels"};
    stoa_status status = STOA_OK;
    cli_grid grid;

    cli_grid_init(&grid, 5, titles, "llrll");
    grid.is_json = json != NULL;
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        if (!contents->items[i].is_unreadable) {
            STOA_TRY(put_labels_of(stoa_table_column(table, i), &grid, err));
        }
    }
    put_section(json, &grid, "categories");

done:
    cli_grid_clear(&grid);
    return status;
}

/* --- storage --------------------------------------------------------------------------------- */

static void put_ratio(cli_grid *grid, uint64_t raw, uint64_t stored)
{
    if (stored > 0) {
        cli_grid_take_number(grid, cli_sprintf("%.1f", (double)raw / (double)stored));
    } else {
        cli_grid_none(grid, "-");
    }
}

static stoa_status load_storage(cli_json *json, const stoa_table *table,
                                const cli_contents *contents, cli_grid *grid, stoa_error *err)
{
    const char *const titles[] = {"column",     "datatype", "layout",
                                  "chunk rows", "filters",  json != NULL ? "bytes" : "stored",
                                  "ratio"};
    uint64_t n_stored = 0;
    uint64_t n_raw = 0;

    cli_grid_init(grid, 7, titles, "lllrlrr");
    grid->is_json = json != NULL;
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        stoa_column_storage s = STOA_COLUMN_STORAGE_INIT;

        cli_grid_put(grid, "%s", stoa_column_name(column));
        if (contents->items[i].is_unreadable) {
            put_unreadable(grid, 6);
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_column_storage_of(column, &s, err));
        cli_grid_put(grid, "%s", s.datatype);
        cli_grid_put(grid, "%s", s.layout);
        if (s.chunk_rows > 0) {
            cli_grid_count(grid, s.chunk_rows);
        } else {
            cli_grid_none(grid, "-");
        }
        if (s.filters[0] != '\0') {
            cli_grid_put(grid, "%s", s.filters);
        } else {
            cli_grid_none(grid, "-");
        }
        cli_grid_bytes(grid, s.n_stored_bytes);
        put_ratio(grid, s.n_raw_bytes, s.n_stored_bytes);
        n_stored += s.n_stored_bytes;
        n_raw += s.n_raw_bytes;
    }
    if (json != NULL) {
        return STOA_OK;
    }
    for (int i = 0; i < 5; i++) {
        cli_grid_put(grid, "%s", i == 0 ? "all" : "");
    }
    cli_grid_bytes(grid, n_stored);
    put_ratio(grid, n_raw, n_stored);
    return STOA_OK;
}

static void put_indexes(cli_json *json, const cli_place *place, const cli_indexes *indexes)
{
    if (indexes->n > 0 || json != NULL) {
        fputs(json == NULL ? "\n" : "", stdout);
        cli_indexes_print(indexes, cli_place_is_trusted(place), json);
    }
}

static void put_edge(cli_grid *grid, double edge, const char *behind)
{
    char text[STOA_NUMBER_SIZE];

    if (!grid->is_json) {
        cli_grid_put(grid, "%.10g%s", edge, behind);
    } else if (isfinite(edge)) {
        (void)stoa_format_f64(edge, text);
        cli_grid_take_number(grid, cli_copy(text));
    } else {
        cli_grid_none(grid, "");
    }
}

/* Print the bins of a histogram's axis. */
static void put_axis(cli_grid *grid, unsigned number, const stoa_axis *axis)
{
    cli_grid_put(grid, "axis_%u", number);
    cli_grid_count(grid, axis->n_bins);
    put_edge(grid, stoa_axis_edge(axis, 0), "");
    put_edge(grid, stoa_axis_edge(axis, axis->n_bins), "");
    if (axis->edges != NULL) {
        cli_grid_none(grid, "edges of their own");
    } else {
        put_edge(grid, axis->n_bins > 0 ? (axis->last - axis->first) / (double)axis->n_bins : 0,
                 " each");
    }
    cli_grid_put(grid, axis->is_closed_left ? "[low, high)" : "(low, high]");
    put_text(grid, axis->units);
}

/* Print the binning of a histogram (LH5 notes §4.4); nothing for other tables. */
static stoa_status put_binning(cli_json *json, const cli_place *place, stoa_error *err)
{
    static const char *const titles[] = {"axis", "bins", "from", "to", "width", "bin", "units"};
    stoa_histogram histogram;
    bool is_one = false;
    cli_grid grid;

    STOA_RETURN_NOT_OK(stoa_layout_find_histogram(stoa_file_id(place->file), place->place.path,
                                                  &is_one, &histogram, err));
    if (is_one) {
        put_fact(json, "weights", histogram.is_density ? "a density" : "counts, no density");
        cli_grid_init(&grid, 7, titles, "lrrrlll");
        grid.is_json = json != NULL;
        for (unsigned i = 0; i < histogram.n_axes; i++) {
            put_axis(&grid, i, &histogram.axes[i]);
        }
        put_section(json, &grid, "axes");
        cli_grid_clear(&grid);
        stoa_histogram_close(&histogram);
    }
    return STOA_OK;
}

/* --- sparse arrays --------------------------------------------------------------------------- */

static stoa_status put_sparse(cli_json *json, const cli_place *place, stoa_error *err)
{
    stoa_sparse *array = NULL;
    stoa_sparse_info about = STOA_SPARSE_INFO_INIT;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_sink sections = {.out = stdout, .err = err};
    char number[80];
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_open(stoa_file_id(place->file), place->place.path, NULL, &array, err));
    STOA_TRY(stoa_sparse_describe(array, &about, err));
    STOA_TRY(stoa_element_of(about.type, &element, err));
    put_head(json, place, place->place.path, "array");
    put_fact(json, "array", json != NULL ? NULL : place->name);
    put_fact(json, "layout", "sparse");
    put_fact(json, "type", element.text);
    put_shape(json, "shape", about.extent, about.rank);
    put_shape(json, "chunk", about.chunk, about.rank);
    put_count(json, "defined", about.n_defined);
    (void)snprintf(number, sizeof number, "%llu %s, ", (unsigned long long)about.n_chunks,
                   cli_plural(about.n_chunks, "chunk", "chunks"));
    put_stored(json, number, about.n_stored_bytes);
    if (json != NULL) {
        put_count(json, "chunks", about.n_chunks);
        goto done;
    }
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
static stoa_status put_array_facts(cli_json *json, const stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    cli_array_facts facts;

    STOA_TRY(cli_array_describe(table, &facts, err));
    put_fact(json, "type", facts.type);
    put_shape(json, "shape", facts.shape, facts.rank);
    if (facts.chunk_rank > 0) {
        put_shape(json, "chunk", facts.chunk, facts.chunk_rank);
    }
    put_fact(json, "filters", facts.filters);
    put_stored(json, "", facts.n_bytes);

done:
    cli_array_facts_clear(&facts);
    return status;
}

static stoa_status put_statistics(cli_json *json, stoa_table *table, const stoa_listener *listener,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    cli_grid grid;

    cli_array_statistics_grid(&grid, "column");
    grid.is_json = json != NULL;
    STOA_TRY(cli_array_statistics(table, listener, &grid, err));
    put_section(json, &grid, "statistics");

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
    int format;
    cli_json json;
} request;

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_JSONL };

static stoa_status put_table(cli_args *args, const request *r, cli_json *json, cli_place *place,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    cli_contents contents = {.is_json = json != NULL};
    cli_grid storage = {0};
    cli_indexes indexes = {0};

    STOA_TRY(cli_place_find_table(place, err));
    const uint64_t n_columns = stoa_table_n_columns(place->table);
    const bool is_small =
        n_columns == 0 || stoa_table_n_rows(place->table) <= SMALL_TABLE_CELLS / n_columns;
    const stoa_listener listener = cli_listener(r->quiet);

    if (is_array(place->table)) {
        put_facts(json, place, "array");
        STOA_TRY(put_array_facts(json, place->table, err));
        STOA_TRY(put_notes(json, place->table, err));
        STOA_TRY(r->scan ? put_statistics(json, place->table, &listener, err) : STOA_OK);
        goto done;
    }
    /* First the part that needs open datasets: with very many columns, reading rows closes them. */
    STOA_TRY(cli_contents_check(&contents, place->table, err));
    if (contents.n_unreadable > 0) {
        args->status = CLI_FAILED;
    }
    STOA_TRY(load_storage(json, place->table, &contents, &storage, err));
    STOA_TRY(cli_indexes_load(args, &indexes, place->table, err));
    STOA_TRY(cli_contents_load(&contents, place->table, r->scan || is_small, &listener, err));
    cli_progress_clear();
    put_facts(json, place, "table");
    STOA_TRY(put_notes(json, place->table, err));
    STOA_TRY(cli_place_is_many(place) ? STOA_OK : put_binning(json, place, err));
    STOA_TRY(put_schema(json, place->table, &contents, err));
    STOA_TRY(put_labels(json, place->table, &contents, err));
    put_section(json, &storage, "storage");
    put_indexes(json, place, &indexes);
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
    cli_json *const json = r->format != FORMAT_TEXT ? &r->json : NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(&place, text, &err));
    STOA_TRY(cli_place_open_file(&place, STOA_FILE_READ, &err));
    if (json != NULL) {
        cli_json_begin(json);
    }
    STOA_TRY(cli_is_sparse(&place) ? put_sparse(json, &place, &err)
                                   : put_table(args, r, json, &place, &err));
    if (json != NULL) {
        cli_json_finish(json);
    }
    r->n_files += place.n_files > 0 ? place.n_files : 1;
    if (place.table != NULL) {
        r->n_tables += place.table->parts != NULL ? place.table->parts->n : 1;
        r->n_rows += stoa_table_n_rows(place.table);
    }
done:
    if (status != STOA_OK) {
        args->status = cli_fail(text, &err); /* continue with the other places */
        cli_json_drop(&r->json);
    }
    cli_place_close(&place);
}

static stoa_status info(cli_args *args, stoa_error *err)
{
    static const char *const formats[] = {"text", "json", "jsonl", NULL};
    request r = {.scan = false};
    cli_texts places = {0};

    (void)err; /* errors are those of the places */
    cli_flag(args, &r.scan, "--scan",
             "count missing values and find ranges in tables of more than 10 million cells too; "
             "of an array its least, greatest and mean value");
    cli_choice(args, &r.format, formats, "-f, --format FORMAT",
               "text (the default), json, one array, or jsonl, one object a line");
    cli_widen_option(args, &r.widens);
    cli_files_options(args, &r.by_name, &r.is_strict);
    cli_follow_option(args, &r.follows);
    cli_progress_option(args, &r.quiet);
    cli_operands(args, &places, "PLACE...", CLI_PLACE_HELP "; or an array");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    r.json = (cli_json){stdout, .is_array = r.format == FORMAT_JSON};
    for (size_t i = 0; i < places.n; i++) {
        printf("%s", i > 0 && r.format == FORMAT_TEXT ? "\n" : "");
        print_place(args, &r, places.items[i]);
    }
    if (places.n > 1) {
        cli_tell_totals(r.n_files, r.n_tables, r.n_rows);
    }
    if (r.format != FORMAT_TEXT) {
        cli_json_end(&r.json);
    }
    return STOA_OK;
}

const cli_command cmd_info = {"info", "show a table's columns, storage and indexes",
                              "stoa info run.h5:/events", info};
