/* Histograms of LH5 (LH5, "Histograms"; LH5 notes §4.4). */
#ifndef STOA_LAYOUT_LH5_HISTOGRAM_H
#define STOA_LAYOUT_LH5_HISTOGRAM_H

#include "layout/common/histogram.h"
#include "layout/lh5/read/lh5.h"
#include "table/open/table.h"

/* Whether the datatype of a group is that of a histogram. */
bool stoa_lh5_is_histogram(const stoa_lh5_datatype *type);

/*
 * Open a histogram.
 *
 * @param[out] histogram  closed by the caller with stoa_histogram_close(); not open after a failure
 * @return STOA_EDATA if the axes and the weights do not match
 */
stoa_status stoa_lh5_histogram_open(hid_t group, stoa_histogram *histogram, stoa_error *err);
/* Open the histogram at a path of a file. If the object is not one, *is_one is false and there is
 * nothing to close. */
stoa_status stoa_lh5_histogram_find(hid_t loc, const char *path, bool *is_one,
                                    stoa_histogram *histogram, stoa_error *err);

/* Add the bins of a histogram as rows to a table that has no columns yet. The columns are
 * 'axis_0.low', 'axis_0.high', ... and 'weight'; the last axis varies fastest. */
stoa_status stoa_lh5_add_bins(stoa_table *table, const stoa_histogram *histogram, stoa_error *err);

#endif
