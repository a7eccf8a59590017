/*
 * Tables of PyTables that have columns of lists, which its Table cannot hold.
 *
 * - A single column of lists is a VLArray.
 * - Other tables are a group. It lists the columns in order, as a Table does (FIELD_n_NAME). Those
 *   of lists are VLArrays of that name. The others are in the Table "table".
 */
#ifndef STOA_LAYOUT_PYTABLES_RAGGED_H
#define STOA_LAYOUT_PYTABLES_RAGGED_H

#include "layout/layout.h"

/* The name of the Table, unless a VLArray has it: then as many underscores follow as make it free.
 */
#define STOA_RAGGED_TABLE "table"

/* Write the source as an unnamed object: such a table, or a Table if it has no lists. */
stoa_status stoa_ragged_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                              stoa_error *err);

extern const stoa_layout_class stoa_ragged_groups; /* ragged_read.c */

/* Keep which VLArrays had a pseudo-atom: in a table of HEP001, and back from there. */
stoa_status stoa_ragged_save_atoms(const stoa_table *from, hid_t loc, const char *path, hid_t table,
                                   stoa_error *err);
stoa_status stoa_ragged_recall_atoms(const stoa_table *from, struct ArrowSchema *schema,
                                     stoa_error *err);

#endif
