/* Histograms that a layout keeps: bins along axes, and a weight for each. */
#ifndef STOA_LAYOUT_HISTOGRAM_H
#define STOA_LAYOUT_HISTOGRAM_H

#include "hdf/ids.h"

/* More edges than these are read of no file; and more axes than these. */
enum { STOA_MOST_EDGES = 1 << 24, STOA_MOST_AXES = H5S_MAX_RANK };

/* One axis: bin i goes from edge i to edge i + 1. */
typedef struct stoa_axis {
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
} stoa_axis;

typedef struct stoa_histogram {
    unsigned n_axes;
    stoa_axis axes[STOA_MOST_AXES]; /* by their numbers, which begin at 0 or 1 */
    bool is_density;
    hid_t weights; /* dataset of rank n_axes */
} stoa_histogram;

/* What one that is open holds; it is not open afterwards. */
void stoa_histogram_close(stoa_histogram *histogram);

/* Edge `i` of an axis, 0 .. n_bins. */
double stoa_axis_edge(const stoa_axis *axis, uint64_t i);

#endif
