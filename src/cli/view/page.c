#include "cli/view/page.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output/grid.h"
#include "cli/view/frame.h"

static void clear_lines(cli_page *page)
{
    for (size_t i = 0; i < page->n_lines; i++) {
        free(page->lines[i]);
    }
    free(page->lines);
    page->lines = NULL;
    page->n_lines = 0;
}

void cli_page_set(cli_page *page, const char *title, const char *text, bool is_wide)
{
    char *const own_title = cli_copy(title);
    char *const own_text = cli_copy(text);

    cli_page_clear(page);
    page->title = own_title;
    page->text = own_text;
    page->is_wide = is_wide;
}

/* Add an escaped line in pieces that fit, broken at blanks where there are some. */
static void add_line(cli_page *page, const char *shown)
{
    do {
        const size_t width = cli_width(shown);
        size_t n = page->is_wide ? strlen(shown) : cli_fitting(shown, page->width);
        size_t blank = n;

        if (shown[n] != '\0') {
            while (blank > 0 && shown[blank] != ' ') {
                blank--;
            }
            n = blank > n / 2 ? blank : n;
            n = n > 0 ? n : strlen(shown); /* a wide character, and one column */
        }
        page->longest = page->is_wide && width > page->longest ? width : page->longest;
        page->lines = cli_one_more(page->lines, page->n_lines, sizeof *page->lines);
        page->lines[page->n_lines++] = cli_sprintf("%.*s", (int)n, shown);
        shown += n;
        shown += *shown == ' ' && blank == n;
    } while (*shown != '\0');
}

void cli_page_wrap(cli_page *page, size_t width, size_t height)
{
    if (page->lines == NULL || page->width != width) {
        clear_lines(page);
        page->width = width;
        for (const char *at = page->text; *at != '\0';) {
            const size_t n = strcspn(at, "\n");
            char *const line = cli_sprintf("%.*s", (int)n, at);
            char *const shown = cli_shown(line);
            add_line(page, shown);
            free(shown);
            free(line);
            at += n + (at[n] == '\n');
        }
    }
    const size_t n_first = page->n_lines > height ? page->n_lines - height + 1 : 1;
    cli_scroll_resize(&page->scroll, n_first, 1);
}

void cli_page_clear(cli_page *page)
{
    clear_lines(page);
    free(page->title);
    free(page->text);
    *page = (cli_page){.title = NULL};
}
