/*
 * A sample: rows chosen uniformly from those that pass, each at most once. The same rows pass and
 * the same seed is given: the same rows are chosen.
 *
 * The reservoir of Li (1994, "Reservoir-sampling algorithms of time complexity O(n(1 +
 * log(N/n)))"): it says how many rows come before the next that is taken. So rows of which all pass
 * are not looked at.
 */
#ifndef STOA_QUERY_SAMPLE_H
#define STOA_QUERY_SAMPLE_H

#include "query/run/query.h"

/* Zero-initialise all but `wanted` and `state`; free with stoa_reservoir_clear(). */
typedef struct stoa_reservoir {
    uint64_t wanted; /* rows, at least 1 */
    uint64_t state;  /* of the random numbers: the seed */
    uint64_t n_seen;
    uint64_t next; /* number of the next row to take, once there are `wanted` */
    double weight;
    stoa_buffer rows; /* uint64_t */
} stoa_reservoir;

/* Offer rows, which follow those offered before: [first, first + n), or those that are listed. */
stoa_status stoa_reservoir_offer(stoa_reservoir *reservoir, uint64_t first, uint64_t n,
                                 const uint64_t *listed, stoa_error *err);
void stoa_reservoir_clear(stoa_reservoir *reservoir);

/* Replace the plan's rows by a sample of those that pass. Scans for these if the indexes do not
 * know all of them. */
stoa_status stoa_query_sample(stoa_query *query, const stoa_scan_request *request, stoa_error *err);

#endif
