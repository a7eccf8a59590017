/* Text from a user as an element of a column: a bound of its range, or its fill value. */
#ifndef STOA_COLUMN_PARSE_VALUE_H
#define STOA_COLUMN_PARSE_VALUE_H

#include "hdf/metadata/types.h"

/* What the elements of a column stand for. */
typedef struct stoa_value_form {
    const stoa_element *element; /* INTEGER, FLOAT or strings */
    const stoa_type *type;       /* as presented in Arrow */
    const stoa_time_units *time; /* NULL: the integers count no time */
    const char *units;           /* of a time, for messages */
    const char *name;            /* of the column, for messages */
} stoa_value_form;

/*
 * Parse a number, a time or a duration as a query writes it (quotes may be left out), or a string.
 *
 * @param[out] value  one element in memory form. A variable-length string points to `text`
 * @return STOA_EINVAL if the text is no such value; STOA_ERANGE if the type cannot hold it
 */
stoa_status stoa_parse_value(const stoa_value_form *form, const char *text, uint8_t *value,
                             stoa_error *err);

#endif
