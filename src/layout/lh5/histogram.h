/* Histograms of LH5 (LH5, "Histograms"; LH5 notes §4.4). */
#ifndef STOA_LAYOUT_LH5_HISTOGRAM_H
#define STOA_LAYOUT_LH5_HISTOGRAM_H

#include "layout/lh5/lh5.h"
#include "table/table.h"

/* More edges than these are read of no file. */
enum { STOA_LH5_MOST_EDGES = 1 << 24 };

/* One axis: bin i goes from edge i to edge i + 1. */
typedef struct stoa_lh5_axis {
    unsigned number; /* as it is called */
    uint64_t n_bins;
    bool is_closed_left; /* bins are [a, b), not (a, b] */
    double first;        /* edges are evenly spaced between these, */
    double last;
    double *edges; /* or else n_bins + 1 of these, which ascend */
    char *units;   /* NULL: none */
    char *spaced;  /* of evenly spaced ones, first, last and step as they are stored: "int64 0 int64
                      12 int64 3"; NULL: not said */
    char stored[32]; /* of others, their type: "float64" */
} stoa_lh5_axis;

typedef struct stoa_lh5_histogram {
    unsigned n_axes;
    stoa_lh5_axis axes[STOA_LH5_HIGHEST_RANK]; /* by their numbers, which begin at 0 or 1 */
    bool is_density;
    hid_t weights; /* dataset of rank n_axes */
} stoa_lh5_histogram;

/* Whether a type, of an object of this group, is one of a histogram. */
bool stoa_lh5_is_histogram(const stoa_lh5_datatype *type);

/*
 * @param[out] histogram  the caller's, closed by stoa_lh5_histogram_close(); not open after a
 *                        failure
 * @return STOA_EDATA where the axes and the weights do not make one
 */
stoa_status stoa_lh5_histogram_open(hid_t group, stoa_lh5_histogram *histogram, stoa_error *err);
/* The object at a path of a file, where it is one; else *is_one is false, and nothing to close. */
stoa_status stoa_lh5_histogram_find(hid_t loc, const char *path, bool *is_one,
                                    stoa_lh5_histogram *histogram, stoa_error *err);
void stoa_lh5_histogram_close(stoa_lh5_histogram *histogram);

/* Edge `i` of an axis, 0 .. n_bins. */
double stoa_lh5_edge(const stoa_lh5_axis *axis, uint64_t i);

/* Its bins as the rows of a table without columns so far, the last axis running fastest:
 * 'axis_0.low', 'axis_0.high', ... and 'weight'. */
stoa_status stoa_lh5_add_bins(stoa_table *table, const stoa_lh5_histogram *histogram,
                              stoa_error *err);

#endif
