/* The extent and the stored size of objects. */
#ifndef STOA_LAYOUT_EXTENT_H
#define STOA_LAYOUT_EXTENT_H

#include "core/memory.h"
#include "hdf/ids.h"

/*
 * The extent of a dataset.
 *
 * @param[out] rank    -1 for a NULL dataspace
 * @param[out] extent  room for H5S_MAX_RANK numbers
 */
stoa_status stoa_extent_read(hid_t dataset, int *rank, hsize_t *extent, stoa_error *err);
/* Its rank alone; -1 if it has none, or cannot be told. */
int stoa_extent_rank(hid_t dataset);
/* Append "13 x 10", or "scalar" for rank 0. */
stoa_status stoa_extent_print(hid_t dataset, stoa_buffer *out, stoa_error *err);
/* The class of its elements; H5T_NO_CLASS if it cannot be told. */
H5T_class_t stoa_class_of(hid_t dataset);
/*
 * The stored bytes of a dataset, or of the datasets in a group, within limits for damaged files.
 * What cannot be read counts nothing.
 *
 * @param depth  levels of groups below the group that count, too
 */
uint64_t stoa_bytes_within(hid_t object, int depth);

#endif
