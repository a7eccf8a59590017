/* The shape of an ArrayView: a column of numbers, or of arrays of equal shape (Arkouda notes
 * §L). */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_RANK_H
#define STOA_LAYOUT_ARKOUDA_WRITE_RANK_H

#include "layout/arkouda/write/write_plan.h"

/* Set the plan's only entry, its shape, and its count of elements instead of rows. */
stoa_status stoa_arkouda_plan_shape(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                                    const char *name, stoa_error *err);

#endif
