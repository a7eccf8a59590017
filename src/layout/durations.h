/* Durations: integers of 64 bits whose units are "s", "ms", "us" or "ns", as Stoa reads those of
 * other layouts. */
#ifndef STOA_LAYOUT_DURATIONS_H
#define STOA_LAYOUT_DURATIONS_H

#include "arrow/read.h"

int64_t stoa_nanoseconds_of(stoa_time_unit unit);
/* Nanoseconds that a field of the type counts in; 0 if it is no duration. */
int64_t stoa_duration_of(const struct ArrowSchema *field, const stoa_type *type);

#endif
