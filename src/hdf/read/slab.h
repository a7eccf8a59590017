/* Rows along one axis of a dataset of any rank. A row has all positions of the other axes, or one
 * of each. A scalar dataset has one row. */
#ifndef STOA_HDF_SLAB_H
#define STOA_HDF_SLAB_H

#include "hdf/metadata/types.h"
#include "hdf/read/checked_reader.h"

typedef struct stoa_slab {
    hid_t dataset; /* owned; H5I_INVALID_HID: not open */
    hid_t item;    /* type in memory of one element of the dataset */
    bool turns;    /* times (H5T_TIME) in the other byte order, swapped after reading */
    int rank;
    int axis;       /* the axis of the rows */
    bool is_turned; /* rows go along the last axis, and the others are reversed in a row */
    hsize_t extent[H5S_MAX_RANK];
    hsize_t start[H5S_MAX_RANK]; /* start of the current row; start[axis] is set by each read */
    hsize_t count[H5S_MAX_RANK];
    stoa_checked_reader reader;
} stoa_slab;

#define STOA_SLAB_INIT                                                                             \
    {                                                                                              \
        .dataset = H5I_INVALID_HID, .item = H5I_INVALID_HID, .reader = STOA_CHECKED_READER_INIT    \
    }
/* The dataset is scalar: its element is the only row. */
#define STOA_NO_AXIS (-1)
/* All positions of the other axes. */
#define STOA_WHOLE_ROWS HSIZE_UNDEF

/*
 * @param dataset  consumed in every case
 * @param axis  of the rows, or STOA_NO_AXIS
 * @param at  position on the other axis of a dataset of rank 2, or STOA_WHOLE_ROWS. With the
 *            latter, `axis` must be 0 or the last one, and a row of more than one element is an
 * array. Of the last axis the row has the other axes in reverse order, as column-major programs see
 * it.
 * @param[out] element  of a row; the caller frees it
 * @param[out] slab  close it with stoa_slab_close(); not open after a failure
 * @return STOA_EDATA if the dataset has no such rows or is damaged
 */
stoa_status stoa_slab_open(hid_t dataset, int axis, hsize_t at, stoa_element *element,
                           stoa_slab *slab, stoa_error *err);
static inline uint64_t stoa_slab_rows(const stoa_slab *slab)
{
    return slab->extent[slab->axis];
}
/* Read rows [first, first + count) in memory form. Free variable-length parts with
 * stoa_element_reclaim(). Calls libhdf5. */
stoa_status stoa_slab_read(stoa_slab *slab, uint64_t first, uint64_t count, void *out,
                           stoa_error *err);
void stoa_slab_close(stoa_slab *slab);

#endif
