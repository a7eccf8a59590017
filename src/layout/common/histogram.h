/* Histograms that a layout stores: bins along axes, and one weight per bin. */
#ifndef STOA_LAYOUT_HISTOGRAM_H
#define STOA_LAYOUT_HISTOGRAM_H

#include "hdf/ids.h"

/* Upper bounds on the edges and the axes that are read from a file. */
enum { STOA_MAX_EDGES = 1 << 24, STOA_MAX_AXES = H5S_MAX_RANK };

/* One axis. Bin i goes from edge i to edge i + 1. */
typedef struct stoa_axis {
    unsigned number; /* as in the file */
    uint64_t n_bins;
    bool is_closed_left; /* bins are [a, b); otherwise (a, b] */
    double first;        /* first and last of evenly spaced edges */
    double last;
    double *edges; /* n_bins + 1 ascending edges; NULL if evenly spaced */
    char *units;   /* NULL if none */
    /* First, last and step of evenly spaced edges with their stored types: "int64 0 int64 12 int64
     * 3". NULL if not evenly spaced. */
    char *spaced;
    char stored[32]; /* stored type of explicit edges: "float64" */
} stoa_axis;

typedef struct stoa_histogram {
    unsigned n_axes;
    stoa_axis axes[STOA_MAX_AXES]; /* ordered by number, which begins at 0 or 1 */
    bool is_density;
    hid_t weights; /* dataset of rank n_axes */
} stoa_histogram;

/* Release what an open histogram holds, and mark it as closed. */
void stoa_histogram_close(stoa_histogram *histogram);

/* Edge `i` of an axis, 0 .. n_bins. */
double stoa_axis_edge(const stoa_axis *axis, uint64_t i);

#endif
