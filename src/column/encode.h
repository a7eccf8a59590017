/* Arrow values as elements of a column: the inverse of reading (HEP001 §8.5, §8.7). */
#ifndef STOA_COLUMN_ENCODE_H
#define STOA_COLUMN_ENCODE_H

#include "column/column.h"
#include "column/domain.h"

/* Whether values of an Arrow type can go into the column at all; STOA_ETYPE saying both types. An
 * array of nothing but nulls can go anywhere. */
stoa_status stoa_column_accepts(const stoa_column *column, const stoa_view *view, stoa_error *err);

/* Whether the column's datatype holds every value of the domain; if not, it must be recreated
 * wider. */
bool stoa_column_holds(const stoa_column *column, const stoa_domain *domain);

/* Whether every value lies within the range that the column declares (§8.5); true where it declares
 * none. */
bool stoa_column_spans(const stoa_column *column, const stoa_domain *domain);

/*
 * Values of a view in the column's memory form, nulls as its fill value.
 *
 * The view is in the form of the stored element: codes and counts are integers (see plain.h). An
 * array of nothing but nulls may be of any type.
 *
 * @param[out] elements  view->length elements, the caller's; give variable parts back with
 *               stoa_element_reclaim()
 * @return STOA_ELOSS where the type holds the value, but not exactly
 */
stoa_status stoa_column_encode(const stoa_column *column, const stoa_view *view, void **elements,
                               stoa_error *err);

#endif
