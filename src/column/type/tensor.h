/* Multidimensional rows: fixed-size lists whose shape the extension type arrow.fixed_shape_tensor
 * gives. */
#ifndef STOA_COLUMN_TENSOR_H
#define STOA_COLUMN_TENSOR_H

#include "column/column.h"

/* The extension type of such lists. */
#define STOA_TENSOR "arrow.fixed_shape_tensor"

/* The metadata of that type for a shape. The caller frees it. */
stoa_status stoa_tensor_metadata(int rank, const hsize_t *extent, char **text, stoa_error *err);
/* Describe the shape of H5T_ARRAY elements of several dimensions whose items are numbers. *text is
 * NULL for other elements. The caller frees it. */
stoa_status stoa_tensor_of_element(const stoa_element *element, char **text, stoa_error *err);
/*
 * The shape that a field of lists declares, if its product is n_items.
 *
 * @param[out] shape  room for H5S_MAX_RANK numbers
 * @param[out] rank   0 if there is no such shape
 */
stoa_status stoa_tensor_shape(const struct ArrowSchema *field, uint64_t n_items, hsize_t *shape,
                              int *rank, stoa_error *err);

#endif
