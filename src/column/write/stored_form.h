/* Bring values that will be written to a column into the form that it stores. */
#ifndef STOA_COLUMN_STORED_FORM_H
#define STOA_COLUMN_STORED_FORM_H

#include "column/write/categories.h"
#include "column/write/plain_form.h"

/*
 * Convert a view that the column accepts.
 *
 * @param book  the categories of a categorical column; new labels are added to them
 * @return STOA_ELOSS for a time that the column's units cannot express
 */
stoa_status stoa_stored_form_of(const stoa_column *column, const stoa_view *view,
                                stoa_categories *book, stoa_stored_form *plain, stoa_error *err);

#endif
