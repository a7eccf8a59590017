/* Columns that a query has only because it names them: fields of structs, `a.b`, and those of
 * origins.h. */
#ifndef STOA_QUERY_FIELDS_H
#define STOA_QUERY_FIELDS_H

#include "table/open/table.h"

/* The table that a query uses: the columns of another table, borrowed, followed by those
 * that its texts name. */
typedef struct stoa_fields {
    stoa_table table;
    size_t n_borrowed; /* columns of the other table; the rest are owned */
} stoa_fields;

/*
 * @param texts        the query's texts; NULLs are skipped
 * @param[out] fields  the caller closes it; NULL if no text names such a column
 */
stoa_status stoa_fields_open(const stoa_table *table, const char *const *texts, size_t n,
                             stoa_fields **fields, stoa_error *err);
void stoa_fields_close(stoa_fields *fields);

#endif
