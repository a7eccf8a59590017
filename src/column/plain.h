/* Values on their way into a column, brought into the form that it stores. */
#ifndef STOA_COLUMN_PLAIN_H
#define STOA_COLUMN_PLAIN_H

#include "column/codebook.h"
#include "column/column.h"

/*
 * A view in which labels are codes, times are counts of the column's own units, and a missing label
 * is a missing value. Where nothing of that applies it is the given view itself.
 *
 * Zero-initialise; free with stoa_plain_clear().
 */
typedef struct stoa_plain {
    stoa_view view;
    uint8_t *validity; /* owned, where the view's own would not do */
    int64_t *integers; /* owned: codes or counts */
} stoa_plain;

/*
 * Bring a view, which the column accepts, into its form.
 *
 * @param book  the code book of a categorical column, which gets the labels that are new to it
 * @return STOA_ELOSS for a time that the column's units cannot count
 */
stoa_status stoa_plain_of(const stoa_column *column, const stoa_view *view, stoa_codebook *book,
                          stoa_plain *plain, stoa_error *err);
void stoa_plain_clear(stoa_plain *plain);

#endif
