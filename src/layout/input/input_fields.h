/* Gives the rows of a text the fields that those of another text have: in another order, and with
 * empty fields for those that it lacks. */
#ifndef STOA_LAYOUT_INPUT_FIELDS_H
#define STOA_LAYOUT_INPUT_FIELDS_H

#include "layout/input/input_text.h"

typedef struct stoa_field_order {
    char delimiter;
    size_t n_own;       /* fields of its own rows */
    size_t n;           /* fields of the rows that it gets, as many at least */
    const size_t *from; /* for each of them the own field; SIZE_MAX: none */
    const char *header; /* replaces the first row that is not blank; NULL: all rows are values */
} stoa_field_order;

typedef struct stoa_field_filter stoa_field_filter;

/* What the order points to is copied. */
stoa_status stoa_field_filter_open(const stoa_field_order *order, stoa_field_filter **filter,
                                   stoa_error *err);
void stoa_field_filter_rewind(stoa_field_filter *filter);
/* A row with another number of fields differs by the same number from those of the others.
 * STOA_ESYNTAX for a row of more than 256 MiB. */
stoa_status stoa_field_filter_read(stoa_field_filter *filter, stoa_text_read read, void *context,
                                   void *bytes, size_t capacity, size_t *n, stoa_error *err);
void stoa_field_filter_close(stoa_field_filter *filter);

#endif
