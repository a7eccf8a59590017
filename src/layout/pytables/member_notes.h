/*
 * What a member of PyTables' rows says that no type of Arrow does: the width of its strings, and
 * the codes of its enumeration. HEP001 keeps both as attributes of the column.
 */
#ifndef STOA_LAYOUT_PYTABLES_MEMBER_NOTES_H
#define STOA_LAYOUT_PYTABLES_MEMBER_NOTES_H

#include "layout/layout.h"

/*
 * Add that metadata (layout/common/pack.h) to the fields of a table that is written. They come from
 * the columns of `from`, if it `stores` them as PyTables does, or from the attributes of a HEP001
 * table.
 */
stoa_status stoa_pytables_recall_members(const stoa_table *from, bool stores,
                                         struct ArrowSchema *schema, stoa_error *err);
/* Write them as attributes of a HEP001 table, a group, made of such a table. */
stoa_status stoa_pytables_save_members(const stoa_table *from, hid_t table, stoa_error *err);
/* stoa_layout.visit_facts for such a table, and for HEP001. */
stoa_status stoa_pytables_visit_members(const stoa_table *table, bool stores,
                                        stoa_layout_fact_visitor *visit, void *context,
                                        stoa_error *err);
/* The same for what a PyTables table alone has: indexes, defaults, attributes of columns. */
stoa_status stoa_pytables_visit_facts(const stoa_table *table, stoa_layout_fact_visitor *visit,
                                      void *context, stoa_error *err);

#endif
