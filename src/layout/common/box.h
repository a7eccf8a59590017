/* Boxes of arrays: "10:20, :" */
#ifndef STOA_LAYOUT_BOX_H
#define STOA_LAYOUT_BOX_H

#include "hdf/ids.h"

/* A part of an array: in each dimension the positions [start, start + count). */
typedef struct stoa_array_box {
    unsigned rank;
    uint64_t extent[H5S_MAX_RANK]; /* of the array */
    uint64_t start[H5S_MAX_RANK];
    uint64_t count[H5S_MAX_RANK];
    bool is_dense; /* the array has every element, also zeros */
} stoa_array_box;

/*
 * Set start and count of a box from a text, as NumPy reads slices without steps: "10:20, :", "-5:",
 * "3". Dimensions at the end may be left out. NULL is the whole array.
 *
 * @param[in,out] box  rank and extent are given
 * @return STOA_EINVAL for another text; STOA_ERANGE for a single position outside of the extent
 */
stoa_status stoa_array_box_parse(const char *text, stoa_array_box *box, stoa_error *err);
/* Whether it has all of a dimension. */
static inline bool stoa_array_box_is_whole(const stoa_array_box *box, unsigned dimension)
{
    return box->count[dimension] == box->extent[dimension];
}

#endif
