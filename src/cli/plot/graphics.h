/* Pictures on terminals that show pixels: the graphics protocol of kitty, and sixels (DEC). */
#ifndef STOA_CLI_GRAPHICS_H
#define STOA_CLI_GRAPHICS_H

#include "cli/plot/chart.h"

/* CLI_CHART_KITTY or CLI_CHART_SIXEL if the terminal says that it has such graphics, else
 * CLI_CHART_TEXT. Asks it only if stdin and stdout are a terminal, and waits for a fifth of a
 * second at most. */
cli_chart_format cli_graphics_ask(void);

/* Draw with cairo. STOA_ENOTFOUND if it is not there. */
stoa_status cli_chart_kitty(cli_chart *chart, cli_chart_size size, FILE *out, stoa_error *err);
stoa_status cli_chart_sixel(cli_chart *chart, cli_chart_size size, FILE *out, stoa_error *err);

#endif
