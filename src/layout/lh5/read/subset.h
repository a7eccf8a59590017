/* What belongs to the rows of LH5 objects, for a subset of a file (layout/subset). */
#ifndef STOA_LAYOUT_LH5_SUBSET_H
#define STOA_LAYOUT_LH5_SUBSET_H

#include "layout/layout.h"
#include "layout/subset/plan.h"

stoa_status stoa_lh5_count_lines(hid_t object, bool *is_one, uint64_t *n_rows, stoa_error *err);
stoa_status stoa_lh5_select_rows(stoa_subset_plan *plan, hid_t object, const char *path,
                                 const stoa_axis_lines *rows, stoa_error *err);
/* coincidences.c: a stoa_layout_subset.coincide. */
stoa_status stoa_lh5_coincide(stoa_subset_plan *plan, hid_t map, bool is_own, const char *table,
                              const char *path, const stoa_axis_lines *rows, uint64_t *n_kept,
                              uint64_t *n_events, stoa_error *err);

#endif
