/* A stream as a table for people: `-f table`. */
#ifndef STOA_CLI_SHOW_H
#define STOA_CLI_SHOW_H

#include "cli/cli.h"

/*
 * Print every row of a stream. Column widths come from the first thousand rows; later rows are
 * printed as they arrive, wider cells pushing their line out.
 *
 * Numbers stand to the right. On a terminal a column of floats is shown with the same number of
 * decimals in each row, four at most (very small and very large values in scientific notation). In
 * a file, in a pipe and in every other format, a float is the shortest text that reads back.
 */
stoa_status cli_show(struct ArrowArrayStream *stream, FILE *out, uint64_t *n_rows, stoa_error *err);

#endif
