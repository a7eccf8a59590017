/*
 * Values of groups that do not fit into memory, in temporary files, and what is asked of them:
 * those of few groups, or the one at a place in the order of one group's.
 *
 * Nothing is sorted: which values lie at a place is counted out, sixteen bits of them at a time,
 * until so few are left that they fit into memory. That takes four readings at most.
 */
#ifndef STOA_QUERY_SPILLED_H
#define STOA_QUERY_SPILLED_H

#include "core/memory.h"
#include "core/spill.h"

/* Zero-initialise; free with stoa_spilled_clear(). */
typedef struct stoa_spilled {
    uint64_t n;
    stoa_spill values; /* double */
    stoa_spill
        owners; /* uint32_t: the group of each of the first values; the rest are of group 0 */
} stoa_spilled;

/* `owners` NULL: all are of group 0. */
stoa_status stoa_spilled_append(stoa_spilled *spilled, const double *values, const uint32_t *owners,
                                size_t n, stoa_error *err);
/* The values of groups [first, first + n): the next of group first + i goes to out[places[i]++]. */
stoa_status stoa_spilled_gather(const stoa_spilled *spilled, uint32_t first, uint32_t n,
                                uint64_t *places, double *out, stoa_error *err);
/*
 * The value that sorting those of a group would put at `place`, NaNs after the numbers.
 *
 * @param room  for n_room values, one at least
 */
stoa_status stoa_spilled_value_at(const stoa_spilled *spilled, uint32_t group, uint64_t place,
                                  double *room, size_t n_room, double *value, stoa_error *err);
void stoa_spilled_clear(stoa_spilled *spilled);

/* Reorder values so that the one at `place` is where sorting would put it, none before it is
 * greater, and none after it is less. */
void stoa_select_place(double *values, int64_t n, int64_t place);
/* The order: NaNs are after the numbers. */
bool stoa_is_before(double a, double b);

#endif
