/* Makes charts from a table's content. */
#ifndef STOA_CLI_CHART_LOAD_H
#define STOA_CLI_CHART_LOAD_H

#include "cli/common/place.h"
#include "cli/output/chart.h"
#include "layout/common/histogram.h"

/* Make a chart of a histogram with one or two axes. `place` is the table of its bins. */
stoa_status cli_chart_histogram(cli_chart *chart, const cli_place *place,
                                const stoa_histogram *histogram, stoa_error *err);
/*
 * Make a chart of rows of a column of numeric lists, one line per row. The x axis is time if the
 * table has 't0' and 'dt' beside the column (LH5 notes §4), else sample numbers.
 *
 * @param name  NULL: the only such column
 */
stoa_status cli_chart_waveforms(cli_chart *chart, const cli_place *place, const char *name,
                                const uint64_t *rows, size_t n_rows, stoa_error *err);

#endif
