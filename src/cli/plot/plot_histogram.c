/* Histograms of one or more columns, or of the groups of one: a pass for the range, unless it is
 * known, and one that counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/plot_rows.h"

typedef struct histogram {
    const cli_plot *plot;
    cli_spread spread;
    cli_edges edges;
    cli_plot_groups groups; /* of --by */
    size_t n_series;
    bool is_single;  /* the pass that counts learns the range, too */
    double *heights; /* n_series by edges.n */
    double below;    /* weights, or values */
    double above;
    uint64_t n_grouped_out;
} histogram;

typedef void see_value(histogram *h, size_t series, long double value, double weight);

/* Items of list i, and of lists in it. */
static stoa_status see_items(histogram *h, size_t series, const stoa_view *lists, int64_t i,
                             see_value *see, stoa_error *err)
{
    cli_plot_column items = {.has_labels = false};
    int64_t first = 0;
    int64_t n = 0;

    STOA_RETURN_NOT_OK(stoa_view_child(lists, 0, &items.view, err));
    stoa_view_range(lists, i, &first, &n);
    for (int64_t k = first; k < first + n; k++) {
        if (cli_plot_is_missing(&items, k)) {
            h->spread.n_missing++;
        } else if (stoa_kind_is_list(items.view.type.kind)) {
            STOA_RETURN_NOT_OK(see_items(h, series, &items.view, k, see, err));
        } else {
            see(h, series, cli_plot_number(&items, k), 1);
        }
    }
    return STOA_OK;
}

static stoa_status see_column(histogram *h, const cli_plot_batch *batch, size_t c, see_value *see,
                              stoa_error *err)
{
    const cli_plot_column *const column = &batch->columns[c];
    const bool are_lists = stoa_kind_is_list(column->view.type.kind);

    for (int64_t i = 0; i < batch->n; i++) {
        const size_t series =
            batch->by != NULL ? cli_plot_groups_find(&h->groups, batch->by, i) : c;
        if (series >= h->n_series) {
            h->n_grouped_out++;
        } else if (cli_plot_is_missing(column, i) ||
                   (batch->weights != NULL && cli_plot_is_missing(batch->weights, i))) {
            h->spread.n_missing++;
        } else if (are_lists) {
            STOA_RETURN_NOT_OK(see_items(h, series, &column->view, i, see, err));
        } else {
            see(h, series, cli_plot_number(column, i),
                batch->weights != NULL ? (double)cli_plot_number(batch->weights, i) : 1);
        }
    }
    return STOA_OK;
}

static void find_range(histogram *h, size_t series, long double value, double weight)
{
    (void)series;
    (void)weight;
    cli_spread_add(&h->spread, value);
}

static stoa_status first_pass(void *context, const cli_plot_batch *batch, stoa_error *err)
{
    for (size_t c = 0; c < batch->n_columns; c++) {
        STOA_RETURN_NOT_OK(see_column(context, batch, c, find_range, err));
    }
    return STOA_OK;
}

static void count(histogram *h, size_t series, long double value, double weight)
{
    const size_t bin = cli_edges_find(&h->edges, value);

    if (h->is_single) {
        cli_spread_add(&h->spread, value);
    }
    if (bin < h->edges.n) {
        h->heights[series * h->edges.n + bin] += weight;
    } else if (isfinite((double)value) && (!h->spread.is_log || value > 0)) {
        *(bin == SIZE_MAX ? &h->below : &h->above) += weight;
    }
}

static stoa_status second_pass(void *context, const cli_plot_batch *batch, stoa_error *err)
{
    for (size_t c = 0; c < batch->n_columns; c++) {
        STOA_RETURN_NOT_OK(see_column(context, batch, c, count, err));
    }
    return STOA_OK;
}

/* Say what lies beyond an end of the axis, and how far. */
static void note_tail(cli_chart *chart, const histogram *h, const stoa_type *type, double total,
                      bool is_above)
{
    char edge[STOA_NUMBER_SIZE];
    char end[STOA_NUMBER_SIZE];
    const long double values[] = {is_above ? h->edges.at[h->edges.n] : h->edges.at[0],
                                  is_above ? h->spread.range.greatest : h->spread.range.least};
    char *const texts[] = {edge, end};

    if (total == 0) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (stoa_kind_is_ticks(type->kind)) {
            (void)stoa_type_format_ticks(type, (int64_t)values[i], texts[i]);
        } else {
            (void)snprintf(texts[i], STOA_NUMBER_SIZE, "%.6Lg", values[i]);
        }
    }
    cli_chart_note(chart, "%.10g %s %s (to %s)", total, is_above ? "above" : "below", edge, end);
}

static void add_notes(cli_chart *chart, const histogram *h, const stoa_type *type)
{
    if (h->spread.n_missing > 0) {
        cli_chart_note(chart, "%llu missing", (unsigned long long)h->spread.n_missing);
    }
    if (h->spread.n_odd > 0) {
        cli_chart_note(chart, "%llu NaN or infinite%s", (unsigned long long)h->spread.n_odd,
                       h->spread.is_log ? ", or not above 0" : "");
    }
    note_tail(chart, h, type, h->below, false);
    note_tail(chart, h, type, h->above, true);
    if (h->groups.n_others > 0) {
        cli_chart_note(chart, "%llu rows of %llu other groups",
                       (unsigned long long)h->n_grouped_out,
                       (unsigned long long)h->groups.n_others);
    }
}

/* Units of columns on one axis: those of the first, if all have the same type. */
static stoa_status common_type(const cli_plot_fields *fields, stoa_type *type, stoa_error *err)
{
    *type = fields->columns[0].type;
    for (size_t i = 1; i < fields->n_columns; i++) {
        const stoa_type *const other = &fields->columns[i].type;
        if (stoa_kind_is_ticks(type->kind) != stoa_kind_is_ticks(other->kind) ||
            (stoa_kind_is_ticks(type->kind) &&
             (type->kind != other->kind || type->unit != other->unit))) {
            return stoa_fail(err, STOA_ETYPE, "columns '%s' and '%s' do not share an axis",
                             fields->columns[0].name, fields->columns[i].name);
        }
        type->kind = stoa_kind_is_float(other->kind) ? other->kind : type->kind;
    }
    return STOA_OK;
}

static void add_series(cli_chart *chart, const histogram *h, const cli_plot_fields *fields,
                       const stoa_type *type, size_t series)
{
    const size_t n = h->edges.n;
    double *const x = cli_resize(NULL, n + 1, sizeof *x);
    double *const y = cli_resize(NULL, n + 1, sizeof *y);
    char *name = NULL;

    for (size_t i = 0; i <= n; i++) {
        x[i] = cli_plot_place(type, h->edges.at[i]);
    }
    memcpy(y, h->heights + series * n, n * sizeof *y);
    if (h->plot->by != NULL) {
        name = cli_copy(h->groups.all[series].name);
    } else if (h->n_series > 1) {
        name = cli_copy(fields->columns[series].label);
    }
    cli_chart_add(chart, CLI_MARK_STEPS, name, x, y, n);
}

stoa_status cli_plot_histogram(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                               const cli_plot_fields *fields, stoa_error *err)
{
    histogram h = {.plot = plot, .spread = {.is_log = plot->is_log[0]}};
    cli_bins_wanted wanted = {.n = plot->n_bins[0]};
    stoa_type type;
    stoa_status status = STOA_OK;

    STOA_TRY(common_type(fields, &type, err));
    h.spread.is_log = h.spread.is_log && !stoa_kind_is_time(type.kind);
    STOA_TRY(cli_plot_range(plot->ranges[0], &type, h.spread.is_log, &wanted, err));
    h.n_series = fields->n_columns;
    if (plot->by != NULL) {
        STOA_TRY(cli_plot_groups_of(table, plot, plot->by, CLI_PLOT_GROUPS, &h.groups, err));
        h.n_series = h.groups.n;
    }
    h.is_single = wanted.has_range && wanted.n != 0;
    if (!h.is_single) {
        STOA_TRY(cli_plot_each(table, plot, 0, first_pass, &h, err));
        h.n_grouped_out = 0; /* the second pass counts them again, as it does these: */
        h.spread.n_missing = 0;
    }
    cli_edges_choose(&h.edges, &h.spread, &type, &wanted);
    h.heights = cli_resize(NULL, h.n_series * h.edges.n + 1, sizeof *h.heights);
    memset(h.heights, 0, (h.n_series * h.edges.n + 1) * sizeof *h.heights);
    STOA_TRY(cli_plot_each(table, plot, 0, second_pass, &h, err));
    cli_plot_axis(&chart->x, &fields->columns[0], plot->is_log[0]);
    if (fields->n_columns > 1) {
        free(chart->x.label);
        chart->x.label = cli_copy("value");
    }
    chart->y.label = plot->weights != NULL        ? cli_sprintf("sum of %s", fields->weights.label)
                     : fields->columns[0].is_list ? cli_copy("items")
                                                  : cli_copy("rows");
    chart->y.scale = plot->is_log[1] ? CLI_SCALE_LOG : CLI_SCALE_LINEAR;
    for (size_t i = 0; i < h.n_series; i++) {
        add_series(chart, &h, fields, &type, i);
    }
    add_notes(chart, &h, &type);

done:
    cli_spread_clear(&h.spread);
    cli_edges_clear(&h.edges);
    cli_plot_groups_clear(&h.groups);
    free(h.heights);
    return status;
}
