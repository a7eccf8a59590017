/* A chart of lines, or of a map of cells, on two axes. It is drawn as SVG or as text. */
#ifndef STOA_CLI_CHART_H
#define STOA_CLI_CHART_H

#include "cli/output/histogram_bins.h"

/* Most cells of a map, points of a line, and lines. Of longer lines, each run of neighbours keeps
 * only its extremes. */
enum { CLI_MAX_CELLS = 250000, CLI_MAX_POINTS = 4000, CLI_MAX_LINES = 50 };

typedef struct cli_chart_axis {
    char *label; /* owned */
    cli_range range;
} cli_chart_axis;

/* Points that are connected. A point that is not finite interrupts the line. */
typedef struct cli_chart_line {
    char *name; /* owned */
    double *x;  /* owned, as y */
    double *y;
    size_t n;
} cli_chart_line;

typedef struct cli_chart {
    char *title; /* owned */
    cli_chart_axis x;
    cli_chart_axis y;
    cli_chart_axis scale; /* of a map's values */
    cli_chart_line *lines;
    size_t n_lines;
    /* A map. Cell (i, j) is between edges i and i + 1 of x, and j and j + 1 of y. Its value is
     * number i * n_y + j. The chart owns all arrays. */
    double *x_edges;
    double *y_edges;
    double *cells;
    size_t n_x;
    size_t n_y;
} cli_chart;

/* Add a line and extend the axes; long lines are reduced. The chart owns `name`, `x` and `y` from
 * then on. */
void cli_chart_add_line(cli_chart *chart, char *name, double *x, double *y, size_t n);
/* Set the map and fit the axes to its edges. The chart owns the three arrays from then on. */
void cli_chart_set_map(cli_chart *chart, double *x_edges, size_t n_x, double *y_edges, size_t n_y,
                       double *cells);
void cli_chart_clear(cli_chart *chart);

/* The position of a value on an axis, from 0 to 1. */
double cli_chart_at(const cli_chart_axis *axis, double value);
/* Give every axis of zero length some length, before drawing. */
void cli_chart_widen(cli_chart *chart);

/* Round numbers on an axis, about as many as requested. */
enum { CLI_MAX_TICKS = 24 };
size_t cli_chart_ticks(const cli_chart_axis *axis, unsigned about, double *ticks);
/* Format a number, as "0.25". */
void cli_chart_number(double value, char *out, size_t size);

void cli_chart_svg(cli_chart *chart, FILE *out);
void cli_chart_text(cli_chart *chart, FILE *out);

#endif
