/* What libhdf5 1.14 believes of a damaged file without looking; looked at before it reads. */
#ifndef STOA_HDF_GUARD_H
#define STOA_HDF_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "hdf/ids.h"

/*
 * Whether the fill value in a dataset's creation property list has the size of its elements, whose
 * datatype is the one H5Dget_type() gives.
 *
 * In a damaged file it need not, and libhdf5 1.14 then reads past its end, in H5Pget_fill_value()
 * and wherever rows that have no storage are read: ask before either.
 */
stoa_status stoa_fill_fits(hid_t dcpl, hid_t type, bool *fits, stoa_error *err);

/*
 * H5Dget_create_plist(), whose id is closed as ever.
 *
 * It converts the fill value, and libhdf5 1.14 calls into nothing where the datatype is of variable
 * length and neither a sequence nor a string: such a dataset is refused.
 */
hid_t stoa_dataset_properties(hid_t dataset);

/* Bytes that an element of such a type (of H5Dget_type()) takes up in the file; 0 where that cannot
 * be told from here. */
size_t stoa_stored_size(hid_t type);

/* Whether elements of a stored datatype are their bytes alone: what H5Tconvert() makes of them. */
bool stoa_type_is_plain(hid_t type);
/* The same of compounds and arrays, and of times of the system (H5T_TIME), whatever is in them. */
bool stoa_type_is_flat(hid_t type);

/* The filter mask of a chunk that passes no filter. */
unsigned stoa_mask_of_all(hid_t dcpl);
/* Whether a chunk, as H5Dchunk_iter() shows it, holds as many bytes as a chunk must. One that
 * passed no filter (its mask is that of `all`) and is shorter is read past its end; over one that
 * is there and has no bytes at all, libhdf5 ends the program where it was built with its
 * assertions. `chunk_bytes` 0: not known; what filters make of a chunk is theirs to check. */
bool stoa_chunk_fits(unsigned all, unsigned filter_mask, uint64_t n_stored, uint64_t chunk_bytes);

/* Whether everything of variable length in a datatype is a sequence or a string, and each number
 * has bytes for its bits. libhdf5 1.14 crashes where elements of anything else are converted. */
bool stoa_type_is_sound(hid_t type);

/* Whether an attribute holds bytes for n elements of its datatype (as H5Aget_type() gives it), and
 * that is sound: H5Aread() reads n elements whatever is there. */
bool stoa_attribute_fits(hid_t attribute, hid_t type, uint64_t n);

#endif
