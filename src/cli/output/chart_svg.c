/* Draws charts as SVG 1.1: axes, ticks and labels as text, lines as polylines, cells as
 * rectangles. */
#include <math.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "cli/output/chart.h"

/* Sizes of the page and of the frame in it. The scale of a map is right of the frame. */
enum { WIDTH = 800, HEIGHT = 500, LEFT = 90, TOP = 45, BOTTOM = 430, RIGHT = 770 };
enum { MAP_RIGHT = 660, SCALE_LEFT = 685, SCALE_RIGHT = 705, SCALE_STEPS = 64 };

typedef struct page {
    FILE *out;
    const cli_chart *chart;
    int right;
} page;

static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e",
                                      "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22"};

/* Write text from a file: control characters are escaped as in tables, then XML's special
 * characters. */
static void put_text(FILE *out, const char *text)
{
    stoa_sink sink = {.out = NULL};

    cli_escaped(&sink, text, strlen(text));
    for (size_t i = 0; i < sink.text.size; i++) {
        const char c = (char)sink.text.data[i];
        switch (c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc(c, out);
        }
    }
    stoa_sink_clear(&sink);
}

static void put_label(const page *p, double x, double y, const char *class, const char *more,
                      const char *text)
{
    if (text == NULL) {
        return;
    }
    fprintf(p->out, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\"%s>", class, x, y, more);
    put_text(p->out, text);
    fputs("</text>\n", p->out);
}

static double x_of(const page *p, double value)
{
    return LEFT + cli_chart_at(&p->chart->x, value) * (p->right - LEFT);
}

static double y_of(const page *p, double value)
{
    return BOTTOM - cli_chart_at(&p->chart->y, value) * (BOTTOM - TOP);
}

/* --- axes ------------------------------------------------------------------------------------ */

static void put_x_axis(const page *p)
{
    double ticks[CLI_MAX_TICKS];
    char number[32];
    const size_t n = cli_chart_ticks(&p->chart->x, 8, ticks);

    for (size_t i = 0; i < n; i++) {
        const double x = x_of(p, ticks[i]);
        fprintf(p->out, "<line class=\"axis\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\"/>\n", x,
                BOTTOM, x, BOTTOM + 5);
        cli_chart_number(ticks[i], number, sizeof number);
        put_label(p, x, BOTTOM + 20, "x tick", " text-anchor=\"middle\"", number);
    }
    put_label(p, (LEFT + p->right) / 2.0, BOTTOM + 48, "x label", " text-anchor=\"middle\"",
              p->chart->x.label);
}

static void put_y_axis(const page *p)
{
    double ticks[CLI_MAX_TICKS];
    char number[32];
    const size_t n = cli_chart_ticks(&p->chart->y, 6, ticks);

    for (size_t i = 0; i < n; i++) {
        const double y = y_of(p, ticks[i]);
        fprintf(p->out, "<line class=\"axis\" x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\"/>\n",
                LEFT - 5, y, LEFT, y);
        cli_chart_number(ticks[i], number, sizeof number);
        put_label(p, LEFT - 9, y + 4, "y tick", " text-anchor=\"end\"", number);
    }
    put_label(p, 18, (TOP + BOTTOM) / 2.0, "y label",
              " text-anchor=\"middle\" transform=\"rotate(-90 18 237.5)\"", p->chart->y.label);
}

static void put_frame(const page *p)
{
    fprintf(p->out,
            "<rect class=\"axis\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\"/>\n",
            LEFT, TOP, p->right - LEFT, BOTTOM - TOP);
    put_label(p, LEFT, TOP - 18, "title", "", p->chart->title);
    put_x_axis(p);
    put_y_axis(p);
}

/* --- lines ----------------------------------------------------------------------------------- */

static void put_line(const page *p, const cli_chart_line *line, const char *colour)
{
    bool is_open = false;

    for (size_t i = 0; i < line->n; i++) {
        const bool is_point = isfinite(line->x[i]) && isfinite(line->y[i]);
        if (is_point && !is_open) {
            fprintf(p->out, "<polyline class=\"line\" stroke=\"%s\" points=\"", colour);
        } else if (!is_point && is_open) {
            fputs("\"/>\n", p->out);
        }
        if (is_point) {
            fprintf(p->out, "%s%.2f,%.2f", is_open ? " " : "", x_of(p, line->x[i]),
                    y_of(p, line->y[i]));
        }
        is_open = is_point;
    }
    fputs(is_open ? "\"/>\n" : "", p->out);
}

static void put_lines(const page *p)
{
    const size_t n_colours = sizeof colours / sizeof *colours;
    char style[48];

    for (size_t i = 0; i < p->chart->n_lines; i++) {
        const cli_chart_line *const line = &p->chart->lines[i];
        put_line(p, line, colours[i % n_colours]);
        if (line->name != NULL && i < 20) {
            (void)snprintf(style, sizeof style, " text-anchor=\"end\" fill=\"%s\"",
                           colours[i % n_colours]);
            put_label(p, p->right - 8, TOP + 18 + 16.0 * (double)i, "name", style, line->name);
        }
    }
}

/* --- maps ------------------------------------------------------------------------------------ */

/* A colour map from dark blue over green to yellow, of even brightness. */
static void colour_of(double at, char *out, size_t size)
{
    static const unsigned char stops[][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    const double place = (at < 0 ? 0 : at > 1 ? 1 : at) * 4;
    const int stop = place >= 4 ? 3 : (int)place;
    int mixed[3];

    for (int i = 0; i < 3; i++) {
        mixed[i] = (int)lround(stops[stop][i] +
                               (stops[stop + 1][i] - stops[stop][i]) * (place - (double)stop));
    }
    (void)snprintf(out, size, "#%02x%02x%02x", mixed[0], mixed[1], mixed[2]);
}

static void put_cells(const page *p)
{
    const cli_chart *const chart = p->chart;
    char colour[16];

    for (size_t i = 0; i < chart->n_x; i++) {
        for (size_t j = 0; j < chart->n_y; j++) {
            const double value = chart->cells[i * chart->n_y + j];
            const double left = x_of(p, chart->x_edges[i]);
            const double top = y_of(p, chart->y_edges[j + 1]);
            if (!isfinite(value)) {
                continue;
            }
            colour_of(cli_chart_at(&chart->scale, value), colour, sizeof colour);
            fprintf(p->out,
                    "<rect class=\"cell\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                    "fill=\"%s\"><title>%.10g</title></rect>\n",
                    left, top, x_of(p, chart->x_edges[i + 1]) - left,
                    y_of(p, chart->y_edges[j]) - top, colour, value);
        }
    }
}

static void put_scale(const page *p)
{
    const double height = (double)(BOTTOM - TOP) / SCALE_STEPS;
    double ticks[CLI_MAX_TICKS];
    char text[32];

    for (int i = 0; i < SCALE_STEPS; i++) {
        colour_of((i + 0.5) / SCALE_STEPS, text, sizeof text);
        fprintf(p->out,
                "<rect class=\"scale\" x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" "
                "fill=\"%s\"/>\n",
                SCALE_LEFT, BOTTOM - (i + 1) * height, SCALE_RIGHT - SCALE_LEFT, height + 0.5,
                text);
    }
    const size_t n = cli_chart_ticks(&p->chart->scale, 6, ticks);
    for (size_t i = 0; i < n; i++) {
        cli_chart_number(ticks[i], text, sizeof text);
        put_label(p, SCALE_RIGHT + 6,
                  BOTTOM + 4 - cli_chart_at(&p->chart->scale, ticks[i]) * (BOTTOM - TOP),
                  "scale tick", "", text);
    }
    put_label(p, SCALE_LEFT, TOP - 10, "scale label", "", p->chart->scale.label);
}

void cli_chart_svg(cli_chart *chart, FILE *out)
{
    const page p = {out, chart, chart->cells != NULL ? MAP_RIGHT : RIGHT};

    cli_chart_widen(chart);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>.axis { stroke: black } .line { fill: none; stroke-width: 1.2 } "
            ".title { font-size: 15px }</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    if (chart->cells != NULL) {
        put_cells(&p);
        put_scale(&p);
    }
    put_frame(&p);
    put_lines(&p);
    fputs("</svg>\n", out);
}
