/* Which chunks of a column have no missing values. An open table learns that (learned.h), so that
 * later scans do not test each value again. */
#ifndef STOA_COLUMN_COMPLETE_H
#define STOA_COLUMN_COMPLETE_H

#include "column/read/learned.h"

/* What is known of the column's chunks, borrowed (see stoa_learned_ask). NULL: nothing. */
stoa_status stoa_column_complete(stoa_column *column, stoa_learned **complete, stoa_error *err);
/* Learn that rows [first, first + n) have no missing values. May be called on any thread. NULL is
 * allowed. */
void stoa_complete_learn(stoa_learned *complete, uint64_t first, uint64_t n);
/* Whether it is known that no row of [first, first + n) is missing, n > 0. NULL is allowed. */
bool stoa_complete_has(const stoa_learned *complete, uint64_t first, uint64_t n);

#endif
