/* The user's attributes of a table: those that belong neither to the layout nor to HEP001 (PyTables
 * notes §1.3, §1.4; HEP001 notes B10). This covers tables that are one dataset, and HEP001 tables.
 * Other layouts have more attributes of their own. */
#ifndef STOA_LAYOUT_PYTABLES_USER_ATTRIBUTES_H
#define STOA_LAYOUT_PYTABLES_USER_ATTRIBUTES_H

#include "layout/common/user_attribute.h"

/* Whether the name is one of PyTables' own (PyTables notes §1.4). */
bool stoa_attribute_is_of_pytables(const char *name);
/* Visit them by name. FLAVOR is one of them, since users choose it. */
stoa_status stoa_user_attributes_visit(const stoa_table *table, stoa_user_attribute_visit visit,
                                       void *context, stoa_error *err);

/*
 * Copy the plain ones (numbers, booleans, strings, and arrays of them, but no pickles) to an
 * object. An attribute that exists there is kept.
 *
 * @param for_pytables  write what PyTables reads: strings without a terminator, and none that it
 *                      would unpickle
 */
stoa_status stoa_user_attributes_copy(const stoa_table *from, hid_t to, bool for_pytables,
                                      stoa_error *err);

#endif
