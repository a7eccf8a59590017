/*
 * Objects in a table's group that are not part of the table as this library knows it: no column,
 * index or category (HEP001 §7.6).
 *
 * Reading skips and reports them (stoa_table_left_out()). Edits are refused, since they would not
 * update these objects (stoa_table_may_change()).
 */
#ifndef STOA_TABLE_UNKNOWN_OBJECTS_H
#define STOA_TABLE_UNKNOWN_OBJECTS_H

#include <stoa/table.h>

#include "hdf/metadata/links.h"

typedef struct stoa_unknown_objects {
    stoa_left_out *items; /* names are owned, kinds static */
    size_t n;
} stoa_unknown_objects;

/* Open the group of a list column (HEP001-2026-07 §8.2) that a hard link leads to. *object is
 * invalid if it leads to anything else, or the name is reserved. Fails only with STOA_ENOMEM. */
stoa_status stoa_list_column_at(hid_t group, const char *name, hid_t *object, stoa_error *err);

/* Record the object that a link leads to. Rank-1 datasets, list columns, CATEGORIES, SEARCH_INDEXES
 * and nested tables are not recorded. */
stoa_status stoa_unknown_objects_add(stoa_unknown_objects *list, hid_t group, const char *name,
                                     const H5L_info2_t *info, stoa_error *err);
/* A list such as "'hits' (group), 'x' (soft link)" that names the first few objects. The
 * caller frees it. NULL if memory runs out. */
char *stoa_unknown_objects_text(const stoa_unknown_objects *list);
void stoa_unknown_objects_clear(stoa_unknown_objects *list);

#endif
