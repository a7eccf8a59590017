/* valid_min and valid_max of a column (HEP001 §8.5), set by hand. */
#ifndef STOA_TABLE_BOUNDS_H
#define STOA_TABLE_BOUNDS_H

#include "column/column.h"

/*
 * Write one bound, given as a query writes the column's values.
 *
 * @return STOA_ETYPE for a column without a range, STOA_EINVAL for a text that is no such value,
 *         STOA_ERANGE where a row holds a value outside, or the fill would be inside
 */
stoa_status stoa_bound_write(stoa_column *column, uint64_t n_rows, bool is_low, const char *text,
                             stoa_error *err);
/* Whether the column can do without its bounds: STOA_ERANGE where it must declare a range. */
stoa_status stoa_bound_may_go(stoa_column *column, uint64_t n_rows, stoa_error *err);

#endif
