/* Rows of a view, in part. */
#ifndef STOA_ARROW_GATHER_H
#define STOA_ARROW_GATHER_H

#include "arrow/build.h"
#include "arrow/read.h"

typedef struct stoa_row_range {
    int64_t first;
    int64_t count;
} stoa_row_range;

/* A view of rows [first, first + count), which must be within the view. */
stoa_view stoa_view_slice(const stoa_view *view, int64_t first, int64_t count);

/*
 * Copy the rows of several ranges one after the other.
 *
 * @param view      of values without parts of variable length: no strings, lists or dictionaries
 * @param[out] own  has the copies
 * @param[out] out  a view of them
 */
stoa_status stoa_view_gather(const stoa_view *view, const stoa_row_range *ranges, size_t n,
                             struct ArrowArray *own, stoa_view *out, stoa_error *err);

#endif
