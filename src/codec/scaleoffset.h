/*
 * HDF5's scale-offset filter for integers, as libhdf5 stores it: a header of 21 bytes (bits a
 * value, the least value), then the values less the least one as one stream of bits, most
 * significant first. Where a fill value is defined, its code is all ones.
 */
#ifndef STOA_CODEC_SCALEOFFSET_H
#define STOA_CODEC_SCALEOFFSET_H

#include "codec/pipeline.h"

/* What the filter's client data say. */
typedef struct stoa_scaleoffset {
    uint64_t n;    /* values a chunk */
    uint32_t size; /* bytes a value: 1, 2, 4 or 8 */
    uint32_t bits; /* a value, by the client data; 0: as few as each chunk needs; 8 * size: the
                    * filter does nothing */
    bool is_signed;
    bool is_big_endian; /* in the file */
    bool has_fill;
    uint64_t fill; /* its bits, the upper ones 0 */
    stoa_simd simd;
} stoa_scaleoffset;

/* False for floats, odd sizes and whatever libhdf5 would not have written. */
bool stoa_scaleoffset_of(const stoa_filter *filter, size_t chunk_bytes, stoa_simd simd,
                         stoa_scaleoffset *out);
/* n values in the file's byte order into `out` (n * size bytes). False where `stored` is damaged.
 */
bool stoa_scaleoffset_decode(const stoa_scaleoffset *so, const uint8_t *stored, size_t n_stored,
                             uint8_t *out);
/* Values [first, first + n) alone. */
bool stoa_scaleoffset_pick(const stoa_scaleoffset *so, const uint8_t *stored, size_t n_stored,
                           uint64_t first, uint64_t n, uint8_t *out);
/* Bytes that stoa_scaleoffset_encode() writes at most. */
size_t stoa_scaleoffset_bound(const stoa_scaleoffset *so);
/* Bytes written, the same as libhdf5's; 0 where the chunk is not to pass the filter: its values
 * span the whole type, so that nothing is saved and libhdf5 1.14 could not read it back
 * (HDFGroup/hdf5 5861), or `bits` are too few for them, where libhdf5 would lose their upper bits.
 */
size_t stoa_scaleoffset_encode(const stoa_scaleoffset *so, const uint8_t *values, uint8_t *out);

#endif
