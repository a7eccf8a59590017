/*
 * Shared by all commands of `stoa`: the list of commands, exit statuses, and error messages.
 *
 * Data goes to stdout, everything else to stderr. An error is one line.
 */
#ifndef STOA_CLI_CLI_H
#define STOA_CLI_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stoa/stoa.h>

#include "core/error.h" /* STOA_TRY, STOA_PRINTF */

/* Exit statuses. An interrupted command exits with 128 + the signal's number. */
enum {
    CLI_DONE = 0,   /* success */
    CLI_NO = 1,     /* a negative answer: a broken MUST, or a wrong index */
    CLI_USAGE = 2,  /* wrong usage */
    CLI_FAILED = 3, /* input or output could not be read, parsed or written */
};

typedef struct cli_args cli_args;

/* A command. Each src/cli/cmd_<name>.c defines one, and main.c lists them. */
typedef struct cli_command {
    const char *name;    /* one word, or two: "index add" */
    const char *summary; /* shown by `stoa help` */
    const char *example; /* a command line that works */
    /* An error is printed by cli_run(). STOA_OK exits with args->status. */
    stoa_status (*run)(cli_args *args, stoa_error *err);
} cli_command;

extern const cli_command cmd_ls;
extern const cli_command cmd_info;
extern const cli_command cmd_import;
extern const cli_command cmd_append;
extern const cli_command cmd_update;
extern const cli_command cmd_delete;
extern const cli_command cmd_truncate;
extern const cli_command cmd_preallocate;
extern const cli_command cmd_query;
extern const cli_command cmd_sql;
extern const cli_command cmd_plot;
extern const cli_command cmd_view;
extern const cli_command cmd_report;
extern const cli_command cmd_export;
extern const cli_command cmd_convert;
extern const cli_command cmd_index_add;
extern const cli_command cmd_index_list;
extern const cli_command cmd_index_drop;
extern const cli_command cmd_index_verify;
extern const cli_command cmd_column_add;
extern const cli_command cmd_column_drop;
extern const cli_command cmd_column_rename;
extern const cli_command cmd_column_order;
extern const cli_command cmd_column_storage;
extern const cli_command cmd_column_categories;
extern const cli_command cmd_column_row_index;
extern const cli_command cmd_attr;
extern const cli_command cmd_check;
extern const cli_command cmd_functions;
extern const cli_command cmd_rules;
extern const cli_command cmd_copy;
extern const cli_command cmd_move;
extern const cli_command cmd_remove;
extern const cli_command cmd_repack;
extern const cli_command cmd_subset;
extern const cli_command cmd_concat;
extern const cli_command cmd_dump;
extern const cli_command cmd_stat;
extern const cli_command cmd_diff;

/* Initialize libhdf5. Only needed once the arguments are accepted, so not for `--help`. Prints a
 * message on failure. */
bool cli_begin_hdf5(void);

/* Print `err` as one line and return CLI_FAILED. If the user interrupted the command, print that
 * and return 128 + signal. `name` is used if the error does not name its place. */
int cli_fail(const char *name, const stoa_error *err);

/* Whether the system refused this command memory, or a read. libhdf5 reports some of these as a
 * damaged or missing object. STOA_OK if nothing was refused. */
stoa_status cli_refused(stoa_error *err);

/* Print one line to stderr, "stoa: ...": an error in colour, or a plain remark. Control characters
 * in the text, which may come from a file, are escaped. */
void cli_complain(const char *format, ...) STOA_PRINTF(1, 2);
void cli_remark(const char *format, ...) STOA_PRINTF(1, 2);

/* The singular or plural form for `n`. */
const char *cli_plural(uint64_t n, const char *one, const char *many);

/* Memory for small needs of the program itself. A failure ends the program with CLI_FAILED; partly
 * written output is removed. Release with free(). */
void *cli_resize(void *block, size_t n, size_t size);
void *cli_one_more(void *block, size_t n, size_t size); /* stoa_one_more() */
char *cli_copy(const char *text);
char *cli_sprintf(const char *format, ...) STOA_PRINTF(1, 2);
char *cli_vsprintf(const char *format, va_list values) STOA_PRINTF(1, 0);
/* Append to a text of these functions. */
void cli_append(char **text, const char *format, ...) STOA_PRINTF(2, 3);
/* "a, b and c", if `last` is " and ". */
char *cli_join(const char *const *items, size_t n, const char *last);
/* An extent, as "13 x 10"; "" for rank 0. */
char *cli_extent(unsigned rank, const uint64_t *extent);

#endif
