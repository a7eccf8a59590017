/* What belongs to the observations and variables of an AnnData file, for a subset of it. */
#ifndef STOA_LAYOUT_ANNDATA_SUBSET_H
#define STOA_LAYOUT_ANNDATA_SUBSET_H

#include "layout/layout.h"
#include "layout/subset/plan.h"

/* A stoa_layout_subset.plan. */
stoa_status stoa_anndata_plan_subset(stoa_subset_plan *plan, const stoa_axis_lines *const *axes,
                                     stoa_error *err);

/* Select rows and columns of a CSR or CSC group. NULL: all. */
stoa_status stoa_anndata_select_matrix(stoa_subset_plan *plan, const char *path,
                                       const stoa_axis_lines *rows, const stoa_axis_lines *columns,
                                       stoa_error *err);
/* Select rows of an awkward array. */
stoa_status stoa_anndata_select_awkward(stoa_subset_plan *plan, hid_t group, const char *path,
                                        const stoa_axis_lines *rows, stoa_error *err);

#endif
