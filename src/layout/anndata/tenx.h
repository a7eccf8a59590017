/* Matrices of 10x Genomics: groups of features x barcodes, by columns. */
#ifndef STOA_LAYOUT_ANNDATA_TENX_H
#define STOA_LAYOUT_ANNDATA_TENX_H

#include "table/open/table.h"

/* Whether a group is such a matrix, which declares nothing: CSC with a column for each barcode.
 * `shape` is a dataset. */
bool stoa_anndata_is_tenx(hid_t group);

/*
 * Open the names of n barcodes or n features as a table. Its columns are those of AnnData's obs or
 * var, and `_index` has the names.
 *
 * @return STOA_EDATA if there are no names, or not n of them
 */
stoa_status stoa_anndata_tenx_names(hid_t group, bool are_barcodes, uint64_t n, stoa_table **table,
                                    stoa_error *err);

#endif
