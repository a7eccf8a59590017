/* Arkouda's objects as columns and tables (docs/layouts/arkouda.md). */
#ifndef STOA_LAYOUT_ARKOUDA_COLUMN_H
#define STOA_LAYOUT_ARKOUDA_COLUMN_H

#include "column/read/foreign.h"
#include "layout/arkouda/read/kind.h"
#include "layout/arkouda/read/node.h"
#include "table/open/foreign.h"

/*
 * Classify the object at an absolute path, over all files of the set.
 *
 * @return STOA_EDATA, naming the file in which it is missing or different
 */
stoa_status stoa_arkouda_class_in_set(const stoa_arkouda_set *set, const char *path, bool trusts,
                                      stoa_arkouda_class *sort, stoa_error *err);
/*
 * Open an object that is one column.
 *
 * @param sort         of the object; checked here
 * @param[out] column  the caller closes it unless a table gets it; it holds the set
 */
stoa_status stoa_arkouda_column_open(stoa_arkouda_set *set, const char *path,
                                     const stoa_arkouda_class *sort, const char *name,
                                     stoa_column **column, stoa_error *err);
/* A node as a column that is read as arrays. Takes ownership of the node, also on failure. */
stoa_status stoa_arkouda_column_of(stoa_arkouda_node *node, const char *name, stoa_column **column,
                                   stoa_error *err);
/* The same for a node of numbers, read as elements; booleans are read as arrays. */
stoa_status stoa_arkouda_column_of_numbers(stoa_arkouda_node *node, const char *name,
                                           stoa_column **column, stoa_error *err);
/* Open an ArrayView. Called by stoa_arkouda_column_open(). */
stoa_status stoa_arkouda_view_open(stoa_arkouda_set *set, const char *path,
                                   const stoa_arkouda_class *sort, const char *name,
                                   stoa_column **column, stoa_error *err);
/* Open two datasets of an old file as one column of lists: an array of offsets and an array of
 * values (§M). */
stoa_status stoa_arkouda_column_of_lists(stoa_arkouda_set *set, const char *segments,
                                         const char *values, bool is_global, const char *name,
                                         stoa_column **column, stoa_error *err);
/* The parts of a Categorical. `na_codes` may be missing in the file. */
typedef struct stoa_arkouda_parts {
    char *codes;
    char *categories;
    char *na_codes;
} stoa_arkouda_parts;
stoa_status stoa_arkouda_column_of_codes(stoa_arkouda_set *set, const stoa_arkouda_parts *parts,
                                         const char *name, stoa_column **column, stoa_error *err);
void stoa_arkouda_parts_clear(stoa_arkouda_parts *parts);

/*
 * Add the columns of an object to an empty table, and set its number of rows.
 *
 * @param path  absolute
 */
stoa_status stoa_arkouda_table_fill(stoa_table *table, stoa_arkouda_set *set, const char *path,
                                    const stoa_arkouda_class *sort, stoa_error *err);
/* The same columns as one struct column. */
stoa_status stoa_arkouda_struct_open(stoa_arkouda_set *set, const char *path,
                                     const stoa_arkouda_class *sort, const char *name,
                                     stoa_column **column, stoa_error *err);
/* Add a column, which must have as many rows as the table unless it is the first. Takes ownership,
 * also on failure. */
stoa_status stoa_arkouda_table_add(stoa_table *table, stoa_column *column, stoa_error *err);

#endif
