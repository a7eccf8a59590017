/* Multidimensional rows: fixed-size lists whose shape the extension type arrow.fixed_shape_tensor
 * gives. */
#ifndef STOA_LAYOUT_TENSOR_H
#define STOA_LAYOUT_TENSOR_H

#include "column/read/foreign.h"

/* Set the shape of a column's rows. */
stoa_status stoa_tensor_add_metadata(stoa_column *column, int rank, const hsize_t *extent,
                                     stoa_error *err);
/*
 * The shape that a field of lists declares, if its product is n_items.
 *
 * @param[out] shape  room for H5S_MAX_RANK numbers
 * @param[out] rank   0 if there is no such shape
 */
stoa_status stoa_tensor_shape(const struct ArrowSchema *field, uint64_t n_items, hsize_t *shape,
                              int *rank, stoa_error *err);

#endif
