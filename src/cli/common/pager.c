/* There is one pager per process, because there is one terminal. */
#include "cli/common/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/memory.h"

extern char **environ;

static struct {
    FILE *terminal;
    FILE *stream; /* in front of it */
    bool is_allowed;
    bool is_plain;    /* everything goes to the terminal at once */
    stoa_buffer held; /* output of the first screen */
    size_t n_lines;   /* in it, as the terminal wraps them */
    size_t column;    /* in the last one */
    bool in_escape;
    volatile pid_t child; /* 0: none */
    volatile int pipe;
    int saved_stderr; /* -1: stderr is no terminal */
    bool was_left;
} pager;

/* --- the program ----------------------------------------------------------------------------- */

/* The command line of the pager; NULL for none. */
static const char *command(void)
{
    static const char *const names[] = {"STOA_PAGER", "PAGER"};
    const char *text = "less";

    for (size_t i = sizeof names / sizeof *names; i-- > 0;) {
        text = getenv(names[i]) != NULL ? getenv(names[i]) : text;
    }
    return text[strspn(text, " ")] == '\0' || strcmp(text, "cat") == 0 ? NULL : text;
}

/* Whether a shell would find the first word of a command. */
static bool is_there(const char *text)
{
    const size_t length = strcspn(text, " \t");
    const char *path = getenv("PATH");
    bool is_found = false;

    if (text[strcspn(text, "|&;<>()$`\\\"'*?[#~=%")] != '\0') {
        return true; /* the shell knows */
    }
    if (memchr(text, '/', length) != NULL) {
        path = "";
    }
    for (; path != NULL && !is_found; path = *path == ':' ? path + 1 : NULL) {
        const size_t n = strcspn(path, ":");
        char name[4096];
        const int size = snprintf(name, sizeof name, "%.*s%s%.*s", (int)n, path, n > 0 ? "/" : "",
                                  (int)length, text);
        is_found = size < (int)sizeof name && access(name, X_OK) == 0;
        path += n;
    }
    return is_found;
}

static bool spawn(const char *text, int input)
{
    char *const words[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(text), NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    pid_t child = 0;

    if (words[2] == NULL || posix_spawn_file_actions_init(&actions) != 0) {
        free(words[2]);
        return false;
    }
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    (void)setenv("LESS", "FRX", 0); /* end if all fits, show colours, keep the screen */
    (void)setenv("LV", "-c", 0);
    const bool is_done = posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    free(words[2]);
    pager.child = is_done ? child : 0;
    return is_done;
}

/* Start the pager, if there is one. */
static bool start(void)
{
    const char *const text = command();
    int ends[2];

    if (text == NULL || !is_there(text) || pipe(ends) != 0) {
        return false;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    if (!spawn(text, ends[0])) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return false;
    }
    (void)close(ends[0]);
    (void)signal(SIGPIPE, SIG_IGN);
    pager.pipe = ends[1];
    pager.saved_stderr =
        isatty(STDERR_FILENO) ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (pager.saved_stderr >= 0) {
        (void)dup2(pager.pipe, STDERR_FILENO);
    }
    return true;
}

/* --- the stream ------------------------------------------------------------------------------ */

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t n = write(fd, bytes, length);
        if (n < 0 && (errno != EINTR)) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool send(const char *bytes, size_t length)
{
    if (pager.child == 0) {
        return fwrite(bytes, 1, length, pager.terminal) == length && fflush(pager.terminal) == 0;
    }
    if (write_all(pager.pipe, bytes, length)) {
        return true;
    }
    pager.was_left = pager.was_left || errno == EPIPE;
    return false;
}

/* Send what is held, to the pager or to the terminal. */
static bool send_held(void)
{
    const bool is_sent =
        pager.held.size == 0 || send((const char *)pager.held.data, pager.held.size);

    stoa_buffer_clear(&pager.held);
    pager.is_plain = pager.child == 0;
    return is_sent;
}

/* Count lines as a terminal of `width` columns shows them. Escape sequences that set colours take
 * no room, and every character takes one column. */
static void count(const char *bytes, size_t length, size_t width)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];

        if (pager.in_escape) {
            pager.in_escape = c != 'm';
        } else if (c == '\033') {
            pager.in_escape = true;
        } else if (c == '\n') {
            pager.n_lines++;
            pager.column = 0;
        } else if ((c & 0xc0) != 0x80) {
            pager.n_lines += pager.column == width;
            pager.column = pager.column == width ? 1 : pager.column + 1;
        }
    }
}

static bool put(const char *bytes, size_t length)
{
    struct winsize size;

    if (pager.is_plain || !pager.is_allowed || pager.child != 0) {
        return send(bytes, length);
    }
    if (ioctl(fileno(pager.terminal), TIOCGWINSZ, &size) != 0 || size.ws_row < 2 ||
        size.ws_col == 0 || stoa_buffer_append(&pager.held, bytes, length, NULL) != STOA_OK) {
        return send_held() && send(bytes, length);
    }
    count(bytes, length, size.ws_col);
    if (pager.n_lines < size.ws_row) { /* the last line is the shell's */
        return true;
    }
    (void)start();
    return send_held();
}

#if defined(__APPLE__)
static int write_cookie(void *cookie, const char *bytes, int length)
{
    (void)cookie;
    return put(bytes, (size_t)length) ? length : -1;
}

static FILE *open_stream(void)
{
    return funopen(NULL, NULL, write_cookie, NULL, NULL);
}
#else
static ssize_t write_cookie(void *cookie, const char *bytes, size_t length)
{
    (void)cookie;
    return length > 0 && put(bytes, length) ? (ssize_t)length : 0;
}

static FILE *open_stream(void)
{
    return fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_cookie});
}
#endif

FILE *cli_pager_open(FILE *out)
{
    const char *const term = getenv("TERM");

    if (term == NULL || strcmp(term, "dumb") == 0) {
        return out;
    }
    pager.stream = open_stream();
    if (pager.stream == NULL) {
        return out;
    }
    pager.terminal = out;
    (void)atexit(cli_pager_end);
    return pager.stream;
}

void cli_pager_allow(bool is_allowed)
{
    pager.is_allowed = is_allowed;
}

FILE *cli_pager_messages(void)
{
    (void)fflush(stdout); /* earlier output belongs above the message */
    return pager.held.size > 0 && isatty(STDERR_FILENO) ? pager.stream : stderr;
}

void cli_pager_release(void)
{
    if (pager.held.size > 0) {
        (void)send_held();
    }
}

/* --- the end --------------------------------------------------------------------------------- */

void cli_pager_end(void)
{
    if (pager.stream == NULL) {
        return;
    }
    (void)fflush(stdout);
    (void)fflush(pager.stream);
    cli_pager_release();
    pager.is_plain = true;
    if (pager.child != 0) {
        (void)signal(SIGINT, SIG_IGN); /* it is the pager's now */
        (void)fflush(stderr);
        if (pager.saved_stderr >= 0) {
            (void)dup2(pager.saved_stderr, STDERR_FILENO);
        }
        (void)close(pager.pipe);
        while (waitpid(pager.child, NULL, 0) < 0 && errno == EINTR) {
        }
        pager.child = 0;
    }
}

void cli_pager_end_in_handler(void)
{
    if (pager.child != 0) {
        (void)close(STDERR_FILENO);
        (void)close(pager.pipe);
        while (waitpid(pager.child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

bool cli_pager_runs(void)
{
    return pager.child != 0;
}

bool cli_pager_was_left(void)
{
    return pager.was_left;
}
