/* A drawing of lines or of a map of cells, between two axes: as SVG, or as text. */
#ifndef STOA_CLI_CHART_H
#define STOA_CLI_CHART_H

#include "cli/bins.h"

/* Cells of a map that are drawn at most, and points of a line: of longer ones the least and the
 * greatest of so many neighbours. */
enum { CLI_MOST_CELLS = 250000, CLI_MOST_POINTS = 4000, CLI_MOST_LINES = 50 };

typedef struct cli_chart_axis {
    char *label; /* owned */
    cli_range range;
} cli_chart_axis;

/* Points that are joined; one that is not finite interrupts the line. */
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
    cli_chart_axis scale; /* of a map */
    cli_chart_line *lines;
    size_t n_lines;
    /* A map: cell (i, j) lies between edges i and i + 1 of x and j and j + 1 of y, and is value
     * i * n_y + j. All owned. */
    double *x_edges;
    double *y_edges;
    double *cells;
    size_t n_x;
    size_t n_y;
} cli_chart;

/* Takes `name`, `x` and `y` over; makes long lines shorter, and the axes as long as they are. */
void cli_chart_add_line(cli_chart *chart, char *name, double *x, double *y, size_t n);
/* Takes all three over; the axes become as long as the edges. */
void cli_chart_set_map(cli_chart *chart, double *x_edges, size_t n_x, double *y_edges, size_t n_y,
                       double *cells);
void cli_chart_clear(cli_chart *chart);

/* Where a value lies between the ends of an axis, 0 to 1. */
double cli_chart_at(const cli_chart_axis *axis, double value);
/* Give every axis that has no length one; before it is drawn. */
void cli_chart_widen(cli_chart *chart);

/* Round numbers on an axis, about as many as asked for. */
enum { CLI_MOST_TICKS = 24 };
size_t cli_chart_ticks(const cli_chart_axis *axis, unsigned about, double *ticks);
/* "0.25" */
void cli_chart_number(double value, char *out, size_t size);

void cli_chart_svg(cli_chart *chart, FILE *out);
void cli_chart_text(cli_chart *chart, FILE *out);

#endif
