/* Draws charts as text: lines in Braille dots, two by four per character, and maps in shades. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "cli/output/bars.h"
#include "cli/output/chart.h"
#include "cli/output/grid.h"

enum { LINES = 20, MARGIN = 12, MIN_WIDTH = 20, MAX_WIDTH = 200, SHADES = 5 };

typedef struct canvas {
    size_t width;    /* in characters */
    uint32_t *marks; /* LINES x width Unicode characters; 0: blank */
    const cli_chart *chart;
} canvas;

/* --- lines ----------------------------------------------------------------------------------- */

static void set_dot(canvas *c, long x, long y)
{
    static const unsigned char bits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    if (x >= 0 && y >= 0 && x < 2 * (long)c->width && y < 4L * LINES) {
        uint32_t *const mark = &c->marks[(size_t)(y / 4) * c->width + (size_t)(x / 2)];
        *mark = (*mark != 0 ? *mark : 0x2800) | bits[y % 4][x % 2];
    }
}

static long dot_x(const canvas *c, double value)
{
    return lround(cli_chart_at(&c->chart->x, value) * (double)(2 * c->width - 1));
}

static long dot_y(double at)
{
    return lround((1 - at) * (4 * LINES - 1));
}

static void draw_line(canvas *c, const cli_chart_line *line)
{
    for (size_t i = 0; i < line->n; i++) {
        const bool is_joined = i > 0 && isfinite(line->x[i - 1]) && isfinite(line->y[i - 1]);
        if (!isfinite(line->x[i]) || !isfinite(line->y[i])) {
            continue;
        }
        const long x1 = dot_x(c, line->x[i]);
        const long y1 = dot_y(cli_chart_at(&c->chart->y, line->y[i]));
        const long x0 = is_joined ? dot_x(c, line->x[i - 1]) : x1;
        const long y0 = is_joined ? dot_y(cli_chart_at(&c->chart->y, line->y[i - 1])) : y1;
        const long wide = labs(x1 - x0);
        const long n = wide > labs(y1 - y0) ? wide : labs(y1 - y0);

        for (long k = 0; k <= n; k++) {
            set_dot(c, x0 + (n > 0 ? lround((double)(x1 - x0) * (double)k / (double)n) : 0),
                    y0 + (n > 0 ? lround((double)(y1 - y0) * (double)k / (double)n) : 0));
        }
    }
}

/* --- maps ------------------------------------------------------------------------------------ */

/* The bin at a position of an axis, from 0 to 1. */
static size_t bin_at(const cli_chart_axis *axis, const double *edges, size_t n, double at)
{
    size_t i = 0;

    while (i + 1 < n && cli_chart_at(axis, edges[i + 1]) <= at) {
        i++;
    }
    return i;
}

static void draw_map(canvas *c)
{
    static const uint32_t shades[SHADES] = {0, 0x2591, 0x2592, 0x2593, 0x2588};
    const cli_chart *const chart = c->chart;

    for (size_t line = 0; line < LINES && chart->n_x > 0 && chart->n_y > 0; line++) {
        const double y = 1 - ((double)line + 0.5) / LINES;
        const size_t j = bin_at(&chart->y, chart->y_edges, chart->n_y, y);
        for (size_t column = 0; column < c->width; column++) {
            const double x = ((double)column + 0.5) / (double)c->width;
            const size_t i = bin_at(&chart->x, chart->x_edges, chart->n_x, x);
            const double value = chart->cells[i * chart->n_y + j];
            const double at = isfinite(value) ? cli_chart_at(&chart->scale, value) : 0;
            const long shade = lround(at * (SHADES - 1));
            c->marks[line * c->width + column] = shades[shade < 0         ? 0
                                                        : shade >= SHADES ? 4
                                                                          : shade];
        }
    }
}

/* --- output ---------------------------------------------------------------------------------- */

static void put_mark(FILE *out, uint32_t mark)
{
    if (mark == 0) {
        fputc(' ', out);
    } else { /* U+2500 to U+28FF: three bytes of UTF-8 */
        fprintf(out, "%c%c%c", (int)(0xe0 | mark >> 12), (int)(0x80 | (mark >> 6 & 0x3f)),
                (int)(0x80 | (mark & 0x3f)));
    }
}

static void put_text(FILE *out, const char *text)
{
    char *const line = cli_within_line(out, cli_copy(text != NULL ? text : ""));

    fputs(line, out);
    free(line);
}

/* Print the tick of y at a line of text, if there is one. */
static void put_y_tick(const canvas *c, size_t line, const double *ticks, size_t n, FILE *out)
{
    char number[32] = "";

    for (size_t i = 0; i < n; i++) {
        if ((size_t)dot_y(cli_chart_at(&c->chart->y, ticks[i])) / 4 == line) {
            cli_chart_number(ticks[i], number, sizeof number);
        }
    }
    fprintf(out, "%*.*s %s", MARGIN - 2, MARGIN - 2, number, number[0] != '\0' ? "┤" : "│");
}

static void put_x_ticks(const canvas *c, FILE *out)
{
    double ticks[CLI_MAX_TICKS];
    char number[32];
    size_t at = 0;
    const size_t n = cli_chart_ticks(&c->chart->x, (unsigned)(c->width / 14 + 1), ticks);

    cli_pad(out, MARGIN);
    for (size_t i = 0; i < n; i++) {
        const size_t place = (size_t)(dot_x(c, ticks[i]) / 2);
        cli_chart_number(ticks[i], number, sizeof number);
        const size_t half = strlen(number) / 2;
        if (place >= at + half) {
            cli_pad(out, place - half - at);
            fputs(number, out);
            at = place - half + strlen(number) + 1;
            fputc(' ', out);
        }
    }
    fputc('\n', out);
}

static void put_page(const canvas *c, FILE *out)
{
    double ticks[CLI_MAX_TICKS];
    const size_t n = cli_chart_ticks(&c->chart->y, 5, ticks);

    put_text(out, c->chart->title);
    fputc('\n', out);
    put_text(out, c->chart->y.label);
    fputc('\n', out);
    for (size_t line = 0; line < LINES; line++) {
        put_y_tick(c, line, ticks, n, out);
        size_t width = c->width;
        while (width > 0 && c->marks[line * c->width + width - 1] == 0) {
            width--;
        }
        for (size_t i = 0; i < width; i++) {
            put_mark(out, c->marks[line * c->width + i]);
        }
        fputc('\n', out);
    }
    cli_pad(out, MARGIN - 1);
    fputs("└", out);
    for (size_t i = 0; i < c->width; i++) {
        fputs("─", out);
    }
    fputc('\n', out);
    put_x_ticks(c, out);
    cli_pad(out, MARGIN);
    put_text(out, c->chart->x.label);
    fputc('\n', out);
}

void cli_chart_text(cli_chart *chart, FILE *out)
{
    const size_t wide = cli_terminal_width(out);
    canvas c = {.chart = chart};
    char least[32];
    char greatest[32];

    c.width = wide < MARGIN + MIN_WIDTH ? MIN_WIDTH : wide - MARGIN - 1;
    c.width = c.width > MAX_WIDTH ? MAX_WIDTH : c.width;
    c.marks = cli_resize(NULL, LINES * c.width, sizeof *c.marks);
    memset(c.marks, 0, LINES * c.width * sizeof *c.marks);
    cli_chart_widen(chart);
    if (chart->cells != NULL) {
        draw_map(&c);
    }
    for (size_t i = 0; i < chart->n_lines; i++) {
        draw_line(&c, &chart->lines[i]);
    }
    put_page(&c, out);
    if (chart->cells != NULL) {
        cli_chart_number((double)chart->scale.range.least, least, sizeof least);
        cli_chart_number((double)chart->scale.range.greatest, greatest, sizeof greatest);
        fprintf(out, "%s: blank %s to █ %s\n", chart->scale.label, least, greatest);
    }
    free(c.marks);
}
