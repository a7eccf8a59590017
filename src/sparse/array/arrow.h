/* Sparse arrays as Arrow data (<stoa/sparse_arrow.h>): how a schema describes an array, shared by
 * import and export. */
#ifndef STOA_SPARSE_ARROW_PARTS_H
#define STOA_SPARSE_ARROW_PARTS_H

#include <stoa/sparse_arrow.h>

#include "hdf/metadata/types.h"
#include "sparse/array/array.h"

#define STOA_ARROW_SHAPE "stoa.sparse.shape"
#define STOA_ARROW_FILL "stoa.sparse.fill"

/* Store the shape in the schema's metadata, as "[3, 4]". */
stoa_status stoa_arrow_put_shape(struct ArrowSchema *schema, unsigned rank, const uint64_t *extent,
                                 stoa_error *err);
/* Sets *found to false if the metadata hold no shape. STOA_EDATA if the text is not a shape of this
 * rank. */
stoa_status stoa_arrow_get_shape(const struct ArrowSchema *schema, unsigned rank, uint64_t *extent,
                                 bool *found, stoa_error *err);

/* Parse a number of the element's kind. False if the text is no such number, or does not fit. */
bool stoa_number_parse(const char *text, const stoa_element *element, uint8_t *value);
/* Store one element in memory as the fill value in the schema's metadata. A fill value of zero
 * bytes is omitted. */
stoa_status stoa_arrow_put_fill(struct ArrowSchema *schema, const stoa_element *element,
                                const uint8_t *value, stoa_error *err);
/* @param[out] value  element->size bytes; zeros if the metadata hold no fill value */
stoa_status stoa_arrow_get_fill(const struct ArrowSchema *schema, const stoa_element *element,
                                uint8_t *value, stoa_error *err);

/* An HDF5 datatype for the values of an Arrow field, packed and in native byte order. The caller
 * closes it. STOA_ETYPE if the field has no type of fixed size. */
stoa_status stoa_arrow_value_type(const struct ArrowSchema *field, hid_t *type, stoa_error *err);
/*
 * Convert values of an Arrow array without nulls to elements of such a type.
 *
 * @param first, n  range of array values
 * @param stride    bytes from one element to the next in `out`
 */
stoa_status stoa_arrow_put_values(const stoa_view *view, const stoa_element *element, int64_t first,
                                  int64_t n, uint8_t *out, size_t stride, stoa_error *err);

/* Make a schema of rows of coordinates, int64_t, and a value whose field the caller fills in. */
stoa_status stoa_arrow_entries_schema(unsigned rank, const uint64_t *extent,
                                      struct ArrowSchema *out, stoa_error *err);

/* The rows of a box as in stoa_sparse_stream(), of which any batch may be read again. */
typedef struct stoa_sparse_rows stoa_sparse_rows;
stoa_status stoa_sparse_rows_open(stoa_sparse *array, const uint64_t *start, const uint64_t *count,
                                  stoa_sparse_rows **rows, stoa_error *err);
void stoa_sparse_rows_close(stoa_sparse_rows *rows);
stoa_status stoa_sparse_rows_schema(stoa_sparse_rows *rows, struct ArrowSchema *out,
                                    stoa_error *err);
/* Count the rows of the batch that begins with chunk *at of the box, and set *at behind it. *n is 0
 * at the end. */
stoa_status stoa_sparse_rows_count(stoa_sparse_rows *rows, size_t *at, uint64_t *n,
                                   stoa_error *err);
/* Read that batch. */
stoa_status stoa_sparse_rows_read(stoa_sparse_rows *rows, size_t at, struct ArrowArray *out,
                                  stoa_error *err);

#endif
