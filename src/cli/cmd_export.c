/* stoa export: a whole table as text, or a sparse matrix as a Matrix Market file. */
#include <string.h>

#include "arrow/build.h"
#include "cli/args.h"
#include "cli/output.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "layout/matrix_market.h"

/* The formats of cli_formats, then one more. */
enum { BY_NAME = -1, MTX = CLI_FORMAT_BY_NAME };
static const char *const formats[] = {"table", "csv", "tsv", "jsonl", "json", "mtx", NULL};

static stoa_status export_table(stoa_table *table, cli_format format, const cli_output *output,
                                const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {0};
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;

    options.listener = *listener;
    STOA_TRY(stoa_query_open(table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(cli_output_write(output, &stream, format, n_rows, err));
done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static stoa_status export_matrix(cli_place *place, const char *text, const cli_output *output,
                                 const stoa_listener *listener, uint64_t *n, stoa_error *err)
{
    stoa_sparse *array = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(place, text, err));
    if (place->place.path == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "which matrix? give its path, as FILE:/PATH");
    }
    STOA_TRY(cli_place_open_file(place, STOA_FILE_READ, err));
    STOA_TRY(stoa_sparse_open(stoa_file_id(place->file), place->place.path, NULL, &array, err));
    STOA_TRY(stoa_mtx_write(array, output->file, listener, n, err));
done:
    (void)stoa_sparse_close(array, NULL); /* nothing was changed */
    return status;
}

static int format_of(const char *name)
{
    const size_t length = strlen(name);
    const cli_format format = cli_format_of(name);

    if (length > 4 && strcmp(name + length - 4, ".mtx") == 0) {
        return MTX;
    }
    return format == CLI_FORMAT_BY_NAME ? BY_NAME : (int)format;
}

static int export(cli_args *args)
{
    int format = BY_NAME;
    bool quiet = false;
    const char *text = NULL;
    const char *to = NULL;
    cli_place place = {0};
    cli_output output = {0};
    uint64_t n_rows = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    cli_choice(args, &format, formats, "-f, --format FORMAT",
               "csv, tsv, jsonl, json or table, mtx for a sparse matrix; by default what OUTPUT's "
               "suffix says");
    cli_progress_option(args, &quiet);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operand(args, &to, "OUTPUT", "a file, which appears when it is whole; - for stdout");
    if (!cli_accepted(args)) {
        return args->status;
    }
    if (format == BY_NAME && (format = format_of(to)) == BY_NAME) {
        return cli_misused(args, "the name '%s' does not say in which format; add -f csv, for one",
                           to);
    }
    const stoa_listener listener = cli_listener(quiet);

    if (format == MTX) {
        STOA_TRY(cli_output_open(&output, to, &err));
        STOA_TRY(export_matrix(&place, text, &output, &listener, &n_rows, &err));
    } else {
        STOA_TRY(cli_place_open_table(&place, text, STOA_FILE_READ, &err));
        STOA_TRY(cli_output_open(&output, to, &err));
        STOA_TRY(export_table(place.table, (cli_format)format, &output, &listener, &n_rows, &err));
    }
    STOA_TRY(cli_output_finish(&output, &err));
    cli_progress_clear();
    if (strcmp(to, "-") != 0) {
        cli_remark("%s: %llu %s exported from %s", to, (unsigned long long)n_rows,
                   format == MTX ? cli_plural(n_rows, "entry", "entries")
                                 : cli_plural(n_rows, "row", "rows"),
                   place.name);
    }
done:
    cli_output_discard(&output);
    cli_place_close(&place);
    return status == STOA_OK ? CLI_DONE : cli_fail(text, &err);
}

const cli_command cmd_export = {"export",
                                "write a table as CSV, TSV or JSON, a matrix as .mtx",
                                "stoa export run.h5:/events events.csv", export};
