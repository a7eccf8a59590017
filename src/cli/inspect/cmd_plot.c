/* stoa plot: draw an array, a histogram, a column or some waveforms, as SVG or on the terminal. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/common/layouts.h"
#include "cli/common/progress.h"
#include "cli/output/chart_load.h"
#include "cli/output/output.h"

/* Parse row numbers such as "0,1,2"; the caller frees them. False if it is not such a list, or too
 * long. */
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

/* What is drawn of a table that is no histogram. */
typedef struct wanted {
    const char *column;
    const char *x;
    bool is_image;
    bool has_rows; /* rows were given, which are drawn as lines */
    uint64_t rows[CLI_MAX_LINES];
    size_t n_rows;
} wanted;

/* Whether whole columns are drawn, and not some rows of lists. */
static bool is_whole(const stoa_table *table, const wanted *w)
{
    const stoa_column *const column = w->column != NULL ? stoa_table_find(table, w->column) : NULL;

    return w->x != NULL ||
           (!w->has_rows && (cli_chart_is_array(table) || cli_chart_has_no_lists(table) ||
                             (column != NULL && cli_chart_is_line(column))));
}

static stoa_status load(cli_chart *chart, const cli_place *place, const wanted *w, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_histogram histogram;
    bool is_one = false;

    STOA_TRY(stoa_layout_find_histogram(stoa_file_id(place->file), place->place.path, &is_one,
                                        &histogram, err));
    if (is_one) {
        status = cli_chart_histogram(chart, place, &histogram, err);
        stoa_histogram_close(&histogram);
    } else {
        status = w->is_image ? cli_chart_image(chart, place, w->column, err)
                 : is_whole(place->table, w)
                     ? cli_chart_column(chart, place, w->column, w->x, err)
                     : cli_chart_waveforms(chart, place, w->column, w->rows, w->n_rows, err);
    }
    chart->title = cli_copy(place->name);

done:
    return stoa_at(err, status, "%s", place->name);
}

/* Whether the name fits an SVG picture; viewers rely on the suffix. A device or a pipe may have any
 * name. */
static bool is_picture(const char *name)
{
    const size_t length = strlen(name);
    struct stat about;

    return strcmp(name, "-") == 0 || (length > 4 && strcasecmp(name + length - 4, ".svg") == 0) ||
           (stat(name, &about) == 0 && !S_ISREG(about.st_mode));
}

static stoa_status plot(cli_args *args, stoa_error *err)
{
    const char *listed = NULL;
    const char *to = NULL;
    wanted w = {.column = NULL};
    cli_chart chart = {.title = NULL};
    cli_place *const place = cli_place_new(args);
    cli_output output = {0};
    stoa_status status = STOA_OK;

    cli_text(args, &w.column, "-c, --column COL",
             "the column: lists of numbers, by default the only one, or numbers");
    cli_text(args, &w.x, "--x COL", "the column of the x axis, of a column of numbers");
    cli_text(args, &listed, "--rows N,N", "rows of lists, counted from 0; by default the first");
    cli_flag(args, &w.is_image, "--image", "draw all rows of lists as an image");
    cli_text(args, &to, "-o, --output FILE", "an SVG file; by default text on the terminal");
    cli_follow_option(args, &place->follows);
    cli_operand(args, &args->subject, "PLACE", CLI_PLACE_HELP);
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    w.has_rows = listed != NULL;
    listed = listed != NULL ? listed : "0";
    if (!parse_rows(listed, w.rows, &w.n_rows)) {
        return cli_misused(args, "'%s' is no list of up to %d rows, as 0,1,2", listed,
                           CLI_MAX_LINES);
    }
    if (to != NULL && !is_picture(to)) {
        return cli_misused(args, "'%s' is no name of an SVG file, which is what is drawn", to);
    }
    STOA_TRY(cli_place_open_table(place, args->subject, STOA_FILE_READ, err));
    STOA_TRY(load(&chart, place, &w, err));
    cli_progress_clear();
    STOA_TRY(cli_output_open(&output, to, err));
    (to != NULL ? cli_chart_svg : cli_chart_text)(&chart, output.file);
    STOA_TRY(cli_output_finish(&output, err));
done:
    cli_output_discard(&output);
    cli_chart_clear(&chart);
    return status;
}

const cli_command cmd_plot = {"plot",
                              "draw an array, a histogram, a column or waveforms, as SVG or text",
                              "stoa plot run.h5:/spectrum -o spectrum.svg", plot};
