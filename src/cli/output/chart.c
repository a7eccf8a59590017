/* Chart data and axes. chart_svg.c and chart_text.c draw them. */
#include "cli/output/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- data ------------------------------------------------------------------------------------ */

static void cover(cli_chart_axis *axis, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (isfinite(values[i])) {
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

void cli_chart_add_line(cli_chart *chart, char *name, double *x, double *y, size_t n)
{
    const size_t n_kept = n > CLI_MAX_POINTS ? thin_out(x, y, n) : n;

    chart->lines = cli_one_more(chart->lines, chart->n_lines, sizeof *chart->lines);
    chart->lines[chart->n_lines++] = (cli_chart_line){name, x, y, n_kept};
    cover(&chart->x, x, n_kept);
    cover(&chart->y, y, n_kept);
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

void cli_chart_clear(cli_chart *chart)
{
    for (size_t i = 0; i < chart->n_lines; i++) {
        free(chart->lines[i].name);
        free(chart->lines[i].x);
        free(chart->lines[i].y);
    }
    free(chart->lines);
    free(chart->x_edges);
    free(chart->y_edges);
    free(chart->cells);
    free(chart->title);
    free(chart->x.label);
    free(chart->y.label);
    free(chart->scale.label);
    *chart = (cli_chart){.title = NULL};
}

/* --- axes ------------------------------------------------------------------------------------ */

double cli_chart_at(const cli_chart_axis *axis, double value)
{
    const long double length = axis->range.greatest - axis->range.least;

    return (double)(((long double)value - axis->range.least) / length);
}

static void widen(cli_range *range)
{
    if (!range->any) {
        *range = (cli_range){true, 0, 1};
    } else if (range->least == range->greatest) {
        const long double room = range->least != 0 ? fabsl(range->least) / 2 : 1;
        range->least -= room;
        range->greatest += room;
    }
}

void cli_chart_widen(cli_chart *chart)
{
    widen(&chart->x.range);
    widen(&chart->y.range);
    widen(&chart->scale.range);
}

size_t cli_chart_ticks(const cli_chart_axis *axis, unsigned about, double *ticks)
{
    const long double least = axis->range.least;
    const long double greatest = axis->range.greatest;
    const long double step = cli_round_step((greatest - least) / about);
    const long double first = ceill(least / step - 1e-9L);
    size_t n = 0;

    while (n < CLI_MAX_TICKS && (first + (long double)n) * step <= greatest + step * 1e-9L) {
        ticks[n] = (double)((first + (long double)n) * step);
        n++;
    }
    return n;
}

void cli_chart_number(double value, char *out, size_t size)
{
    (void)snprintf(out, size, "%.10g", value == 0 ? 0 : value);
}
