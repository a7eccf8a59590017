#include "cli/common/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/common/pager.h"
#include "core/text.h"

enum { DEFAULT_WIDTH = 80, MAX_CHARACTER_BYTES = 4 };

/* --- characters that control a terminal ------------------------------------------------------ */

static bool drives_terminal(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character <= 0x9f) ||      /* C0, C1 */
           character == 0x061c || character == 0x200e || character == 0x200f || /* marks */
           (character >= 0x2028 && character <= 0x202e) || /* lines, embeddings, overrides */
           (character >= 0x2066 && character <= 0x2069);   /* isolates */
}

static void put_escape(stoa_sink *sink, uint32_t character)
{
    char escape[8];

    if (character == '\n' || character == '\t') {
        stoa_sink_text(sink, character == '\n' ? "\\n" : "\\t");
        return;
    }
    (void)snprintf(escape, sizeof escape, character < 0x80 ? "\\x%02x" : "\\u%04x",
                   (unsigned)character);
    stoa_sink_text(sink, escape);
}

/* Write valid UTF-8 in runs and escape control characters, except those in `kept`. */
static void put_escaped(stoa_sink *sink, const char *bytes, size_t length, const char *kept)
{
    while (length > 0) {
        const size_t valid = stoa_utf8_valid(bytes, length);
        uint32_t character = (unsigned char)*bytes;
        size_t run = 0;
        size_t next = 0;

        while (run < valid) {
            next = stoa_utf8_get(bytes + run, &character);
            if (drives_terminal(character) &&
                (character >= 0x80 || character == 0 || strchr(kept, (int)character) == NULL)) {
                break;
            }
            run += next;
        }
        stoa_sink_put(sink, bytes, run);
        if (run < valid) {
            put_escape(sink, character);
            run += next;
        } else if (run == 0) { /* invalid UTF-8 */
            char escape[5];

            (void)snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)*bytes);
            stoa_sink_text(sink, escape);
            run = 1;
        }
        bytes += run;
        length -= run;
    }
}

void cli_escaped(stoa_sink *sink, const char *bytes, size_t length)
{
    put_escaped(sink, bytes, length, "");
}

/* --- escaping streams ------------------------------------------------------------------------ */

typedef struct guard {
    FILE *outer;
    FILE *inner; /* the terminal, or the pager in front of it */
    FILE *terminal;
    char begun[MAX_CHARACTER_BYTES]; /* bytes of an incomplete character */
    size_t n_begun;
} guard;

/* For stdout, and for an output file that is a terminal. */
static guard guards[2];

static guard *guard_of(const FILE *out)
{
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++) {
        if (out != NULL && (guards[i].outer == out || guards[i].inner == out)) {
            return &guards[i];
        }
    }
    return NULL;
}

/* The number of bytes at the end that may be an incomplete character. */
static size_t begun_at_end(const char *bytes, size_t length)
{
    for (size_t n = 1; n < MAX_CHARACTER_BYTES && n <= length; n++) {
        const unsigned char c = (unsigned char)bytes[length - n];

        if (c >= 0xc0) {
            const size_t whole = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
            return n < whole ? n : 0;
        }
        if (c < 0x80) {
            return 0;
        }
    }
    return 0;
}

static bool write_guarded(guard *g, const char *bytes, size_t length)
{
    stoa_sink text = {.out = NULL};
    stoa_sink escaped = {.out = g->inner};

    stoa_sink_put(&text, g->begun, g->n_begun);
    stoa_sink_put(&text, bytes, length);
    const char *const all = (const char *)text.text.data;
    const size_t n_begun = begun_at_end(all, text.text.size);
    put_escaped(&escaped, all, text.text.size - n_begun, "\n\t");
    memcpy(g->begun, all + text.text.size - n_begun, n_begun);
    g->n_begun = n_begun;
    const bool is_written = text.status == STOA_OK && stoa_sink_flush(&escaped) == STOA_OK;
    stoa_sink_clear(&escaped);
    stoa_sink_clear(&text);
    return is_written;
}

static int close_guarded(void *cookie)
{
    guard *const g = cookie;
    stoa_sink rest = {.out = g->inner};

    put_escaped(&rest, g->begun, g->n_begun, "");
    const bool is_written = stoa_sink_flush(&rest) == STOA_OK;
    stoa_sink_clear(&rest);
    const bool is_closed = fclose(g->inner) == 0;
    *g = (guard){0};
    return is_written && is_closed ? 0 : -1;
}

#if defined(__APPLE__)
static int write_cookie(void *cookie, const char *bytes, int length)
{
    return write_guarded(cookie, bytes, (size_t)length) ? length : -1;
}

static FILE *open_guard(guard *g)
{
    return funopen(g, NULL, write_cookie, NULL, close_guarded);
}
#else
static ssize_t write_cookie(void *cookie, const char *bytes, size_t length)
{
    return length > 0 && write_guarded(cookie, bytes, length) ? (ssize_t)length : 0;
}

static FILE *open_guard(guard *g)
{
    return fopencookie(g, "w",
                       (cookie_io_functions_t){.write = write_cookie, .close = close_guarded});
}
#endif

static FILE *open_terminal(FILE *out, bool is_paged)
{
    guard *g = guards;

    while (g < guards + sizeof guards / sizeof *guards && g->outer != NULL) {
        g++;
    }
    if (!isatty(fileno(out)) || g == guards + sizeof guards / sizeof *guards) {
        return out;
    }
    g->terminal = out;
    g->inner = is_paged ? cli_pager_open(out) : out;
    g->outer = open_guard(g);
    if (g->outer == NULL) {
        *g = (guard){0};
        (void)fputs("stoa: memory ran out\n", stderr);
        exit(CLI_FAILED);
    }
    (void)setvbuf(g->outer, NULL, _IOLBF, BUFSIZ);
    return g->outer;
}

FILE *cli_terminal_guard(FILE *out)
{
    return open_terminal(out, false);
}

void cli_terminal_begin(void)
{
    stdout = open_terminal(stdout, true);
}

/* --- terminals ------------------------------------------------------------------------------- */

bool cli_is_terminal(FILE *out)
{
    return guard_of(out) != NULL || (out == stderr && isatty(STDERR_FILENO));
}

size_t cli_terminal_width(FILE *out)
{
    const guard *const g = guard_of(out);
    struct winsize size;

    return ioctl(fileno(g != NULL ? g->terminal : out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0
               ? size.ws_col
               : DEFAULT_WIDTH;
}

void cli_paint(FILE *out, const char *code)
{
    const guard *const g = guard_of(out);
    const char *const no_colour = getenv("NO_COLOR");
    const char *const term = getenv("TERM");

    if ((no_colour != NULL && no_colour[0] != '\0') ||
        (term != NULL && strcmp(term, "dumb") == 0) || !cli_is_terminal(out)) {
        return;
    }
    if (g != NULL) { /* bypass the escaping stream */
        (void)fflush(out);
        (void)fprintf(g->inner, "\033[%sm", code);
        (void)fflush(g->inner);
    } else {
        (void)fprintf(out, "\033[%sm", code);
    }
}

FILE *cli_terminal_raw(FILE *out)
{
    const guard *const g = guard_of(out);

    return g != NULL ? g->terminal : out;
}

char *cli_within_line(FILE *out, char *text)
{
    stoa_sink sink = {.out = NULL};
    const bool is_shown = cli_is_terminal(out);

    if (!is_shown && strchr(text, '\n') == NULL) {
        return text;
    }
    if (is_shown) {
        cli_escaped(&sink, text, strlen(text));
    } else {
        for (const char *at = text; *at != '\0'; at++) {
            if (*at == '\n') {
                put_escape(&sink, '\n');
            } else {
                stoa_sink_char(&sink, *at);
            }
        }
    }
    stoa_sink_char(&sink, '\0');
    free(text);
    text = stoa_buffer_detach(&sink.text);
    stoa_sink_clear(&sink);
    return text;
}
