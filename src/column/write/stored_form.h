/* Bring values that will be written to a column into the form that it stores. */
#ifndef STOA_COLUMN_STORED_FORM_H
#define STOA_COLUMN_STORED_FORM_H

#include "column/column.h"
#include "column/write/categories.h"

/*
 * A view in which labels are codes, times are counts in the column's own units, and missing labels
 * are missing values. If none of that applies, it is the given view itself.
 *
 * Zero-initialise; free with stoa_stored_form_clear().
 */
typedef struct stoa_stored_form {
    stoa_view view;
    uint8_t *validity; /* owned, if the view's own does not fit */
    int64_t *integers; /* owned: codes or counts */
} stoa_stored_form;

/*
 * Convert a view that the column accepts.
 *
 * @param book  the categories of a categorical column; new labels are added to them
 * @return STOA_ELOSS for a time that the column's units cannot express
 */
stoa_status stoa_stored_form_of(const stoa_column *column, const stoa_view *view,
                                stoa_categories *book, stoa_stored_form *plain, stoa_error *err);
void stoa_stored_form_clear(stoa_stored_form *plain);

#endif
