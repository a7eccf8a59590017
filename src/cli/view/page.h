/* A text that is read: help, a value, what is known of an object or a column. */
#ifndef STOA_CLI_VIEW_PAGE_H
#define STOA_CLI_VIEW_PAGE_H

#include "cli/view/scroll.h"

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. */
typedef struct cli_page {
    char *title;  /* owned; NULL: there is no page */
    char *text;   /* owned */
    bool is_wide; /* lines are not broken, but seen in parts: it has tables */
    size_t left;  /* columns of them that are left of the screen */
    char **lines; /* as they fit the width, escaped; owned */
    size_t n_lines;
    size_t longest;    /* columns of the longest line */
    size_t width;      /* that they fit */
    cli_scroll scroll; /* its cursor is the first line that is shown */
} cli_page;

/* Show a text from its beginning. Both are copied. */
void cli_page_set(cli_page *page, const char *title, const char *text, bool is_wide);
/* Break lines that are longer than the width, unless they are broken for it already. */
void cli_page_wrap(cli_page *page, size_t width, size_t height);
void cli_page_clear(cli_page *page);

#endif
