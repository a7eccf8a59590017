/* Labelled counts as horizontal bars. */
#ifndef STOA_CLI_BARS_H
#define STOA_CLI_BARS_H

#include "cli/cli.h"

typedef struct cli_bar {
    char *label; /* owned */
    uint64_t count;
} cli_bar;

typedef struct cli_bars {
    cli_bar *items;
    size_t n;
} cli_bars;

/* `label` is taken over. */
void cli_bars_add(cli_bars *bars, char *label, uint64_t count);
void cli_bars_clear(cli_bars *bars);

/*
 * Draw: label, count, bar; an axis below. As wide as the terminal, or 80 columns. A count that is
 * not zero shows, however small.
 *
 * @param title  what the labels are
 * @param right  labels stand to the right (numbers)
 */
void cli_bars_draw(const cli_bars *bars, const char *title, bool right, FILE *out);

#endif
