/* stoa plot: draw columns, arrays, waveforms and histograms, as pictures, as text or as numbers. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/common/layouts.h"
#include "cli/common/progress.h"
#include "cli/common/terminal.h"
#include "cli/output/output.h"
#include "cli/plot/chart_load.h"
#include "cli/plot/graphics.h"
#include "cli/plot/plot.h"

enum { USUAL_WIDTH = 800, USUAL_HEIGHT = 500, LEAST_SIDE = 100, MOST_SIDE = 10000 };
enum { MOST_BINS = 10000 };

/* What is drawn, and where to. */
typedef struct request {
    cli_plot plot;
    const char *title;
    const char *size_text;
    const char *bins_text;
    const char *log_text;
    const char *listed; /* --rows */
    bool is_image;
    uint64_t rows[CLI_MAX_LINES];
    size_t n_rows;
    cli_chart_size size;
    int format;    /* cli_chart_format */
    bool is_shown; /* neither a file nor a format was asked for */
    const char *to;
    uint64_t n_threads;
    bool quiet;
} request;

/* Parse row numbers such as "0,1,2". False if it is not such a list, or too long. */
static bool parse_rows(const char *text, uint64_t *rows, size_t *n)
{
    *n = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (*n == CLI_MAX_LINES || !stoa_parse_u64(text, length, &rows[*n])) {
            return false;
        }
        ++*n;
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

/* Parse "AxB" into two numbers from `least` to `most`. Without an x both are the same. */
static bool parse_pair(const char *text, uint64_t least, uint64_t most, bool is_one_enough,
                       uint64_t values[2])
{
    const size_t length = strcspn(text, "x");
    const char *const second = text[length] == 'x' ? text + length + 1 : text;

    return (text[length] == 'x' || is_one_enough) && stoa_parse_u64(text, length, &values[0]) &&
           stoa_parse_u64(second, strcspn(second, "x"), &values[1]) &&
           strchr(second, 'x') == (second == text ? strchr(text, 'x') : NULL) &&
           values[0] >= least && values[0] <= most && values[1] >= least && values[1] <= most;
}

static bool parse_log(const char *text, bool is_log[3])
{
    for (; *text != '\0'; text++) {
        if (*text != ',' && (*text < 'x' || *text > 'z')) {
            return false;
        }
        if (*text != ',') {
            is_log[*text - 'x'] = true;
        }
    }
    return true;
}

/* --- output ---------------------------------------------------------------------------------- */

/* The format that -f or the name says. A device or a pipe may have any name. */
static int format_of(const request *r)
{
    static const char *const suffixes[] = {".txt", ".svg", ".png", ".csv", ".json"};
    const size_t length = r->to != NULL ? strlen(r->to) : 0;
    struct stat about;

    if (r->format != CLI_CHART_BY_NAME || r->to == NULL) {
        return r->format == CLI_CHART_BY_NAME ? CLI_CHART_TEXT : r->format;
    }
    for (int i = 0; i < (int)(sizeof suffixes / sizeof *suffixes); i++) {
        const size_t n = strlen(suffixes[i]);
        if (length > n && strcasecmp(r->to + length - n, suffixes[i]) == 0) {
            return i;
        }
    }
    return strcmp(r->to, "-") == 0 || (stat(r->to, &about) == 0 && !S_ISREG(about.st_mode))
               ? CLI_CHART_SVG
               : CLI_CHART_BY_NAME;
}

/* Draw on the terminal: pixels if it has them, and cairo is there. */
static stoa_status show_chart(cli_chart *chart, const request *r, FILE *out, stoa_error *err)
{
    const cli_chart_format found = r->is_shown ? cli_graphics_ask() : CLI_CHART_TEXT;
    stoa_status status = STOA_ENOTFOUND;

    if (found != CLI_CHART_TEXT) {
        stoa_error why = STOA_ERROR_INIT;
        FILE *const raw = cli_terminal_raw(out);
        status = (found == CLI_CHART_KITTY ? cli_chart_kitty : cli_chart_sixel)(chart, r->size, raw,
                                                                                &why);
        (void)fflush(raw);
        if (status != STOA_OK && status != STOA_ENOTFOUND) {
            return stoa_fail(err, status, "%s", why.message);
        }
    }
    if (status == STOA_ENOTFOUND) {
        cli_chart_text(chart, out);
    }
    return STOA_OK;
}

static stoa_status write_chart(cli_chart *chart, const request *r, FILE *out, stoa_error *err)
{
    switch (r->format) {
    case CLI_CHART_SVG:
        cli_chart_svg(chart, r->size, out);
        return STOA_OK;
    case CLI_CHART_PNG:
        return cli_chart_png(chart, r->size, out, err);
    case CLI_CHART_KITTY:
        return cli_chart_kitty(chart, r->size, cli_terminal_raw(out), err);
    case CLI_CHART_SIXEL:
        return cli_chart_sixel(chart, r->size, cli_terminal_raw(out), err);
    case CLI_CHART_CSV:
        cli_chart_csv(chart, out);
        return STOA_OK;
    case CLI_CHART_JSON:
        cli_chart_json(chart, out);
        return STOA_OK;
    default:
        return show_chart(chart, r, out, err);
    }
}

/* --- what is drawn --------------------------------------------------------------------------- */

/* Whether some rows of a column of lists are drawn, or all of them as an image. */
static bool are_waveforms(const stoa_table *table, const request *r)
{
    const char *const name = r->plot.columns;
    const stoa_column *const column = name != NULL ? stoa_table_find(table, name) : NULL;
    const bool is_open = r->plot.kind == CLI_PLOT_AUTO || r->plot.kind == CLI_PLOT_LINE;

    return is_open && r->plot.x == NULL &&
           (r->listed != NULL || (column != NULL && cli_chart_is_lists(column)) ||
            (name == NULL && !cli_chart_has_no_lists(table)));
}

/* A sparse array is a table of its entries, which is drawn as a map. */
static bool are_entries(const stoa_table *table, const request *r)
{
    static const char *const names[] = {"row", "column", "value"};
    bool are = r->plot.columns == NULL && r->plot.x == NULL && r->plot.kind == CLI_PLOT_AUTO &&
               stoa_table_n_columns(table) == 3;

    for (size_t i = 0; i < 3 && are; i++) {
        are = strcmp(stoa_table_column_name(table, i), names[i]) == 0;
    }
    return are && cli_chart_is_line(stoa_table_column(table, 2));
}

static stoa_status load_rows(cli_chart *chart, const stoa_table *const_table, stoa_table *table,
                             request *r, stoa_error *err)
{
    cli_plot *const plot = &r->plot;
    const stoa_column *column = NULL;
    const stoa_column *x = NULL;

    if (are_entries(const_table, r)) {
        plot->kind = CLI_PLOT_HIST2D;
        plot->x = "column";
        plot->columns = "row";
        plot->weights = "value";
    } else if (plot->columns == NULL) {
        cli_chart_usual_columns(const_table, &column, &x);
        if (column == NULL) {
            return stoa_fail(err, STOA_EINVAL, "has no column to draw");
        }
        plot->columns = stoa_column_name(column);
        if (plot->x == NULL && x != NULL &&
            (plot->kind == CLI_PLOT_AUTO || plot->kind < CLI_PLOT_BARS) &&
            plot->kind != CLI_PLOT_HIST) {
            plot->x = stoa_column_name(x);
        }
    }
    if (plot->kind == CLI_PLOT_AUTO && plot->x == NULL && cli_chart_is_array(const_table)) {
        plot->kind = CLI_PLOT_LINE;
    }
    return cli_plot_rows(chart, table, plot, err);
}

static stoa_status load(cli_chart *chart, const cli_place *place, request *r, stoa_error *err)
{
    stoa_table *const table = place->table;
    const char *const name = r->plot.columns;
    const bool is_image = r->is_image || r->plot.kind == CLI_PLOT_IMAGE;
    stoa_status status = STOA_OK;
    stoa_histogram histogram;
    bool is_one = false;

    if (name == NULL && r->plot.kind == CLI_PLOT_AUTO) {
        STOA_TRY(stoa_layout_find_histogram(stoa_file_id(place->file), place->place.path, &is_one,
                                            &histogram, err));
    }
    if (is_one) {
        status = cli_chart_histogram(chart, place, &histogram, err);
        stoa_histogram_close(&histogram);
    } else if (is_image ||
               (are_waveforms(table, r) && cli_chart_is_array(table) && r->listed == NULL)) {
        status = cli_chart_image(chart, place, name, err);
    } else if (are_waveforms(table, r)) {
        status = cli_chart_waveforms(chart, place, name, r->rows, r->n_rows, err);
    } else {
        status = load_rows(chart, table, table, r, err);
    }
    chart->title = cli_copy(r->title != NULL ? r->title : place->name);

done:
    return stoa_at(err, status, "%s", place->name);
}

/* --------------------------------------------------------------------------------------------- */

static void declare(cli_args *args, request *r, cli_place *place)
{
    cli_plot *const p = &r->plot;

    cli_text(args, &p->columns, "-c, --column COL",
             "columns or expressions, as for query; by default numbers, lists or labels");
    cli_text(args, &p->x, "--x COL", "the column of the x axis");
    cli_text(args, &p->where, "-w, --where EXPR", "only the rows for which it is true");
    cli_choice(args, &p->kind, cli_plot_kinds, "--kind KIND",
               "line, scatter, hist, hist2d, bars, box or image; by default what suits the column");
    cli_text(args, &p->by, "--by COL", "a series, or a box, for each of its values");
    cli_text(args, &p->weights, "--weights COL", "sums of it in place of numbers of rows");
    cli_text(args, &r->bins_text, "--bins N|NxM",
             "bins of x and y, or bars; by default as the values lie");
    cli_text(args, &p->ranges[0], "--x-range A:B", "from where to where x goes");
    cli_text(args, &p->ranges[1], "--y-range A:B", "from where to where y goes");
    cli_text(args, &r->log_text, "--log AXES",
             "axes of powers of ten: x, y, z (a map's colours), xy, ...");
    cli_text(args, &r->title, "--title TEXT", "the title; by default the place");
    cli_text(args, &r->size_text, "--size WxH", "pixels of the picture (default 800x500)");
    cli_text(args, &r->listed, "--rows N,N", "rows of lists, counted from 0; by default the first");
    cli_flag(args, &r->is_image, "--image", "the same as --kind image: all rows of lists");
    cli_text(args, &r->to, "-o, --output FILE",
             "a file .svg, .png, .csv, .json or .txt; by default text on the terminal");
    cli_choice(args, &r->format, cli_chart_formats, "-f, --format FORMAT",
               "text, svg, png, csv (the numbers), json, kitty or sixel; by default as FILE is "
               "called, or what the terminal has");
    cli_number(args, &r->n_threads, "--threads N", "most threads; by default one a processor");
    cli_follow_option(args, &place->follows);
    cli_progress_option(args, &r->quiet);
    cli_operand(args, &args->subject, "PLACE", CLI_PLACE_HELP);
}

/* Parse the values of options; false after a message. */
static bool is_sensible(cli_args *args, request *r)
{
    const char *const rows = r->listed != NULL ? r->listed : "0";
    uint64_t size[2] = {USUAL_WIDTH, USUAL_HEIGHT};

    r->is_shown = r->format == CLI_CHART_BY_NAME && r->to == NULL;
    if (!parse_rows(rows, r->rows, &r->n_rows)) {
        cli_misused(args, "'%s' is no list of up to %d rows, as 0,1,2", rows, CLI_MAX_LINES);
    } else if (r->size_text != NULL &&
               !parse_pair(r->size_text, LEAST_SIDE, MOST_SIDE, false, size)) {
        cli_misused(args, "--size '%s' is no size from %dx%d to %dx%d, as 800x500", r->size_text,
                    LEAST_SIDE, LEAST_SIDE, MOST_SIDE, MOST_SIDE);
    } else if (r->bins_text != NULL &&
               !parse_pair(r->bins_text, 1, MOST_BINS, true, r->plot.n_bins)) {
        cli_misused(args, "--bins '%s' is no number from 1 to %d, or two, as 100x50", r->bins_text,
                    MOST_BINS);
    } else if (r->log_text != NULL && !parse_log(r->log_text, r->plot.is_log)) {
        cli_misused(args, "--log '%s' names other axes than x, y and z", r->log_text);
    } else if ((r->format = format_of(r)) == CLI_CHART_BY_NAME) {
        cli_misused(args,
                    "the name '%s' does not say in which format; end it in .svg, .png, .csv, .json "
                    "or .txt, or add -f svg, for one",
                    r->to);
    } else {
        r->size = (cli_chart_size){(unsigned)size[0], (unsigned)size[1]};
        return true;
    }
    return false;
}

static stoa_status plot(cli_args *args, stoa_error *err)
{
    request r = {.plot = {.kind = CLI_PLOT_AUTO}, .format = CLI_CHART_BY_NAME};
    cli_chart chart = {.title = NULL};
    cli_place *const place = cli_place_new(args);
    cli_output output = {0};
    stoa_status status = STOA_OK;

    declare(args, &r, place);
    if (!cli_accepted(args) || !is_sensible(args, &r)) {
        return STOA_OK;
    }
    r.plot.listener = cli_listener(r.quiet);
    r.plot.n_threads = r.n_threads < UINT_MAX ? (unsigned)r.n_threads : UINT_MAX;
    STOA_TRY(cli_place_open_table(place, args->subject, STOA_FILE_READ, err));
    r.plot.use_indexes = r.plot.where != NULL && cli_place_is_trusted(place);
    STOA_TRY(load(&chart, place, &r, err));
    cli_progress_clear();
    STOA_TRY(cli_output_open(&output, r.to, err));
    STOA_TRY(write_chart(&chart, &r, output.file, err));
    STOA_TRY(cli_output_finish(&output, err));
done:
    cli_progress_clear();
    cli_output_discard(&output);
    cli_chart_clear(&chart);
    return status;
}

const cli_command cmd_plot = {"plot",
                              "draw columns, arrays and histograms, as SVG, PNG, text or numbers",
                              "stoa plot run.h5:/events -c energy --log y -o energy.svg", plot};
