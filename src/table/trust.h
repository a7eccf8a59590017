/* The ledger of trusted files; its calls are in <stoa/index.h>. */
#ifndef STOA_TABLE_TRUST_H
#define STOA_TABLE_TRUST_H

#include <stoa/index.h>
#include <time.h>

/* Nanoseconds after which a change would leave a file other stamps than these; 0: any change from
 * `now` on does. */
int64_t stoa_trust_unsettled(const struct timespec *modified, const struct timespec *changed,
                             const struct timespec *now);

#endif
