/* Charts of what a table holds. */
#ifndef STOA_CLI_CHART_LOAD_H
#define STOA_CLI_CHART_LOAD_H

#include "cli/chart.h"
#include "cli/place.h"
#include "layout/histogram.h"

/* Of a histogram of one or two axes. `place` is its table, of its bins. */
stoa_status cli_chart_histogram(cli_chart *chart, const cli_place *place,
                                const stoa_histogram *histogram, stoa_error *err);
/*
 * Of rows of a column of lists of numbers, each a line: over time where the table has 't0' and 'dt'
 * beside the column (LH5 notes §4), else over the positions of the samples.
 *
 * @param name  NULL: the only such column
 */
stoa_status cli_chart_waveforms(cli_chart *chart, const cli_place *place, const char *name,
                                const uint64_t *rows, size_t n_rows, stoa_error *err);

#endif
