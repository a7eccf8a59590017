/* A stream as a table for people: `-f table`. */
#ifndef STOA_CLI_SHOW_H
#define STOA_CLI_SHOW_H

#include "cli/cli.h"

/*
 * Print every row of a stream. Column widths come from the first thousand rows; later rows are
 * printed as they arrive, wider cells pushing their line out.
 *
 * Numbers stand to the right. A column of floats is shown with the same number of decimals in each
 * row, four at most (very small and very large values in scientific notation); every other output
 * format gives all digits.
 */
stoa_status cli_show(struct ArrowArrayStream *stream, FILE *out, uint64_t *n_rows, stoa_error *err);

#endif
