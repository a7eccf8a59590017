/* Where data goes: stdout, or a file that appears whole or not at all. */
#ifndef STOA_CLI_OUTPUT_H
#define STOA_CLI_OUTPUT_H

#include "cli/args.h"
#include "hdf/newfile.h"

/* The output formats of query and export, in the order of cli_formats. */
typedef enum cli_format {
    CLI_TABLE,
    CLI_CSV,
    CLI_TSV,
    CLI_JSONL,
    CLI_JSON,
    CLI_ARROW,
    CLI_FORMAT_BY_NAME, /* not given: by the suffix of the output's name */
    CLI_STORED = -2     /* a table in an HDF5 file, as "out.h5:/t" asks for */
} cli_format;

extern const char *const cli_formats[];

/* The format a file name's suffix asks for; CLI_FORMAT_BY_NAME if it asks for none. */
cli_format cli_format_of(const char *name);

/* A complaint that a name does not say which format is wanted: CLI_USAGE. */
int cli_output_misnamed(cli_args *args, const char *name);

typedef struct cli_output {
    FILE *file;
    char *name;           /* where it will be; NULL: stdout */
    stoa_newfile newfile; /* what it is until then; no fd: written in place (a device, a pipe) */
    bool no_formulas;     /* as the option says */
} cli_output;

/* `name` NULL or "-": stdout. A regular file appears when it is whole, where a link leads
 * to. An HDF5 file is never replaced: no format that is written here is HDF5, and every input
 * is. */
stoa_status cli_output_open(cli_output *output, const char *name, stoa_error *err);
/* Make it appear. Ends the output in every case; after a failure nothing is left. */
stoa_status cli_output_finish(cli_output *output, stoa_error *err);
/* End an output that failed; nothing is left. After cli_output_finish() it does nothing. */
void cli_output_discard(cli_output *output);

/* Declare --no-formulas; and look whether it goes with the format: false after a complaint. */
void cli_formulas_option(cli_args *args, bool *no_formulas);
bool cli_formulas_accepted(cli_args *args, bool no_formulas, int format);

/* Write a stream in a format other than CLI_FORMAT_BY_NAME. */
stoa_status cli_output_write(const cli_output *output, struct ArrowArrayStream *stream,
                             cli_format format, uint64_t *n_rows, stoa_error *err);

/* Write a stream as a table, "out.h5:/t", in the layout that files of that suffix are in; the file
 * is made if it is not there. `inputs` are the files that are read: none of them is written. */
stoa_status cli_output_store(const char *name, struct ArrowArrayStream *stream,
                             const cli_texts *inputs, const stoa_listener *listener,
                             uint64_t *n_rows, stoa_error *err);

/* Flush stdout: STOA_EIO if something that was printed did not get through. */
stoa_status cli_flush_stdout(stoa_error *err);

#endif
