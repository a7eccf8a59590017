/* What the elements of a column are in Arrow. */
#ifndef STOA_COLUMN_VALUES_H
#define STOA_COLUMN_VALUES_H

#include "column/column.h"

/* An element that is an integer, sign-extended. */
int64_t stoa_stored_integer(const stoa_element *element, const uint8_t *value);
/*
 * Convert n stored counts to Arrow's ticks: 32-bit days, or 64-bit seconds or finer units. Missing
 * ones become 0.
 *
 * @param validity  bit set: not missing; NULL: no value is missing
 * @return STOA_ERANGE if a time is out of Arrow's range
 */
stoa_status stoa_column_to_ticks(const stoa_column *column, const uint8_t *elements, uint64_t n,
                                 const uint8_t *validity, void *ticks, stoa_error *err);
/* The Arrow field of a column's values, without metadata. Codes are a dictionary without its
 * labels. */
stoa_status stoa_column_value_schema(const stoa_column *column, struct ArrowSchema *out,
                                     stoa_error *err);

#endif
