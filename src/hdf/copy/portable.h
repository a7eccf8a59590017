/* Datasets that are copied in a storage that every reader of HDF5 has. */
#ifndef STOA_HDF_PORTABLE_H
#define STOA_HDF_PORTABLE_H

#include "core/string_set.h"
#include "hdf/copy/clone.h"

/* Zero-initialise, set `inner` and free with stoa_portable_clear(). */
typedef struct stoa_portable {
    stoa_other_storage inner; /* asked first: what it chooses, it copies */
    /* Whether a dataset of such creation properties stays as it is. May be NULL. */
    bool (*stays)(hid_t creation);
    /* Datasets of strings that were looked into: their tokens, and whether all of them is ASCII. */
    stoa_string_set known;
    stoa_buffer are_ascii;
} stoa_portable;

/*
 * In the copy
 *
 * - filters other than shuffle, deflate and Fletcher32 are replaced by shuffle and deflate,
 * - strings of UTF-8 that are all ASCII are typed as ASCII, if they are the elements.
 *
 * The file is written in the earliest format. Datasets whose values are elsewhere stay as they are.
 * `portable` must stay at its address.
 */
stoa_other_storage stoa_portable_storage(stoa_portable *portable);
void stoa_portable_clear(stoa_portable *portable);

#endif
