/* Fields of structs as columns of their own, for the questions that name them: `a.b`. */
#ifndef STOA_QUERY_FIELDS_H
#define STOA_QUERY_FIELDS_H

#include "table/table.h"

/* A table that is asked: the columns of another one, which are borrowed, and behind them the fields
 * of structs among them. */
typedef struct stoa_fields {
    stoa_table table;
    size_t n_borrowed; /* the columns that the other one has; the others are its own */
} stoa_fields;

/*
 * @param texts        of a question; NULLs are left out
 * @param[out] fields  the caller's; NULL where no text names a field of a struct
 */
stoa_status stoa_fields_open(const stoa_table *table, const char *const *texts, size_t n,
                             stoa_fields **fields, stoa_error *err);
void stoa_fields_close(stoa_fields *fields);

#endif
