/*
 * What LH5 says that HEP001 does not, kept in attributes of a HEP001 table: from there LH5 is
 * written as it was.
 *
 * Columns have the field metadata of lh5.h as fixed-length UTF-8 strings, 'stoa_lh5_datatype' for
 * 'lh5.datatype', 'stoa_lh5_items1_stored' for 'lh5.stored' of their items. What users noted of a
 * table and its columns goes along under its own name.
 */
#ifndef STOA_LAYOUT_LH5_NOTES_H
#define STOA_LAYOUT_LH5_NOTES_H

#include "table/table.h"

/* Keep them in the table that was made of one of LH5. */
stoa_status stoa_lh5_keep_notes(const stoa_table *from, hid_t table, stoa_error *err);
/* Give the fields of such a table the metadata that were kept; of no other table anything. */
stoa_status stoa_lh5_recall_fields(const stoa_table *from, struct ArrowSchema *schema,
                                   stoa_error *err);
/* Give what was made of it what users noted. */
stoa_status stoa_lh5_recall_notes(const stoa_table *from, hid_t object, stoa_error *err);

#endif
