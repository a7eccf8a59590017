/* stoa: columnar tables inside HDF5 files, from the command line. */
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/allocations.h"
#include "cli/common/args.h"
#include "cli/common/heap.h"
#include "cli/common/interrupt.h"
#include "cli/common/pager.h"
#include "cli/common/terminal.h"
#include "cli/help/commands.h"
#include "cli/help/complete.h"
#include "cli/help/describe.h"
#include "cli/output/output.h"
#include "core/exit_cleanup.h"
#include "core/memory.h"

static const cli_command *const commands[] = {
    &cmd_ls,
    &cmd_info,
    &cmd_import,
    &cmd_append,
    &cmd_update,
    &cmd_delete,
    &cmd_truncate,
    &cmd_preallocate,
    &cmd_query,
    &cmd_sql,
    &cmd_view,
    &cmd_plot,
    &cmd_report,
    &cmd_export,
    &cmd_convert,
    &cmd_index_add,
    &cmd_index_list,
    &cmd_index_drop,
    &cmd_index_verify,
    &cmd_column_add,
    &cmd_column_drop,
    &cmd_column_rename,
    &cmd_column_order,
    &cmd_column_storage,
    &cmd_column_categories,
    &cmd_column_row_index,
    &cmd_attr,
    &cmd_copy,
    &cmd_move,
    &cmd_remove,
    &cmd_repack,
    &cmd_subset,
    &cmd_concat,
    &cmd_check,
    &cmd_rules,
    &cmd_functions,
    &cmd_dump,
    &cmd_stat,
    &cmd_diff,
    NULL,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands - 1 };

static void print_help(FILE *out, const char *below)
{
    const size_t length = strlen(below);

    fprintf(out,
            "stoa %s: columnar tables inside HDF5 files\n\n"
            "usage: stoa COMMAND [OPTION]... [OPERAND]...\n\n",
            stoa_version());
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strncmp(commands[i]->name, below, length) == 0) {
            fputs("  ", out);
            cli_paint(out, "1");
            fprintf(out, "%-19s", commands[i]->name);
            cli_paint(out, "0");
            fprintf(out, "%s\n", commands[i]->summary);
        }
    }
    fputs("\nA place is FILE[:PATH], as run.h5:/events. 'stoa COMMAND --help' shows the options\n"
          "of a command and an example; 'stoa --version' the versions of Stoa and HDF5.\n",
          out);
}

/* Print the subcommands for `stoa index` alone. */
static int ask_what(const char *family, const char *const *names, size_t n)
{
    char *const words = cli_join(names, n, " or ");

    cli_complain("%s: say what to do: %s; see 'stoa %s --help'", family, words, family);
    free(words);
    return CLI_USAGE;
}

/* What other programs call commands, and what does the same here. */
static const char *other_name(const char *word)
{
    static const char *const others[][2] = {
        {"head", "'stoa query PLACE -n 10' shows the first rows"},
        {"sample", "'stoa query PLACE --sample 10' picks rows at random"},
        {"schema", "'stoa info PLACE' shows the columns"},
        {"describe", "'stoa info PLACE' shows the columns"},
        {"cat", "'stoa query PLACE' shows all rows"},
        {"count", "'stoa query PLACE -a \"count()\"' counts rows"},
        {"cp", "'stoa copy' copies tables"},
        {"mv", "'stoa move' moves tables"},
        {"rm", "'stoa remove' removes tables"},
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(word, others[i][0]) == 0) {
            return others[i][1];
        }
    }
    return NULL;
}

static int unknown_command(char **words, size_t n)
{
    const char *names[N_COMMANDS];
    const char *const family = cli_is_family(commands, words[0]) ? words[0] : NULL;
    const char *const word = family != NULL && n > 1 ? words[1] : words[0];
    const char *const before = family != NULL ? family : "";
    const char *const space = family != NULL ? " " : "";
    const size_t n_names = cli_list_words(commands, family, names);
    const char *nearest;

    if (family != NULL && n == 1) {
        return ask_what(family, names, n_names);
    }
    nearest = cli_nearest(word, strlen(word), names, n_names);
    if (family == NULL && other_name(word) != NULL) {
        cli_complain("there is no command '%s'; %s", word, other_name(word));
    } else if (nearest != NULL) {
        cli_complain("there is no command '%s%s%s'; did you mean '%s%s%s'? 'stoa help' lists them",
                     before, space, word, before, space, nearest);
    } else {
        cli_complain("there is no command '%s%s%s'; 'stoa help' lists them", before, space, word);
    }
    return CLI_USAGE;
}

static int print_version(void)
{
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;

    if (!cli_begin_hdf5()) {
        return CLI_FAILED;
    }
    H5get_libversion(&major, &minor, &release);
    printf("stoa %s (HDF5 %u.%u.%u)\n", stoa_version(), major, minor, release);
    return CLI_DONE;
}

/* `stoa help` and `stoa help COMMAND`; `words` are those after help. */
static int help(char **words, size_t n)
{
    static char asks[] = "--help";
    char *ask = asks;
    const cli_command *command;
    size_t n_words = 0;

    if (n == 0) {
        print_help(stdout, "");
        return CLI_DONE;
    }
    if (n == 2 && strcmp(words[0], "-f") == 0 && strcmp(words[1], "json") == 0) {
        cli_describe_commands(commands, stdout);
        return CLI_DONE;
    }
    command = cli_find_command(commands, words, n, &n_words);
    if (command == &cmd_functions) { /* it is help itself */
        return cli_run(command, words + 1, n - 1);
    }
    if (command != NULL) {
        return cli_run(command, &ask, 1);
    }
    if (cli_is_family(commands, words[0]) && n == 1) {
        print_help(stdout, words[0]);
        return CLI_DONE;
    }
    return unknown_command(words, n);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool is_file(const char *name)
{
    struct stat about;

    return stat(name, &about) == 0 && S_ISREG(about.st_mode);
}

/* `stoa FILE` lists a file, and `stoa FILE:/PATH` describes a table. */
static int look_at(char **words, size_t n)
{
    char *const file = cli_copy(words[0]);
    char *const colon = strstr(file, ":/");
    const bool has_path = colon != NULL && !is_file(file);

    if (has_path) {
        *colon = '\0';
    }
    const bool is_there = !cli_is_family(commands, words[0]) && is_file(file);
    free(file);
    return is_there ? cli_run(has_path ? &cmd_info : &cmd_ls, words, n) : unknown_command(words, n);
}

static int run(char **words, size_t n)
{
    const cli_command *command;
    size_t n_words = 0;

    if (n == 0) {
        print_help(stderr, "");
        return CLI_USAGE;
    }
    if (strcmp(words[0], "help") == 0 || asks_for_help(words[0])) {
        return help(words + 1, n - 1);
    }
    if (strcmp(words[0], "--version") == 0 || strcmp(words[0], "version") == 0) {
        return print_version();
    }
    if (strcmp(words[0], "__complete") == 0) {
        return cli_complete(commands, words + 1, n - 1);
    }
    if (cli_is_family(commands, words[0]) && n == 2 && asks_for_help(words[1])) {
        return help(words, 1);
    }
    command = cli_find_command(commands, words, n, &n_words);
    return command != NULL ? cli_run(command, words + n_words, n - n_words) : look_at(words, n);
}

/* Reserve the numbers of standard streams that the parent closed. Reading or writing them still
 * fails. Files opened later cannot get those numbers, and so not the stream's output. */
static void keep_standard_numbers(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* gets that
                                                                                  number */
        }
    }
}

int main(int argc, char **argv)
{
    stoa_error err = STOA_ERROR_INIT;
    int status;

    /* `stoa query ... | head` ends quietly, even if the parent changed the signal's handling. */
    signal(SIGPIPE, SIG_DFL);
    keep_standard_numbers();
    cli_heap_settle();
    stoa_memory_watch(cli_memory_ran_out);
    cli_signals_catch();
    cli_terminal_begin();
    status = run(argv + 1, argc > 0 ? (size_t)argc - 1 : 0);
    cli_pager_end();
    if (status < CLI_USAGE && cli_flush_stdout(&err) != STOA_OK) {
        status = cli_fail(NULL, &err);
    }
    if (status < CLI_USAGE && cli_refused(&err) != STOA_OK &&
        stoa_exit_cleanup_is() == STOA_UNCHANGED) {
        cli_complain("%s; what was said may be wrong, or not be all", err.message);
        status = CLI_FAILED;
    }
    return status;
}
