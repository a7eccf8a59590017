#include "cli/view/scroll.h"

#include <stdbool.h>

/* Move the shown part until the cursor is in it, and no line is wasted at the end. */
static void settle(cli_scroll *s)
{
    const uint64_t last = s->n > s->shown ? s->n - s->shown : 0;

    s->cursor = s->n == 0 ? 0 : s->cursor < s->n ? s->cursor : s->n - 1;
    if (s->cursor < s->first) {
        s->first = s->cursor;
    } else if (s->cursor - s->first >= s->shown) {
        s->first = s->cursor - s->shown + 1;
    }
    s->first = s->first < last ? s->first : last;
}

void cli_scroll_resize(cli_scroll *scroll, uint64_t n, uint64_t shown)
{
    scroll->n = n;
    scroll->shown = shown > 0 ? shown : 1;
    settle(scroll);
}

/* A position moved by n, within the list. */
static uint64_t moved(const cli_scroll *s, uint64_t from, int64_t by)
{
    const uint64_t n = by < 0 ? 0 - (uint64_t)by : (uint64_t)by;

    if (by < 0) {
        return from > n ? from - n : 0;
    }
    return s->n == 0 ? 0 : n < s->n - 1 - from ? from + n : s->n - 1;
}

void cli_scroll_by(cli_scroll *scroll, int64_t lines)
{
    scroll->cursor = moved(scroll, scroll->cursor, lines);
    settle(scroll);
}

void cli_scroll_pages(cli_scroll *scroll, int pages)
{
    const int64_t by = (int64_t)scroll->shown * pages;

    scroll->cursor = moved(scroll, scroll->cursor, by);
    scroll->first = moved(scroll, scroll->first, by);
    settle(scroll);
}

void cli_scroll_to(cli_scroll *scroll, uint64_t line)
{
    const bool is_far = line < scroll->first || line - scroll->first >= scroll->shown;

    scroll->cursor = line;
    if (is_far) {
        scroll->first = line > scroll->shown / 2 ? line - scroll->shown / 2 : 0;
    }
    settle(scroll);
}
