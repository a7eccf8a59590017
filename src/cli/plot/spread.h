/* How numbers lie: their range, their quartiles and their order, in one pass and constant memory.
 * Bins are chosen from that. */
#ifndef STOA_CLI_SPREAD_H
#define STOA_CLI_SPREAD_H

#include "cli/plot/histogram_bins.h"

/* Zero-initialise but for `is_log`. */
typedef struct cli_spread {
    bool is_log;    /* numbers below or at 0 have no place */
    uint64_t n;     /* that have a place */
    uint64_t n_odd; /* NaN, infinite, or without a place */
    uint64_t n_missing;
    cli_range range;
    bool is_falling; /* one is less than the one before */
    long double last;
    long double base; /* the first one */
    /* Numbers of values by the upper 16 bits of the float32 of the value, and of value - base;
     * owned. Of a quantile, the finer one is right. */
    uint64_t *counts[2];
} cli_spread;

/* A value that is not missing. */
void cli_spread_add(cli_spread *spread, long double value);
/* The value below which a fraction of all lie, to within 1 % of it, or of its distance from the
 * first one. */
long double cli_spread_quantile(const cli_spread *spread, double fraction);
/* Where most values lie: their range without far tails, as cli_edges_choose() says. */
void cli_spread_usual_range(const cli_spread *spread, cli_range *range);
void cli_spread_clear(cli_spread *spread);

/* Edges between bins, and what was counted where. A bin has its lower edge and not its upper one,
 * but for the last. */
typedef struct cli_edges {
    long double *at; /* n + 1 of them; owned */
    size_t n;        /* bins */
    bool is_log;
} cli_edges;

/* What was asked for; 0 and false: nothing. */
typedef struct cli_bins_wanted {
    uint64_t n;
    bool has_range;
    long double range[2];
    uint64_t about; /* bins, if their number was not asked for; 0: as the values lie */
} cli_bins_wanted;

/*
 * Choose bins. By default their width is that of Freedman and Diaconis (2 IQR / n^(1/3)), made
 * round. Far tails are cut off: values further from the 99th percentile than twice its distance
 * from the median. The same holds below.
 */
void cli_edges_choose(cli_edges *edges, const cli_spread *spread, const stoa_type *type,
                      const cli_bins_wanted *wanted);
/* The bin of a value; SIZE_MAX: below, or NaN; SIZE_MAX - 1: above. */
size_t cli_edges_find(const cli_edges *edges, long double value);
void cli_edges_clear(cli_edges *edges);

#endif
