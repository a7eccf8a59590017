/* Draws a chart with a pen: frame, ticks and labels, then the values. The legend, and the scale of
 * a map, stand beside the frame. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/grid.h"
#include "cli/plot/pen.h"

/* Sizes in pixels. LETTER is the width of a letter in units of its height, on average. */
enum { SMALL = 12, TITLE = 15, GAP = 10, BAR = 18, MAX_LEGEND = 24, SCALE_STEPS = 128 };
#define LETTER 0.56

static const char *const ink = "#222222";
static const char *const dim = "#666666";
static const char *const grid_colour = "#e4e4e4";

/* Told apart with any colour vision: Okabe and Ito, "Color Universal Design". */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#7f3c8d", "#555555"};
enum { N_COLOURS = sizeof colours / sizeof *colours };

typedef struct page {
    cli_pen *pen;
    const cli_chart *chart;
    cli_chart_size size;
    cli_point from; /* of the frame */
    cli_point to;
    cli_tick x[CLI_MAX_TICKS];
    cli_tick y[CLI_MAX_TICKS];
    cli_tick scale[CLI_MAX_TICKS];
    size_t n_x;
    size_t n_y;
    size_t n_scale;
    char x_common[CLI_TICK_SIZE];
    char y_common[CLI_TICK_SIZE];
    char scale_common[CLI_TICK_SIZE];
} page;

static double width_of(const char *text, double size)
{
    return text != NULL ? (double)cli_width(text) * size * LETTER : 0;
}

static double x_of(const page *p, double value)
{
    return p->from.x + cli_chart_at(&p->chart->x, value) * (p->to.x - p->from.x);
}

static double y_of(const page *p, double value)
{
    return p->to.y - cli_chart_at(&p->chart->y, value) * (p->to.y - p->from.y);
}

/* Steps and bars start at 0, or on an axis of powers of ten at its end. */
static double foot(const cli_chart_axis *axis, double at)
{
    return isnan(at) ? 0 : at < -0.01 ? -0.01 : at > 1.01 ? 1.01 : axis == NULL ? 0 : at;
}

/* A text, cut where there is no room for it. */
static void put(const page *p, const char *class, double x, double y, int anchor, double size,
                const char *fill, const char *text, double room)
{
    char *cut = NULL;
    cli_words words = {class, text, x, y, size, anchor, strcmp(class, "y label") == 0, fill};

    if (text == NULL || text[0] == '\0') {
        return;
    }
    if (width_of(text, size) > room && room > 0) {
        const size_t n = (size_t)(room / (size * LETTER));
        cut = cli_sprintf("%.*s…", (int)cli_fitting(text, n > 1 ? n - 1 : 1), text);
        words.text = cut;
    }
    p->pen->text(p->pen, &words);
    free(cut);
}

/* --- layout ---------------------------------------------------------------------------------- */

static bool has_legend(const cli_chart *chart)
{
    return chart->n_lines > 0 && chart->lines[0].name != NULL;
}

static double widest_tick(const cli_tick *ticks, size_t n)
{
    double widest = 0;

    for (size_t i = 0; i < n; i++) {
        widest = fmax(widest, width_of(ticks[i].text, SMALL));
    }
    return widest;
}

static double left_room(const page *p)
{
    double room = widest_tick(p->y, p->n_y);

    for (size_t i = 0; i < p->chart->n_categories; i++) {
        room = fmax(room, width_of(p->chart->categories[i].name, SMALL));
    }
    return fmin(room, p->size.width / 3.0) + 2 * GAP + (p->chart->y.label != NULL ? 2 * SMALL : 0);
}

static double right_room(const page *p)
{
    double room = has_legend(p->chart) ? width_of(p->chart->legend, SMALL) : 0;

    if (p->chart->cells != NULL) {
        return 2 * GAP + BAR + widest_tick(p->scale, p->n_scale) + 2 * GAP;
    }
    for (size_t i = 0; has_legend(p->chart) && i < p->chart->n_lines && i < MAX_LEGEND; i++) {
        room = fmax(room, width_of(p->chart->lines[i].name, SMALL) + 3 * GAP);
    }
    return fmin(room, p->size.width / 3.0) + (has_legend(p->chart) ? 3 : 2) * GAP;
}

static void lay_out(page *p)
{
    const cli_chart *const chart = p->chart;

    p->from.y = 30 + TITLE + (chart->note != NULL ? SMALL + 6 : 0);
    p->to.y = p->size.height - (chart->x.label != NULL ? 48.0 : 32.0);
    p->to.y = fmax(p->to.y, p->from.y + 20);
    p->n_y =
        cli_chart_ticks(&chart->y, (unsigned)((p->to.y - p->from.y) / 55) + 1, p->y, p->y_common);
    if (chart->cells != NULL) {
        p->n_scale = cli_chart_ticks(&chart->scale, (unsigned)((p->to.y - p->from.y) / 60) + 1,
                                     p->scale, p->scale_common);
    }
    p->from.x = left_room(p);
    p->to.x = fmax(p->size.width - right_room(p), p->from.x + 20);
    const double room = chart->x.scale == CLI_SCALE_TIME ? 85 : 75;
    p->n_x =
        cli_chart_ticks(&chart->x, (unsigned)((p->to.x - p->from.x) / room) + 1, p->x, p->x_common);
}

/* --- axes ------------------------------------------------------------------------------------ */

static void put_grid(const page *p)
{
    for (size_t i = 0; i < p->n_x; i++) {
        const double x = x_of(p, p->x[i].at);
        p->pen->line(p->pen, "grid", (cli_point){x, p->from.y}, (cli_point){x, p->to.y},
                     grid_colour);
    }
    for (size_t i = 0; i < p->n_y; i++) {
        const double y = y_of(p, p->y[i].at);
        p->pen->line(p->pen, "grid", (cli_point){p->from.x, y}, (cli_point){p->to.x, y},
                     grid_colour);
    }
}

static void put_axes(const page *p)
{
    const cli_chart *const chart = p->chart;

    for (size_t i = 0; i < p->n_x; i++) {
        const double x = x_of(p, p->x[i].at);
        p->pen->line(p->pen, "axis", (cli_point){x, p->to.y}, (cli_point){x, p->to.y + 4}, ink);
        put(p, "x tick", x, p->to.y + 18, 0, SMALL, ink, p->x[i].text, 0);
    }
    for (size_t i = 0; i < p->n_y; i++) {
        const double y = y_of(p, p->y[i].at);
        p->pen->line(p->pen, "axis", (cli_point){p->from.x - 4, y}, (cli_point){p->from.x, y}, ink);
        put(p, "y tick", p->from.x - 8, y + 4, 1, SMALL, ink, p->y[i].text, 0);
    }
    p->pen->line(p->pen, "axis", p->from, (cli_point){p->from.x, p->to.y}, ink);
    p->pen->line(p->pen, "axis", (cli_point){p->from.x, p->to.y}, p->to, ink);
    put(p, "x common", p->to.x, p->to.y + 38, 1, SMALL, dim, p->x_common, 0);
    put(p, "y common", p->from.x - 8, p->from.y - 7, 1, SMALL, dim, p->y_common, 0);
    put(p, "x label", (p->from.x + p->to.x) / 2, p->to.y + 38, 0, SMALL + 1, ink, chart->x.label,
        p->to.x - p->from.x);
    put(p, "y label", SMALL + 6, (p->from.y + p->to.y) / 2, 0, SMALL + 1, ink, chart->y.label,
        p->to.y - p->from.y);
    put(p, "title", GAP, 24, -1, TITLE, ink, chart->title, p->size.width - 2.0 * GAP);
    put(p, "note", GAP, 24 + SMALL + 6, -1, SMALL, dim, chart->note, p->size.width - 2.0 * GAP);
}

/* --- series ---------------------------------------------------------------------------------- */

/* The corners of steps, from foot to foot. */
static size_t step_points(const page *p, const cli_chart_line *line, cli_point *points)
{
    const cli_chart_axis *const y = &p->chart->y;
    const double zero = y->scale == CLI_SCALE_LOG ? 0 : cli_chart_at(y, 0);
    const double height = p->to.y - p->from.y;

    for (size_t i = 0; i <= line->n; i++) {
        const double x = x_of(p, line->x[i]);
        const double before = i > 0 ? foot(y, cli_chart_at(y, line->y[i - 1])) : zero;
        const double after = i < line->n ? foot(y, cli_chart_at(y, line->y[i])) : zero;
        points[2 * i] = (cli_point){x, p->to.y - before * height};
        points[2 * i + 1] = (cli_point){x, p->to.y - after * height};
    }
    return 2 * line->n + 2;
}

static void put_steps(const page *p, const cli_chart_line *line, const char *colour)
{
    cli_point *const points = cli_resize(NULL, 2 * line->n + 2, sizeof *points);
    const size_t n = step_points(p, line, points);

    if (p->chart->n_lines == 1) {
        p->pen->area(p->pen, points, n, colour);
    }
    p->pen->path(p->pen, "line", points, n, colour);
    free(points);
}

static void put_line(const page *p, const cli_chart_line *line, const char *colour)
{
    cli_point *const points = cli_resize(NULL, line->n + 1, sizeof *points);
    size_t n = 0;

    for (size_t i = 0; i <= line->n; i++) {
        const double x = i < line->n ? x_of(p, line->x[i]) : NAN;
        const double y = i < line->n ? y_of(p, line->y[i]) : NAN;
        if (isfinite(x) && isfinite(y)) {
            points[n++] = (cli_point){x, y};
        } else if (n > 0) {
            p->pen->path(p->pen, "line", points, n, colour);
            n = 0;
        }
    }
    free(points);
}

static void put_dots(const page *p, const cli_chart_line *line, const char *colour)
{
    const double radius = line->n > 2000 ? 1.5 : line->n > 200 ? 2.2 : 3;

    for (size_t i = 0; i < line->n; i++) {
        const cli_point at = {x_of(p, line->x[i]), y_of(p, line->y[i])};
        if (at.x >= p->from.x && at.x <= p->to.x && at.y >= p->from.y && at.y <= p->to.y) {
            p->pen->dot(p->pen, at, radius, colour);
        }
    }
}

static void put_series(const page *p)
{
    for (size_t i = 0; i < p->chart->n_lines; i++) {
        const cli_chart_line *const line = &p->chart->lines[i];
        const char *const colour = colours[i % N_COLOURS];

        (line->mark == CLI_MARK_STEPS    ? put_steps
         : line->mark == CLI_MARK_POINTS ? put_dots
                                         : put_line)(p, line, colour);
    }
}

static void put_legend(const page *p)
{
    const double x = p->to.x + 2 * GAP;
    const bool has_head = p->chart->legend != NULL;

    put(p, "legend", x, p->from.y + SMALL, -1, SMALL, dim, p->chart->legend,
        p->size.width - x - GAP);
    for (size_t i = 0; i < p->chart->n_lines && i < MAX_LEGEND; i++) {
        const double y = p->from.y + SMALL + (SMALL + 6.0) * (double)(i + has_head);
        const char *const colour = colours[i % N_COLOURS];
        p->pen->rect(p->pen, "key", (cli_point){x, y - 9}, (cli_point){x + GAP, y + 1}, colour,
                     NULL, NULL);
        put(p, "name", x + GAP + 6, y, -1, SMALL, ink, p->chart->lines[i].name,
            p->size.width - x - GAP - 10);
    }
}

/* --- maps ------------------------------------------------------------------------------------ */

/* A colour map from dark blue over green to yellow, of even brightness. */
static void colour_at(double at, unsigned char rgb[3])
{
    static const unsigned char stops[][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    const double place = (at < 0 ? 0 : at > 1 ? 1 : at) * 4;
    const int stop = place >= 4 ? 3 : (int)place;

    for (int i = 0; i < 3; i++) {
        rgb[i] = (unsigned char)lround(stops[stop][i] + (stops[stop + 1][i] - stops[stop][i]) *
                                                            (place - (double)stop));
    }
}

static void colour_text(double at, char out[8])
{
    unsigned char rgb[3];

    colour_at(at, rgb);
    (void)snprintf(out, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static bool is_even(const cli_chart_axis *axis, const double *edges, size_t n)
{
    bool is = true;

    for (size_t i = 0; i <= n && is; i++) {
        const double first = cli_chart_at(axis, edges[0]);
        const double at = first + (cli_chart_at(axis, edges[n]) - first) * (double)i / (double)n;
        is = fabs(cli_chart_at(axis, edges[i]) - at) < 0.01 / (double)n;
    }
    return is;
}

static void put_cells(const page *p)
{
    const cli_chart *const chart = p->chart;
    char colour[8];
    char value_text[32];

    for (size_t i = 0; i < chart->n_x; i++) {
        for (size_t j = 0; j < chart->n_y; j++) {
            const double value = chart->cells[i * chart->n_y + j];
            const double at = cli_chart_at(&chart->scale, value);
            if (!isfinite(at)) {
                continue;
            }
            colour_text(at, colour);
            cli_chart_number(value, value_text, sizeof value_text);
            p->pen->rect(p->pen, "cell",
                         (cli_point){x_of(p, chart->x_edges[i]), y_of(p, chart->y_edges[j + 1])},
                         (cli_point){x_of(p, chart->x_edges[i + 1]), y_of(p, chart->y_edges[j])},
                         colour, NULL, value_text);
        }
    }
}

static void put_image(const page *p)
{
    const cli_chart *const chart = p->chart;
    unsigned char *const rgb = cli_resize(NULL, chart->n_x * chart->n_y, 3);

    memset(rgb, 255, chart->n_x * chart->n_y * 3);
    for (size_t i = 0; i < chart->n_x; i++) {
        for (size_t j = 0; j < chart->n_y; j++) {
            const double at = cli_chart_at(&chart->scale, chart->cells[i * chart->n_y + j]);
            if (isfinite(at)) {
                colour_at(at, rgb + ((chart->n_y - 1 - j) * chart->n_x + i) * 3);
            }
        }
    }
    p->pen->image(p->pen,
                  (cli_point){x_of(p, chart->x_edges[0]), y_of(p, chart->y_edges[chart->n_y])},
                  (cli_point){x_of(p, chart->x_edges[chart->n_x]), y_of(p, chart->y_edges[0])}, rgb,
                  chart->n_x, chart->n_y);
    free(rgb);
}

static void put_map(const page *p)
{
    enum { MOST_SHAPES = 1000 };
    const cli_chart *const chart = p->chart;
    const bool is_image = chart->n_x * chart->n_y > MOST_SHAPES &&
                          is_even(&chart->x, chart->x_edges, chart->n_x) &&
                          is_even(&chart->y, chart->y_edges, chart->n_y);

    (is_image ? put_image : put_cells)(p);
}

static void put_scale(const page *p)
{
    const double left = p->to.x + 2 * GAP;
    const double height = (p->to.y - p->from.y) / SCALE_STEPS;
    char colour[8];

    for (int i = 0; i < SCALE_STEPS; i++) {
        colour_text((i + 0.5) / SCALE_STEPS, colour);
        p->pen->rect(p->pen, "cell scale", (cli_point){left, p->to.y - (i + 1) * height},
                     (cli_point){left + BAR, p->to.y - i * height}, colour, NULL, NULL);
    }
    for (size_t i = 0; i < p->n_scale; i++) {
        const double y =
            p->to.y - cli_chart_at(&p->chart->scale, p->scale[i].at) * (p->to.y - p->from.y);
        p->pen->line(p->pen, "axis", (cli_point){left + BAR, y}, (cli_point){left + BAR + 4, y},
                     ink);
        put(p, "scale tick", left + BAR + 7, y + 4, -1, SMALL, ink, p->scale[i].text, 0);
    }
    put(p, "scale common", p->size.width - GAP, p->to.y + 18, 1, SMALL, dim, p->scale_common, 0);
    put(p, "scale label", p->size.width - GAP, p->from.y - 8, 1, SMALL, ink, p->chart->scale.label,
        p->size.width / 3.0);
}

/* --- categories ------------------------------------------------------------------------------ */

static void put_bar(const page *p, const cli_chart_category *c, double top, double bottom)
{
    const cli_chart_axis *const axis = &p->chart->x;
    const double zero = axis->scale == CLI_SCALE_LOG ? 0 : foot(axis, cli_chart_at(axis, 0));
    const double end = foot(axis, cli_chart_at(axis, c->value));
    const double wide = p->to.x - p->from.x;
    char text[32];

    cli_chart_number(c->value, text, sizeof text);
    p->pen->rect(p->pen, "bar", (cli_point){p->from.x + fmin(zero, end) * wide, top},
                 (cli_point){p->from.x + fmax(zero, end) * wide, bottom}, colours[0], NULL, text);
}

static void put_box(const page *p, const cli_chart_category *c, double top, double bottom)
{
    const double middle = (top + bottom) / 2;
    const double low = x_of(p, c->low);
    const double high = x_of(p, c->high);
    char text[64];

    (void)snprintf(text, sizeof text, "median %.10g of %llu", c->median, (unsigned long long)c->n);
    p->pen->line(p->pen, "whisker", (cli_point){low, middle}, (cli_point){high, middle}, ink);
    for (int end = 0; end < 2; end++) {
        const double x = end == 0 ? low : high;
        p->pen->line(p->pen, "whisker", (cli_point){x, middle - 5}, (cli_point){x, middle + 5},
                     ink);
    }
    p->pen->rect(p->pen, "box", (cli_point){x_of(p, c->q1), top},
                 (cli_point){x_of(p, c->q3), bottom}, "#b8d8ec", ink, text);
    p->pen->line(p->pen, "median", (cli_point){x_of(p, c->median), top},
                 (cli_point){x_of(p, c->median), bottom}, colours[1]);
}

static void put_categories(const page *p)
{
    const double each = (p->to.y - p->from.y) / (double)p->chart->n_categories;
    const double room = fmin(each * 0.12, 6);

    p->pen->clip(p->pen, &p->from, &p->to);
    for (size_t i = 0; i < p->chart->n_categories; i++) {
        const double top = p->from.y + each * (double)i + room;
        const cli_chart_category *const c = &p->chart->categories[i];
        if (!p->chart->are_boxes || c->n > 0) {
            (p->chart->are_boxes ? put_box : put_bar)(p, c, top, top + each - 2 * room);
        }
    }
    p->pen->clip(p->pen, NULL, NULL);
    for (size_t i = 0; i < p->chart->n_categories; i++) {
        put(p, "y tick", p->from.x - 8, p->from.y + each * ((double)i + 0.5) + 4, 1,
            fmin(SMALL, fmax(each, 5)), ink, p->chart->categories[i].name, p->size.width / 3.0);
    }
}

void cli_chart_draw(const cli_chart *chart, cli_chart_size size, cli_pen *pen)
{
    page p = {.pen = pen, .chart = chart, .size = size};

    lay_out(&p);
    put_grid(&p);
    if (chart->n_categories > 0) {
        put_categories(&p);
    }
    pen->clip(pen, &p.from, &p.to);
    if (chart->cells != NULL) {
        put_map(&p);
    }
    put_series(&p);
    pen->clip(pen, NULL, NULL);
    if (chart->cells != NULL) {
        put_scale(&p);
    }
    put_axes(&p);
    if (has_legend(chart)) {
        put_legend(&p);
    }
}
