/* Draws labelled counts as horizontal bars. */
#ifndef STOA_CLI_BARS_H
#define STOA_CLI_BARS_H

#include "cli/common/cli.h"

typedef struct cli_bar {
    char *label; /* owned */
    uint64_t count;
} cli_bar;

typedef struct cli_bars {
    cli_bar *items;
    size_t n;
} cli_bars;

/* Add a bar; `label` is owned from then on. */
void cli_bars_add(cli_bars *bars, char *label, uint64_t count);
void cli_bars_clear(cli_bars *bars);

/*
 * Print for each bar its label, count and bar, with an axis below. The chart is as wide as the
 * terminal, or 80 columns. Any nonzero count is visible.
 *
 * @param title  title of the labels
 * @param right  align labels to the right (numbers)
 */
void cli_bars_draw(const cli_bars *bars, const char *title, bool right, FILE *out);

#endif
