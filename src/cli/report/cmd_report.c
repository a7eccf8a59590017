/* stoa report: one HTML page about a file. */
#include <string.h>
#include <strings.h>

#include "cli/common/progress.h"
#include "cli/output/output.h"
#include "cli/report/page.h"

static bool is_html(const char *name)
{
    const size_t length = strlen(name);

    return strcmp(name, "-") == 0 || (length > 5 && strcasecmp(name + length - 5, ".html") == 0) ||
           (length > 4 && strcasecmp(name + length - 4, ".htm") == 0);
}

static stoa_status report(cli_args *args, stoa_error *err)
{
    cli_place *const place = cli_place_new(args);
    cli_report_options options = {.scans = false};
    cli_output output = {0};
    const char *to = NULL;
    bool quiet = false;
    bool is_whole = true;
    stoa_status status = STOA_OK;

    cli_text(args, &to, "-o, --output FILE", "the page, a file .html; - is stdout");
    cli_flag(args, &options.scans, "--scan",
             "count missing values and find ranges in tables of more than 10 million cells too");
    cli_follow_option(args, &place->follows);
    cli_progress_option(args, &quiet);
    cli_operand(args, &args->subject, "FILE", "an HDF5 file");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (to == NULL) {
        return cli_misused(args, "say where the page goes: -o report.html");
    }
    if (!is_html(to)) {
        return cli_misused(args, "'%s' is no name of a page; end it in .html", to);
    }
    options.listener = cli_listener(quiet);
    STOA_TRY(cli_place_parse(place, args->subject, err));
    if (place->place.path != NULL) {
        return cli_misused(args, "a report is about a whole file; leave out ':%s'",
                           place->place.path);
    }
    STOA_TRY(cli_place_open_file(place, STOA_FILE_READ, err));
    STOA_TRY(cli_output_open(&output, to, err));
    STOA_TRY(cli_report_page(args, place, options, output.file, &is_whole, err));
    cli_progress_clear();
    STOA_TRY(cli_output_finish(&output, err));
    args->status = is_whole ? CLI_DONE : CLI_NO;

done:
    cli_progress_clear();
    cli_output_discard(&output);
    return stoa_at(err, status, "%s", args->subject);
}

const cli_command cmd_report = {"report", "write one HTML page about a file",
                                "stoa report run.h5 -o report.html", report};
