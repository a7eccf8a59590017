/* Multidimensional rows of other layouts: fixed-size lists whose shape the extension type
 * arrow.fixed_shape_tensor gives. */
#ifndef STOA_LAYOUT_TENSOR_H
#define STOA_LAYOUT_TENSOR_H

#include "column/type/tensor.h"

/* Set the shape of a column's rows. */
stoa_status stoa_tensor_add_metadata(stoa_column *column, int rank, const hsize_t *extent,
                                     stoa_error *err);

#endif
