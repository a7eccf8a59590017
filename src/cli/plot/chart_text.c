/* Draws charts as text: lines in Braille dots, two by four per character, and maps in shades. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "cli/output/grid.h"
#include "cli/plot/chart.h"

enum { LINES = 20, MARGIN = 12, MIN_WIDTH = 20, MAX_WIDTH = 200, SHADES = 5 };

typedef struct canvas {
    size_t width;           /* in characters */
    uint32_t *marks;        /* LINES x width Unicode characters; 0: blank */
    unsigned char *colours; /* of each; 0: none */
    unsigned char colour;   /* for new dots */
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
        c->colours[mark - c->marks] = c->colour;
    }
}

/* A dot far outside of the canvas is as good as one at its end. */
static long dot_at(double place, double last)
{
    return lround((isnan(place) || place < -1 ? -1 : place > 2 ? 2 : place) * last);
}

static long dot_x(const canvas *c, double value)
{
    return dot_at(cli_chart_at(&c->chart->x, value), (double)(2 * c->width - 1));
}

static long dot_y(double at)
{
    return 4 * LINES - 1 - dot_at(at, 4 * LINES - 1);
}

static bool is_placed(const canvas *c, double x, double y)
{
    return isfinite(cli_chart_at(&c->chart->x, x)) && isfinite(cli_chart_at(&c->chart->y, y));
}

static void draw_line(canvas *c, const cli_chart_line *line)
{
    for (size_t i = 0; i < line->n; i++) {
        const bool is_joined =
            line->mark == CLI_MARK_LINE && i > 0 && is_placed(c, line->x[i - 1], line->y[i - 1]);
        if (!is_placed(c, line->x[i], line->y[i])) {
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

/* The heights of a histogram, filled if it is the only one. */
static void draw_steps(canvas *c, const cli_chart_line *line)
{
    const cli_chart_axis *const axis = &c->chart->y;
    const double foot = axis->scale == CLI_SCALE_LOG ? 0 : cli_chart_at(axis, 0);
    long before = dot_y(foot);

    for (size_t i = 0; i <= line->n; i++) {
        const double at = i < line->n ? cli_chart_at(axis, line->y[i]) : foot;
        const long top = dot_y(isnan(at) ? foot : at);
        const long left = dot_x(c, line->x[i]);
        const long right = i < line->n ? dot_x(c, line->x[i + 1]) : left;
        for (long y = top < before ? top : before; y <= (top < before ? before : top); y++) {
            set_dot(c, left, y);
        }
        for (long x = left; x <= right && i < line->n && line->y[i] != 0; x++) {
            const long bottom = c->chart->n_lines == 1 ? dot_y(foot) : top;
            for (long y = top < bottom ? top : bottom; y <= (top < bottom ? bottom : top); y++) {
                set_dot(c, x, y);
            }
        }
        before = top;
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
static void put_y_tick(const canvas *c, size_t line, const cli_tick *ticks, size_t n, FILE *out)
{
    const char *text = "";

    for (size_t i = 0; i < n; i++) {
        if ((size_t)dot_y(cli_chart_at(&c->chart->y, ticks[i].at)) / 4 == line) {
            text = ticks[i].text;
        }
    }
    const size_t width = cli_width(text);
    cli_pad(out, width < MARGIN - 2 ? MARGIN - 2 - width : 0);
    fprintf(out, "%s %s", text, text[0] != '\0' ? "┤" : "│");
}

static void put_x_ticks(const canvas *c, const cli_tick *ticks, size_t n, FILE *out)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t place = (size_t)(dot_x(c, ticks[i].at) / 2);
        const size_t width = cli_width(ticks[i].text);
        const size_t half = width / 2;
        if (place >= at + half + (at > 0)) {
            cli_pad(out, place - half - at);
            fputs(ticks[i].text, out);
            at = place - half + width;
        }
    }
    fputc('\n', out);
}

/* A label, and what all ticks of its axis leave out. */
static void put_label(FILE *out, const char *label, const char *common)
{
    put_text(out, label);
    fprintf(out, "%s%s\n", common[0] != '\0' && label != NULL ? "  " : "", common);
}

/* The colours of series, by the codes of terminals; colours of a terminal are dark or light as it
 * is. */
static const char *code_of(unsigned colour)
{
    static const char *const codes[] = {"34", "33", "32", "35", "31", "36"};

    return codes[colour % (sizeof codes / sizeof *codes)];
}

static void put_marks(const canvas *c, size_t line, FILE *out)
{
    const bool are_coloured = c->chart->n_lines > 1;
    size_t width = c->width;
    unsigned last = 0;

    while (width > 0 && c->marks[line * c->width + width - 1] == 0) {
        width--;
    }
    for (size_t i = 0; i < width; i++) {
        const unsigned colour = c->colours[line * c->width + i];
        if (are_coloured && colour != last) {
            cli_paint(out, colour != 0 ? code_of(colour - 1) : "0");
        }
        last = colour;
        put_mark(out, c->marks[line * c->width + i]);
    }
    if (are_coloured && last != 0) {
        cli_paint(out, "0");
    }
    fputc('\n', out);
}

static void put_legend(const canvas *c, FILE *out)
{
    const bool has_names = c->chart->n_lines > 0 && c->chart->lines[0].name != NULL;

    if (has_names && c->chart->legend != NULL) {
        cli_pad(out, MARGIN);
        put_text(out, c->chart->legend);
        fputc('\n', out);
    }
    for (size_t i = 0; i < c->chart->n_lines && has_names; i++) {
        cli_pad(out, MARGIN);
        cli_paint(out, code_of((unsigned)i));
        fputs("▬ ", out);
        cli_paint(out, "0");
        put_text(out, c->chart->lines[i].name);
        fputc('\n', out);
    }
}

static void put_head(const cli_chart *chart, FILE *out)
{
    put_text(out, chart->title);
    fputc('\n', out);
    if (chart->note != NULL) {
        put_text(out, chart->note);
        fputc('\n', out);
    }
}

static void put_page(const canvas *c, FILE *out)
{
    cli_tick ticks[CLI_MAX_TICKS];
    char common[CLI_TICK_SIZE];
    const unsigned about = (unsigned)(c->width / 14 + 1);
    size_t n = cli_chart_ticks(&c->chart->y, 5, ticks, common);

    put_head(c->chart, out);
    put_legend(c, out);
    put_label(out, c->chart->y.label, common);
    for (size_t line = 0; line < LINES; line++) {
        put_y_tick(c, line, ticks, n, out);
        put_marks(c, line, out);
    }
    cli_pad(out, MARGIN - 1);
    fputs("└", out);
    for (size_t i = 0; i < c->width; i++) {
        fputs("─", out);
    }
    fputc('\n', out);
    cli_pad(out, MARGIN);
    n = cli_chart_ticks(&c->chart->x, about, ticks, common);
    put_x_ticks(c, ticks, n, out);
    cli_pad(out, MARGIN);
    put_label(out, c->chart->x.label, common);
}

/* --- categories ------------------------------------------------------------------------------ */

/* The name of a category, in as many columns as all of them have. */
static void put_name(const char *name, size_t width, FILE *out)
{
    char *const line = cli_within_line(out, cli_copy(name));
    const bool is_whole = cli_width(line) <= width;
    const size_t n = cli_fitting(line, is_whole ? width : width - 1);
    char *const cut = cli_sprintf("%.*s%s", (int)n, line, is_whole ? "" : "…");

    cli_pad(out, width - cli_width(cut));
    fprintf(out, "%s │", cut);
    free(cut);
    free(line);
}

static long cell_at(const canvas *c, double value)
{
    return dot_at(cli_chart_at(&c->chart->x, value), (double)(c->width - 1));
}

static void put_box(const canvas *c, const cli_chart_category *box, FILE *out)
{
    const long ends[] = {cell_at(c, box->low), cell_at(c, box->q1), cell_at(c, box->median),
                         cell_at(c, box->q3), cell_at(c, box->high)};

    for (long i = 0; i <= ends[4] && box->n > 0; i++) {
        fputs(i == ends[2]                   ? "┃"
              : i >= ends[1] && i <= ends[3] ? "▒"
              : i == ends[0] && i < ends[1]  ? "├"
              : i == ends[4]                 ? "┤"
              : i > ends[0]                  ? "─"
                                             : " ",
              out);
    }
}

static void put_bar(const canvas *c, const cli_chart_category *bar, FILE *out)
{
    const double at = cli_chart_at(&c->chart->x, bar->value);
    const long n = isnan(at) ? 0 : lround((at < 0 ? 0 : at > 1 ? 1 : at) * (double)c->width);
    char number[32];

    for (long i = 0; i < n; i++) {
        fputs("█", out);
    }
    cli_chart_number(bar->value, number, sizeof number);
    fprintf(out, "%s%s", n == 0 && bar->value > 0 ? "▏" : "", n > 0 ? " " : "");
    fputs(number, out);
}

static void put_categories(canvas *c, FILE *out)
{
    enum { NUMBER = 12, WIDEST = 36 };
    const cli_chart *const chart = c->chart;
    cli_tick ticks[CLI_MAX_TICKS];
    char common[CLI_TICK_SIZE];
    size_t width = 4;

    for (size_t i = 0; i < chart->n_categories; i++) {
        char *const line = cli_within_line(out, cli_copy(chart->categories[i].name));
        width = cli_width(line) > width ? cli_width(line) : width;
        free(line);
    }
    width = width > WIDEST ? WIDEST : width;
    const size_t room = c->width + MARGIN - 1;
    c->width = room > width + NUMBER + MIN_WIDTH ? room - width - NUMBER : MIN_WIDTH;
    put_head(chart, out);
    put_label(out, chart->y.label, "");
    for (size_t i = 0; i < chart->n_categories; i++) {
        put_name(chart->categories[i].name, width, out);
        (chart->are_boxes ? put_box : put_bar)(c, &chart->categories[i], out);
        fputc('\n', out);
    }
    cli_pad(out, width + 1);
    fputs("└", out);
    for (size_t i = 0; i < c->width; i++) {
        fputs("─", out);
    }
    fputc('\n', out);
    cli_pad(out, width + 2);
    const size_t n = cli_chart_ticks(&chart->x, (unsigned)(c->width / 10 + 1), ticks, common);
    put_x_ticks(c, ticks, n, out);
    cli_pad(out, width + 2);
    put_label(out, chart->x.label, common);
}

void cli_chart_text(cli_chart *chart, FILE *out)
{
    const size_t wide = cli_terminal_width(out);
    canvas c = {.chart = chart};
    char least[32];
    char greatest[32];

    c.width = wide < MARGIN + MIN_WIDTH ? MIN_WIDTH : wide - MARGIN - 1;
    c.width = c.width > MAX_WIDTH ? MAX_WIDTH : c.width;
    cli_chart_fit(chart);
    if (chart->n_categories > 0) {
        put_categories(&c, out);
        return;
    }
    c.marks = cli_resize(NULL, LINES * c.width, sizeof *c.marks);
    c.colours = cli_resize(NULL, LINES * c.width, 1);
    memset(c.marks, 0, LINES * c.width * sizeof *c.marks);
    memset(c.colours, 0, LINES * c.width);
    if (chart->cells != NULL) {
        draw_map(&c);
    }
    for (size_t i = 0; i < chart->n_lines; i++) {
        c.colour = (unsigned char)(i + 1);
        (chart->lines[i].mark == CLI_MARK_STEPS ? draw_steps : draw_line)(&c, &chart->lines[i]);
    }
    put_page(&c, out);
    if (chart->cells != NULL) {
        cli_chart_number((double)chart->scale.range.least, least, sizeof least);
        cli_chart_number((double)chart->scale.range.greatest, greatest, sizeof greatest);
        put_text(out, chart->scale.label);
        fprintf(out, ": blank %s to █ %s\n", least, greatest);
    }
    free(c.marks);
    free(c.colours);
}
