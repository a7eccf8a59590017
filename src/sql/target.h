/* Statements that write a place, such as `copy (...) to 'out.h5:/t'`. DuckDB has no such files. */
#ifndef STOA_SQL_TARGET_H
#define STOA_SQL_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stoa/error.h>

typedef enum stoa_sql_target_kind {
    STOA_SQL_COPY,    /* copy (QUERY) to 'NAME' [(OPTIONS)]; copy 'PLACE' to 'NAME' */
    STOA_SQL_CREATE,  /* create table [if not exists] 'NAME' as QUERY */
    STOA_SQL_REPLACE, /* create or replace table 'NAME' as QUERY */
    STOA_SQL_INSERT   /* insert into 'NAME' [(COLUMNS)] [by name] QUERY */
} stoa_sql_target_kind;

/* An option of COPY: `index 'a:minmax,b'`. */
typedef struct stoa_sql_option {
    char *name;  /* in lower case */
    char *value; /* without its quotes; "" if there is none */
} stoa_sql_option;

/* Zero-initialise; clear with stoa_sql_target_clear(). */
typedef struct stoa_sql_target {
    stoa_sql_target_kind kind;
    char *name;          /* without its quotes */
    char *query;         /* gives the rows */
    char *rest;          /* COPY: from TO on */
    bool is_of_name;     /* COPY: a quoted name is copied, and no query */
    bool skips_existing; /* CREATE: if not exists */
    bool is_by_name;     /* INSERT: columns are matched by their names, and not by their order */
    char **columns;      /* INSERT */
    size_t n_columns;
    stoa_sql_option *options; /* COPY */
    size_t n_options;
} stoa_sql_target;

/*
 * Read a statement.
 *
 * @param[out] is_one  false for any other statement, and for a mistake that DuckDB is to tell
 */
stoa_status stoa_sql_target_read(const char *statement, stoa_sql_target *target, bool *is_one,
                                 stoa_error *err);
void stoa_sql_target_clear(stoa_sql_target *target);

#endif
