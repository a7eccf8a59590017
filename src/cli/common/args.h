/*
 * The command line. A command declares its options and operands once. The declarations are used to
 * parse, to print the usage, and for manual pages and completion (src/cli/help).
 *
 *     const char *where = NULL;
 *     cli_text(args, &where, "-w, --where EXPR", "rows to keep");
 *     cli_operand(args, &args->subject, "PLACE", "FILE[:PATH]");
 *     if (!cli_accepted(args)) {
 *         return STOA_OK;
 *     }
 *
 * Options may come before or after operands; `--` ends them. The forms are `-x VALUE`, `-xVALUE`,
 * `--name VALUE` and `--name=VALUE`.
 */
#ifndef STOA_CLI_ARGS_H
#define STOA_CLI_ARGS_H

#include <stoa/file.h>

#include "cli/common/cli.h"

typedef struct cli_place cli_place;

/* Strings from the command line, in order. */
typedef struct cli_texts {
    const char **items;
    size_t n;
} cli_texts;

typedef struct cli_option {
    const char *spec; /* "-w, --where EXPR" */
    const char *help;
    const char *name; /* in spec, after "--" */
    size_t name_length;
    char letter;       /* 0: no short form */
    const char *value; /* in spec, "EXPR"; NULL: a flag */
    bool *flag;        /* destination of the value: one of these */
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
    cli_texts *list; /* receives all remaining operands */
} cli_operand_slot;

#define CLI_MAX_OPTIONS 40
#define CLI_MAX_OPERANDS 4

/* Look at the declarations of a command. */
typedef void cli_describe(const cli_args *args, void *context);

struct cli_args {
    const cli_command *command;
    cli_describe *describe; /* of cli_run_described(); else NULL */
    void *context;
    char **argv; /* the words after the command's name */
    size_t argc;
    cli_option options[CLI_MAX_OPTIONS];
    size_t n_options;
    cli_operand_slot operands[CLI_MAX_OPERANDS];
    size_t n_operands;
    void **kept; /* freed with the args */
    size_t n_kept;
    cli_place *places;   /* closed with the args: cli_place_new() */
    const char *subject; /* what errors are about that do not say it */
    cli_place *place;    /* the same, once it has a name; may be NULL */
    int status;          /* exit status if no error is returned */
};

/* Declarations. The target of `to` keeps its value unless the option is given. If an option is
 * repeated, the last one wins, except for cli_list. */
void cli_flag(cli_args *args, bool *to, const char *spec, const char *help);
void cli_text(cli_args *args, const char **to, const char *spec, const char *help);
void cli_list(cli_args *args, cli_texts *to, const char *spec, const char *help);
void cli_number(cli_args *args, uint64_t *to, const char *spec, const char *help);
/* *to is set to the position in `choices`. */
void cli_choice(cli_args *args, int *to, const char *const *choices, const char *spec,
                const char *help);
/* A name in brackets is optional: *to is NULL if it is not given. */
void cli_operand(cli_args *args, const char **to, const char *name, const char *help);
void cli_operands(cli_args *args, cli_texts *to, const char *name, const char *help);

/* Declare --no-progress. */
void cli_progress_option(cli_args *args, bool *quiet);

/* Parse the arguments, including --wait and --no-wait, which every command has. False if the
 * command must not run: --help was printed, or a usage error. */
bool cli_accepted(cli_args *args);
/* How long the command waits for files. Valid once the arguments are accepted. */
const stoa_file_patience *cli_patience(void);

/* Parse the value of --memory ("268435456", "256M", "2G") into bytes. If `text` is NULL, *bytes is
 * unchanged. False, after a message, if it is not a size. */
bool cli_accepted_memory(cli_args *args, const char *text, uint64_t *bytes);

/* Print a usage error in one line: "stoa query: ...; see 'stoa query --help'". The command ends
 * with CLI_USAGE. Returns STOA_OK, for a command to return. */
stoa_status cli_misused(cli_args *args, const char *format, ...) STOA_PRINTF(2, 3);

/* Split comma-separated lists of names. A name in double quotes may contain any character; "" is a
 * quote. `to` and its strings live as long as the args. */
void cli_split_names(cli_args *args, const cli_texts *from, cli_texts *to);
void cli_split_names_of(cli_args *args, const char *from, cli_texts *to);
/* Split at the first `separator` outside double quotes. Returns the name, unquoted; *rest is NULL
 * if there is no separator. Both live as long as the args. */
const char *cli_cut(cli_args *args, const char *text, char separator, const char **rest);
/* The same, but the first part keeps its quotes, to be split again. */
const char *cli_cut_piece(cli_args *args, const char *text, char separator, const char **rest);

/* A name in double quotes, as the query language takes any; the caller frees it. */
char *cli_quoted(const char *name);

/* Make the args own a block, and free it with them. */
void *cli_keep(cli_args *args, void *block);
/* Copy a text into memory owned by the args; NULL gives NULL. */
const char *cli_kept(cli_args *args, const char *text);
void cli_texts_add(cli_args *args, cli_texts *texts, const char *text);

/* The one of `names` most similar to a mistyped `name`; NULL if none is similar. */
const char *cli_nearest(const char *name, size_t length, const char *const *names, size_t n);

/* Run a command with the given arguments. */
int cli_run(const cli_command *command, char **argv, size_t argc);
/* Let a command declare its options and operands, and no more. `describe` is called once; where the
 * declarations put values is not to be used. */
void cli_run_described(const cli_command *command, cli_describe *describe, void *context);

#endif
