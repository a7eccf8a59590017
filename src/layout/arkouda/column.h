/* Arkouda's objects as columns and tables (docs/layouts/arkouda.md). */
#ifndef STOA_LAYOUT_ARKOUDA_COLUMN_H
#define STOA_LAYOUT_ARKOUDA_COLUMN_H

#include "column/foreign.h"
#include "layout/arkouda/kind.h"
#include "layout/arkouda/node.h"
#include "table/foreign.h"

/*
 * What the object at an absolute path is, of all files of the set.
 *
 * @return STOA_EDATA naming the file that lacks it, or has another thing there
 */
stoa_status stoa_arkouda_sort_in_set(const stoa_arkouda_set *set, const char *path, bool trusts,
                                     stoa_arkouda_sort *sort, stoa_error *err);
/*
 * An object that is one column.
 *
 * @param sort         of it; checked
 * @param[out] column  the caller's, until a table takes it; it holds the set
 */
stoa_status stoa_arkouda_column_open(stoa_arkouda_set *set, const char *path,
                                     const stoa_arkouda_sort *sort, const char *name,
                                     stoa_column **column, stoa_error *err);
/* A node as a column of arrays; taken over in every case. */
stoa_status stoa_arkouda_column_of(stoa_arkouda_node *node, const char *name, stoa_column **column,
                                   stoa_error *err);
/* The same of numbers, as elements; bools as arrays. */
stoa_status stoa_arkouda_column_of_numbers(stoa_arkouda_node *node, const char *name,
                                           stoa_column **column, stoa_error *err);
/* A Categorical, an ArrayView: what stoa_arkouda_column_open() opens of these. */
stoa_status stoa_arkouda_categorical_open(stoa_arkouda_set *set, const char *path, const char *name,
                                          stoa_column **column, stoa_error *err);
stoa_status stoa_arkouda_view_open(stoa_arkouda_set *set, const char *path,
                                   const stoa_arkouda_sort *sort, const char *name,
                                   stoa_column **column, stoa_error *err);
/* Datasets that are one column only to who knows their names: the array of offsets, and of values,
 * of lists (§M). */
stoa_status stoa_arkouda_column_of_lists(stoa_arkouda_set *set, const char *segments,
                                         const char *values, bool is_global, const char *name,
                                         stoa_column **column, stoa_error *err);
/* The parts of a Categorical; `na_codes` may be there or not. */
typedef struct stoa_arkouda_parts {
    char *codes;
    char *categories;
    char *na_codes;
} stoa_arkouda_parts;
stoa_status stoa_arkouda_column_of_codes(stoa_arkouda_set *set, const stoa_arkouda_parts *parts,
                                         const char *name, stoa_column **column, stoa_error *err);
void stoa_arkouda_parts_clear(stoa_arkouda_parts *parts);

/*
 * The columns of an object, one or several, added to a table that has none, and its number of rows.
 *
 * @param path  absolute
 */
stoa_status stoa_arkouda_table_fill(stoa_table *table, stoa_arkouda_set *set, const char *path,
                                    const stoa_arkouda_sort *sort, stoa_error *err);
/* The same columns as one, a struct of them. */
stoa_status stoa_arkouda_struct_open(stoa_arkouda_set *set, const char *path,
                                     const stoa_arkouda_sort *sort, const char *name,
                                     stoa_column **column, stoa_error *err);
/* A column of as many rows as the table has, or the table's first; taken over in every case. */
stoa_status stoa_arkouda_table_add(stoa_table *table, stoa_column *column, stoa_error *err);

#endif
