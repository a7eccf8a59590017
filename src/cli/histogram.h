/* The distribution of one column, drawn as text: `stoa query --histogram`. */
#ifndef STOA_CLI_HISTOGRAM_H
#define STOA_CLI_HISTOGRAM_H

#include "cli/args.h"

/*
 * `what` is "COL" or "COL:BINS"; a name that holds a colon stands in double quotes.
 *
 * Numbers and times fall into about twenty bins with round edges, or into BINS of equal width. Of
 * strings, categories and booleans the BINS (20) most frequent values get a bar each. Missing rows,
 * NaN and infinities are counted below.
 *
 * @param asked  the filter, and whether indexes may be used
 */
stoa_status cli_histogram(cli_args *args, stoa_table *table, const char *what,
                          const stoa_query_options *asked, FILE *out, stoa_error *err);

#endif
