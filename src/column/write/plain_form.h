/* The form in which a column stores values, but for categories (stored_form.h). */
#ifndef STOA_COLUMN_PLAIN_FORM_H
#define STOA_COLUMN_PLAIN_FORM_H

#include "column/column.h"

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

/* Convert a view that a column accepts which is not categorical. STOA_ELOSS for a time that the
 * column's units cannot express. */
stoa_status stoa_plain_form_of(const stoa_column *column, const stoa_view *view,
                               stoa_stored_form *plain, stoa_error *err);
void stoa_stored_form_clear(stoa_stored_form *plain);

/* Allocate an integer for each value, all null for now. The view's offset is dropped. */
stoa_status stoa_stored_form_start(stoa_stored_form *plain, const stoa_view *view, stoa_error *err);
/* Set integer i. */
void stoa_stored_form_put(stoa_stored_form *plain, int64_t i, int64_t value);

#endif
