/* Values at any positions of a view, of any type. */
#ifndef STOA_ARROW_TAKE_H
#define STOA_ARROW_TAKE_H

#include "arrow/build.h"
#include "arrow/read.h"

/*
 * Copy the values at n positions, one after the other.
 *
 * @param at        positions in the view; -1 is a missing value
 * @param[out] out  of the type of the view; a dictionary is copied whole
 * @return STOA_ERANGE if the bytes or items are too many for 32-bit offsets
 */
stoa_status stoa_view_take(const stoa_view *view, const int64_t *at, int64_t n,
                           struct ArrowArray *out, stoa_error *err);

#endif
