/* Writes Arrow values to open arrays as Arkouda's elements. */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_VALUES_H
#define STOA_LAYOUT_ARKOUDA_WRITE_VALUES_H

#include "layout/arkouda/write/write_object.h"

/* Append elements [first, first + count) of a view to the target. */
stoa_status stoa_arkouda_put_values(stoa_arkouda_target *target, const stoa_view *view,
                                    int64_t first, int64_t count, stoa_error *err);
/* The same for codes: map the labels to the categories. */
stoa_status stoa_arkouda_put_codes(stoa_arkouda_target *target, const stoa_arkouda_labels *labels,
                                   const stoa_view *view, int64_t first, int64_t count,
                                   stoa_error *err);
/* The number of bytes of these strings. */
uint64_t stoa_arkouda_count_bytes(const stoa_view *view, int64_t first, int64_t count);

#endif
