/* libedit's calls that are named as those of readline. */
#include "cli/common/line_editor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "core/library.h"

enum { MAX_ENTRIES = 1000 };

static const stoa_library_name libedit = {
    .files = {"libedit.so.2", "libedit.so.0", "libedit.3.dylib"},
    .calls = {"readline", "add_history", "read_history", "write_history", "stifle_history",
              "rl_completion_matches", "rl_attempted_completion_function", "rl_outstream",
              "rl_completion_append_character", "using_history"},
};

typedef char **complete_call(const char *start, int from, int to);

static struct {
    stoa_library library;
    char *(*readline)(const char *prompt);
    int (*add_history)(const char *entry);
    int (*read_history)(const char *file);
    int (*write_history)(const char *file);
    char **(*matches)(const char *start, cli_completion *complete);
    cli_completion *complete;
    char *file; /* of the history; NULL: none */
} editor;

static char **attempt(const char *start, int from, int to)
{
    (void)from;
    (void)to;
    return editor.matches(start, editor.complete);
}

/* The file of the history, in a directory that is made. */
static char *history_file(const char *name)
{
    const char *const state = getenv("XDG_STATE_HOME");
    const char *const home = getenv("HOME");
    const bool has_state = state != NULL && state[0] == '/';
    char *directory = NULL;

    if (!has_state && (home == NULL || home[0] != '/')) {
        return NULL;
    }
    directory =
        has_state ? cli_sprintf("%s/stoa", state) : cli_sprintf("%s/.local/state/stoa", home);
    for (char *slash = strchr(directory + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(directory, 0700);
        *slash = '/';
    }
    (void)mkdir(directory, 0700);
    char *const file = cli_sprintf("%s/%s", directory, name);
    free(directory);
    return file;
}

void cli_line_editor_open(const char *history, cli_completion *complete)
{
    const stoa_library_call *const calls = editor.library.calls;
    void (*using_history)(void) = NULL;
    int (*stifle)(int) = NULL;
    complete_call **attempted = NULL;
    FILE **out = NULL;
    int *behind = NULL;

    if (!stoa_library_open(&editor.library, &libedit)) {
        return;
    }
    memcpy(&editor.readline, &calls[0], sizeof calls[0]);
    memcpy(&editor.add_history, &calls[1], sizeof calls[0]);
    memcpy(&editor.read_history, &calls[2], sizeof calls[0]);
    memcpy(&editor.write_history, &calls[3], sizeof calls[0]);
    memcpy(&stifle, &calls[4], sizeof calls[0]);
    memcpy(&editor.matches, &calls[5], sizeof calls[0]);
    memcpy(&attempted, &calls[6], sizeof calls[0]);
    memcpy(&out, &calls[7], sizeof calls[0]);
    memcpy(&behind, &calls[8], sizeof calls[0]);
    memcpy(&using_history, &calls[9], sizeof calls[0]);
    editor.complete = complete;
    *behind = '\0'; /* a word may be part of a quoted place */
    *attempted = attempt;
    *out = fdopen(dup(STDOUT_FILENO), "w"); /* stdout itself escapes what it is given */
    using_history();
    stifle(MAX_ENTRIES);
    editor.file = history_file(history);
    if (editor.file != NULL) {
        (void)editor.read_history(editor.file);
    }
}

char *cli_line_editor_read(const char *prompt)
{
    char *line = NULL;
    size_t room = 0;

    if (editor.readline != NULL) {
        return editor.readline(prompt);
    }
    fputs(prompt, stdout);
    fflush(stdout);
    const ssize_t length = getline(&line, &room, stdin);
    if (length < 0) {
        clearerr(stdin);
        free(line);
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    return line;
}

void cli_line_editor_remember(const char *entry)
{
    if (editor.readline == NULL) {
        return;
    }
    (void)editor.add_history(entry);
    if (editor.file != NULL && editor.write_history(editor.file) == 0) {
        (void)chmod(editor.file, 0600);
    }
}
