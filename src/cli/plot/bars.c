#include "cli/plot/bars.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/terminal.h"
#include "cli/output/grid.h"

enum { MIN_BAR = 10, MAX_LABEL_LENGTH = 36 };

void cli_bars_add(cli_bars *bars, char *label, uint64_t count)
{
    bars->items = cli_one_more(bars->items, bars->n, sizeof *bars->items);
    bars->items[bars->n].label = label;
    bars->items[bars->n].count = count;
    bars->n++;
}

void cli_bars_clear(cli_bars *bars)
{
    for (size_t i = 0; i < bars->n; i++) {
        free(bars->items[i].label);
    }
    free(bars->items);
    *bars = (cli_bars){0};
}

/* Shorten a label to MAX_LABEL_LENGTH columns, with a mark where it was cut. `label` is consumed.
 */
static char *shorten(char *label)
{
    size_t length = strlen(label);

    if (cli_width(label) <= MAX_LABEL_LENGTH) {
        return label;
    }
    while (cli_width(label) >= MAX_LABEL_LENGTH) {
        do { /* skip a whole character */
            length--;
        } while (((unsigned char)label[length] & 0xc0) == 0x80);
        label[length] = '\0';
    }
    char *const shorter = cli_sprintf("%s…", label);
    free(label);
    return shorter;
}

/* Draw a bar of `count` out of `most`, in eighths of a cell. */
static void draw_bar(uint64_t count, uint64_t most, size_t width, FILE *out)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double cells = most > 0 ? (double)count / (double)most * (double)width : 0;
    size_t n = (size_t)(cells * 8 + 0.5);

    n += n == 0 && count > 0;
    for (size_t i = 0; i < n / 8; i++) {
        fputs("█", out);
    }
    fputs(eighths[n % 8], out);
}

static void draw_axis(uint64_t most, size_t indent, size_t width, FILE *out)
{
    char top[24];
    const int length = snprintf(top, sizeof top, "%" PRIu64, most);

    cli_pad(out, indent);
    fputs("└", out);
    for (size_t i = 1; i < width; i++) {
        fputs("─", out);
    }
    fputs("┘\n", out);
    cli_pad(out, indent);
    fprintf(out, "0%*s\n", (int)width, length < (int)width ? top : "");
}

void cli_bars_draw(const cli_bars *bars, const char *name, bool right, FILE *out)
{
    char *const title = cli_within_line(out, cli_copy(name));
    uint64_t most = 0;
    size_t label_width = cli_width(title);
    size_t count_width = strlen("rows");
    size_t width = cli_terminal_width(out);
    char digits[24];

    for (size_t i = 0; i < bars->n; i++) {
        bars->items[i].label = shorten(cli_within_line(out, bars->items[i].label));
        const size_t label = cli_width(bars->items[i].label);
        const size_t count =
            (size_t)snprintf(digits, sizeof digits, "%" PRIu64, bars->items[i].count);

        label_width = label > label_width ? label : label_width;
        count_width = count > count_width ? count : count_width;
        most = bars->items[i].count > most ? bars->items[i].count : most;
    }
    const size_t indent = label_width + 2 + count_width + 1;

    width = width > indent + MIN_BAR + 2 ? width - indent - 2 : MIN_BAR;
    cli_paint(out, "1");
    cli_pad(out, right ? label_width - cli_width(title) : 0);
    fputs(title, out);
    cli_pad(out, right ? 0 : label_width - cli_width(title));
    fprintf(out, "  %*s", (int)count_width, "rows");
    cli_paint(out, "0");
    fputc('\n', out);
    for (size_t i = 0; i < bars->n; i++) {
        const size_t room = label_width - cli_width(bars->items[i].label);

        cli_pad(out, right ? room : 0);
        fputs(bars->items[i].label, out);
        cli_pad(out, right ? 0 : room);
        fprintf(out, "  %*" PRIu64 " │", (int)count_width, bars->items[i].count);
        draw_bar(bars->items[i].count, most, width, out);
        fputc('\n', out);
    }
    draw_axis(most, indent, width, out);
    free(title);
}
