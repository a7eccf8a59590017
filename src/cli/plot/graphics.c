#include "cli/plot/graphics.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/common/terminal.h"
#include "cli/plot/pen.h"

/* --- what a terminal has --------------------------------------------------------------------- */

/* Read the terminal's answers, up to that to the last question, which every terminal answers. */
static size_t read_answer(char *answer, size_t size)
{
    enum { WAIT = 200 };
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    size_t n = 0;

    while (n + 1 < size && poll(&input, 1, WAIT) == 1) {
        const ssize_t got = read(STDIN_FILENO, answer + n, size - 1 - n);
        if (got <= 0) {
            break;
        }
        n += (size_t)got;
        answer[n] = '\0';
        const char *const last = strstr(answer, "\033[?");
        if (last != NULL && strchr(last, 'c') != NULL) {
            break;
        }
    }
    answer[n] = '\0';
    return n;
}

/* Whether the device attributes, as "\033[?62;4;22c", have a number. */
static bool has_attribute(const char *answer, long wanted)
{
    const char *at = strstr(answer, "\033[?");
    bool has = false;

    for (at = at != NULL ? at + 3 : ""; *at != '\0' && *at != 'c' && !has;) {
        char *end = NULL;
        has = strtol(at, &end, 10) == wanted && end > at;
        at = end > at ? end + (*end == ';') : "";
    }
    return has;
}

cli_chart_format cli_graphics_ask(void)
{
    /* A picture of one pixel that kitty would show, then the primary device attributes. */
    static const char questions[] = "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c";
    const char *const term = getenv("TERM");
    const char *const no_colour = getenv("NO_COLOR");
    struct termios usual;
    char answer[256];

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || term == NULL ||
        strcmp(term, "dumb") == 0 || (no_colour != NULL && no_colour[0] != '\0') ||
        tcgetattr(STDIN_FILENO, &usual) != 0) {
        return CLI_CHART_TEXT;
    }
    struct termios raw = usual;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) {
        return CLI_CHART_TEXT;
    }
    answer[0] = '\0';
    if (write(STDOUT_FILENO, questions, sizeof questions - 1) > 0) {
        (void)read_answer(answer, sizeof answer);
    }
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &usual);
    return strstr(answer, "\033_Gi=31;OK") != NULL ? CLI_CHART_KITTY
           : has_attribute(answer, 4)              ? CLI_CHART_SIXEL
                                                   : CLI_CHART_TEXT;
}

/* --- kitty ----------------------------------------------------------------------------------- */

stoa_status cli_chart_kitty(cli_chart *chart, cli_chart_size size, FILE *out, stoa_error *err)
{
    enum { BYTES = 3072 }; /* 4096 letters of Base64, the most of a command */
    unsigned char *png = NULL;
    size_t n = 0;

    STOA_RETURN_NOT_OK(cli_chart_png_bytes(chart, size, &png, &n, err));
    for (size_t at = 0; at < n; at += BYTES) {
        const size_t some = n - at < BYTES ? n - at : BYTES;
        fprintf(out, "\033_G%sm=%d;", at == 0 ? "a=T,f=100," : "", at + some < n);
        cli_base64(out, png + at, some);
        fputs("\033\\", out);
    }
    fputc('\n', out);
    free(png);
    return STOA_OK;
}

/* --- sixels ---------------------------------------------------------------------------------- */

/* A palette of six levels of red, seven of green, and six of blue. */
enum { REDS = 6, GREENS = 7, BLUES = 6, COLOURS = REDS * GREENS * BLUES, BAND = 6 };

static unsigned colour_of(const unsigned char *pixel)
{
    const unsigned red = (pixel[0] * (REDS - 1U) + 127) / 255;
    const unsigned green = (pixel[1] * (GREENS - 1U) + 127) / 255;
    const unsigned blue = (pixel[2] * (BLUES - 1U) + 127) / 255;

    return (red * GREENS + green) * BLUES + blue;
}

static void put_run(FILE *out, unsigned bits, size_t n)
{
    const int sixel = '?' + (int)bits;

    if (n > 3) {
        fprintf(out, "!%zu%c", n, sixel);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        fputc(sixel, out);
    }
}

/* One colour of six lines. */
static void put_colour(FILE *out, const unsigned char *colours, cli_chart_size size, size_t top,
                       unsigned colour)
{
    unsigned last = 0;
    size_t n = 0;

    fprintf(out, "#%u", colour);
    for (size_t x = 0; x < size.width; x++) {
        unsigned bits = 0;
        for (size_t y = 0; y < BAND && top + y < size.height; y++) {
            bits |= (unsigned)(colours[(top + y) * size.width + x] == colour) << y;
        }
        if (bits != last && n > 0) {
            put_run(out, last, n);
            n = 0;
        }
        last = bits;
        n++;
    }
    if (last != 0) {
        put_run(out, last, n);
    }
    fputc('$', out);
}

stoa_status cli_chart_sixel(cli_chart *chart, cli_chart_size size, FILE *out, stoa_error *err)
{
    unsigned char *rgb = NULL;

    STOA_RETURN_NOT_OK(cli_chart_pixels(chart, size, &rgb, err));
    const size_t n = (size_t)size.width * size.height;
    unsigned char *const colours = cli_resize(NULL, n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        colours[i] = (unsigned char)colour_of(rgb + 3 * i);
    }
    free(rgb);
    fprintf(out, "\033Pq\"1;1;%u;%u", size.width, size.height);
    for (unsigned c = 0; c < COLOURS; c++) {
        fprintf(out, "#%u;2;%u;%u;%u", c, c / (GREENS * BLUES) * 100 / (REDS - 1),
                c / BLUES % GREENS * 100 / (GREENS - 1), c % BLUES * 100 / (BLUES - 1));
    }
    for (size_t top = 0; top < size.height; top += BAND) {
        const size_t end = top + BAND < size.height ? top + BAND : size.height;
        bool is_used[COLOURS] = {false};
        for (size_t i = top * size.width; i < end * size.width; i++) {
            is_used[colours[i]] = true;
        }
        for (unsigned c = 0; c < COLOURS; c++) {
            if (is_used[c]) {
                put_colour(out, colours, size, top, c);
            }
        }
        fputc('-', out);
    }
    fputs("\033\\\n", out);
    free(colours);
    return STOA_OK;
}
