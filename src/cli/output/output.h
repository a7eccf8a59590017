/* Output to stdout, or to a file that appears only when it is complete. */
#ifndef STOA_CLI_OUTPUT_H
#define STOA_CLI_OUTPUT_H

#include "cli/common/args.h"
#include "hdf/file/new_file.h"

/* The output formats of query and export, in the order of cli_formats. */
typedef enum cli_format {
    CLI_TABLE,
    CLI_CSV,
    CLI_TSV,
    CLI_JSONL,
    CLI_JSON,
    CLI_ARROW,  /* a file; a stream where the output is no regular file */
    CLI_ARROWS, /* a stream */
    CLI_NPY,
    CLI_NPZ,
    CLI_MARKDOWN,
    CLI_PARQUET,
    CLI_FORMAT_BY_NAME, /* not given: use the suffix of the output's name */
    CLI_STORED = -2     /* a table in an HDF5 file, as in "out.h5:/t" */
} cli_format;

extern const char *const cli_formats[];

/* The format that a file name's suffix selects, before .gz or .zst; CLI_FORMAT_BY_NAME if it
 * selects none. */
cli_format cli_format_of(const char *name);

/* Print that the name does not determine a format, as cli_misused(). */
stoa_status cli_output_misnamed(cli_args *args, const char *name);

typedef struct cli_output {
    FILE *file;
    FILE *unpacked;        /* which `file` writes into after compression; NULL: it does not */
    char *name;            /* final name; NULL: stdout */
    stoa_new_file newfile; /* temporary file; without fd: written in place (a device, a pipe) */
    unsigned n_threads;    /* at most, that write text; 0: one per processor */
    bool no_formulas;      /* value of --no-formulas */
    const char *codec;     /* value of --codec, for the formats that have one; NULL: the usual */
} cli_output;

/* Open the output; `name` NULL or "-" is stdout. A regular file appears when it is complete, at the
 * target of a link. An HDF5 file is never replaced, because it may be an input and no format
 * written here is HDF5. */
stoa_status cli_output_open(cli_output *output, const char *name, stoa_error *err);
/* Complete the output and make the file appear. Ends the output in any case; nothing remains after
 * a failure. */
stoa_status cli_output_finish(cli_output *output, stoa_error *err);
/* Abandon an output; nothing remains of it. No effect after cli_output_finish(). */
void cli_output_discard(cli_output *output);

/* Declare --no-formulas, and check that the format allows it: false after a message. */
void cli_formulas_option(cli_args *args, bool *no_formulas);
bool cli_formulas_accepted(cli_args *args, bool no_formulas, int format);

/* Check that the format is packed by such a codec: false after a message. */
bool cli_codec_accepted(cli_args *args, const char *codec, int format);

/* Write a stream in a format other than CLI_FORMAT_BY_NAME. */
stoa_status cli_output_write(const cli_output *output, struct ArrowArrayStream *stream,
                             cli_format format, uint64_t *n_rows, stoa_error *err);

/* Flush stdout: STOA_EIO if some output was not written. */
stoa_status cli_flush_stdout(stoa_error *err);

#endif
