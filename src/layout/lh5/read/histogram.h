/* Histograms of LH5 (LH5, "Histograms"; LH5 notes §4.4). */
#ifndef STOA_LAYOUT_LH5_HISTOGRAM_H
#define STOA_LAYOUT_LH5_HISTOGRAM_H

#include "layout/common/histogram.h"
#include "layout/lh5/read/lh5.h"
#include "table/open/table.h"

/* Whether a type, of an object of this group, is one of a histogram. */
bool stoa_lh5_is_histogram(const stoa_lh5_datatype *type);

/*
 * @param[out] histogram  the caller's, closed by stoa_histogram_close(); not open after a
 *                        failure
 * @return STOA_EDATA where the axes and the weights do not make one
 */
stoa_status stoa_lh5_histogram_open(hid_t group, stoa_histogram *histogram, stoa_error *err);
/* The object at a path of a file, where it is one; else *is_one is false, and nothing to close. */
stoa_status stoa_lh5_histogram_find(hid_t loc, const char *path, bool *is_one,
                                    stoa_histogram *histogram, stoa_error *err);

/* Its bins as the rows of a table without columns so far, the last axis running fastest:
 * 'axis_0.low', 'axis_0.high', ... and 'weight'. */
stoa_status stoa_lh5_add_bins(stoa_table *table, const stoa_histogram *histogram, stoa_error *err);

#endif
