/* Rows of several dimensions: lists of fixed length whose shape the extension type
 * arrow.fixed_shape_tensor says. */
#ifndef STOA_LAYOUT_TENSOR_H
#define STOA_LAYOUT_TENSOR_H

#include "column/foreign.h"

/* Note the shape of a column's rows. */
stoa_status stoa_tensor_remark(stoa_column *column, int rank, const hsize_t *extent,
                               stoa_error *err);
/*
 * The shape that a field of lists says, if it makes so many items.
 *
 * @param[out] shape  of H5S_MAX_RANK numbers
 * @param[out] rank   0: none is said
 */
stoa_status stoa_tensor_shape(const struct ArrowSchema *field, uint64_t n_items, hsize_t *shape,
                              int *rank, stoa_error *err);

#endif
