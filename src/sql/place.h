/* Places as tables of a statement: a file and a path, patterns, and lists of places. */
#ifndef STOA_SQL_PLACE_H
#define STOA_SQL_PLACE_H

#include <stoa/file.h>
#include <stoa/layout.h>

#include "core/file_names.h"
#include "sql/kept.h"

/* Zero-initialise; free with stoa_sql_place_clear(). */
typedef struct stoa_sql_place {
    char *name;            /* for messages: as it was given, the first of several */
    stoa_file_names files; /* those that patterns match, sorted */
    char *path;            /* NULL until it is known: the file has only one table */
    bool by_name;          /* of several tables: a column that one lacks is missing there */
    bool follows;          /* values in other files are read, too */
    bool uses_indexes;     /* of a table in one file: the ledger trusts it */
    bool is_many;          /* a table over several */
    bool is_only;          /* the path was not given */
    bool is_found;         /* path, and the two above, are known */
    stoa_file_patience patience;
    stoa_sql_kept *kept; /* tables that are open already; borrowed */
} stoa_sql_place;

/* Whether a name of a statement is meant as a place. Then it has a path, or its file has a suffix
 * of HDF5, or that file is one of HDF5. */
bool stoa_sql_is_place(const char *name);

/* Find the files of n names, which become one table; opens none. */
stoa_status stoa_sql_place_find(stoa_sql_place *place, const char *const *names, size_t n,
                                stoa_error *err);
/* Open the table, or take one that is kept. The first call finds the path and whether the indexes
 * are trusted; later ones may run at the same time. */
stoa_status stoa_sql_place_open(stoa_sql_place *place, stoa_sql_handle *handle, stoa_error *err);
/* Keep the table for later statements if it is of one file; else close it. */
void stoa_sql_place_close(const stoa_sql_place *place, stoa_sql_handle *handle);
/*
 * The columns that can be read, as DuckDB sees them: a struct.
 *
 * @param tell  called with a remark about the others; may be NULL
 * @return the failure of the first column, if none can be read
 */
stoa_status stoa_sql_columns(const stoa_table *table, void (*tell)(const char *remark),
                             struct ArrowSchema *out, stoa_error *err);
void stoa_sql_place_clear(stoa_sql_place *place);

#endif
