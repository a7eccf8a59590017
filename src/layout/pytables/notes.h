/*
 * What users noted of a table: attributes that are neither the layout's nor HEP001's (PyTables
 * notes §1.3, §1.4; HEP001 notes B10). Of tables that are a dataset, and of HEP001's; other layouts
 * keep more in their attributes than users put there.
 */
#ifndef STOA_LAYOUT_PYTABLES_NOTES_H
#define STOA_LAYOUT_PYTABLES_NOTES_H

#include "layout/note.h"

/* Names of PyTables' own (PyTables notes §1.4). */
bool stoa_notes_is_of_pytables(const char *name);
/* Each of them, by name; FLAVOR, which PyTables' users choose, is one. */
stoa_status stoa_notes_visit(const stoa_table *table, stoa_note_visit visit, void *context,
                             stoa_error *err);

/*
 * Those that are plain (numbers, truth values, texts, arrays of them, no pickles) along to an
 * object that has none of that name.
 *
 * @param for_pytables  as PyTables reads them: texts without a terminator, and none that it would
 *                      unpickle
 */
stoa_status stoa_notes_copy(const stoa_table *from, hid_t to, bool for_pytables, stoa_error *err);

#endif
