/* The place of a new table in a file. */
#ifndef STOA_TABLE_TARGET_H
#define STOA_TABLE_TARGET_H

#include "table/open/table.h"

bool stoa_path_is_root(const char *path);

/*
 * Check whether a table can be placed at `path`.
 *
 * @param replace  a table may already be there
 * @return STOA_EEXISTS if the path is taken: by anything but a table with `replace`, and at the
 *         root by anything at all; STOA_EINVAL if it is inside a table (HEP001 §7.6) or below an
 *         object that is not a group
 */
stoa_status stoa_table_check_target(hid_t loc, const char *path, bool replace, stoa_error *err);

/* Only check the parents of `path`. They must be groups but not tables, which contain only columns
 * and their own two groups (HEP001 §7.6). */
stoa_status stoa_table_check_above(hid_t loc, const char *path, stoa_error *err);

/* Link a table's object, which makes it visible, and replace an existing link. Missing groups are
 * created. */
stoa_status stoa_table_link(hid_t object, hid_t loc, const char *path, stoa_error *err);

/* Link creation properties for a table: missing groups are created, names are UTF-8. */
stoa_status stoa_table_link_list(hid_t *list, stoa_error *err);

#endif
