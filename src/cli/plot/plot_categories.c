/* Bars of the most frequent values, and boxes of a column's quartiles by group. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/batches.h"
#include "cli/plot/plot_rows.h"

stoa_status cli_plot_bars(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                          const cli_plot_fields *fields, stoa_error *err)
{
    const size_t most = plot->n_bins[0] != 0 ? (size_t)plot->n_bins[0] : CLI_PLOT_CATEGORIES;
    cli_plot_groups groups;

    STOA_RETURN_NOT_OK(cli_plot_groups_of(table, plot, plot->columns, most, &groups, err));
    chart->x.scale = plot->is_log[0] ? CLI_SCALE_LOG : CLI_SCALE_LINEAR;
    chart->x.label =
        plot->weights != NULL ? cli_sprintf("sum of %s", fields->weights.label) : cli_copy("rows");
    chart->y.label = cli_copy(fields->columns[0].label);
    for (size_t i = 0; i < groups.n; i++) {
        const cli_plot_group *const group = &groups.all[i];
        cli_chart_add_category(
            chart,
            (cli_chart_category){.name = cli_copy(group->is_missing ? "(missing)" : group->name),
                                 .value = group->total,
                                 .n = group->n_rows});
    }
    if (groups.n_others > 0) {
        cli_chart_note(chart, "%.10g in %llu other values", groups.others,
                       (unsigned long long)groups.n_others);
    }
    cli_plot_groups_clear(&groups);
    return STOA_OK;
}

/* --- boxes ----------------------------------------------------------------------------------- */

typedef struct boxes {
    const cli_plot *plot;
    const cli_plot_fields *fields;
    cli_plot_groups groups;
    cli_chart_category *all; /* one of each group, or of each column */
    size_t n;
    uint64_t n_left_out;
} boxes;

/* Take the quartiles that a query of aggregates found: key, n, q1, median, q3. */
static stoa_status take_quartiles(void *context, const stoa_view *rows, stoa_error *err)
{
    boxes *const b = context;
    const bool has_key = b->plot->by != NULL;
    cli_plot_column columns[5] = {{.has_labels = false}};

    for (int64_t c = 0; c < (has_key ? 5 : 4); c++) {
        STOA_RETURN_NOT_OK(stoa_view_child(rows, c, &columns[c].view, err));
        if (columns[c].view.type.kind == STOA_KIND_DICTIONARY) {
            columns[c].has_labels = true;
            STOA_RETURN_NOT_OK(stoa_view_dictionary(&columns[c].view, &columns[c].labels, err));
        }
    }
    for (int64_t i = 0; i < rows->length; i++) {
        const size_t at = has_key ? cli_plot_groups_find(&b->groups, &columns[0], i) : b->n - 1;
        const cli_plot_column *const values = columns + has_key;
        if (at < b->n) {
            cli_chart_category *const box = &b->all[at];
            box->n = (uint64_t)cli_plot_number(&values[0], i);
            box->q1 = (double)cli_plot_number(&values[1], i);
            box->median = (double)cli_plot_number(&values[2], i);
            box->q3 = (double)cli_plot_number(&values[3], i);
            box->low = box->q1;
            box->high = box->q3;
        }
    }
    return STOA_OK;
}

static stoa_status find_quartiles(stoa_table *table, boxes *b, const char *column, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    const bool is_float = stoa_kind_is_float(b->fields->columns[0].type.kind);
    char *const filter =
        is_float ? cli_sprintf(" filter (where is_finite(%s))", column) : cli_copy("");
    char *const aggregates =
        cli_sprintf("count(%s)%s, quantile(%s, 0.25)%s, quantile(%s, 0.5)%s, quantile(%s, 0.75)%s",
                    column, filter, column, filter, column, filter, column, filter);

    options.where = b->plot->where;
    options.by = b->plot->by;
    options.aggregates = aggregates;
    options.listener = b->plot->listener;
    options.threads = b->plot->n_threads;
    options.use_indexes = b->plot->use_indexes;
    const stoa_status status = cli_each_batch(table, &options, take_quartiles, b, err);
    free(filter);
    free(aggregates);
    return status;
}

/* The whiskers end at the last values within one and a half boxes (Tukey). */
static stoa_status find_whiskers(void *context, const cli_plot_batch *batch, stoa_error *err)
{
    boxes *const b = context;

    (void)err;
    for (size_t c = 0; c < batch->n_columns; c++) {
        for (int64_t i = 0; i < batch->n; i++) {
            const size_t at =
                batch->by != NULL ? cli_plot_groups_find(&b->groups, batch->by, i) : c;
            const double value = (double)cli_plot_number(&batch->columns[c], i);
            if (at >= b->n) {
                b->n_left_out++;
                continue;
            }
            cli_chart_category *const box = &b->all[at];
            const double reach = 1.5 * (box->q3 - box->q1);
            if (!isfinite(value)) {
                continue;
            }
            if (value < box->q1 - reach || value > box->q3 + reach) {
                box->n_outside++;
            } else {
                box->low = value < box->low ? value : box->low;
                box->high = value > box->high ? value : box->high;
            }
        }
    }
    return STOA_OK;
}

static stoa_status fill_boxes(stoa_table *table, boxes *b, stoa_error *err)
{
    if (b->plot->by != NULL) {
        b->n = b->groups.n;
        return find_quartiles(table, b, b->plot->columns, err);
    }
    for (size_t c = 0; c < b->fields->n_columns; c++) {
        /* A name may be an expression, which stands for itself. */
        char *const name = b->fields->n_columns == 1 ? cli_copy(b->plot->columns)
                                                     : cli_quoted(b->fields->columns[c].name);
        b->n = c + 1;
        const stoa_status status = find_quartiles(table, b, name, err);
        free(name);
        if (status != STOA_OK) {
            return status;
        }
    }
    return STOA_OK;
}

stoa_status cli_plot_boxes(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                           const cli_plot_fields *fields, stoa_error *err)
{
    boxes b = {.plot = plot, .fields = fields};
    uint64_t n_outside = 0;
    stoa_status status = STOA_OK;

    if (plot->by != NULL) {
        STOA_TRY(cli_plot_groups_of(table, plot, plot->by, CLI_PLOT_CATEGORIES, &b.groups, err));
    }
    const size_t n = plot->by != NULL ? b.groups.n : fields->n_columns;
    b.all = cli_resize(NULL, n + 1, sizeof *b.all);
    memset(b.all, 0, (n + 1) * sizeof *b.all);
    STOA_TRY(fill_boxes(table, &b, err));
    STOA_TRY(cli_plot_each(table, plot, 0, find_whiskers, &b, err));
    chart->are_boxes = true;
    cli_plot_axis(&chart->x, &fields->columns[0], plot->is_log[0]);
    chart->y.label = plot->by != NULL ? cli_copy(fields->by.label) : NULL;
    if (plot->by == NULL && n > 1) {
        free(chart->x.label);
        chart->x.label = cli_copy("value");
    }
    for (size_t i = 0; i < n; i++) {
        b.all[i].name = plot->by == NULL             ? cli_copy(fields->columns[i].label)
                        : b.groups.all[i].is_missing ? cli_copy("(missing)")
                                                     : cli_copy(b.groups.all[i].name);
        n_outside += b.all[i].n_outside;
        cli_chart_add_category(chart, b.all[i]);
    }
    if (n_outside > 0) {
        cli_chart_note(chart, "%llu beyond the whiskers", (unsigned long long)n_outside);
    }
    if (b.groups.n_others > 0) {
        cli_chart_note(chart, "%llu rows of %llu other groups", (unsigned long long)b.n_left_out,
                       (unsigned long long)b.groups.n_others);
    }

done:
    cli_plot_groups_clear(&b.groups);
    free(b.all);
    return status;
}
