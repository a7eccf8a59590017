#include "cli/plot/chart_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "cli/common/layouts.h"
#include "column/read/rows.h"
#include "column/type/tensor.h"
#include "table/open/table.h"

static bool is_number(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || stoa_kind_is_float(kind);
}

/* Items of a view as numbers in a new array; missing ones are NaN. NULL if they are not numbers. */
static double *numbers_of(const stoa_view *view, int64_t first, int64_t count)
{
    const stoa_kind kind = view->type.kind;
    double *values = NULL;

    if (!is_number(kind)) {
        return NULL;
    }
    values = cli_resize(NULL, (size_t)count + 1, sizeof *values);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = first + i;
        values[i] = stoa_view_is_null(view, at) ? NAN
                    : stoa_kind_is_float(kind)  ? stoa_view_f64(view, at)
                    : kind == STOA_KIND_UINT64  ? (double)(uint64_t)stoa_view_i64(view, at)
                                                : (double)stoa_view_i64(view, at);
    }
    return values;
}

/* Read rows of a numeric column. */
static stoa_status read_numbers(stoa_column *column, uint64_t first, uint64_t count,
                                double **values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_rows rows = {.array.release = NULL};

    STOA_TRY(stoa_column_rows_read(column, first, count, &rows, err));
    *values = numbers_of(&rows.view, 0, rows.view.length);
    if (*values == NULL) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' holds no numbers", stoa_column_name(column));
    }

done:
    stoa_column_rows_clear(&rows);
    return status;
}

/* A label such as "energy [keV]". */
static char *label_of(const char *name, const char *units)
{
    return units != NULL && units[0] != '\0' ? cli_sprintf("%s [%s]", name, units) : cli_copy(name);
}

/* --- histograms ------------------------------------------------------------------------------ */

static double *edges_of(const stoa_axis *axis)
{
    double *const edges = cli_resize(NULL, (size_t)axis->n_bins + 1, sizeof *edges);

    for (uint64_t i = 0; i <= axis->n_bins; i++) {
        edges[i] = stoa_axis_edge(axis, i);
    }
    return edges;
}

stoa_status cli_chart_histogram(cli_chart *chart, const cli_place *place,
                                const stoa_histogram *histogram, stoa_error *err)
{
    const stoa_axis *const axes = histogram->axes;
    const char *const what = histogram->is_density ? "density" : "weight";
    const uint64_t n_bins = stoa_table_n_rows(place->table);
    stoa_column *const column = stoa_table_find(place->table, "weight");
    double *weights = NULL;

    if (histogram->n_axes > 2) {
        return stoa_fail(err, STOA_ETYPE, "has %u axes; histograms of one or two can be drawn",
                         histogram->n_axes);
    }
    if (n_bins > (histogram->n_axes == 2 ? (uint64_t)CLI_MAX_CELLS : STOA_MAX_EDGES)) {
        return stoa_fail(err, STOA_ERANGE, "has %llu bins, more than can be drawn",
                         (unsigned long long)n_bins);
    }
    STOA_RETURN_NOT_OK(read_numbers(column, 0, n_bins, &weights, err));
    chart->x.label = label_of("axis_0", axes[0].units);
    double *const edges = edges_of(&axes[0]);
    if (histogram->n_axes == 1) {
        cli_chart_add(chart, CLI_MARK_STEPS, NULL, edges, weights, (size_t)n_bins);
        chart->y.label = label_of(what, column->units);
    } else {
        cli_chart_set_map(chart, edges, (size_t)axes[0].n_bins, edges_of(&axes[1]),
                          (size_t)axes[1].n_bins, weights);
        chart->y.label = label_of("axis_1", axes[1].units);
        chart->scale.label = label_of(what, column->units);
    }
    return STOA_OK;
}

/* --- waveforms ------------------------------------------------------------------------------- */

bool cli_chart_is_lists(const stoa_column *column)
{
    struct ArrowSchema schema = {.release = NULL};
    stoa_type type = {.kind = STOA_KIND_NULL};
    stoa_type item = {.kind = STOA_KIND_NULL};
    bool is = stoa_column_schema(column, &schema, NULL) == STOA_OK &&
              stoa_type_of(&schema, &type, NULL) == STOA_OK;

    is = is && stoa_kind_is_list(type.kind) &&
         stoa_type_of(schema.children[0], &item, NULL) == STOA_OK && is_number(item.kind);
    stoa_schema_release(&schema);
    return is;
}

static stoa_status find_waveforms(stoa_table *table, const char *name, stoa_column **found,
                                  stoa_error *err)
{
    size_t n = 0;

    *found = name != NULL ? stoa_table_find(table, name) : NULL;
    if (name != NULL && *found == NULL) {
        return stoa_table_fail_name(table, name, err);
    }
    if (name != NULL) {
        return cli_chart_is_lists(*found)
                   ? STOA_OK
                   : stoa_fail(err, STOA_ETYPE,
                               "column '%s' holds no lists of numbers; 'stoa query --histogram' "
                               "draws how values are distributed",
                               name);
    }
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        stoa_column *const column = stoa_table_column(table, i);
        if (cli_chart_is_lists(column)) {
            *found = column;
            n++;
        }
    }
    return n == 1 ? STOA_OK
                  : stoa_fail(err, STOA_EINVAL,
                              "%zu columns hold lists of numbers; say which to draw: -c COL", n);
}

/* The column of that name in the same table: beside "a.values" it is "a.t0". */
static stoa_column *beside(stoa_table *table, const stoa_column *column, const char *name)
{
    const char *const all = stoa_column_name(column);
    const char *const dot = strrchr(all, '.');
    char *const full = cli_sprintf("%.*s%s", dot != NULL ? (int)(dot - all) + 1 : 0, all, name);
    stoa_column *const found = stoa_table_find(table, full);

    free(full);
    return found;
}

typedef struct times {
    stoa_column *t0; /* both NULL: the x axis counts samples */
    stoa_column *dt;
} times;

/* Read a row's start time, and its step between samples. */
static stoa_status read_times(const times *t, uint64_t row, double *first, double *step,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    double *values[2] = {NULL, NULL};

    *first = 0;
    *step = 1;
    if (t->t0 != NULL && t->dt != NULL) {
        STOA_TRY(read_numbers(t->t0, row, 1, &values[0], err));
        STOA_TRY(read_numbers(t->dt, row, 1, &values[1], err));
        *first = values[0][0];
        *step = values[1][0];
    }

done:
    free(values[0]);
    free(values[1]);
    return status;
}

static stoa_status add_row(cli_chart *chart, stoa_column *column, const times *t, uint64_t row,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_rows rows = {.array.release = NULL};
    stoa_view items;
    double first = 0;
    double step = 1;
    int64_t from = 0;
    int64_t n = 0;
    double *y = NULL;
    double *x = NULL;

    STOA_TRY(read_times(t, row, &first, &step, err));
    STOA_TRY(stoa_column_rows_read(column, row, 1, &rows, err));
    STOA_TRY(stoa_view_child(&rows.view, 0, &items, err));
    if (!stoa_view_is_null(&rows.view, 0)) {
        stoa_view_range(&rows.view, 0, &from, &n);
    }
    y = numbers_of(&items, from, n);
    x = cli_resize(NULL, (size_t)n + 1, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = first + step * (double)i;
    }
    cli_chart_add(chart, CLI_MARK_LINE, cli_sprintf("row %llu", (unsigned long long)row), x, y,
                  (size_t)n);

done:
    stoa_column_rows_clear(&rows);
    return status;
}

stoa_status cli_chart_waveforms(cli_chart *chart, const cli_place *place, const char *name,
                                const uint64_t *rows, size_t n_rows, stoa_error *err)
{
    stoa_column *column = NULL;

    STOA_RETURN_NOT_OK(find_waveforms(place->table, name, &column, err));
    const times t = {beside(place->table, column, "t0"), beside(place->table, column, "dt")};
    const bool has_times = t.t0 != NULL && t.dt != NULL;
    chart->x.label = has_times ? label_of("time", t.dt->units) : cli_copy("sample");
    chart->y.label = label_of(stoa_column_name(column), column->units);
    for (size_t i = 0; i < n_rows; i++) {
        if (rows[i] >= stoa_table_n_rows(place->table)) {
            return stoa_fail(err, STOA_ERANGE, "there is no row %llu: it has %llu",
                             (unsigned long long)rows[i],
                             (unsigned long long)stoa_table_n_rows(place->table));
        }
        STOA_RETURN_NOT_OK(add_row(chart, column, &t, rows[i], err));
    }
    return STOA_OK;
}

/* --- whole columns --------------------------------------------------------------------------- */

bool cli_chart_is_array(const stoa_table *table)
{
    const stoa_layout *const layout = stoa_layout_of(table);

    return layout != NULL && layout->rest != NULL && H5Iget_type(table->group) == H5I_DATASET &&
           stoa_table_n_columns(table) <= 2;
}

bool cli_chart_is_line(const stoa_column *column)
{
    struct ArrowSchema schema = {.release = NULL};
    stoa_type type = {.kind = STOA_KIND_NULL};
    const bool is = stoa_column_schema(column, &schema, NULL) == STOA_OK &&
                    stoa_type_of(&schema, &type, NULL) == STOA_OK && is_number(type.kind);

    stoa_schema_release(&schema);
    return is;
}

bool cli_chart_has_no_lists(const stoa_table *table)
{
    bool has = false;

    for (size_t i = 0; i < stoa_table_n_columns(table) && !has; i++) {
        has = cli_chart_is_lists(stoa_table_column(table, i));
    }
    return !has;
}

/* --- images ---------------------------------------------------------------------------------- */

enum { ITEMS_A_READ = 1 << 20, MAX_SIDE = 500 };

/* Means of blocks of a large image. */
typedef struct image {
    uint64_t n_rows;
    uint64_t n_items;
    uint64_t by_rows; /* of a block */
    uint64_t by_items;
    size_t n_x;
    size_t n_y;
    double *sums;
    uint64_t *counts;
} image;

static double *edges_by(uint64_t n, uint64_t by, size_t n_cells)
{
    double *const edges = cli_resize(NULL, n_cells + 1, sizeof *edges);

    for (size_t i = 0; i <= n_cells; i++) {
        const uint64_t at = (uint64_t)i * by;
        edges[i] = (double)(at < n ? at : n);
    }
    return edges;
}

static stoa_status add_rows(image *im, stoa_column *column, uint64_t first, uint64_t count,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_rows rows = {.array.release = NULL};
    stoa_view items;

    STOA_TRY(stoa_column_rows_read(column, first, count, &rows, err));
    STOA_TRY(stoa_view_child(&rows.view, 0, &items, err));
    for (uint64_t row = 0; row < count; row++) {
        int64_t from = 0;
        int64_t n = 0;
        stoa_view_range(&rows.view, (int64_t)row, &from, &n);
        double *const values = numbers_of(&items, from, n);
        for (int64_t i = 0; values != NULL && i < n; i++) {
            const size_t at = (size_t)((uint64_t)i / im->by_items) * im->n_y +
                              (size_t)((first + row) / im->by_rows);
            if (!isnan(values[i])) {
                im->sums[at] += values[i];
                im->counts[at]++;
            }
        }
        free(values);
    }

done:
    stoa_column_rows_clear(&rows);
    return status;
}

static stoa_status find_width(const stoa_column *column, uint64_t *n_items, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    hsize_t shape[H5S_MAX_RANK];
    stoa_type type;
    int rank = 0;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_type_of(&schema, &type, err));
    if (type.kind != STOA_KIND_FIXED_LIST) {
        STOA_FAIL(err, STOA_ETYPE,
                  "column '%s' holds lists of different lengths, which are no image; --rows draws "
                  "some of them as lines",
                  stoa_column_name(column));
    }
    STOA_TRY(stoa_tensor_shape(&schema, (uint64_t)type.width, shape, &rank, err));
    if (rank > 1) {
        STOA_FAIL(err, STOA_ETYPE,
                  "has %d dimensions, and an image two; cut it, as in 'FILE:/PATH[0]'", rank + 1);
    }
    *n_items = (uint64_t)type.width;

done:
    stoa_schema_release(&schema);
    return status;
}

static stoa_status draw_image(cli_chart *chart, const stoa_table *table, stoa_column *column,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    image im = {.n_rows = stoa_table_n_rows(table)};

    STOA_TRY(find_width(column, &im.n_items, err));
    if (im.n_rows == 0) {
        STOA_FAIL(err, STOA_EINVAL, "has no rows to draw");
    }
    im.by_rows = (im.n_rows + MAX_SIDE - 1) / MAX_SIDE;
    im.by_items = (im.n_items + MAX_SIDE - 1) / MAX_SIDE;
    im.n_y = (size_t)((im.n_rows + im.by_rows - 1) / im.by_rows);
    im.n_x = (size_t)((im.n_items + im.by_items - 1) / im.by_items);
    im.sums = cli_resize(NULL, im.n_x * im.n_y, sizeof *im.sums);
    im.counts = cli_resize(NULL, im.n_x * im.n_y, sizeof *im.counts);
    memset(im.sums, 0, im.n_x * im.n_y * sizeof *im.sums);
    memset(im.counts, 0, im.n_x * im.n_y * sizeof *im.counts);
    const uint64_t per_read = im.n_items < ITEMS_A_READ ? ITEMS_A_READ / im.n_items : 1;
    for (uint64_t first = 0; first < im.n_rows; first += per_read) {
        const uint64_t left = im.n_rows - first;
        STOA_TRY(add_rows(&im, column, first, left < per_read ? left : per_read, err));
    }
    for (size_t i = 0; i < im.n_x * im.n_y; i++) {
        im.sums[i] = im.counts[i] > 0 ? im.sums[i] / (double)im.counts[i] : NAN;
    }
    cli_chart_set_map(chart, edges_by(im.n_items, im.by_items, im.n_x), im.n_x,
                      edges_by(im.n_rows, im.by_rows, im.n_y), im.n_y, im.sums);
    im.sums = NULL;
    chart->x.label = cli_copy("column");
    chart->y.label = cli_copy("row");
    chart->scale.label = label_of(stoa_column_name(column), column->units);

done:
    free(im.sums);
    free(im.counts);
    return status;
}

/* --- which column ---------------------------------------------------------------------------- */

/* The columns of numbers, the first two of them. */
static size_t numbers_among(const stoa_table *table, stoa_column *found[2])
{
    size_t n = 0;

    for (size_t i = 0; i < stoa_table_n_columns(table) && n < 2; i++) {
        stoa_column *const column = stoa_table_column(table, i);
        if (cli_chart_is_line(column)) {
            found[n++] = column;
        }
    }
    return n;
}

void cli_chart_usual_columns(const stoa_table *table, const stoa_column **column,
                             const stoa_column **x)
{
    const size_t n = stoa_table_n_columns(table);
    stoa_column *found[2] = {NULL, NULL};
    const size_t n_numbers = numbers_among(table, found);

    *x = NULL;
    if (cli_chart_is_array(table)) {
        *column = stoa_table_column(table, n - 1);
        *x = n > 1 && found[0] != *column ? found[0] : NULL;
    } else if (n_numbers == 0) {
        *column = n > 0 ? stoa_table_column(table, 0) : NULL;
    } else {
        *column = found[n_numbers - 1];
        *x = n_numbers > 1 ? found[0] : NULL;
    }
}

stoa_status cli_chart_image(cli_chart *chart, const cli_place *place, const char *name,
                            stoa_error *err)
{
    stoa_column *column = NULL;

    STOA_RETURN_NOT_OK(find_waveforms(place->table, name, &column, err));
    return draw_image(chart, place->table, column, err);
}
