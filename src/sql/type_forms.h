/* What types.c and vectors.c know of a field. */
#ifndef STOA_SQL_TYPE_FORMS_H
#define STOA_SQL_TYPE_FORMS_H

#include "arrow/type.h"

/* Types that stoa_type does not tell: its kind is OTHER. */
typedef struct stoa_sql_form {
    bool is_decimal;
    stoa_decimal decimal;
    int64_t ticks; /* of a time of day, in a second; 0 for other types */
} stoa_sql_form;

stoa_sql_form stoa_sql_form_of(const struct ArrowSchema *schema, stoa_type *type);

/* Whether a fixed-size list is an ARRAY of DuckDB, and no LIST. */
bool stoa_sql_is_array(const stoa_type *type);

#endif
