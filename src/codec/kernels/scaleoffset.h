/* HDF5's scale-offset filter for integers, in libhdf5's format. A header of 21 bytes has the bits
 * per value and the minimum. The differences to the minimum follow as one bit stream, most
 * significant bit first. If a fill value is defined, its code is all ones. */
#ifndef STOA_CODEC_SCALEOFFSET_H
#define STOA_CODEC_SCALEOFFSET_H

#include "codec/pipeline.h"

/* The client data of the filter. */
typedef struct stoa_scaleoffset {
    uint64_t n;    /* values per chunk */
    uint32_t size; /* bytes per value: 1, 2, 4 or 8 */
    uint32_t bits; /* per value, by the client data; 0: as few as each chunk needs; 8 * size: the
                      filter has no effect */
    bool is_signed;
    bool is_big_endian; /* in the file */
    bool has_fill;
    uint64_t fill; /* its bits, zero-extended */
    stoa_simd simd;
} stoa_scaleoffset;

/* False for floats, odd sizes and anything that libhdf5 would not have written. */
bool stoa_scaleoffset_of(const stoa_filter *filter, size_t chunk_bytes, stoa_simd simd,
                         stoa_scaleoffset *out);
/* Decode n values in the file's byte order to `out` (n * size bytes). False if `stored` is
 * damaged. */
bool stoa_scaleoffset_decode(const stoa_scaleoffset *so, const uint8_t *stored, size_t n_stored,
                             uint8_t *out);
/* Decode values [first, first + n) only. */
bool stoa_scaleoffset_decode_range(const stoa_scaleoffset *so, const uint8_t *stored,
                                   size_t n_stored, uint64_t first, uint64_t n, uint8_t *out);
/* The most bytes that stoa_scaleoffset_encode() writes. */
size_t stoa_scaleoffset_bound(const stoa_scaleoffset *so);
/* Encode, with the same result as libhdf5. Returns the bytes written, or 0 if the chunk must skip
 * the filter. It must if its values span the whole type: nothing is saved, and libhdf5 1.14 could
 * not read it back (HDFGroup/hdf5 5861). It also must if `bits` are too few, because libhdf5 would
 * lose the upper bits. */
size_t stoa_scaleoffset_encode(const stoa_scaleoffset *so, const uint8_t *values, uint8_t *out);

#endif
