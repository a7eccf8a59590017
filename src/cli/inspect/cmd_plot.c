/* stoa plot: draw a histogram, or some waveforms, as SVG or on the terminal. */
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

static stoa_status load(cli_chart *chart, const cli_place *place, const char *column,
                        const uint64_t *rows, size_t n_rows, stoa_error *err)
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
        status = cli_chart_waveforms(chart, place, column, rows, n_rows, err);
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
    const char *column = NULL;
    const char *listed = "0";
    const char *to = NULL;
    uint64_t rows[CLI_MAX_LINES];
    size_t n_rows = 0;
    cli_chart chart = {.title = NULL};
    cli_place *const place = cli_place_new(args);
    cli_output output = {0};
    stoa_status status = STOA_OK;

    cli_text(args, &column, "-c, --column COL", "the column of waveforms; by default the only one");
    cli_text(args, &listed, "--rows N,N", "its rows, counted from 0; by default the first");
    cli_text(args, &to, "-o, --output FILE", "an SVG file; by default text on the terminal");
    cli_follow_option(args, &place->follows);
    cli_operand(args, &args->subject, "PLACE", CLI_PLACE_HELP);
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (!parse_rows(listed, rows, &n_rows)) {
        return cli_misused(args, "'%s' is no list of up to %d rows, as 0,1,2", listed,
                           CLI_MAX_LINES);
    }
    if (to != NULL && !is_picture(to)) {
        return cli_misused(args, "'%s' is no name of an SVG file, which is what is drawn", to);
    }
    STOA_TRY(cli_place_open_table(place, args->subject, STOA_FILE_READ, err));
    STOA_TRY(load(&chart, place, column, rows, n_rows, err));
    cli_progress_clear();
    STOA_TRY(cli_output_open(&output, to, err));
    (to != NULL ? cli_chart_svg : cli_chart_text)(&chart, output.file);
    STOA_TRY(cli_output_finish(&output, err));
done:
    cli_output_discard(&output);
    cli_chart_clear(&chart);
    return status;
}

const cli_command cmd_plot = {"plot", "draw a histogram, or waveforms of a table, as SVG or text",
                              "stoa plot run.h5:/spectrum -o spectrum.svg", plot};
