/* A cursor in a list of lines, and the part of the list that is shown. */
#ifndef STOA_CLI_VIEW_SCROLL_H
#define STOA_CLI_VIEW_SCROLL_H

#include <stdint.h>

/* Zero-initialise. `cursor` is one of the `shown` lines from `first` on. */
typedef struct cli_scroll {
    uint64_t n;      /* lines of the list */
    uint64_t shown;  /* lines of the screen, 1 or more */
    uint64_t first;  /* the first line that is shown */
    uint64_t cursor; /* 0 if the list is empty */
} cli_scroll;

/* The list, or the screen, has another length. The cursor stays where it is, if it can. */
void cli_scroll_resize(cli_scroll *scroll, uint64_t n, uint64_t shown);
/* Move the cursor by lines, down if positive, and by whole screens, whose first line moves, too. */
void cli_scroll_by(cli_scroll *scroll, int64_t lines);
void cli_scroll_pages(cli_scroll *scroll, int pages);
/* Move the cursor to a line, or the last one. A line that was not shown appears in the middle. */
void cli_scroll_to(cli_scroll *scroll, uint64_t line);

#endif
