/* Which chart columns get. See cli/plot/plot.h. */
#include "cli/plot/plot.h"

#include <stdlib.h>

#include "cli/plot/plot_rows.h"

const char *const cli_plot_kinds[] = {"line", "scatter", "hist",  "hist2d",
                                      "bars", "box",     "image", NULL};

/* What an option needs, said before anything is read. */
static stoa_status check(const cli_plot *plot, int kind, const cli_plot_fields *fields,
                         stoa_error *err)
{
    const bool is_over = kind == CLI_PLOT_LINE || kind == CLI_PLOT_SCATTER;

    if (plot->x == NULL && (kind == CLI_PLOT_SCATTER || kind == CLI_PLOT_HIST2D)) {
        return stoa_fail(err, STOA_EINVAL, "--kind %s needs the column of the x axis: --x COL",
                         cli_plot_kinds[kind]);
    }
    if (plot->x != NULL && (kind == CLI_PLOT_HIST || kind >= CLI_PLOT_BARS)) {
        return stoa_fail(err, STOA_EINVAL, "--kind %s has no --x; name the column by -c",
                         cli_plot_kinds[kind]);
    }
    if (plot->weights != NULL && (is_over || kind == CLI_PLOT_BOX)) {
        return stoa_fail(err, STOA_EINVAL, "--weights goes with histograms and bars only");
    }
    if (plot->by != NULL && (kind == CLI_PLOT_BARS || kind == CLI_PLOT_HIST2D)) {
        return stoa_fail(err, STOA_EINVAL, "--by goes with lines, points, histograms and boxes");
    }
    if (fields->n_columns > 1 && (kind == CLI_PLOT_BARS || kind == CLI_PLOT_HIST2D ||
                                  (plot->by != NULL && kind != CLI_PLOT_AUTO))) {
        return stoa_fail(err, STOA_EINVAL, "one column can be drawn so, and -c names %zu",
                         fields->n_columns);
    }
    if (fields->n_columns > CLI_MAX_LINES) {
        return stoa_fail(err, STOA_ERANGE, "-c names %zu columns, more than the %d of a chart",
                         fields->n_columns, CLI_MAX_LINES);
    }
    return STOA_OK;
}

static stoa_status check_types(const cli_plot *plot, int kind, const cli_plot_fields *fields,
                               stoa_error *err)
{
    for (size_t i = 0; i < fields->n_columns; i++) {
        const cli_plot_field *const field = &fields->columns[i];
        const bool is_fit = kind == CLI_PLOT_BARS ? cli_plot_is_label(&field->type) ||
                                                        cli_plot_is_number(&field->type)
                                                  : cli_plot_is_number(&field->type);
        if (!is_fit) {
            return stoa_fail(err, STOA_ETYPE,
                             "column '%s' holds no numbers, times or labels that could be drawn",
                             field->name);
        }
        if (field->is_list && kind != CLI_PLOT_HIST) {
            return stoa_fail(err, STOA_ETYPE,
                             "column '%s' holds lists; --kind hist draws their items, --rows some "
                             "of them as lines, --kind image all of them",
                             field->name);
        }
        if (field->is_list && (plot->by != NULL || plot->weights != NULL)) {
            return stoa_fail(err, STOA_ETYPE, "items of lists go with neither --by nor --weights");
        }
    }
    if (plot->x != NULL && (fields->x.is_list || !cli_plot_is_number(&fields->x.type))) {
        return stoa_fail(err, STOA_ETYPE, "--x %s: it holds no numbers or times", plot->x);
    }
    return STOA_OK;
}

stoa_status cli_plot_rows(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                          stoa_error *err)
{
    cli_plot p = *plot;
    const char **const texts[] = {&p.columns, &p.x, &p.by, &p.weights};
    char *quoted[4] = {NULL};
    cli_plot_fields fields = {.n_columns = 0};
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < 4; i++) { /* the names of columns, so that they go into expressions */
        if (*texts[i] != NULL && stoa_table_find(table, *texts[i]) != NULL) {
            quoted[i] = cli_quoted(*texts[i]);
            *texts[i] = quoted[i];
        }
    }
    STOA_TRY(cli_plot_fields_of(table, &p, &fields, err));
    if (p.kind == CLI_PLOT_AUTO && p.x == NULL && fields.n_columns > 0) {
        p.kind = cli_plot_is_label(&fields.columns[0].type) && !fields.columns[0].is_list
                     ? CLI_PLOT_BARS
                     : CLI_PLOT_HIST;
    }
    STOA_TRY(check(&p, p.kind, &fields, err));
    STOA_TRY(check_types(&p, p.kind, &fields, err));
    if (p.kind >= CLI_PLOT_BARS || p.kind == CLI_PLOT_HIST) { /* axes that count */
        static const stoa_type numbers = {.kind = STOA_KIND_FLOAT64};
        const bool is_box = p.kind == CLI_PLOT_BOX;
        const bool is_hist = p.kind == CLI_PLOT_HIST;
        STOA_TRY(cli_plot_cut(is_hist ? &chart->y : &chart->x, p.ranges[is_hist],
                              is_box ? &fields.columns[0].type : &numbers, p.is_log[is_hist], err));
    }
    chart->legend = p.by != NULL ? cli_copy(fields.by.label) : NULL;
    switch (p.kind) {
    case CLI_PLOT_HIST:
        status = cli_plot_histogram(chart, table, &p, &fields, err);
        break;
    case CLI_PLOT_BARS:
        status = cli_plot_bars(chart, table, &p, &fields, err);
        break;
    case CLI_PLOT_BOX:
        status = cli_plot_boxes(chart, table, &p, &fields, err);
        break;
    default:
        status = cli_plot_over(chart, table, &p, &fields, err);
    }

done:
    cli_plot_fields_clear(&fields);
    for (size_t i = 0; i < 4; i++) {
        free(quoted[i]);
    }
    return status;
}
