#include "cli/view/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/common/interrupt.h"
#include "cli/common/pager.h"
#include "cli/view/key.h"

/* How long the rest of an escape sequence may take. */
enum { SEQUENCE_MS = 50, MAX_PENDING = 256 };

/* The other screen, no cursor, lines that do not wrap; and back. */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[H\033[2J";
static const char leave[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

static struct {
    volatile sig_atomic_t is_open;
    volatile sig_atomic_t is_resized;
    volatile sig_atomic_t must_stop; /* SIGTSTP came */
    struct termios before;
    int input;
    int saved_stderr; /* -1: stderr was no terminal, and is left alone */
    FILE *aside;      /* what was printed to it */
    long n_read;
    char pending[MAX_PENDING]; /* bytes that are no key yet */
    size_t n_pending;
    bool is_closed;
    char **shown; /* lines on the terminal; owned */
    size_t n_shown;
} screen = {.input = -1, .saved_stderr = -1};

/* --- to and from the terminal ---------------------------------------------------------------- */

static void write_all(const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t written = write(STDOUT_FILENO, bytes, n);
        if (written < 0 && errno != EINTR) {
            return; /* the terminal is gone, and reading keys says so */
        }
        bytes += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
}

static void take(void)
{
    struct termios raw = screen.before;

    raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON | ISTRIP | INLCR | IGNCR);
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG | IEXTEN);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    (void)tcsetattr(screen.input, TCSADRAIN, &raw);
    write_all(enter, sizeof enter - 1);
    screen.is_open = 1;
    screen.is_resized = 1;
}

/* Async-signal-safe. */
static void give_back(void)
{
    if (screen.is_open) {
        screen.is_open = 0;
        (void)!write(STDOUT_FILENO, leave, sizeof leave - 1);
        (void)tcsetattr(screen.input, TCSANOW, &screen.before);
    }
}

static void on_signal(int number)
{
    if (number == SIGTSTP) {
        screen.must_stop = 1;
    } else {
        screen.is_resized = 1;
    }
}

static void catch (int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

void cli_screen_stop(void)
{
    give_back();
    screen.must_stop = 0;
    catch (SIGTSTP, SIG_DFL);
    (void)raise(SIGTSTP);
    /* Here it continues. */
    catch (SIGTSTP, on_signal);
    take();
}

/* Keep aside what is printed to stderr, and say what a signal handler says to the terminal. */
static void redirect_stderr(void)
{
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    screen.aside = tmpfile();
    screen.saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (screen.aside == NULL || screen.saved_stderr < 0) {
        return;
    }
    (void)fflush(stderr);
    (void)dup2(fileno(screen.aside), STDERR_FILENO);
    cli_signals_say_to(screen.saved_stderr);
}

static void restore_stderr(void)
{
    if (screen.saved_stderr >= 0) {
        (void)fflush(stderr);
        (void)dup2(screen.saved_stderr, STDERR_FILENO);
        (void)close(screen.saved_stderr);
        screen.saved_stderr = -1;
        cli_signals_say_to(STDERR_FILENO);
    }
    if (screen.aside != NULL) {
        (void)fclose(screen.aside);
        screen.aside = NULL;
    }
}

bool cli_screen_is_there(const char **why)
{
    const char *const term = getenv("TERM");
    const int input = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC);

    *why = !isatty(STDOUT_FILENO)                      ? "stdout is no terminal"
           : term == NULL || strcmp(term, "dumb") == 0 ? "TERM names a terminal without a cursor"
           : input < 0                                 ? "there is no terminal to read keys from"
                                                       : NULL;
    if (input >= 0 && input != STDIN_FILENO) {
        (void)close(input);
    }
    return *why == NULL;
}

stoa_status cli_screen_open(stoa_error *err)
{
    static bool is_noted;

    screen.input = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC);
    if (screen.input < 0 || tcgetattr(screen.input, &screen.before) != 0) {
        return stoa_fail_errno(err, errno, "cannot read keys from the terminal");
    }
    cli_pager_release();
    if (!is_noted) {
        is_noted = true;
        (void)atexit(cli_screen_close);
    }
    catch (SIGWINCH, on_signal);
    catch (SIGCONT, on_signal);
    catch (SIGTSTP, on_signal);
    cli_signals_restore(give_back);
    redirect_stderr();
    take();
    screen.is_resized = 0;
    return STOA_OK;
}

void cli_screen_close(void)
{
    if (screen.input < 0) {
        return;
    }
    give_back();
    cli_signals_restore(NULL);
    catch (SIGWINCH, SIG_DFL);
    catch (SIGCONT, SIG_DFL);
    catch (SIGTSTP, SIG_DFL);
    restore_stderr();
    cli_screen_forget();
    if (screen.input != STDIN_FILENO) {
        (void)close(screen.input);
    }
    screen.input = -1;
}

bool cli_screen_is_open(void)
{
    return screen.is_open != 0;
}

void cli_screen_size(size_t *n_lines, size_t *n_columns)
{
    struct winsize size = {.ws_row = 0};
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;

    *n_lines = is_known && size.ws_row > 0 ? size.ws_row : 24;
    *n_columns = is_known && size.ws_col > 0 ? size.ws_col : 80;
}

/* --- drawing --------------------------------------------------------------------------------- */

void cli_screen_forget(void)
{
    for (size_t i = 0; i < screen.n_shown; i++) {
        free(screen.shown[i]);
    }
    free(screen.shown);
    screen.shown = NULL;
    screen.n_shown = 0;
}

void cli_screen_show(const cli_frame *frame)
{
    stoa_sink out = {.out = NULL};
    char where[48];

    for (size_t i = 0; i < frame->n_lines; i++) {
        const stoa_buffer *const text = &frame->lines[i].text;
        char *const line =
            cli_sprintf("%.*s", (int)text->size, text->size > 0 ? (const char *)text->data : "");

        if (i == screen.n_shown) {
            screen.shown = cli_one_more(screen.shown, i, sizeof *screen.shown);
            screen.shown[screen.n_shown++] = NULL;
        }
        if (screen.shown[i] == NULL || strcmp(screen.shown[i], line) != 0) {
            (void)snprintf(where, sizeof where, "\033[%zu;1H\033[K", i + 1);
            stoa_sink_text(&out, where);
            stoa_sink_text(&out, line);
        }
        free(screen.shown[i]);
        screen.shown[i] = line;
    }
    if (frame->has_cursor) {
        (void)snprintf(where, sizeof where, "\033[%zu;%zuH\033[?25h", frame->cursor_line + 1,
                       frame->cursor_column + 1);
        stoa_sink_text(&out, where);
    } else {
        stoa_sink_text(&out, "\033[?25l");
    }
    if (out.status == STOA_OK && screen.is_open) {
        write_all((const char *)out.text.data, out.text.size);
    }
    stoa_sink_clear(&out);
}

/* --- keys ------------------------------------------------------------------------------------ */

/* Wait for bytes. False if none came, or a signal did. */
static bool fill(int milliseconds)
{
    struct pollfd ready = {.fd = screen.input, .events = POLLIN};

    if (screen.n_pending == sizeof screen.pending || poll(&ready, 1, milliseconds) <= 0) {
        return false;
    }
    const ssize_t n = read(screen.input, screen.pending + screen.n_pending,
                           sizeof screen.pending - screen.n_pending);
    screen.is_closed = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
    screen.n_pending += n > 0 ? (size_t)n : 0;
    return n > 0;
}

static uint32_t decode(bool is_all)
{
    uint32_t key = CLI_KEY_NONE;
    const size_t n = cli_key_decode(screen.pending, screen.n_pending, is_all, &key);

    screen.n_pending -= n;
    memmove(screen.pending, screen.pending + n, screen.n_pending);
    return key;
}

uint32_t cli_screen_key(int milliseconds)
{
    uint32_t key = CLI_KEY_NONE;

    if (screen.must_stop) {
        cli_screen_stop();
    }
    if (screen.is_resized) {
        screen.is_resized = 0;
        if (!screen.is_open) {
            take();
            screen.is_resized = 0;
        }
        cli_screen_forget();
        return CLI_KEY_RESIZED;
    }
    key = decode(false);
    if (key == CLI_KEY_NONE && screen.n_pending == 0) {
        (void)fill(milliseconds);
        key = decode(false);
    }
    while (key == CLI_KEY_NONE && screen.n_pending > 0) {
        const bool is_all = !fill(SEQUENCE_MS);
        key = decode(is_all);
    }
    return key == CLI_KEY_NONE && screen.is_closed ? CLI_KEY_CLOSED : key;
}

bool cli_screen_has_key(void)
{
    if (screen.n_pending == 0) {
        (void)fill(0);
    }
    return screen.n_pending > 0 || screen.is_resized || screen.must_stop || screen.is_closed;
}

bool cli_screen_is_cancelled(void)
{
    size_t at = 0;

    (void)fill(0);
    while (at < screen.n_pending) {
        const char *const bytes = screen.pending + at;
        uint32_t key = CLI_KEY_NONE;
        size_t n = cli_key_decode(bytes, screen.n_pending - at, false, &key);

        if (n == 0) { /* Esc, or the begin of a sequence */
            const bool is_all = !fill(SEQUENCE_MS);
            n = cli_key_decode(bytes, screen.n_pending - at, is_all, &key);
        }
        if (key == CLI_KEY_ESCAPE || key == CLI_CTRL('c')) {
            screen.n_pending -= at + n;
            memmove(screen.pending, screen.pending + at + n, screen.n_pending);
            return true;
        }
        if (n == 0) {
            break;
        }
        at += n;
    }
    return screen.is_closed;
}

char *cli_screen_remark(void)
{
    char line[1024];
    char *last = NULL;

    if (screen.aside == NULL) {
        return NULL;
    }
    (void)fflush(stderr);
    (void)fseek(screen.aside, screen.n_read, SEEK_SET);
    while (fgets(line, sizeof line, screen.aside) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0') {
            free(last);
            last = cli_copy(line);
        }
    }
    screen.n_read = ftell(screen.aside);
    (void)fseek(screen.aside, 0, SEEK_END);
    return last;
}
