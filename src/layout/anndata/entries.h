/* The entries of a matrix of AnnData as a table: row, column and value. */
#ifndef STOA_LAYOUT_ANNDATA_ENTRIES_H
#define STOA_LAYOUT_ANNDATA_ENTRIES_H

#include "layout/common/slice.h"
#include "table/open/table.h"

/*
 * See stoa_layout.open_entries. A CSR or CSC group has the entries that it stores, in their order.
 * An array has all its elements.
 *
 * @return STOA_EDATA if the group contradicts itself
 */
stoa_status stoa_anndata_open_entries(hid_t object, const char *path, const char *file,
                                      const char *text, stoa_array_box *box, stoa_table **table,
                                      stoa_error *err);

#endif
