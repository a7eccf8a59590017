/* Setting valid_min and valid_max of a column (HEP001 §8.5). */
#ifndef STOA_TABLE_BOUNDS_H
#define STOA_TABLE_BOUNDS_H

#include "column/column.h"

/*
 * Write one bound. `text` has the form that a query uses for the column's values.
 *
 * @return STOA_ETYPE for a column without a range; STOA_EINVAL for text that is not such a value;
 *         STOA_ERANGE if a row holds a value outside the range or the fill value would be inside
 */
stoa_status stoa_bound_write(stoa_column *column, uint64_t n_rows, bool is_low, const char *text,
                             stoa_error *err);
/* Whether a bound may be removed: STOA_ERANGE if the column must declare a range. */
stoa_status stoa_bound_may_go(stoa_column *column, uint64_t n_rows, stoa_error *err);

#endif
