/* Codecs by name: which HDF5 filters a column's dataset gets (HEP001 §8.4). */
#ifndef STOA_COLUMN_CODEC_H
#define STOA_COLUMN_CODEC_H

#include "hdf/types.h"

/* Values to try codecs on: elements in memory form, those that are missing as `fill`. */
typedef struct stoa_sample {
    const void *elements; /* NULL: none */
    size_t n;
    const void *fill; /* one element; NULL: none is missing */
} stoa_sample;

/*
 * Put a codec's filters into a dataset creation property list.
 *
 * "auto"         integers, codes, times, bools: scale-offset where it saves 5 %, but shuffle and
 *                deflate where that comes to less than 60 % of it, or of the values as they are;
 *                floats, enumerations, opaque: shuffle and deflate where that saves 15 %. Fixed
 *                strings, compounds, arrays: shuffle and deflate; variable-length: nothing.
 *                In place of deflate, zstd where that comes to at most 85 % of it and libhdf5 has
 *                zstd as a plugin
 * "none"         nothing
 * "scaleoffset"  scale-offset for integers, codes, times and bools; other columns as "auto"
 * "deflate[:N]"  shuffle and deflate of level N (4)
 * "small"        the smallest of shuffle and deflate 9, deflate 9 alone, scale-offset, scale-offset
 *                and deflate 9
 * "zstd[:N]"     shuffle and Zstandard of level N (3), registered filter 32015
 * "lz4"          shuffle and LZ4, 32004
 * "blosc"        Blosc's own shuffle and LZ4, 32001
 *
 * The last three are packed and unpacked by src/codec, so that libhdf5 need not have their plugins;
 * other programs need them to read the column. What decides is the size of the sample, packed.
 *
 * @param chunk_rows  rows a chunk
 * @return STOA_EINVAL for an unknown name, a bad level, a codec that does not fit the type
 */
stoa_status stoa_codec_apply(hid_t dcpl, const char *codec, const stoa_element *element,
                             uint64_t chunk_rows, const stoa_sample *sample, stoa_error *err);

/* Whether libhdf5's scale-offset packs such elements in chunks of so many rows without loss, and
 * that filter alone put into a dataset creation property list. */
bool stoa_codec_packs(const stoa_element *element, uint64_t chunk_rows);
stoa_status stoa_codec_pack_integers(hid_t dcpl, stoa_error *err);

#endif
