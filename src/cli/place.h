/* The place a command works on, opened: the file, its table, and which tables were trusted. */
#ifndef STOA_CLI_PLACE_H
#define STOA_CLI_PLACE_H

#include "cli/args.h"

#define CLI_PLACE_HELP                                                                             \
    "FILE[:PATH]; the path may be left out if the file holds one table; a pattern such as "        \
    "'run-*.h5:/hit' reads several files as one table"

/* A table that this user trusts, with its GENERATION. */
typedef struct cli_trusted {
    char *path;
    bool has_generation;
    uint64_t generation;
} cli_trusted;

typedef struct cli_place {
    stoa_place place;
    char *name;   /* "FILE:PATH", or "FILE" while the path is not known; for messages */
    char **files; /* those that the file's name means, where it is a pattern */
    size_t n_files;
    stoa_file *file; /* the first of them */
    stoa_table *table;
    stoa_table *from;     /* whose rows the table shows; or NULL */
    cli_trusted *trusted; /* tables whose indexes were trusted when an edit began */
    size_t n_trusted;
    bool safe;      /* edits are made on a copy of the file: --safe */
    bool is_sparse; /* the file is opened under Stoa's connector */
    bool widens;    /* files of a set may hold an array in different widths: --widen */
    bool is_edited; /* the file is open for an edit, */
    bool is_whole;  /* or tables of it are taken as they are: nothing of them is left out */
    bool holds;     /* edits wait until the file is closed: stoa_file_options.holds_edits */
    bool follows;   /* other files that it leads to may be opened: --follow-external */
} cli_place;

/* Declare --safe, which every command that edits a file has. */
void cli_safe_option(cli_args *args, bool *safe);

/* Declare --widen, which the commands that read tables of every layout have. */
void cli_widen_option(cli_args *args, bool *widens);

/* Declare --follow-external, which every command that reads a file has. */
void cli_follow_option(cli_args *args, bool *follows);

/* Start from a zeroed cli_place; cli_place_close() is right after any failure. */
stoa_status cli_place_parse(cli_place *place, const char *text, stoa_error *err);
/* Several operands as one place, whose files are read as one table; each has the same path, or
 * none.
 */
stoa_status cli_place_parse_all(cli_args *args, cli_place *place, const cli_texts *operands,
                                stoa_error *err);
/* Operands, each one with a pattern as the places that it means. */
stoa_status cli_places_expand(cli_args *args, const cli_texts *operands, cli_texts *places,
                              stoa_error *err);
/* Where no such file is there, take the first one of a set of files that the name stands for. */
stoa_status cli_place_find_file(cli_place *place, stoa_error *err);
/* Fill in the path that was left out. */
void cli_place_set_path(cli_place *place, const char *path);
stoa_status cli_place_open_file(cli_place *place, stoa_file_mode mode, stoa_error *err);
/* Open a table of the file, or of all of them. */
stoa_status cli_place_open_at(const cli_place *place, const char *path, stoa_table **table,
                              stoa_error *err);
/* Open the file's table: the one at the path, or the only one. */
stoa_status cli_place_find_table(cli_place *place, stoa_error *err);
/* Say which objects of a table are not read (stoa_table_left_out()), if there are any; `left_out`
 * as stoa_object has it. Tables that are opened through this header are told of unasked. */
void cli_place_tell_left_out(const cli_place *place, const char *path, const char *left_out);
/* The same of a table that the library opened. */
void cli_place_tell_left_out_at(const cli_place *place, const char *path);
/* Parse, open the file, open its table. */
stoa_status cli_place_open_table(cli_place *place, const char *text, stoa_file_mode mode,
                                 stoa_error *err);

/*
 * Close the table and publish the edit. The tables that this user trusted before stay trusted,
 * since Stoa itself made the change; `trust` adds the place's own table.
 */
stoa_status cli_place_commit(cli_place *place, bool trust, stoa_error *err);

/* Was the place's table trusted, before the edit that is under way? */
bool cli_place_was_trusted(const cli_place *place);

/* Which tables this user trusts now, for an edit that is made elsewhere; and that they trust them
 * still, in `file`. */
stoa_status cli_place_note_trusted(cli_place *place, stoa_error *err);
void cli_place_remember_trusted(const cli_place *place, const char *file, const char *stamp);
/* The edit gives the table at `from` (NULL: none) the place `to` (NULL: none), and with it its
 * trust. */
void cli_place_move_trust(cli_place *place, const char *from, const char *to);

/* The names of the files that are read, added to `files`; the place's. */
void cli_place_inputs(const cli_place *place, cli_args *args, cli_texts *files);

/* What of a file cannot be opened. It is the first member of a walk's context, and begins with the
 * name of the file. */
typedef struct cli_unopened {
    const char *file;
    uint64_t n;
} cli_unopened;

/* Says so of an object, and counts it: a stoa_unopened_visit. */
void cli_tell_unopened(void *unopened, const char *path, const char *why);
/* The status of a command that succeeded otherwise. */
int cli_unopened_status(const cli_unopened *unopened);

/* Whether two names lead to one file. */
bool cli_is_same_file(const char *a, const char *b);

/* Close everything; an edit that was not committed is discarded, and trust is as it was. */
void cli_place_close(cli_place *place);

/* What the ledger says of the opened table: whether a query may use its indexes. */
stoa_trust cli_place_trust(const cli_place *place);
bool cli_place_is_trusted(const cli_place *place);
/* Why it says no more than that, in one line; false where there is nothing to say. */
bool cli_place_tell_trust(const cli_place *place, stoa_trust trust);

#endif
