/* What a file that AnnData is to open must have beside frames and matrices. */
#ifndef STOA_LAYOUT_ANNDATA_FINISH_H
#define STOA_LAYOUT_ANNDATA_FINISH_H

#include "layout/anndata/plan.h"

/* Give what AnnData before 0.7 called raw.X its place of today, raw/X. Before items are written. */
stoa_status stoa_anndata_move_raw(hid_t root, stoa_error *err);
/* Every group and dataset says its encoding, also where it said none. Before items are written. */
stoa_status stoa_anndata_encode_all(hid_t root, stoa_error *err);
/* Take away links that AnnData could not follow, with a remark. Once items are written. */
stoa_status stoa_anndata_mend_links(hid_t root, stoa_anndata_plan *plan, stoa_error *err);
/* Make the members that are not there, of the sizes that the others have. */
stoa_status stoa_anndata_complete(hid_t root, stoa_error *err);
/* Whether matrices and frames have the shapes that obs and var say: STOA_EDATA if not. */
stoa_status stoa_anndata_check_shapes(hid_t root, stoa_error *err);

#endif
