/* The input of import and append: a text file, a file of Arrow, Parquet or NumPy, or a table of any
 * layout. */
#ifndef STOA_CLI_SOURCE_H
#define STOA_CLI_SOURCE_H

#include "cli/common/args.h"
#include "cli/common/place.h"
#include "core/string_set.h"
#include "layout/layout.h"

#define CLI_SOURCE_HELP                                                                            \
    "a CSV, TSV, JSON lines or Arrow file (also .gz, .zst), a Parquet, .npy or .npz file, - for "  \
    "stdin, or a table FILE.h5:/PATH"

/* Files whose columns have Arrow types and metadata. */
typedef struct cli_typed_file {
    const char *title;  /* "an Arrow file" */
    bool takes_several; /* as one */
    bool (*is_one)(const char *name);
    /* @param by_name  see cli_files_options() */
    stoa_status (*open)(const char *const *names, size_t n, bool by_name,
                        const stoa_listener *listener, struct ArrowArrayStream *stream,
                        stoa_error *err);
} cli_typed_file;

/* Find the kind of a file; NULL for others. */
const cli_typed_file *cli_typed_file_of(const char *name);

typedef struct cli_source {
    const char *name; /* as the user wrote it */
    bool is_table;
    const cli_typed_file *typed; /* NULL: no such file */
    const stoa_layout *rows;     /* of a file with types of its own; NULL: no such file */
    bool is_json;                /* JSON lines */
    bool is_shared;              /* the table is in the file being written */
    cli_place place;
    stoa_csv *csv;
    stoa_string_set remarks; /* on JSON lines */
    stoa_query *query;
    struct ArrowArrayStream stream; /* valid once opened */
    bool skips_damage;              /* leave out the columns of a table that cannot be read */
    uint64_t n_errors;              /* bad rows or values, valid once closed */

    /* Options as given. */
    stoa_csv_options csv_options;
    const char *delimiter;
    const char *comment;
    const char *decimal;
    cli_texts more;     /* further CSV or Parquet files, whose rows follow */
    uint64_t n_threads; /* 0: one per processor */
    int on_error;
    int format;
    cli_texts null_texts;
    cli_texts types;
    cli_texts units;
    cli_texts category;
    cli_texts no_category;
} cli_source;

/* The columns that label the rows of a typed file, outermost first. */
stoa_status cli_typed_row_labels(cli_args *args, struct ArrowArrayStream *stream, cli_texts *names,
                                 stoa_error *err);

/* Declare the options for reading text. `types_too` adds the options for how a new table stores
 * it. */
void cli_source_options(cli_args *args, cli_source *source, bool types_too);
/* Check the input's name and the options; false after a usage error. */
bool cli_source_accepted(cli_args *args, cli_source *source, const char *name);

/* The value of --threads; 0: one per processor. */
unsigned cli_source_threads(const cli_source *source);
/* Whether the input is a table in that file. */
bool cli_source_is_in(const cli_source *source, const char *file);

/*
 * Open the stream.
 *
 * @param types    for columns without a type from the user; may be NULL
 * @param written  the file being written, if the input is in it; else NULL
 */
stoa_status cli_source_open(cli_args *args, cli_source *source, const stoa_csv_pair *types,
                            size_t n_types, stoa_file *written, const stoa_listener *listener,
                            stoa_error *err);
void cli_source_close(cli_source *source);
/* Print what the user should know about the text, once the stream has ended. */
void cli_source_tell_remarks(const cli_source *source);
/* After closing: print how many rows or values were skipped or set missing. */
void cli_source_tell_errors(const cli_source *source);

#endif
