/* Draws charts as SVG 1.1. */
#include <stdlib.h>
#include <string.h>

#include "cli/output/markup.h"
#include "cli/plot/pen.h"

typedef struct svg {
    cli_pen pen; /* first, so that a pen of SVG is one of these */
    FILE *out;
} svg;

static FILE *out_of(cli_pen *pen)
{
    return ((svg *)(void *)pen)->out;
}

static void svg_line(cli_pen *pen, const char *class, cli_point from, cli_point to,
                     const char *stroke)
{
    fprintf(out_of(pen),
            "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" "
            "stroke=\"%s\"/>\n",
            class, from.x, from.y, to.x, to.y, stroke);
}

static void put_points(FILE *out, const cli_point *points, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s%.2f,%.2f", i > 0 ? " " : "", points[i].x, points[i].y);
    }
}

static void svg_path(cli_pen *pen, const char *class, const cli_point *points, size_t n,
                     const char *stroke)
{
    fprintf(out_of(pen), "<polyline class=\"%s\" stroke=\"%s\" points=\"", class, stroke);
    put_points(out_of(pen), points, n);
    fputs("\"/>\n", out_of(pen));
}

static void svg_area(cli_pen *pen, const cli_point *points, size_t n, const char *fill)
{
    fprintf(out_of(pen), "<polygon class=\"area\" fill=\"%s\" points=\"", fill);
    put_points(out_of(pen), points, n);
    fputs("\"/>\n", out_of(pen));
}

static void svg_rect(cli_pen *pen, const char *class, cli_point from, cli_point to,
                     const char *fill, const char *stroke, const char *title)
{
    fprintf(out_of(pen),
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"",
            class, from.x, from.y, to.x - from.x, to.y - from.y, fill != NULL ? fill : "none");
    if (stroke != NULL) {
        fprintf(out_of(pen), " stroke=\"%s\"", stroke);
    }
    if (title != NULL) {
        fputs("><title>", out_of(pen));
        cli_put_markup(out_of(pen), title);
        fputs("</title></rect>\n", out_of(pen));
    } else {
        fputs("/>\n", out_of(pen));
    }
}

static void svg_dot(cli_pen *pen, cli_point at, double radius, const char *fill)
{
    fprintf(out_of(pen), "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", at.x, at.y,
            radius, fill);
}

static void svg_text(cli_pen *pen, const cli_words *words)
{
    static const char *const anchors[] = {"start", "middle", "end"};

    fprintf(out_of(pen),
            "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" font-size=\"%.0f\" "
            "fill=\"%s\"",
            words->class, words->x, words->y, anchors[words->anchor + 1], words->size, words->fill);
    if (words->is_turned) {
        fprintf(out_of(pen), " transform=\"rotate(-90 %.2f %.2f)\"", words->x, words->y);
    }
    fputs(">", out_of(pen));
    cli_put_markup(out_of(pen), words->text);
    fputs("</text>\n", out_of(pen));
}

static void svg_image(cli_pen *pen, cli_point from, cli_point to, const unsigned char *rgb,
                      size_t n_x, size_t n_y)
{
    size_t n = 0;
    unsigned char *const png = cli_png(rgb, n_x, n_y, &n);

    fprintf(out_of(pen),
            "<image class=\"cells\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
            "href=\"data:image/png;base64,",
            from.x, from.y, to.x - from.x, to.y - from.y);
    cli_base64(out_of(pen), png, n);
    fputs("\"/>\n", out_of(pen));
    free(png);
}

static void svg_clip(cli_pen *pen, const cli_point *from, const cli_point *to)
{
    if (from == NULL) {
        fputs("</svg>\n", out_of(pen));
        return;
    }
    /* An inner picture clips, and needs no name that a page might have twice. */
    fprintf(out_of(pen),
            "<svg x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "viewBox=\"%.2f %.2f %.2f %.2f\">\n",
            from->x, from->y, to->x - from->x, to->y - from->y, from->x, from->y, to->x - from->x,
            to->y - from->y);
}

void cli_chart_svg(cli_chart *chart, cli_chart_size size, FILE *out)
{
    svg s = {.pen = {.line = svg_line,
                     .path = svg_path,
                     .area = svg_area,
                     .rect = svg_rect,
                     .dot = svg_dot,
                     .text = svg_text,
                     .image = svg_image,
                     .clip = svg_clip},
             .out = out};

    cli_chart_fit(chart);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "viewBox=\"0 0 %u %u\" font-family=\"sans-serif\">\n"
            "<style>.line { fill: none; stroke-width: 1.5; stroke-linejoin: round } "
            ".area { fill-opacity: 0.25 } .cell { shape-rendering: crispEdges } "
            ".title { font-weight: 600 } circle { fill-opacity: 0.6 } "
            ".median { stroke-width: 2 }</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            size.width, size.height, size.width, size.height);
    cli_chart_draw(chart, size, &s.pen);
    fputs("</svg>\n", out);
}
