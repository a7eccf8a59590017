/* Chart data. ticks.c labels the axes; draw.c, chart_text.c and chart_data.c show the rest. */
#include "cli/plot/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_chart_formats[] = {"text", "svg",   "png",   "csv",
                                         "json", "kitty", "sixel", NULL};

/* --- data ------------------------------------------------------------------------------------ */

static void cover(cli_chart_axis *axis, const double *values, size_t n)
{
    for (size_t i = 0; i < n && !axis->is_cut; i++) {
        if (isfinite(values[i]) && (axis->scale != CLI_SCALE_LOG || values[i] > 0)) {
            cli_range_add(&axis->range, values[i]);
        }
    }
}

/* Reduce the points: of each run of neighbours keep those with the smallest and the largest y, in
 * order. */
static size_t thin_out(double *x, double *y, size_t n)
{
    const size_t run = (2 * n + CLI_MAX_POINTS - 1) / CLI_MAX_POINTS;
    size_t n_kept = 0;

    for (size_t from = 0; from < n; from += run) {
        const size_t to = n - from < run ? n : from + run;
        size_t least = from;
        size_t greatest = from;

        for (size_t i = from + 1; i < to; i++) {
            least = y[i] < y[least] ? i : least;
            greatest = y[i] > y[greatest] ? i : greatest;
        }
        const size_t pair[] = {least < greatest ? least : greatest,
                               least < greatest ? greatest : least};
        for (size_t k = pair[0] == pair[1]; k < 2; k++) {
            x[n_kept] = x[pair[k]];
            y[n_kept++] = y[pair[k]];
        }
    }
    return n_kept;
}

void cli_chart_add(cli_chart *chart, cli_mark mark, char *name, double *x, double *y, size_t n)
{
    const size_t n_kept = n > CLI_MAX_POINTS && mark == CLI_MARK_LINE ? thin_out(x, y, n) : n;

    chart->lines = cli_one_more(chart->lines, chart->n_lines, sizeof *chart->lines);
    chart->lines[chart->n_lines++] = (cli_chart_line){name, x, y, n_kept, mark};
    cover(&chart->x, x, n_kept + (mark == CLI_MARK_STEPS));
    cover(&chart->y, y, n_kept);
    if (mark == CLI_MARK_STEPS && chart->y.scale == CLI_SCALE_LINEAR && !chart->y.is_cut) {
        cli_range_add(&chart->y.range, 0);
    }
}

void cli_chart_set_map(cli_chart *chart, double *x_edges, size_t n_x, double *y_edges, size_t n_y,
                       double *cells)
{
    chart->x_edges = x_edges;
    chart->y_edges = y_edges;
    chart->cells = cells;
    chart->n_x = n_x;
    chart->n_y = n_y;
    cover(&chart->x, x_edges, n_x + 1);
    cover(&chart->y, y_edges, n_y + 1);
    cover(&chart->scale, cells, n_x * n_y);
}

void cli_chart_add_category(cli_chart *chart, cli_chart_category category)
{
    const double ends[] = {category.low, category.q1, category.q3, category.high};

    chart->categories =
        cli_one_more(chart->categories, chart->n_categories, sizeof *chart->categories);
    chart->categories[chart->n_categories++] = category;
    if (chart->are_boxes) {
        cover(&chart->x, ends, category.n > 0 ? 4 : 0);
    } else {
        cover(&chart->x, &category.value, 1);
        if (chart->x.scale == CLI_SCALE_LINEAR) {
            cli_range_add(&chart->x.range, 0);
        }
    }
    chart->y.scale = CLI_SCALE_NAMES;
    chart->y.range = (cli_range){true, 0, (long double)chart->n_categories};
}

void cli_chart_note(cli_chart *chart, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    char *const text = cli_vsprintf(format, values);
    va_end(values);
    if (chart->note == NULL) {
        chart->note = text;
        return;
    }
    cli_append(&chart->note, "; %s", text);
    free(text);
}

void cli_chart_clear(cli_chart *chart)
{
    for (size_t i = 0; i < chart->n_lines; i++) {
        free(chart->lines[i].name);
        free(chart->lines[i].x);
        free(chart->lines[i].y);
    }
    for (size_t i = 0; i < chart->n_categories; i++) {
        free(chart->categories[i].name);
    }
    free(chart->lines);
    free(chart->categories);
    free(chart->x_edges);
    free(chart->y_edges);
    free(chart->cells);
    free(chart->title);
    free(chart->note);
    free(chart->legend);
    free(chart->x.label);
    free(chart->y.label);
    free(chart->scale.label);
    *chart = (cli_chart){.title = NULL};
}

/* --- axes ------------------------------------------------------------------------------------ */

double cli_chart_at(const cli_chart_axis *axis, double value)
{
    const long double least = axis->range.least;
    const long double greatest = axis->range.greatest;

    if (axis->scale == CLI_SCALE_LOG) {
        return value > 0
                   ? (double)((log10l(value) - log10l(least)) / (log10l(greatest) - log10l(least)))
                   : NAN;
    }
    return (double)(((long double)value - least) / (greatest - least));
}

static void widen(cli_chart_axis *axis)
{
    cli_range *const range = &axis->range;

    if (axis->scale == CLI_SCALE_LOG) {
        if (!range->any) {
            *range = (cli_range){true, 0.1L, 10};
        } else if (range->least == range->greatest) {
            range->least /= 10;
            range->greatest *= 10;
        }
    } else if (!range->any) {
        *range = (cli_range){true, 0, 1};
    } else if (range->least == range->greatest) {
        const long double room = axis->scale == CLI_SCALE_TIME ? 1
                                 : range->least != 0           ? fabsl(range->least) / 2
                                                               : 1;
        range->least -= room;
        range->greatest += room;
    }
}

/* Leave a twentieth free at the ends. */
static void leave_room(cli_chart_axis *axis, bool below, bool above)
{
    if (axis->is_cut) {
        return;
    }
    if (axis->scale == CLI_SCALE_LOG) {
        const long double room = powl(axis->range.greatest / axis->range.least, 0.05L);
        axis->range.least /= below ? room : 1;
        axis->range.greatest *= above ? room : 1;
    } else {
        const long double room = (axis->range.greatest - axis->range.least) / 20;
        axis->range.least -= below ? room : 0;
        axis->range.greatest += above ? room : 0;
    }
}

static bool has_points(const cli_chart *chart)
{
    bool has = false;

    for (size_t i = 0; i < chart->n_lines; i++) {
        has = has || chart->lines[i].mark == CLI_MARK_POINTS;
    }
    return has;
}

void cli_chart_fit(cli_chart *chart)
{
    const bool are_steps = chart->n_lines > 0 && chart->lines[0].mark == CLI_MARK_STEPS;

    widen(&chart->x);
    widen(&chart->y);
    widen(&chart->scale);
    if (are_steps) { /* from 0, or from below the least positive height */
        leave_room(&chart->y, chart->y.scale == CLI_SCALE_LOG || chart->y.range.least < 0, true);
    } else if (chart->n_lines > 0) {
        leave_room(&chart->y, true, true);
    }
    if (has_points(chart) || chart->are_boxes) {
        leave_room(&chart->x, true, true);
    } else if (chart->n_categories > 0) {
        leave_room(&chart->x, chart->x.scale == CLI_SCALE_LOG, true);
    }
}
