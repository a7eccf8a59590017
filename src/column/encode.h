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

/*
 * Values [0, length) of a view in the column's memory form, nulls as the fill value.
 *
 * @param codes  DICTIONARY columns: code of each entry of the view's dictionary, or of each value
 * where the view is no dictionary; -1 for null
 * @param[out] elements  view->length elements, the caller's; give variable parts back with
 *               stoa_element_reclaim()
 * @return STOA_ELOSS where the type holds the value, but not exactly
 */
stoa_status stoa_column_encode(const stoa_column *column, const stoa_view *view,
                               const int64_t *codes, void **elements, stoa_error *err);

/* The same for values in the form of the stored element (codes as integers, times as counts): what
 * copying from one dataset to another needs. */
stoa_status stoa_column_encode_stored(const stoa_column *column, const stoa_view *view,
                                      void **elements, stoa_error *err);

/* One value of a view as one element (nested types included), no null: STOA_ELOSS. */
stoa_status stoa_element_encode(const stoa_element *element, const stoa_view *view, int64_t i,
                                uint8_t *out, stoa_error *err);

#endif
