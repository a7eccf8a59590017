/* Prints a stream as a table for people: `-f table`. */
#ifndef STOA_CLI_TABLE_TEXT_H
#define STOA_CLI_TABLE_TEXT_H

#include "cli/common/cli.h"

/*
 * Print every row of a stream. Column widths are those of the first thousand rows. Later rows are
 * printed as they arrive, and a wider cell shifts the rest of its line.
 *
 * Numbers are right-aligned. On a terminal, all floats of a column have the same number of
 * decimals, at most four. Very small and very large values are in scientific notation. In files,
 * pipes and all other formats, a float is the shortest text that reads back.
 */
stoa_status cli_show(struct ArrowArrayStream *stream, FILE *out, uint64_t *n_rows, stoa_error *err);

#endif
