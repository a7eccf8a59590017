/* The place that a command works on: its file, its table, and which tables are trusted. */
#ifndef STOA_CLI_PLACE_H
#define STOA_CLI_PLACE_H

#include "cli/common/args.h"
#include "hdf/copy/clone.h"

#define CLI_ONE_PLACE_HELP "FILE[:PATH]; the path may be left out if the file holds one table"
#define CLI_PLACE_HELP                                                                             \
    CLI_ONE_PLACE_HELP                                                                             \
    "; patterns such as 'run-*.h5:/hit' and 'run.h5:/ch*/hit' read several tables as one"

struct cli_place {
    stoa_place place;
    char *name;   /* "FILE:PATH" for messages; "FILE" until the path is known */
    char **files; /* files that a pattern matches */
    size_t n_files;
    stoa_file *file; /* the first file */
    stoa_table *table;
    stoa_table *from;      /* source of the rows, if `table` picks rows of another table; else
                              NULL */
    stoa_trusted *trusted; /* tables of the edited file; NULL: none */
    bool safe;             /* edit a copy of the file: --safe */
    bool is_sparse;        /* open the file with Stoa's connector */
    bool by_name;          /* several tables as one: missing columns are allowed: --by-name */
    bool is_strict;        /* and their types are not widened: --strict */
    bool widens;           /* allow different widths of one array in a set of files: --widen */
    bool is_edited;        /* open for an edit */
    bool is_earliest;      /* write the earliest format of HDF5 that can hold the objects */
    bool is_whole;         /* whole tables are used as they are, so nothing is left out */
    bool holds;            /* edits wait until the file is closed: stoa_file_options.holds_edits */
    bool follows;          /* allow other files that it refers to: --follow-external */
    const stoa_file_patience *patience; /* NULL: cli_patience() */
    cli_place *next;                    /* of the args */
};

/* A zeroed place that the args own. cli_run() closes such places, last ones first, after it has
 * printed the error. */
cli_place *cli_place_new(cli_args *args);

/* Declare --safe, which every command that edits a file has. */
void cli_safe_option(cli_args *args, bool *safe);

/* Declare --widen, which the commands that read tables of every layout have. */
void cli_widen_option(cli_args *args, bool *widens);

/* Declare --by-name and --strict, which the commands that read several tables as one have. */
void cli_files_options(cli_args *args, bool *by_name, bool *is_strict);

/* Declare --follow-external, which every command that reads a file has. */
void cli_follow_option(cli_args *args, bool *follows);

/* Start from a zeroed cli_place. After any failure call cli_place_close(). */
stoa_status cli_place_parse(cli_place *place, const char *text, stoa_error *err);
/* Parse several operands as one place whose files are read as one table. All have the same path, or
 * none has one. */
stoa_status cli_place_parse_all(cli_args *args, cli_place *place, const cli_texts *operands,
                                stoa_error *err);
/* Replace operands that are patterns with the places they match, of files and of paths. */
stoa_status cli_places_expand(cli_args *args, const cli_texts *operands, cli_texts *places,
                              stoa_error *err);
/* If the file does not exist, use the first of the set of files that the name stands for. */
stoa_status cli_place_find_file(cli_place *place, stoa_error *err);
/* Set the path. */
void cli_place_set_path(cli_place *place, const char *path);
stoa_status cli_place_open_file(cli_place *place, stoa_file_mode mode, stoa_error *err);
/* Open an existing file for an edit, or make it. */
stoa_status cli_place_open_target(cli_place *place, stoa_error *err);
/*
 * Names of the table's columns that can be read, for a query of all of them, if some cannot. Each
 * of the others is named on stderr, with the reason. If none can be read, the query itself says
 * why.
 *
 * @param[out] columns  as stoa_query_options takes them, kept in `args`; untouched if all can be
 *                      read, or none
 * @return how many cannot
 */
size_t cli_place_columns(cli_args *args, const cli_place *place, const char **columns);

bool cli_place_exists(const cli_place *place);
/* Whether it is several files, or its path is a pattern: its tables are read as one. */
bool cli_place_is_many(const cli_place *place);
/* Open a table of the file, or of all files. */
stoa_status cli_place_open_at(const cli_place *place, const char *path, stoa_table **table,
                              stoa_error *err);
/* Open the file's table: the one at the path, or the only one. */
stoa_status cli_place_find_table(cli_place *place, stoa_error *err);
/* Print a remark about objects of a table that are not read (stoa_table_left_out()), if there are
 * any; `left_out` is as in stoa_object. The functions that open tables here do this themselves. */
void cli_place_tell_left_out(const cli_place *place, const char *path, const char *left_out);
/* The same for a table that the library opened. */
void cli_place_tell_left_out_at(const cli_place *place, const char *path);
/* Parse, open the file and open its table. */
stoa_status cli_place_open_table(cli_place *place, const char *text, stoa_file_mode mode,
                                 stoa_error *err);

/* Close the table and publish the edit. Tables that the user trusted remain trusted, since Stoa
 * itself made the change. `trust` adds the place's own table. */
stoa_status cli_place_commit(cli_place *place, bool trust, stoa_error *err);

/* Whether the place's table was trusted before the current edit. */
bool cli_place_was_trusted(const cli_place *place);

/* Record the tables of `trusted` in `file`, as stoa_trusted_record() does. Prints failures. */
void cli_place_remember_trusted(const cli_place *place, const char *file, const char *stamp,
                                bool is_edited);
/* Write the place's file anew, as stoa_hdf_repack() does, to `to`. Trusted tables remain trusted.
 */
stoa_status cli_place_repack(cli_place *place, const char *to, const stoa_other_storage *storage,
                             const stoa_listener *listener, stoa_error *err);
/* Record that the edit moves a table from `from` (NULL: new) to `to` (NULL: removed), with its
 * trust. */
stoa_status cli_place_move_trust(cli_place *place, const char *from, const char *to,
                                 stoa_error *err);

/* Add the names of all files read to `files`; they are borrowed from the place. */
void cli_place_inputs(const cli_place *place, cli_args *args, cli_texts *files);

/* Counts objects that cannot be opened. It must be the first member of a walk's context. */
typedef struct cli_unopened {
    const char *file;
    uint64_t n;
} cli_unopened;

/* Print a remark about the object and count it: a stoa_unopened_visit. */
void cli_tell_unopened(void *unopened, const char *path, const char *why);
/* The exit status of a command that otherwise succeeded. */
int cli_unopened_status(const cli_unopened *unopened);

/* Print a remark about how much several places hold. */
void cli_tell_totals(uint64_t n_files, uint64_t n_tables, uint64_t n_rows);

/* Whether two names refer to the same file. */
bool cli_is_same_file(const char *a, const char *b);

/* Close everything. An uncommitted edit is discarded, and trust stays as it was. */
void cli_place_close(cli_place *place);

/* The recorded trust in the opened table: whether queries may use its indexes. */
stoa_trust cli_place_trust(const cli_place *place);
bool cli_place_is_trusted(const cli_place *place);
/* Print one line on why the table is not trusted; false if there is nothing to say. */
bool cli_place_tell_trust(const cli_place *place, stoa_trust trust);

#endif
