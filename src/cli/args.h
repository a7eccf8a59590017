/*
 * The command line: options and operands are declared once, and that declaration both parses and
 * writes the usage.
 *
 *     const char *where = NULL;
 *     cli_text(args, &where, "-w, --where EXPR", "rows to keep");
 *     cli_operand(args, &place, "PLACE", "FILE[:PATH]");
 *     if (!cli_accepted(args)) {
 *         return args->status;
 *     }
 *
 * Options may stand anywhere; `--` ends them. `-x VALUE`, `-xVALUE`, `--name VALUE`,
 * `--name=VALUE`.
 */
#ifndef STOA_CLI_ARGS_H
#define STOA_CLI_ARGS_H

#include <stoa/file.h>

#include "cli/cli.h"

/* Texts of the command line, in order. */
typedef struct cli_texts {
    const char **items;
    size_t n;
} cli_texts;

typedef struct cli_option {
    const char *spec; /* "-w, --where EXPR" */
    const char *help;
    const char *name; /* in spec, after "--" */
    size_t name_length;
    char letter;       /* 0: none */
    const char *value; /* in spec, "EXPR"; NULL: a flag */
    bool *flag;        /* where the value goes: one of these */
    const char **text;
    cli_texts *list;
    uint64_t *number;
    int *choice;
    const char *const *choices; /* NULL-terminated */
} cli_option;

typedef struct cli_operand_slot {
    const char *name; /* "PLACE", "[COLUMN]", "PLACE..." */
    const char *help;
    const char **text;
    cli_texts *list; /* takes all that are left */
} cli_operand_slot;

#define CLI_MAX_OPTIONS 40
#define CLI_MAX_OPERANDS 4

struct cli_args {
    const cli_command *command;
    char **argv; /* what follows the command's name */
    size_t argc;
    cli_option options[CLI_MAX_OPTIONS];
    size_t n_options;
    cli_operand_slot operands[CLI_MAX_OPERANDS];
    size_t n_operands;
    void **kept; /* freed with the args */
    size_t n_kept;
    int status; /* what to exit with when the args were not accepted */
};

/* Declarations. What `to` points at keeps its value unless the option is given; of repeated options
 * the last one counts, except for cli_list. */
void cli_flag(cli_args *args, bool *to, const char *spec, const char *help);
void cli_text(cli_args *args, const char **to, const char *spec, const char *help);
void cli_list(cli_args *args, cli_texts *to, const char *spec, const char *help);
void cli_number(cli_args *args, uint64_t *to, const char *spec, const char *help);
/* *to becomes the position in `choices`. */
void cli_choice(cli_args *args, int *to, const char *const *choices, const char *spec,
                const char *help);
/* A name in brackets may be left out; NULL then. */
void cli_operand(cli_args *args, const char **to, const char *name, const char *help);
void cli_operands(cli_args *args, cli_texts *to, const char *name, const char *help);

/* Declare --no-progress. */
void cli_progress_option(cli_args *args, bool *quiet);

/* Parse; --wait and --no-wait, which every command has, are seen to. False if there is nothing to
 * run: --help was printed, or one line about wrong usage. */
bool cli_accepted(cli_args *args);
/* How long the command waits for files, once that is so. */
const stoa_file_patience *cli_patience(void);

/* The value of --memory as bytes: "268435456", "256M", "2G". NULL: not given, *bytes stays. False
 * after a complaint if it is no size. */
bool cli_accepted_memory(cli_args *args, const char *text, uint64_t *bytes);

/* Complain about usage in one line, as "stoa query: ...; see 'stoa query --help'": CLI_USAGE. */
int cli_misused(cli_args *args, const char *format, ...) STOA_PRINTF(2, 3);

/* Split comma-separated lists of names; a name in double quotes may hold anything, "" stands for a
 * quote. `to` and its strings live as long as the args. */
void cli_split_names(cli_args *args, const cli_texts *from, cli_texts *to);
void cli_split_names_of(cli_args *args, const char *from, cli_texts *to);
/* Cut at the first `separator` outside double quotes: the name, unquoted, and the rest (NULL if
 * there is no separator). Both live as long as the args. */
const char *cli_cut(cli_args *args, const char *text, char separator, const char **rest);
/* The same, but the piece keeps its quotes, to be cut again. */
const char *cli_cut_piece(cli_args *args, const char *text, char separator, const char **rest);

/* Memory that lives as long as the args. */
void *cli_keep(cli_args *args, void *block);
/* A copy of a text; NULL of NULL. */
const char *cli_kept(cli_args *args, const char *text);
void cli_texts_add(cli_args *args, cli_texts *texts, const char *text);

/* The one of `names` that a mistyped `name` is nearest to; NULL if none is near. */
const char *cli_nearest(const char *name, size_t length, const char *const *names, size_t n);

/* Run a command on the given words. */
int cli_run(const cli_command *command, char **argv, size_t argc);

#endif
