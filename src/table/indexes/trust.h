/* The ledger of trusted files. Its public calls are in <stoa/index.h>. */
#ifndef STOA_TABLE_TRUST_H
#define STOA_TABLE_TRUST_H

#include <stoa/index.h>
#include <time.h>

/* Nanoseconds from `now` until any change is certain to alter these timestamps of a file; 0 if it
 * already is. */
int64_t stoa_trust_unsettled(const struct timespec *modified, const struct timespec *changed,
                             const struct timespec *now);

#endif
