/*
 * The HDF5 filter that lets any HDF5 program read a structured dataset as a dense one
 * (docs/sparse-format.md; sparse fact sheet §2).
 *
 * Backwards it spreads a structured chunk out. Forwards it takes for defined what differs from the
 * fill value: an explicit write of the fill value by a program that knows nothing of structured
 * chunks is lost. Data of variable length in section 2 are beyond such a program: chunks that have
 * any cannot be read, and what it writes lies in the file as a dense chunk that refers to the
 * global heap.
 */
#ifndef STOA_SPARSE_FILTER_H
#define STOA_SPARSE_FILTER_H

#include "hdf/hdf5.h"
#include "sparse/format.h"

extern const H5Z_class2_t stoa_sparse_filter_class;

/* Make the filter known to this process' libhdf5; once is enough, more does no harm. */
stoa_status stoa_sparse_filter_register(stoa_error *err);

/* In its place one through which elements of variable length come out as nothing; only while
 * libhdf5 copies what is filled afterwards. stoa_sparse_filter_register() puts the right one back.
 */
herr_t stoa_sparse_filter_hollow(void);

/* The user's part of a creation list's parameters. STOA_ENOTFOUND: the list has no such filter. */
stoa_status stoa_sparse_format_of_list(hid_t dcpl, stoa_sparse_format *format, stoa_error *err);
/* Set them, adding the filter where it is not there. */
stoa_status stoa_sparse_format_to_list(hid_t dcpl, const stoa_sparse_format *format,
                                       stoa_error *err);

/*
 * The dataset's part, from what a dataset is made of.
 *
 * @param dcpl       has the chunk's shape and the fill value
 * @param type       of the elements, as in the file; or as in memory, where slot_size is given
 * @param slot_size  bytes in the file of what refers to data of variable length; 0: the type tells
 * @return STOA_ETYPE where elements of section 2 are of variable length in more places than
 *         STOA_SPARSE_MAX_SLOTS; STOA_ERANGE where chunks are of 4 GiB or more; STOA_EINVAL for a
 *         fill value of variable length that does not go into section 2
 */
stoa_status stoa_sparse_format_bind(stoa_sparse_format *format, hid_t dcpl, hid_t type,
                                    size_t slot_size, stoa_error *err);

#endif
