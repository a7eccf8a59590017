/* HDF5's scale-offset filter, in libhdf5's format. A header of 21 bytes has the bits per value and
 * the minimum. The differences to the minimum follow as one bit stream, most significant bit first.
 * If a fill value is defined, its code is all ones. Of floats, the differences are counted in units
 * of a power of ten (H5Z_SO_FLOAT_DSCALE). */
#ifndef STOA_CODEC_SCALEOFFSET_H
#define STOA_CODEC_SCALEOFFSET_H

#include "codec/pipeline.h"

/* To how many bits codes are widened for the filters that follow. */
typedef enum stoa_so_width {
    STOA_SO_NARROW,   /* as few as there must be */
    STOA_SO_IN_BYTES, /* whole bytes, for a filter that compresses bytes; up to 2 bits stay */
    STOA_SO_IN_WORDS  /* 8, 16 or 32, for shuffle, which knows values of the type's size */
} stoa_so_width;

/* The client data of the filter. */
typedef struct stoa_scaleoffset {
    uint64_t n;    /* values per chunk */
    uint32_t size; /* bytes per value: 1, 2, 4 or 8 */
    uint32_t bits; /* per value, by the client data; 0: as few as each chunk needs; 8 * size: the
                      filter has no effect */
    bool is_signed;
    bool is_decimal;    /* floats of 4 or 8 bytes; `bits` is 0 */
    uint32_t decimals;  /* of floats: codes count in units of 10^-decimals */
    bool is_big_endian; /* in the file */
    bool has_fill;
    uint64_t fill; /* its bits, zero-extended */
    stoa_simd simd;
    stoa_so_width widening; /* not client data: libhdf5 reads any width */
} stoa_scaleoffset;

/* False for odd sizes, powers of ten that are not exact, and anything that libhdf5 would not have
 * written. */
bool stoa_scaleoffset_of(const stoa_filter *filter, size_t chunk_bytes, stoa_simd simd,
                         stoa_scaleoffset *out);
/* Get the filter of a chunk that has no other one, by the chunk's filter mask. False if it has. */
bool stoa_scaleoffset_alone(const stoa_pipeline *pipeline, uint32_t mask, stoa_scaleoffset *out);
/* The filter of these parameters. */
stoa_filter stoa_scaleoffset_filter(const stoa_scaleoffset *so);
/* Make client data for the first n values of a chunk of the filter's. */
void stoa_scaleoffset_shorten(stoa_filter *filter, uint32_t n);
/* Decode n values in the file's byte order to `out` (n * size bytes). False if `stored` is
 * damaged. */
bool stoa_scaleoffset_decode(const stoa_scaleoffset *so, const uint8_t *stored, size_t n_stored,
                             uint8_t *out);
/* Decode values [first, first + n) only. */
bool stoa_scaleoffset_decode_range(const stoa_scaleoffset *so, const uint8_t *stored,
                                   size_t n_stored, uint64_t first, uint64_t n, uint8_t *out);
/*
 * Decode those of the values [first, first + count) whose bits are set, to `out` without gaps.
 *
 * @param bits  an Arrow bitmap whose bit 0 is value `first`
 * @param n     how many of the `count` bits are set
 */
bool stoa_scaleoffset_choose(const stoa_scaleoffset *so, const uint8_t *stored, size_t n_stored,
                             uint64_t first, uint64_t count, const uint8_t *bits, uint64_t n,
                             uint8_t *out);
/* The most bytes that stoa_scaleoffset_encode() writes. */
size_t stoa_scaleoffset_bound(const stoa_scaleoffset *so);
/*
 * Encode without loss. Returns the bytes written, or 0 if the chunk must skip the filter:
 *
 * - Integers are encoded as by libhdf5, but for `widening`. They are not if they span the whole
 * type: nothing is saved, and libhdf5 1.14 could not read it back (HDFGroup/hdf5 5861). Nor are
 * they if `bits` are too few, because libhdf5 would lose the upper bits.
 * - Floats are encoded only if libhdf5 decodes each to the same bits. libhdf5 itself would round
 *   them. Their minimum is 0, in a header that says that it takes 0 bytes. Only whole numbers have
 *   another one, which is said to take 16 bytes. libhdf5 says 8, so stoa_scaleoffset_is_rounded()
 *   can tell them apart.
 */
size_t stoa_scaleoffset_encode(const stoa_scaleoffset *so, const uint8_t *values, uint8_t *out);
/* Whether libhdf5 encoded the floats of a chunk, which rounds them. */
bool stoa_scaleoffset_is_rounded(const uint8_t *stored, size_t n_stored);
/* The fewest decimals, at most 15, with which all of n floats in native byte order can be encoded.
 * False if there are none. */
bool stoa_scaleoffset_decimals(const stoa_scaleoffset *so, const uint8_t *values,
                               uint32_t *decimals);

#endif
