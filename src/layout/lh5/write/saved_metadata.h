/*
 * What LH5 says that HEP001 does not, kept in attributes of a HEP001 table: from there LH5 is
 * written as it was.
 *
 * Columns have the field metadata of lh5.h as fixed-length UTF-8 strings, 'stoa_lh5_datatype' for
 * 'lh5.datatype', 'stoa_lh5_items1_stored' for 'lh5.stored' of their items. Attributes of a table
 * and its columns are copied as they are, under their own names; those of what a column's group is
 * made of as 'stoa_lh5_part.PATH:NAME'.
 */
#ifndef STOA_LAYOUT_LH5_SAVED_METADATA_H
#define STOA_LAYOUT_LH5_SAVED_METADATA_H

#include "table/open/table.h"

/* What such a column was called, in its field's metadata; and the attribute that keeps it. */
#define STOA_LH5_NAME "lh5.name"
#define STOA_LH5_NAME_KEPT "stoa_lh5_name"

/* Give columns whose names HEP001 reserves (§13.1) others, with a `_` behind: those of a table that
 * is about to become one of HEP001. What they were called is kept, too. */
stoa_status stoa_lh5_rename_reserved(stoa_table *table, stoa_error *err);
typedef void stoa_lh5_renamed(void *context, const char *was, const char *is);
/* Those columns of a HEP001 table. */
stoa_status stoa_lh5_each_renamed(hid_t file, const char *path, stoa_lh5_renamed *visit,
                                  void *context, stoa_error *err);
/* Whether an object says that it is one of LH5; and what follows: unread_attributes.c. */
bool stoa_lh5_is_at(hid_t loc, const char *path);
typedef void stoa_lh5_unread(void *context, const char *path, const char *attribute,
                             const char *why);
/* Attributes of the objects of LH5 at a path, and below, that stay behind: "cannot be read: ...".
 */
stoa_status stoa_lh5_each_unread(hid_t loc, const char *path, stoa_lh5_unread *visit, void *context,
                                 stoa_error *err);
/* Whether a table is of LH5, or of several files of it. */
bool stoa_lh5_is_source(const stoa_table *table);
/* Keep them in the table that was made of one of LH5. Of several files, what their columns say. */
stoa_status stoa_lh5_keep_notes(const stoa_table *from, hid_t table, stoa_error *err);
/* Give the fields of such a table the metadata that were kept; of no other table anything. */
stoa_status stoa_lh5_recall_fields(const stoa_table *from, struct ArrowSchema *schema,
                                   stoa_error *err);
/* Give what was made of it what users noted. */
stoa_status stoa_lh5_recall_notes(const stoa_table *from, hid_t object, stoa_error *err);

#endif
