/* Checks of what libhdf5 1.14 trusts in a damaged file, to be made before it reads. */
#ifndef STOA_HDF_LIBHDF5_CHECKS_H
#define STOA_HDF_LIBHDF5_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "hdf/ids.h"

/*
 * Whether the fill value in a dataset's creation property list has the size of an element. `type`
 * is the result of H5Dget_type().
 *
 * In a damaged file the sizes may differ. libhdf5 1.14 then reads past the end of the fill value,
 * in H5Pget_fill_value() and when it reads rows that are not stored. So check before either.
 */
stoa_status stoa_fill_fits(hid_t dcpl, hid_t type, bool *fits, stoa_error *err);
/*
 * Get the value that unwritten elements of a dataset are read as.
 *
 * @param[out] fill      one element of `mem_type`, to be freed; NULL: zeros
 * @param[out] is_known  false if reading unwritten elements is an error, which libhdf5 reports
 */
stoa_status stoa_fill_find(hid_t dataset, hid_t dcpl, hid_t mem_type, uint8_t **fill,
                           bool *is_known, stoa_error *err);
/* Write n elements with such a value. */
void stoa_fill_put(const uint8_t *fill, size_t element_size, uint64_t n, uint8_t *out);

/*
 * H5Dget_create_plist(). The caller closes the id.
 *
 * libhdf5 converts the fill value. If the datatype has a variable length but is neither a sequence
 * nor a string, libhdf5 1.14 calls a null pointer. Such datasets are refused.
 */
hid_t stoa_dataset_properties(hid_t dataset);

/* Bytes that an element of such a type (from H5Dget_type()) occupies in the file; 0 if unknown. */
size_t stoa_stored_size(hid_t type);

/* Whether stored elements are plain bytes that H5Tconvert() can convert: no compound, no array, no
 * variable length, no reference. */
bool stoa_type_is_plain(hid_t type);
/* The same, but compounds and arrays of such types, and system times (H5T_TIME), are allowed. */
bool stoa_type_is_flat(hid_t type);

/* The filter mask of a chunk for which all filters were skipped. */
unsigned stoa_mask_of_all(hid_t dcpl);
/* Whether a chunk, as H5Dchunk_iter() reports it, has as many bytes as it must. libhdf5 reads past
 * the end of an unfiltered chunk (its mask is `all`) that is too short. If a stored chunk has no
 * bytes at all, a libhdf5 built with assertions aborts. `chunk_bytes` 0: unknown. The size of a
 * filtered chunk is not checked here. */
bool stoa_chunk_fits(unsigned all, unsigned filter_mask, uint64_t n_stored, uint64_t chunk_bytes);

/* Whether every variable-length type within a datatype is a sequence or a string, and each number
 * has bytes for all its bits. libhdf5 1.14 crashes when it converts other elements. */
bool stoa_type_is_sound(hid_t type);

/* Whether an attribute stores enough bytes for n elements of its datatype (from H5Aget_type()), and
 * the type is sound. H5Aread() reads n elements regardless. */
bool stoa_attribute_fits(hid_t attribute, hid_t type, uint64_t n);

#endif
