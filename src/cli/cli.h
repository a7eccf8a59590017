/*
 * What every command of `stoa` shares: its entry in the list, its exit status, its way to say what
 * went wrong.
 *
 * Data goes to stdout, everything else to stderr. A failure is one line.
 */
#ifndef STOA_CLI_CLI_H
#define STOA_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stoa/stoa.h>

#include "core/error.h" /* STOA_TRY, STOA_PRINTF */

/* Exit statuses. An interrupted command ends with 128 + the signal's number. */
enum {
    CLI_DONE = 0,   /* done */
    CLI_NO = 1,     /* the answer is "no": a broken MUST, an index that is wrong */
    CLI_USAGE = 2,  /* wrong usage */
    CLI_FAILED = 3, /* input or output could not be read, understood or written */
};

typedef struct cli_args cli_args;

/* One command. Its file, src/cli/cmd_<name>.c, ends in one of these; main.c lists them. */
typedef struct cli_command {
    const char *name;    /* one word, or two: "index add" */
    const char *summary; /* what it does, as `stoa help` shows it */
    const char *example; /* one that would work */
    int (*run)(cli_args *args);
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
extern const cli_command cmd_plot;
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
extern const cli_command cmd_rules;
extern const cli_command cmd_copy;
extern const cli_command cmd_move;
extern const cli_command cmd_remove;
extern const cli_command cmd_repack;
extern const cli_command cmd_dump;
extern const cli_command cmd_stat;
extern const cli_command cmd_diff;

/* Have libhdf5 begin, which no command needs before its arguments are accepted: `--help` does not.
 * Complains where it fails. */
bool cli_begin_hdf5(void);

/* Print `err` as one line and return CLI_FAILED; or, where the user interrupted the command, say so
 * and return 128 + signal. `name` stands in where the error does not say where. */
int cli_fail(const char *name, const stoa_error *err);

/* What the system has refused this command: memory, or a read. libhdf5 takes some of that for an
 * answer, as if an object were damaged or not there. STOA_OK: nothing. */
stoa_status cli_refused(stoa_error *err);

/* One line to stderr: "stoa: ..." in the colour of a failure, or a plain remark. Control characters
 * in the text (a file may have put them there) are escaped. */
void cli_complain(const char *format, ...) STOA_PRINTF(1, 2);
void cli_remark(const char *format, ...) STOA_PRINTF(1, 2);

/* `one` or `many`, as `n` asks. */
const char *cli_plural(uint64_t n, const char *one, const char *many);

/* Memory for the program's own small needs: a failure ends the program with CLI_FAILED, after which
 * nothing half-written remains. Release with free(). */
void *cli_resize(void *block, size_t n, size_t size);
void *cli_one_more(void *block, size_t n, size_t size); /* stoa_one_more() */
char *cli_copy(const char *text);
char *cli_sprintf(const char *format, ...) STOA_PRINTF(1, 2);

#endif
