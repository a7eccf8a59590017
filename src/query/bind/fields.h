/* Fields of structs as columns of their own, for queries that name them: `a.b`. */
#ifndef STOA_QUERY_FIELDS_H
#define STOA_QUERY_FIELDS_H

#include "table/open/table.h"

/* The table that a query uses: the columns of another table, borrowed, followed by fields of
 * structs among them. */
typedef struct stoa_fields {
    stoa_table table;
    size_t n_borrowed; /* columns of the other table; the rest are owned */
} stoa_fields;

/*
 * @param texts        the query's texts; NULLs are skipped
 * @param[out] fields  the caller closes it; NULL if no text names a field of a struct
 */
stoa_status stoa_fields_open(const stoa_table *table, const char *const *texts, size_t n,
                             stoa_fields **fields, stoa_error *err);
void stoa_fields_close(stoa_fields *fields);

#endif
