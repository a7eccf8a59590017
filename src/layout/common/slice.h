/* Slices of arrays: "10:20, :, 5", with the rules of NumPy's basic slices. */
#ifndef STOA_LAYOUT_SLICE_H
#define STOA_LAYOUT_SLICE_H

#include "hdf/ids.h"

/* Positions along a dimension: `n` of them from `first` on, each `step` further. */
typedef struct stoa_slice {
    int64_t first;
    int64_t step;
    uint64_t n;
    bool is_one; /* a single position, whose dimension is dropped */
} stoa_slice;

/*
 * Parse what is between brackets.
 *
 * A number picks one position. "first:end:step" may leave out any part. Negative positions count
 * from the end, "..." stands for all dimensions that are not named, and dimensions left out at the
 * end are whole.
 *
 * @param extent       of the array's dimensions, at least one
 * @param[out] slices  one for each dimension
 * @return STOA_EINVAL for another text; STOA_ERANGE for a single position outside of the extent
 */
stoa_status stoa_slices_parse(const char *text, size_t length, int rank, const hsize_t *extent,
                              stoa_slice *slices, stoa_error *err);

/* A part of an array without steps: in each dimension the positions [start, start + count). */
typedef struct stoa_array_box {
    unsigned rank;
    uint64_t extent[H5S_MAX_RANK]; /* of the array */
    uint64_t start[H5S_MAX_RANK];
    uint64_t count[H5S_MAX_RANK];
    bool is_dense;     /* the array has every element, also zeros */
    bool is_by_column; /* a sparse matrix that is stored column by column */
} stoa_array_box;

/*
 * Set start and count of a box from the text of its slices. NULL is the whole array.
 *
 * @param[in,out] box  rank and extent are given
 * @return as stoa_slices_parse(); STOA_EINVAL for steps
 */
stoa_status stoa_array_box_parse(const char *text, stoa_array_box *box, stoa_error *err);
/* Whether it has all of a dimension. */
static inline bool stoa_array_box_is_whole(const stoa_array_box *box, unsigned dimension)
{
    return box->count[dimension] == box->extent[dimension];
}

#endif
