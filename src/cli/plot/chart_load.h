/* Makes charts from a table's content. */
#ifndef STOA_CLI_CHART_LOAD_H
#define STOA_CLI_CHART_LOAD_H

#include "cli/common/place.h"
#include "cli/plot/chart.h"
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
/* Whether a table is an array that is drawn whole: a plain dataset, or a part of one. */
bool cli_chart_is_array(const stoa_table *table);
/* The column that is drawn of a table if none was named, and the one that it is drawn over, or
 * NULL: of an array its values; else the second column of numbers over the first one, or the only
 * one, or the first column. */
void cli_chart_usual_columns(const stoa_table *table, const stoa_column **column,
                             const stoa_column **x);
/* Draw all rows of a column of numeric lists of one length as an image. NULL: the only such
 * column. */
stoa_status cli_chart_image(cli_chart *chart, const cli_place *place, const char *name,
                            stoa_error *err);
/* Whether a column holds numbers, which are drawn as a line. */
bool cli_chart_is_line(const stoa_column *column);
/* Whether a column holds lists of numbers. */
bool cli_chart_is_lists(const stoa_column *column);
/* Whether no column holds lists of numbers. */
bool cli_chart_has_no_lists(const stoa_table *table);

#endif
