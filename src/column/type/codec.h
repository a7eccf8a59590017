/* Codecs by name: the HDF5 filters of a column's dataset (HEP001 §8.4). */
#ifndef STOA_COLUMN_CODEC_H
#define STOA_COLUMN_CODEC_H

#include "hdf/metadata/types.h"

/* Sample values to try codecs on: elements in memory form, where missing ones equal `fill`. */
typedef struct stoa_sample {
    const void *elements; /* NULL: none */
    size_t n;
    const void *fill;  /* one element; NULL: no element is missing */
    bool is_looked_up; /* single rows will be read */
} stoa_sample;

/*
 * Add a codec's filters to a dataset creation property list.
 *
 * "auto"         what scale-offset can pack without loss, which are integers, codes, times, bools
 *                and decimal floats: scale-offset, alone unless shuffle and deflate save 15 % more.
 *                Other floats: deflate, with shuffle or without, if that saves 20 %. Fixed strings,
 *                compounds, arrays: shuffle and deflate, of level 3 for strings and else of 1.
 *                Variable-length: no filter. zstd replaces deflate if that comes to at most 85 % of
 *                it and libhdf5 has the zstd plugin
 * "none"         no filter
 * "scaleoffset"  scale-offset for integers, codes, times and bools; other columns as "auto"
 * "decimal[:D]"  scale-offset, shuffle and deflate for floats of D decimals, or of as many as the
 *                sample has; other columns as "auto"
 * "deflate[:N]"  shuffle and deflate of level N (4)
 * "small"        the smallest of shuffle and deflate, deflate alone, and these with scale-offset;
 *                each chunk chooses among them (codec/pipeline.h); deflate's level is 6
 * "zstd[:N]"     shuffle and Zstandard of level N (3), registered filter 32015
 * "lz4"          shuffle and LZ4, 32004
 * "blosc"        Blosc's own shuffle and LZ4, 32001
 *
 * src/codec implements the last three, so libhdf5 does not need their plugins. Other programs need
 * them to read the column. "auto" and "small" decide by the compressed size of the sample.
 *
 * @param chunk_rows  rows per chunk
 * @return STOA_EINVAL for an unknown name, a bad level, or a codec that does not fit the type
 */
stoa_status stoa_codec_apply(hid_t dcpl, const char *codec, const stoa_element *element,
                             uint64_t chunk_rows, const stoa_sample *sample, stoa_error *err);

/* Whether every reader of HDF5 has the filters of a codec; NULL is the codec of the table. */
bool stoa_codec_is_portable(const char *codec);

/* Whether a codec is more than "none". Under such codecs texts that repeat are stored as
 * categories. False for NULL, which is contiguous storage. */
bool stoa_codec_packs_any(const char *codec);

/* Whether libhdf5's scale-offset filter compresses such elements without loss in chunks of so many
 * rows; and a call that adds only this filter to a dataset creation property list. */
bool stoa_codec_packs(const stoa_element *element, uint64_t chunk_rows);
stoa_status stoa_codec_pack_integers(hid_t dcpl, stoa_error *err);

#endif
