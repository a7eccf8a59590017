/* Writes the numbers of a chart, as CSV or JSON: a row for each bin, point, cell or category. */
#include <math.h>
#include <string.h>

#include "cli/output/json.h"
#include "cli/plot/chart.h"
#include "core/text.h"

enum { MOST_FIELDS = 9 };

/* A row: names of its fields, which are the same in all rows, and values. NULL: a field that is a
 * number. */
typedef struct row {
    size_t n;
    const char *names[MOST_FIELDS];
    const char *texts[MOST_FIELDS];
    double numbers[MOST_FIELDS];
} row;

typedef void put_row(void *to, const row *r);

static void add_number(row *r, const char *name, double value)
{
    r->names[r->n] = name;
    r->texts[r->n] = NULL;
    r->numbers[r->n++] = value;
}

static void add_text(row *r, const char *name, const char *value)
{
    r->names[r->n] = name;
    r->texts[r->n++] = value;
}

/* A place on an axis: times as ISO 8601, in UTC. */
static void add_place(row *r, const cli_chart_axis *axis, const char *name, double value,
                      char text[STOA_NUMBER_SIZE])
{
    if (axis->scale != CLI_SCALE_TIME || !(fabs(value) < 9e9)) {
        add_number(r, name, value);
        return;
    }
    stoa_format_time((int64_t)llround(value * 1e9), STOA_TIME_NANO, false, text);
    add_text(r, name, text);
}

static void each_of_line(const cli_chart *chart, const cli_chart_line *line, put_row *put, void *to)
{
    const bool are_steps = line->mark == CLI_MARK_STEPS;
    char texts[2][STOA_NUMBER_SIZE];

    for (size_t i = 0; i < line->n; i++) {
        row r = {.n = 0};
        if (chart->n_lines > 1 || line->name != NULL) {
            add_text(&r, "series", line->name != NULL ? line->name : "");
        }
        if (are_steps) {
            add_place(&r, &chart->x, "low", line->x[i], texts[0]);
            add_place(&r, &chart->x, "high", line->x[i + 1], texts[1]);
            add_number(&r, "height", line->y[i]);
        } else {
            add_place(&r, &chart->x, "x", line->x[i], texts[0]);
            add_place(&r, &chart->y, "y", line->y[i], texts[1]);
        }
        put(to, &r);
    }
}

static void each_of_map(const cli_chart *chart, put_row *put, void *to)
{
    char texts[4][STOA_NUMBER_SIZE];

    for (size_t i = 0; i < chart->n_x; i++) {
        for (size_t j = 0; j < chart->n_y; j++) {
            row r = {.n = 0};
            add_place(&r, &chart->x, "x_low", chart->x_edges[i], texts[0]);
            add_place(&r, &chart->x, "x_high", chart->x_edges[i + 1], texts[1]);
            add_place(&r, &chart->y, "y_low", chart->y_edges[j], texts[2]);
            add_place(&r, &chart->y, "y_high", chart->y_edges[j + 1], texts[3]);
            add_number(&r, "height", chart->cells[i * chart->n_y + j]);
            put(to, &r);
        }
    }
}

static void each_row(const cli_chart *chart, put_row *put, void *to)
{
    for (size_t i = 0; i < chart->n_categories; i++) {
        const cli_chart_category *const c = &chart->categories[i];
        row r = {.n = 0};
        add_text(&r, "value", c->name);
        if (chart->are_boxes) {
            add_number(&r, "n", (double)c->n);
            add_number(&r, "low", c->low);
            add_number(&r, "q1", c->q1);
            add_number(&r, "median", c->median);
            add_number(&r, "q3", c->q3);
            add_number(&r, "high", c->high);
            add_number(&r, "n_outside", (double)c->n_outside);
        } else {
            add_number(&r, "height", c->value);
        }
        put(to, &r);
    }
    for (size_t i = 0; i < chart->n_lines; i++) {
        each_of_line(chart, &chart->lines[i], put, to);
    }
    if (chart->cells != NULL) {
        each_of_map(chart, put, to);
    }
}

/* Whole numbers without a point: counts. */
static void format(double value, char out[STOA_NUMBER_SIZE])
{
    if (value == rint(value) && fabs(value) < 1e15) {
        (void)snprintf(out, STOA_NUMBER_SIZE, "%.0f", value == 0 ? 0 : value);
    } else {
        (void)stoa_format_f64(value, out);
    }
}

/* --- CSV ------------------------------------------------------------------------------------- */

typedef struct csv {
    FILE *out;
    bool has_head;
} csv;

static void put_field(FILE *out, const char *text)
{
    if (text[0] != '\0' && strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"" : "", out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_csv(void *to, const row *r)
{
    csv *const c = to;
    char number[STOA_NUMBER_SIZE];

    for (size_t i = 0; i < r->n && !c->has_head; i++) {
        fprintf(c->out, "%s%s", i > 0 ? "," : "", r->names[i]);
    }
    fputs(c->has_head ? "" : "\n", c->out);
    c->has_head = true;
    for (size_t i = 0; i < r->n; i++) {
        fputs(i > 0 ? "," : "", c->out);
        if (r->texts[i] != NULL) {
            put_field(c->out, r->texts[i]);
        } else if (!isnan(r->numbers[i])) {
            format(r->numbers[i], number);
            fputs(number, c->out);
        }
    }
    fputc('\n', c->out);
}

void cli_chart_csv(const cli_chart *chart, FILE *out)
{
    csv c = {.out = out};

    each_row(chart, put_csv, &c);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void put_json(void *to, const row *r)
{
    cli_json *const json = to;
    char number[STOA_NUMBER_SIZE];

    cli_json_begin(json);
    for (size_t i = 0; i < r->n; i++) {
        if (r->texts[i] != NULL) {
            cli_json_text(json, r->names[i], r->texts[i]);
        } else if (isfinite(r->numbers[i])) {
            format(r->numbers[i], number);
            cli_json_value(json, r->names[i], number);
        } else {
            cli_json_value(json, r->names[i], isnan(r->numbers[i]) ? "" : "\"Infinity\"");
        }
    }
    cli_json_finish(json);
}

void cli_chart_json(const cli_chart *chart, FILE *out)
{
    cli_json json = {.out = out, .is_array = true};

    each_row(chart, put_json, &json);
    cli_json_end(&json);
}
