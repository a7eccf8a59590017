/* The lines of an axis that a subset keeps: rows, columns, or elements of lists. */
#ifndef STOA_LAYOUT_SUBSET_LINES_H
#define STOA_LAYOUT_SUBSET_LINES_H

#include "index/common/rowset.h"

/* Zero-initialise but for `n`; free with stoa_axis_lines_clear(). */
typedef struct stoa_axis_lines {
    uint64_t n;      /* length of the axis */
    uint64_t n_kept; /* count of `kept` */
    stoa_rowset kept;
} stoa_axis_lines;

/* Keep lines [first, first + count), which follow all that are kept so far. STOA_EDATA if the axis
 * is shorter. */
stoa_status stoa_axis_lines_keep(stoa_axis_lines *lines, uint64_t first, uint64_t count,
                                 stoa_error *err);
void stoa_axis_lines_clear(stoa_axis_lines *lines);

/* The place of each line among those that are kept; STOA_LINE_DROPPED for the others. The caller
 * frees *places, shape (n,). STOA_ERANGE if there are too many. */
#define STOA_LINE_DROPPED UINT32_MAX
stoa_status stoa_axis_lines_places(const stoa_axis_lines *lines, uint32_t **places,
                                   stoa_error *err);

/* Visits the kept lines in ascending order. Start from zeros. */
typedef struct stoa_line_cursor {
    size_t range;
    uint64_t in_range; /* lines of the range that were visited */
} stoa_line_cursor;

/* The next run of adjacent lines, of `most` at most and before line `end`. False if there is
 * none. `lines` NULL: all of [0, end) are kept, and `in_range` counts them. */
bool stoa_axis_lines_next(const stoa_axis_lines *lines, stoa_line_cursor *cursor, uint64_t end,
                          uint64_t most, stoa_range *run);

#endif
