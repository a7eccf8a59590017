/* Completes a file for AnnData beyond its frames and matrices. */
#ifndef STOA_LAYOUT_ANNDATA_ROOT_MEMBERS_H
#define STOA_LAYOUT_ANNDATA_ROOT_MEMBERS_H

#include "layout/anndata/plan.h"

/* Move raw.X of AnnData before 0.7 to its current place, raw/X. Call it before items are
 * written. */
stoa_status stoa_anndata_move_raw(hid_t root, stoa_error *err);
/* Write the encoding of every group and dataset that declares none. Call it before items are
 * written. */
stoa_status stoa_anndata_encode_all(hid_t root, stoa_error *err);
/* Remove links that AnnData cannot follow, with a remark. Call it after items are written. */
stoa_status stoa_anndata_mend_links(hid_t root, stoa_anndata_plan *plan, stoa_error *err);
/* Create the missing members, with sizes that match the others. */
stoa_status stoa_anndata_complete(hid_t root, stoa_error *err);
/* Check that matrices and frames match the lengths of obs and var: STOA_EDATA if not. */
stoa_status stoa_anndata_check_shapes(hid_t root, stoa_error *err);

#endif
