/*
 * The HDF5 filter that presents a structured dataset as a dense one to any HDF5 program
 * (docs/sparse-format.md; sparse fact sheet §2).
 *
 * Decoding spreads a structured chunk out. Encoding treats every element that differs from the fill
 * value as defined. If a program without the connector writes the fill value explicitly, that
 * definition is lost. Such a program cannot read chunks with data in section 2. What it writes
 * instead is stored as a dense chunk that refers to the global heap.
 */
#ifndef STOA_SPARSE_FILTER_H
#define STOA_SPARSE_FILTER_H

#include "hdf/hdf5.h"
#include "sparse/format/format.h"

extern const H5Z_class2_t stoa_sparse_filter_class;

/* Register the filter with this process's libhdf5. Repeated calls are harmless. */
stoa_status stoa_sparse_filter_register(stoa_error *err);

/* Replace the filter by one that decodes variable-length elements as empty, only while libhdf5
 * copies datasets that are filled afterwards. stoa_sparse_filter_register() restores the real
 * filter. */
herr_t stoa_sparse_filter_hollow(void);

/* Read the user's part of the parameters from a creation property list. STOA_ENOTFOUND if the list
 * does not have the filter. */
stoa_status stoa_sparse_format_of_list(hid_t dcpl, stoa_sparse_format *format, stoa_error *err);
/* Whether a list has the filter. */
bool stoa_list_is_structured(hid_t dcpl);
/* Set the parameters, and add the filter if the list does not have it. */
stoa_status stoa_sparse_format_to_list(hid_t dcpl, const stoa_sparse_format *format,
                                       stoa_error *err);

/*
 * Bind the format to a dataset: derive the dataset's part from its properties.
 *
 * @param dcpl       has the chunk shape and the fill value
 * @param type       of the elements in the file; or in memory, if slot_size is given
 * @param slot_size  bytes of a variable-length reference in the file; 0 to derive it from the type
 * @return STOA_ETYPE if elements of section 2 have more than STOA_SPARSE_MAX_SLOTS slots;
 *         STOA_ERANGE if chunks have 4 GiB or more; STOA_EINVAL for a variable-length fill value
 *         that does not fit section 2
 */
stoa_status stoa_sparse_format_bind(stoa_sparse_format *format, hid_t dcpl, hid_t type,
                                    size_t slot_size, stoa_error *err);

#endif
