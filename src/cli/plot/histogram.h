/* Draws the distribution of one column as text: `stoa query --histogram`. */
#ifndef STOA_CLI_HISTOGRAM_H
#define STOA_CLI_HISTOGRAM_H

#include "cli/common/args.h"

/*
 * Draw a histogram. `what` is "COL" or "COL:BINS"; a name that contains a colon must be in double
 * quotes.
 *
 * Numbers and times are put in about twenty bins with round edges, or in BINS bins of equal width.
 * For strings, categories and booleans, each of the BINS (20) most frequent values gets a bar.
 * Missing rows, NaN and infinite values are counted below the chart.
 *
 * @param asked  the filter, and whether indexes may be used
 */
stoa_status cli_histogram(cli_args *args, stoa_table *table, const char *what,
                          const stoa_query_options *asked, FILE *out, stoa_error *err);

#endif
