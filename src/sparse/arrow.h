/* What the files of sparse arrays as Arrow data share (<stoa/sparse_arrow.h>): what stands for an
 * array in a schema. */
#ifndef STOA_SPARSE_ARROW_PARTS_H
#define STOA_SPARSE_ARROW_PARTS_H

#include <stoa/sparse_arrow.h>

#include "hdf/types.h"
#include "sparse/array.h"

#define STOA_ARROW_SHAPE "stoa.sparse.shape"
#define STOA_ARROW_FILL "stoa.sparse.fill"

/* "[3, 4]" as the metadata of a schema. */
stoa_status stoa_arrow_put_shape(struct ArrowSchema *schema, unsigned rank, const uint64_t *extent,
                                 stoa_error *err);
/* STOA_EDATA where there is one that is not of this rank, or no shape; *found false: there is none.
 */
stoa_status stoa_arrow_get_shape(const struct ArrowSchema *schema, unsigned rank, uint64_t *extent,
                                 bool *found, stoa_error *err);

/* One element in memory as the metadata of a schema; none where all its bytes are 0. */
stoa_status stoa_arrow_put_fill(struct ArrowSchema *schema, const stoa_element *element,
                                const uint8_t *value, stoa_error *err);
/* @param[out] value  element->size bytes; zeros where there is none */
stoa_status stoa_arrow_get_fill(const struct ArrowSchema *schema, const stoa_element *element,
                                uint8_t *value, stoa_error *err);

/* An HDF5 datatype for values of an Arrow field, the caller's: packed, in this processor's byte
 * order. STOA_ETYPE where there is none of fixed size. */
stoa_status stoa_arrow_value_type(const struct ArrowSchema *field, hid_t *type, stoa_error *err);
/*
 * Values of an Arrow array, without nulls, as elements of such a type.
 *
 * @param first, n  of the array's
 * @param stride    bytes from an element to the next in `out`
 */
stoa_status stoa_arrow_put_values(const stoa_view *view, const stoa_element *element, int64_t first,
                                  int64_t n, uint8_t *out, size_t stride, stoa_error *err);

#endif
