/* Codecs by name: which HDF5 filters a column's dataset gets (HEP001 §8.4). */
#ifndef STOA_COLUMN_CODEC_H
#define STOA_COLUMN_CODEC_H

#include "hdf/types.h"

/*
 * HDF5's scale-offset filter is not among them, though it packs integers best: libhdf5 1.14.6,
 * and 1.14.5 with Debian's security patches, write a chunk whose values span the whole type and
 * then refuse to read it (HDFGroup/hdf5 issue 5861, mended in 2.0). Only a writer that stores such
 * chunks unfiltered may use it.
 */

/*
 * Put a codec's filters into a dataset creation property list.
 *
 * "auto"        numbers, codes, times, opaque: shuffle and deflate where the sample shrinks by 15 %
 * or more, else nothing; fixed strings, compounds, arrays: shuffle and deflate; variable-length:
 * nothing "none"        nothing "deflate[:N]" shuffle and deflate of level N (4) "small" shuffle
 * and deflate of level 9 "zstd", "lz4", "blosc"  shuffle and the registered filter, where libhdf5
 * finds its plugin
 *
 * @param sample  elements in memory form (n of them, may be 0), for "auto" to try
 * @return STOA_EINVAL for an unknown name, a bad level, a codec that does not fit the type, or a
 * filter this libhdf5 does not have
 */
stoa_status stoa_codec_apply(hid_t dcpl, const char *codec, const stoa_element *element,
                             const void *sample, size_t n, stoa_error *err);

#endif
