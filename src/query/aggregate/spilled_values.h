/*
 * Values of groups in temporary files, for aggregates that do not fit into memory. They can be read
 * for a few groups, or selected by rank within one group.
 *
 * Nothing is sorted. To select a value, its key is found 16 bits at a time by counting, until the
 * remaining values fit into memory. That needs at most four passes.
 */
#ifndef STOA_QUERY_SPILLED_VALUES_H
#define STOA_QUERY_SPILLED_VALUES_H

#include <stoa/progress.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/spill.h"

/* Zero-initialise; free with stoa_spilled_clear(). */
typedef struct stoa_spilled {
    uint64_t n;
    stoa_spill values; /* double */
    stoa_spill owners; /* uint32_t: groups of the first values; the rest are of group 0 */
    const stoa_listener *listener; /* told while values are read; borrowed, may be NULL */
} stoa_spilled;

/* Append n values. `owners` NULL: all are of group 0. */
stoa_status stoa_spilled_append(stoa_spilled *spilled, const double *values, const uint32_t *owners,
                                size_t n, stoa_error *err);
/* Read the values of groups [first, first + n): the next one of group first + i goes to
 * out[places[i]++]. */
stoa_status stoa_spilled_gather(const stoa_spilled *spilled, uint32_t first, uint32_t n,
                                uint64_t *places, double *out, stoa_error *err);
/*
 * The value that sorting those of a group would put at `place`, with NaNs after the numbers.
 *
 * @param room  scratch for n_room values, at least one
 */
stoa_status stoa_spilled_value_at(const stoa_spilled *spilled, uint32_t group, uint64_t place,
                                  double *room, size_t n_room, double *value, stoa_error *err);
void stoa_spilled_clear(stoa_spilled *spilled);

/* Reorder values as a partial sort (quickselect): the one at `place` is where sorting would put
 * it, smaller ones precede it, greater ones follow. Each pass over many values calls the listener,
 * which may be NULL. */
stoa_status stoa_select_place(double *values, int64_t n, int64_t place,
                              const stoa_listener *listener, stoa_error *err);
/* The order of values; NaNs are after the numbers. */
bool stoa_is_before(double a, double b);

/* Tell the listener that values are aggregated. */
static inline stoa_status stoa_aggregate_look(const stoa_listener *listener, stoa_error *err)
{
    return stoa_report_progress(listener, &(stoa_progress){.stage = "aggregating"}, err);
}

#endif
