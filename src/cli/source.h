/* What import and append read: a text file, an Arrow file, or a table in a file of a known layout.
 */
#ifndef STOA_CLI_SOURCE_H
#define STOA_CLI_SOURCE_H

#include "cli/args.h"
#include "cli/place.h"

#define CLI_SOURCE_HELP                                                                            \
    "a CSV, TSV or Arrow file (also .gz, .zst), - for stdin, or a table FILE.h5:/PATH"

typedef struct cli_source {
    const char *name; /* as the user wrote it */
    bool is_table;
    bool is_arrow;  /* an Arrow file */
    bool is_shared; /* the table lies in the file that is being written */
    cli_place place;
    stoa_csv *csv;
    stoa_query *query;
    struct ArrowArrayStream stream; /* once opened */
    uint64_t n_errors;              /* bad rows or values, once closed */

    /* Options, as given. */
    stoa_csv_options csv_options;
    const char *delimiter;
    uint64_t n_threads; /* 0: one a processor */
    int on_error;
    cli_texts null_texts;
    cli_texts types;
    cli_texts units;
    cli_texts category;
    cli_texts no_category;
} cli_source;

/* Whether a file begins as one of Arrow's does. */
bool cli_is_arrow(const char *name);

/* Declare the options that say how text is read; `types_too`: also those that choose how a new
 * table keeps it. */
void cli_source_options(cli_args *args, cli_source *source, bool types_too);
/* Look at the input's name and at the options: false after a complaint about usage. */
bool cli_source_accepted(cli_args *args, cli_source *source, const char *name);

/* Threads as --threads has them; 0: one a processor. */
unsigned cli_source_threads(const cli_source *source);
/* Is the input a table in that very file? */
bool cli_source_is_in(const cli_source *source, const char *file);

/*
 * Open the stream.
 *
 * @param types    for columns that the user gave no type for; may be NULL
 * @param written  the file being written, if the input lies in it; else NULL
 */
stoa_status cli_source_open(cli_args *args, cli_source *source, const stoa_csv_pair *types,
                            size_t n_types, stoa_file *written, const stoa_listener *listener,
                            stoa_error *err);
void cli_source_close(cli_source *source);
/* After closing: say how many rows or values were not taken as they stood. */
void cli_source_tell_errors(const cli_source *source);

#endif
