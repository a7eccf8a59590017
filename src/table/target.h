/* The place a new table gets in a file. */
#ifndef STOA_TABLE_TARGET_H
#define STOA_TABLE_TARGET_H

#include "table/table.h"

bool stoa_path_is_root(const char *path);

/* Whether a table can be put at `path`: STOA_EEXISTS if it is taken (by anything but a table if
 * `replace`; at the root by anything at all), STOA_EINVAL if it lies inside a table (HEP001 §7.6)
 * or below something that is no group. */
stoa_status stoa_table_check_target(hid_t loc, const char *path, bool replace, stoa_error *err);

/* The last of these alone: what is on the way to `path` must be groups, and none of them a table,
 * since nothing but columns and its own two groups lies below one (HEP001 §7.6). */
stoa_status stoa_table_check_above(hid_t loc, const char *path, stoa_error *err);

/* Give a table's object its name: the moment it is seen. One that has the name loses it; groups on
 * the way are made. */
stoa_status stoa_table_link(hid_t object, hid_t loc, const char *path, stoa_error *err);

/* Link properties for a table: groups on the way are made, names are UTF-8. */
stoa_status stoa_table_link_list(hid_t *list, stoa_error *err);

#endif
