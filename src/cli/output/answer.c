#include "cli/output/answer.h"

#include <string.h>

#include "cli/common/terminal.h"
#include "sql/parquet.h"

void cli_answer_options(cli_args *args, cli_answer *answer)
{
    cli_choice(args, &answer->format, cli_formats, "-f, --format FORMAT",
               "table, csv, tsv, jsonl, json, arrow (a stream in a pipe), arrows, parquet, npy or "
               "markdown; by default what -o's suffix says, else table");
    cli_text(args, &answer->output, "-o, --output FILE",
             "write to FILE, which appears when it is whole; FILE.h5:/PATH makes a table");
    cli_store_options(args, &answer->store);
    cli_text(args, &answer->store.options.codec, "--codec NAME",
             "how a table is packed, or a Parquet file: " STOA_PARQUET_CODECS);
    cli_formulas_option(args, &answer->no_formulas);
}

bool cli_answer_accepted(cli_args *args, cli_answer *answer, bool is_text)
{
    const bool is_named = answer->output != NULL && strcmp(answer->output, "-") != 0;

    if (answer->format == CLI_FORMAT_BY_NAME && is_named && !is_text) {
        answer->format = cli_store_is_meant(&answer->store, answer->output)
                             ? CLI_STORED
                             : (int)cli_format_of(answer->output);
        if (answer->format == CLI_FORMAT_BY_NAME) {
            cli_output_misnamed(args, answer->output);
            return false;
        }
    }
    answer->format = answer->format == CLI_FORMAT_BY_NAME ? CLI_TABLE : answer->format;
    return cli_codec_accepted(args, answer->store.options.codec, answer->format) &&
           cli_store_accepted(args, &answer->store, answer->output, answer->format == CLI_STORED) &&
           cli_formulas_accepted(args, answer->no_formulas, answer->format);
}

stoa_status cli_answer_open(cli_answer *answer, stoa_error *err)
{
    if (answer->format != CLI_STORED) {
        STOA_RETURN_NOT_OK(cli_output_open(&answer->to, answer->output, err));
        answer->to.no_formulas = answer->no_formulas;
        answer->to.n_threads = answer->n_threads;
        answer->to.codec = answer->store.options.codec;
    }
    return STOA_OK;
}

bool cli_answer_is_shown(const cli_answer *answer)
{
    return answer->format == CLI_TABLE && cli_is_terminal(answer->to.file);
}

stoa_status cli_answer_write(const cli_answer *answer, struct ArrowArrayStream *stream,
                             const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    return answer->format == CLI_STORED
               ? cli_store_write(&answer->store, answer->output, stream, &answer->origin, listener,
                                 n_rows, err)
               : cli_output_write(&answer->to, stream, (cli_format)answer->format, n_rows, err);
}

stoa_status cli_answer_finish(cli_answer *answer, stoa_error *err)
{
    return answer->format != CLI_STORED ? cli_output_finish(&answer->to, err) : STOA_OK;
}

void cli_answer_discard(cli_answer *answer)
{
    cli_output_discard(&answer->to);
}
