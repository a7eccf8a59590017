#include "cli/output/chart_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
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
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_column_read(column, first, count, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    *values = numbers_of(&view, 0, view.length);
    if (*values == NULL) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' holds no numbers", stoa_column_name(column));
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
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

/* Add a step line that starts and ends at zero, with a step at each edge. */
static void add_steps(cli_chart *chart, const double *edges, const double *weights, size_t n)
{
    double *const x = cli_resize(NULL, 2 * n + 2, sizeof *x);
    double *const y = cli_resize(NULL, 2 * n + 2, sizeof *y);

    for (size_t i = 0; i <= n; i++) {
        x[2 * i] = edges[i];
        x[2 * i + 1] = edges[i];
        y[2 * i] = i > 0 ? weights[i - 1] : 0;
        y[2 * i + 1] = i < n ? weights[i] : 0;
    }
    cli_chart_add_line(chart, NULL, x, y, 2 * n + 2);
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
        add_steps(chart, edges, weights, (size_t)n_bins);
        chart->y.label = label_of(what, column->units);
        free(edges);
        free(weights);
    } else {
        cli_chart_set_map(chart, edges, (size_t)axes[0].n_bins, edges_of(&axes[1]),
                          (size_t)axes[1].n_bins, weights);
        chart->y.label = label_of("axis_1", axes[1].units);
        chart->scale.label = label_of(what, column->units);
    }
    return STOA_OK;
}

/* --- waveforms ------------------------------------------------------------------------------- */

static bool is_waveforms(const stoa_column *column)
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
        return is_waveforms(*found)
                   ? STOA_OK
                   : stoa_fail(err, STOA_ETYPE,
                               "column '%s' holds no lists of numbers; 'stoa query --histogram' "
                               "draws how values are distributed",
                               name);
    }
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        stoa_column *const column = stoa_table_column(table, i);
        if (is_waveforms(column)) {
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
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view lists;
    stoa_view items;
    double first = 0;
    double step = 1;
    int64_t from = 0;
    int64_t n = 0;
    double *y = NULL;
    double *x = NULL;

    STOA_TRY(read_times(t, row, &first, &step, err));
    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_column_read(column, row, 1, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &lists, err));
    STOA_TRY(stoa_view_child(&lists, 0, &items, err));
    if (!stoa_view_is_null(&lists, 0)) {
        stoa_view_range(&lists, 0, &from, &n);
    }
    y = numbers_of(&items, from, n);
    x = cli_resize(NULL, (size_t)n + 1, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = first + step * (double)i;
    }
    cli_chart_add_line(chart, cli_sprintf("row %llu", (unsigned long long)row), x, y, (size_t)n);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
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
