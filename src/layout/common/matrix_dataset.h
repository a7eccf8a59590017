/* The datasets that a matrix is written as. */
#ifndef STOA_LAYOUT_MATRIX_DATASET_H
#define STOA_LAYOUT_MATRIX_DATASET_H

#include "core/error.h"
#include "hdf/ids.h"

/*
 * Write numbers as a new dataset of one dimension.
 *
 * @param elements  shape (n,), of `type`
 * @param codec     as in docs/codecs.md; NULL: "none"
 */
stoa_status stoa_matrix_dataset_write(hid_t group, const char *name, hid_t type, uint64_t n,
                                      const void *elements, const char *codec, stoa_error *err);

#endif
