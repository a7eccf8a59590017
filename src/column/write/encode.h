/* Convert Arrow values to elements of a column: the inverse of reading (HEP001 §8.5, §8.7). */
#ifndef STOA_COLUMN_ENCODE_H
#define STOA_COLUMN_ENCODE_H

#include "column/column.h"
#include "column/type/domain.h"

/* Check whether the column can hold values of an Arrow type at all. STOA_ETYPE naming both types if
 * not. An array that is all null fits every column. */
stoa_status stoa_column_accepts(const stoa_column *column, const stoa_view *view, stoa_error *err);

/* Whether the column's datatype holds every value of the domain. If not, the column must be
 * recreated with a wider type. */
bool stoa_column_holds(const stoa_column *column, const stoa_domain *domain);

/* Whether the codes' type holds the code of every label, and its fill is not one of them (§12). */
bool stoa_column_holds_codes(const stoa_column *column, uint64_t n_labels);
/* Whether the fill is the code of a label. */
bool stoa_column_fill_is_code(const stoa_column *column, uint64_t n_labels);

/* Whether every value lies within the column's declared range (§8.5). True if it declares none. */
bool stoa_column_spans(const stoa_column *column, const stoa_domain *domain);

/*
 * Convert the values of a view to the column's memory form, and nulls to its fill value.
 *
 * The view must match the stored element: codes and counts are integers (see stored_form.h). An
 * array that is all null may be of any type.
 *
 * @param[out] elements  view->length elements. The caller frees them, and first reclaims variable
 *                       parts with stoa_element_reclaim()
 * @return STOA_ELOSS if the type cannot hold a value exactly
 */
stoa_status stoa_column_encode(const stoa_column *column, const stoa_view *view, void **elements,
                               stoa_error *err);

#endif
