/* A chart on two axes: lines, points, steps, a map of cells, bars or boxes. It is drawn as a
 * picture or as text, or written as data. */
#ifndef STOA_CLI_CHART_H
#define STOA_CLI_CHART_H

#include "cli/plot/histogram_bins.h"

/* Most cells of a map, points of a line, and series. Of longer lines, each run of neighbours keeps
 * only its extremes. */
enum { CLI_MAX_CELLS = 250000, CLI_MAX_POINTS = 4000, CLI_MAX_LINES = 50 };

/* How values lie on an axis. */
typedef enum cli_scale {
    CLI_SCALE_LINEAR,
    CLI_SCALE_LOG,
    CLI_SCALE_TIME, /* linear; values are seconds since 1970 */
    CLI_SCALE_NAMES /* category i is at i + 0.5 */
} cli_scale;

typedef struct cli_chart_axis {
    char *label; /* owned */
    cli_range range;
    cli_scale scale;
    bool is_cut; /* the range was asked for */
} cli_chart_axis;

typedef enum cli_mark { CLI_MARK_LINE, CLI_MARK_POINTS, CLI_MARK_STEPS } cli_mark;

/* Points, connected or not. One that is not finite interrupts a line. Steps have n heights between
 * n + 1 edges. */
typedef struct cli_chart_line {
    char *name; /* owned; NULL: not in the legend */
    double *x;  /* owned, as y */
    double *y;
    size_t n;
    cli_mark mark;
} cli_chart_line;

/* A category: a bar, or a box of quartiles whose whiskers end at values within 1.5 of its length
 * (Tukey). */
typedef struct cli_chart_category {
    char *name; /* owned */
    double value;
    double low;
    double q1;
    double median;
    double q3;
    double high;
    uint64_t n;         /* values */
    uint64_t n_outside; /* beyond the whiskers */
} cli_chart_category;

typedef struct cli_chart {
    char *title;  /* owned */
    char *note;   /* owned; what the picture leaves out, or NULL */
    char *legend; /* owned; what the names of the lines are, or NULL */
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
    cli_chart_category *categories; /* on the y axis, the first at the top */
    size_t n_categories;
    bool are_boxes;
} cli_chart;

/* Add a series and extend the axes; long lines are reduced. The chart owns `name`, `x` and `y` from
 * then on. */
void cli_chart_add(cli_chart *chart, cli_mark mark, char *name, double *x, double *y, size_t n);
/* Set the map and fit the axes to its edges. The chart owns the three arrays from then on. */
void cli_chart_set_map(cli_chart *chart, double *x_edges, size_t n_x, double *y_edges, size_t n_y,
                       double *cells);
/* Add a category and extend the axes. The chart owns its name. */
void cli_chart_add_category(cli_chart *chart, cli_chart_category category);
/* Add a sentence about what is left out. */
void cli_chart_note(cli_chart *chart, const char *format, ...) STOA_PRINTF(2, 3);
void cli_chart_clear(cli_chart *chart);

/* The position of a value on an axis, from 0 to 1; NaN if it has none. */
double cli_chart_at(const cli_chart_axis *axis, double value);
/* Prepare the axes for drawing: some length, room around points, and whole decades. */
void cli_chart_fit(cli_chart *chart);

/* A tick, and its text. */
enum { CLI_MAX_TICKS = 24, CLI_TICK_SIZE = 48 };
typedef struct cli_tick {
    double at;
    char text[CLI_TICK_SIZE];
} cli_tick;
/*
 * Round ticks on an axis, about as many as requested.
 *
 * @param[out] common  what all texts leave out: a power of ten, as "×10⁶", or a date. Often ""
 */
size_t cli_chart_ticks(const cli_chart_axis *axis, unsigned about, cli_tick *ticks,
                       char common[CLI_TICK_SIZE]);
/* Format a number, as "0.25". */
void cli_chart_number(double value, char *out, size_t size);

/* The names of the pictures' formats, NULL after the last. */
extern const char *const cli_chart_formats[];
typedef enum cli_chart_format {
    CLI_CHART_TEXT,
    CLI_CHART_SVG,
    CLI_CHART_PNG,
    CLI_CHART_CSV,
    CLI_CHART_JSON,
    CLI_CHART_KITTY,
    CLI_CHART_SIXEL,
    CLI_CHART_BY_NAME = -1
} cli_chart_format;

/* Width and height of a picture in pixels. */
typedef struct cli_chart_size {
    unsigned width;
    unsigned height;
} cli_chart_size;

void cli_chart_svg(cli_chart *chart, cli_chart_size size, FILE *out);
/* STOA_ENOTFOUND if cairo is not there. */
stoa_status cli_chart_png(cli_chart *chart, cli_chart_size size, FILE *out, stoa_error *err);
void cli_chart_text(cli_chart *chart, FILE *out);
/* The numbers of the chart: bins with their edges, points, cells or categories. */
void cli_chart_csv(const cli_chart *chart, FILE *out);
void cli_chart_json(const cli_chart *chart, FILE *out);

#endif
