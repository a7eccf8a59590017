/* What draws a picture: SVG, or pixels by cairo. draw.c says what is drawn where. */
#ifndef STOA_CLI_PEN_H
#define STOA_CLI_PEN_H

#include "cli/plot/chart.h"

typedef struct cli_point {
    double x;
    double y;
} cli_point;

/* A text. Its place is the middle of its baseline, the start, or the end. */
typedef struct cli_words {
    const char *class; /* what it is, as "x tick" */
    const char *text;  /* as it lies in a file; the pen escapes it */
    double x;
    double y;
    double size;
    int anchor;     /* -1: start, 0: middle, 1: end */
    bool is_turned; /* upwards */
    const char *fill;
} cli_words;

typedef struct cli_pen cli_pen;

/* Coordinates are pixels from the left and from the top. Colours are "#rrggbb"; NULL: no colour.
 * `class` says what a shape is. */
struct cli_pen {
    void (*line)(cli_pen *pen, const char *class, cli_point from, cli_point to, const char *stroke);
    /* Points that are connected; `fill` fills below them, for steps. */
    void (*path)(cli_pen *pen, const char *class, const cli_point *points, size_t n,
                 const char *stroke);
    void (*area)(cli_pen *pen, const cli_point *points, size_t n, const char *fill);
    /* A box whose sides lie on whole pixels, so that neighbours have no seam. `title` is shown to
     * who points at it. */
    void (*rect)(cli_pen *pen, const char *class, cli_point from, cli_point to, const char *fill,
                 const char *stroke, const char *title);
    void (*dot)(cli_pen *pen, cli_point at, double radius, const char *fill);
    void (*text)(cli_pen *pen, const cli_words *words);
    /* An image of n_x by n_y pixels of three bytes, from the upper left. */
    void (*image)(cli_pen *pen, cli_point from, cli_point to, const unsigned char *rgb, size_t n_x,
                  size_t n_y);
    /* Until it is called with NULL, draw within a box alone. */
    void (*clip)(cli_pen *pen, const cli_point *from, const cli_point *to);
};

void cli_chart_draw(const cli_chart *chart, cli_chart_size size, cli_pen *pen);

/* Draw with cairo, into width * height pixels of three bytes, which the caller frees.
 * STOA_ENOTFOUND if cairo is not there. */
stoa_status cli_chart_pixels(cli_chart *chart, cli_chart_size size, unsigned char **rgb,
                             stoa_error *err);
/* The same as a PNG file of *n bytes, which the caller frees. */
stoa_status cli_chart_png_bytes(cli_chart *chart, cli_chart_size size, unsigned char **png,
                                size_t *n, stoa_error *err);

/* A PNG file of n_x by n_y pixels of three bytes; the caller frees it. NULL if memory ran out. */
unsigned char *cli_png(const unsigned char *rgb, size_t n_x, size_t n_y, size_t *n_bytes);

/* Write bytes in Base64. */
void cli_base64(FILE *out, const unsigned char *bytes, size_t n);

#endif
