/* Columns over another one: lines, points, and histograms in two dimensions. The first pass learns
 * the ranges, and whether x rises. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/plot_rows.h"

/* Rows that are drawn as points if nothing else was asked for, and points of a picture at most. */
enum { FEW_ROWS = 5000, MOST_POINTS = 20000, FEWEST_CELLS = 20, MOST_CELLS = 200 };

/* The extremes of a run of rows. */
typedef struct bucket {
    double at[2]; /* x of the least and the greatest */
    double value[2];
    bool is_turned; /* the greatest comes first */
    bool any;
} bucket;

typedef struct over {
    const cli_plot *plot;
    const cli_plot_fields *fields;
    uint64_t n_rows;
    uint64_t row; /* of the second pass */
    cli_spread x;
    cli_spread y;
    cli_plot_groups groups;
    size_t n_series;
    uint64_t n_grouped_out;
    uint64_t n_unplaced; /* rows without a place on the axes */
    /* lines */
    bucket *buckets; /* n_series by n_buckets */
    size_t n_buckets;
    /* points */
    double **points_x;
    double **points_y;
    size_t *n_points;
    /* map */
    cli_edges edges[2];
    double *cells;
    double outside;
} over;

static size_t series_of(over *o, const cli_plot_batch *batch, size_t c, int64_t i)
{
    const size_t series = batch->by != NULL ? cli_plot_groups_find(&o->groups, batch->by, i) : c;

    o->n_grouped_out += series >= o->n_series;
    return series;
}

static double x_of(const over *o, const cli_plot_batch *batch, int64_t i)
{
    return batch->x != NULL ? cli_plot_place(&o->fields->x.type, cli_plot_number(batch->x, i))
                            : (double)(o->row + (uint64_t)i);
}

static double y_of(const over *o, const cli_plot_batch *batch, size_t c, int64_t i)
{
    return cli_plot_place(&o->fields->columns[c].type, cli_plot_number(&batch->columns[c], i));
}

static stoa_status first_pass(void *context, const cli_plot_batch *batch, stoa_error *err)
{
    over *const o = context;

    (void)err;
    o->n_rows += (uint64_t)batch->n;
    for (int64_t i = 0; batch->x != NULL && i < batch->n; i++) {
        const bool is_missing = cli_plot_is_missing(batch->x, i);
        o->x.n_missing += is_missing;
        if (!is_missing) {
            cli_spread_add(&o->x, cli_plot_number(batch->x, i));
        }
    }
    for (int64_t i = 0; batch->n_columns == 1 && i < batch->n; i++) {
        const bool is_missing = cli_plot_is_missing(&batch->columns[0], i);
        o->y.n_missing += is_missing;
        if (!is_missing) {
            cli_spread_add(&o->y, cli_plot_number(&batch->columns[0], i));
        }
    }
    return STOA_OK;
}

/* --- lines ----------------------------------------------------------------------------------- */

static void add_point(bucket *b, double x, double y)
{
    if (isnan(y) || isnan(x)) {
        return;
    }
    if (!b->any || y < b->value[0]) {
        b->at[0] = x;
        b->value[0] = y;
        b->is_turned = b->any;
    }
    if (!b->any || y > b->value[1]) {
        b->at[1] = x;
        b->value[1] = y;
        b->is_turned = false;
    }
    b->any = true;
}

static stoa_status line_pass(void *context, const cli_plot_batch *batch, stoa_error *err)
{
    over *const o = context;

    (void)err;
    for (size_t c = 0; c < batch->n_columns; c++) {
        for (int64_t i = 0; i < batch->n; i++) {
            const size_t series = series_of(o, batch, c, i);
            const long double part = (long double)(o->row + (uint64_t)i) / (long double)o->n_rows;
            size_t at = (size_t)(part * (long double)o->n_buckets);
            at = at < o->n_buckets ? at : o->n_buckets - 1;
            if (series < o->n_series) {
                add_point(&o->buckets[series * o->n_buckets + at], x_of(o, batch, i),
                          y_of(o, batch, c, i));
            }
        }
    }
    o->row += (uint64_t)batch->n;
    return STOA_OK;
}

static char *name_of(const over *o, size_t series)
{
    return o->plot->by != NULL ? cli_copy(o->groups.all[series].name)
           : o->n_series > 1   ? cli_copy(o->fields->columns[series].label)
                               : NULL;
}

static void add_buckets(cli_chart *chart, const over *o, size_t series, bool are_pairs)
{
    const bucket *const buckets = o->buckets + series * o->n_buckets;
    double *const x = cli_resize(NULL, 2 * o->n_buckets + 1, sizeof *x);
    double *const y = cli_resize(NULL, 2 * o->n_buckets + 1, sizeof *y);
    size_t n = 0;

    for (size_t i = 0; i < o->n_buckets; i++) {
        const bucket *const b = &buckets[i];
        if (!b->any && o->plot->by != NULL) { /* a row of another group is no gap */
            continue;
        }
        for (int k = 0; k < (are_pairs && b->any ? 2 : 1); k++) {
            const int which = b->is_turned ? 1 - k : k;
            x[n] = b->any ? b->at[which] : NAN;
            y[n++] = b->any ? b->value[which] : NAN;
        }
    }
    cli_chart_add(chart, CLI_MARK_LINE, name_of(o, series), x, y, n);
}

static stoa_status draw_lines(cli_chart *chart, stoa_table *table, over *o, stoa_error *err)
{
    const bool are_pairs = o->n_rows > CLI_MAX_POINTS;
    stoa_status status = STOA_OK;

    o->n_buckets = are_pairs ? CLI_MAX_POINTS / 2 : (size_t)o->n_rows;
    o->buckets = cli_resize(NULL, o->n_series * o->n_buckets + 1, sizeof *o->buckets);
    memset(o->buckets, 0, (o->n_series * o->n_buckets + 1) * sizeof *o->buckets);
    STOA_TRY(cli_plot_each(table, o->plot, 0, line_pass, o, err));
    for (size_t i = 0; i < o->n_series; i++) {
        add_buckets(chart, o, i, are_pairs);
    }

done:
    free(o->buckets);
    return status;
}

/* --- points ---------------------------------------------------------------------------------- */

static stoa_status point_pass(void *context, const cli_plot_batch *batch, stoa_error *err)
{
    over *const o = context;

    (void)err;
    for (size_t c = 0; c < batch->n_columns; c++) {
        for (int64_t i = 0; i < batch->n; i++) {
            const size_t s = series_of(o, batch, c, i);
            const double x = x_of(o, batch, i);
            const double y = y_of(o, batch, c, i);
            if (s >= o->n_series) {
                continue;
            }
            if (!isfinite(x) || !isfinite(y) || (o->plot->is_log[0] && x <= 0) ||
                (o->plot->is_log[1] && y <= 0)) {
                o->n_unplaced++;
                continue;
            }
            o->points_x[s] = cli_one_more(o->points_x[s], o->n_points[s], sizeof **o->points_x);
            o->points_y[s] = cli_one_more(o->points_y[s], o->n_points[s], sizeof **o->points_y);
            o->points_x[s][o->n_points[s]] = x;
            o->points_y[s][o->n_points[s]++] = y;
        }
    }
    o->row += (uint64_t)batch->n;
    return STOA_OK;
}

static stoa_status draw_points(cli_chart *chart, stoa_table *table, over *o, stoa_error *err)
{
    const uint64_t most = MOST_POINTS / o->fields->n_columns;
    const size_t n = o->n_series;
    stoa_status status = STOA_OK;

    o->points_x = cli_resize(NULL, n + 1, sizeof *o->points_x);
    o->points_y = cli_resize(NULL, n + 1, sizeof *o->points_y);
    o->n_points = cli_resize(NULL, n + 1, sizeof *o->n_points);
    for (size_t i = 0; i < n; i++) {
        o->points_x[i] = o->points_y[i] = NULL;
        o->n_points[i] = 0;
    }
    if (o->n_rows > most) {
        cli_chart_note(chart, "%llu of %llu rows, chosen at random", (unsigned long long)most,
                       (unsigned long long)o->n_rows);
    }
    STOA_TRY(cli_plot_each(table, o->plot, o->n_rows > most ? most : 0, point_pass, o, err));
    for (size_t i = 0; i < n; i++) {
        cli_chart_add(chart, CLI_MARK_POINTS, name_of(o, i), o->points_x[i], o->points_y[i],
                      o->n_points[i]);
        o->points_x[i] = o->points_y[i] = NULL; /* the chart's */
    }
    if (o->n_unplaced > 0) {
        cli_chart_note(chart, "%llu without a place on the axes",
                       (unsigned long long)o->n_unplaced);
    }

done:
    for (size_t i = 0; i < n; i++) {
        free(o->points_x[i]);
        free(o->points_y[i]);
    }
    free(o->points_x);
    free(o->points_y);
    free(o->n_points);
    return status;
}

/* --- maps ------------------------------------------------------------------------------------ */

static stoa_status map_pass(void *context, const cli_plot_batch *batch, stoa_error *err)
{
    over *const o = context;

    (void)err;
    for (int64_t i = 0; i < batch->n; i++) {
        const double weight =
            batch->weights != NULL ? (double)cli_plot_number(batch->weights, i) : 1;
        const long double x = cli_plot_number(batch->x, i);
        const long double y = cli_plot_number(&batch->columns[0], i);
        const size_t at[] = {cli_edges_find(&o->edges[0], x), cli_edges_find(&o->edges[1], y)};
        if (at[0] < o->edges[0].n && at[1] < o->edges[1].n && !isnan(weight)) {
            o->cells[at[0] * o->edges[1].n + at[1]] += weight;
        } else if (isfinite((double)x) && isfinite((double)y) && !isnan(weight)) {
            o->outside += weight;
        } else {
            o->n_unplaced++;
        }
    }
    return STOA_OK;
}

static double *places_of(const cli_edges *edges, const stoa_type *type)
{
    double *const places = cli_resize(NULL, edges->n + 1, sizeof *places);

    for (size_t i = 0; i <= edges->n; i++) {
        places[i] = cli_plot_place(type, edges->at[i]);
    }
    return places;
}

static stoa_status draw_map(cli_chart *chart, stoa_table *table, over *o, stoa_error *err)
{
    const stoa_type *const types[] = {&o->fields->x.type, &o->fields->columns[0].type};
    const cli_spread *const spreads[] = {&o->x, &o->y};
    const double cells = sqrt((double)o->n_rows) / 2;
    const double about = fmin(fmax(cells, FEWEST_CELLS), MOST_CELLS);
    stoa_status status = STOA_OK;

    for (int i = 0; i < 2; i++) {
        cli_bins_wanted wanted = {.n = o->plot->n_bins[i], .about = (uint64_t)about};
        STOA_TRY(cli_plot_range(o->plot->ranges[i], types[i], o->plot->is_log[i], &wanted, err));
        cli_edges_choose(&o->edges[i], spreads[i], types[i], &wanted);
    }
    const size_t n_cells = o->edges[0].n * o->edges[1].n;
    if (n_cells > CLI_MAX_CELLS) {
        STOA_FAIL(err, STOA_ERANGE, "%zu x %zu bins are more than the %d cells that are drawn",
                  o->edges[0].n, o->edges[1].n, CLI_MAX_CELLS);
    }
    o->cells = cli_resize(NULL, n_cells, sizeof *o->cells);
    memset(o->cells, 0, n_cells * sizeof *o->cells);
    STOA_TRY(cli_plot_each(table, o->plot, 0, map_pass, o, err));
    for (size_t i = 0; i < n_cells; i++) { /* white, where nothing is */
        o->cells[i] = o->cells[i] == 0 ? NAN : o->cells[i];
    }
    chart->scale.scale = o->plot->is_log[2] ? CLI_SCALE_LOG : CLI_SCALE_LINEAR;
    chart->scale.label = o->plot->weights != NULL
                             ? cli_sprintf("sum of %s", o->fields->weights.label)
                             : cli_copy("rows");
    if (o->plot->weights == NULL && !o->plot->is_log[2]) {
        cli_range_add(&chart->scale.range, 0);
    }
    cli_chart_set_map(chart, places_of(&o->edges[0], types[0]), o->edges[0].n,
                      places_of(&o->edges[1], types[1]), o->edges[1].n, o->cells);
    o->cells = NULL; /* the chart's */
    if (o->outside != 0) {
        cli_chart_note(chart, "%.10g outside", o->outside);
    }
    if (o->n_unplaced > 0) {
        cli_chart_note(chart, "%llu missing or NaN", (unsigned long long)o->n_unplaced);
    }

done:
    cli_edges_clear(&o->edges[0]);
    cli_edges_clear(&o->edges[1]);
    free(o->cells);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

static void label(cli_chart *chart, const over *o)
{
    const cli_plot_fields *const fields = o->fields;

    if (o->plot->x != NULL) {
        cli_plot_axis(&chart->x, &fields->x, o->plot->is_log[0]);
    } else {
        chart->x.label = cli_copy("row");
        chart->x.scale = o->plot->is_log[0] ? CLI_SCALE_LOG : CLI_SCALE_LINEAR;
    }
    cli_plot_axis(&chart->y, &fields->columns[0], o->plot->is_log[1]);
    if (fields->n_columns > 1) {
        free(chart->y.label);
        chart->y.label = cli_copy("value");
    }
}

stoa_status cli_plot_over(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                          const cli_plot_fields *fields, stoa_error *err)
{
    static const stoa_type row = {.kind = STOA_KIND_INT64};
    const stoa_type *const x = plot->x != NULL ? &fields->x.type : &row;
    over o = {.plot = plot, .fields = fields, .n_series = fields->n_columns};
    int kind = plot->kind;
    stoa_status status = STOA_OK;

    o.x.is_log = plot->is_log[0] && !stoa_kind_is_time(x->kind);
    o.y.is_log = plot->is_log[1] && !stoa_kind_is_time(fields->columns[0].type.kind);
    STOA_TRY(cli_plot_each(table, plot, 0, first_pass, &o, err));
    if (kind == CLI_PLOT_AUTO) {
        kind = !o.x.is_falling                                 ? CLI_PLOT_LINE
               : o.n_rows <= FEW_ROWS || fields->n_columns > 1 ? CLI_PLOT_SCATTER
               : plot->by != NULL                              ? CLI_PLOT_SCATTER
                                                               : CLI_PLOT_HIST2D;
    }
    if (plot->by != NULL) {
        STOA_TRY(cli_plot_groups_of(table, plot, plot->by, CLI_PLOT_GROUPS, &o.groups, err));
        o.n_series = o.groups.n;
    }
    label(chart, &o);
    if (kind != CLI_PLOT_HIST2D) {
        STOA_TRY(cli_plot_cut(&chart->x, plot->ranges[0], x, plot->is_log[0], err));
        STOA_TRY(cli_plot_cut(&chart->y, plot->ranges[1], &fields->columns[0].type, plot->is_log[1],
                              err));
    }
    STOA_TRY((kind == CLI_PLOT_LINE      ? draw_lines
              : kind == CLI_PLOT_SCATTER ? draw_points
                                         : draw_map)(chart, table, &o, err));
    if (o.groups.n_others > 0) {
        cli_chart_note(chart, "%llu rows of %llu other groups", (unsigned long long)o.n_grouped_out,
                       (unsigned long long)o.groups.n_others);
    }

done:
    cli_spread_clear(&o.x);
    cli_spread_clear(&o.y);
    cli_plot_groups_clear(&o.groups);
    return status;
}
