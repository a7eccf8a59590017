/*
 * LH5 metadata that HEP001 has no place for, saved in attributes of a HEP001 table. They let a
 * conversion back restore the LH5 objects.
 *
 * Columns have the field metadata of lh5.h as fixed-length UTF-8 strings: 'stoa_lh5_datatype' for
 * 'lh5.datatype', 'stoa_lh5_items1_stored' for 'lh5.stored' of their items. Attributes of a table
 * and its columns are copied under their own names. Attributes of the objects in a column's group
 * are saved as 'stoa_lh5_part.PATH:NAME'.
 */
#ifndef STOA_LAYOUT_LH5_SAVED_METADATA_H
#define STOA_LAYOUT_LH5_SAVED_METADATA_H

#include "table/open/table.h"

/* Key of a renamed column's original name in its field metadata, and the attribute that saves
 * it. */
#define STOA_LH5_NAME "lh5.name"
#define STOA_LH5_NAME_KEPT "stoa_lh5_name"

/* Rename columns whose names HEP001 reserves (§13.1) by appending a `_`, in a table that is to be
 * written as HEP001. The original names are saved, too. */
stoa_status stoa_lh5_rename_reserved(stoa_table *table, stoa_error *err);
typedef void stoa_lh5_renamed(void *context, const char *was, const char *is);
/* Visit the renamed columns of a HEP001 table. */
stoa_status stoa_lh5_each_renamed(hid_t file, const char *path, stoa_lh5_renamed *visit,
                                  void *context, stoa_error *err);
/* Whether the object at a path is an LH5 object. This and the next functions:
 * unread_attributes.c. */
bool stoa_lh5_is_at(hid_t loc, const char *path);
typedef void stoa_lh5_unread(void *context, const char *path, const char *attribute,
                             const char *why);
/* Visit the attributes of the LH5 objects at and below a path that a conversion drops. `why` is,
 * for example, "cannot be read: ...". */
stoa_status stoa_lh5_each_unread(hid_t loc, const char *path, stoa_lh5_unread *visit, void *context,
                                 stoa_error *err);
/* Whether an attribute has references, to objects or regions. They would mean other objects in
 * another file, so conversions drop them. */
bool stoa_lh5_refers(hid_t object, const char *name);
/* Delete the references that a copy, and all objects below it, have from the original. */
stoa_status stoa_lh5_drop_references(hid_t from, hid_t to, stoa_error *err);
/* Whether a table is an LH5 table, or spans several LH5 files. */
bool stoa_lh5_is_source(const stoa_table *table);
/* Save the metadata of an LH5 table in the HEP001 table that was made from it. Of a table that
 * spans several files, only the columns' metadata are saved. */
stoa_status stoa_lh5_save_metadata(const stoa_table *from, hid_t table, stoa_error *err);
/* Restore the saved metadata of such a table's fields. Other tables are left unchanged. */
stoa_status stoa_lh5_restore_fields(const stoa_table *from, struct ArrowSchema *schema,
                                    stoa_error *err);
/* Restore the users' attributes on the object that was made from the table. */
stoa_status stoa_lh5_restore_metadata(const stoa_table *from, hid_t object, stoa_error *err);

#endif
