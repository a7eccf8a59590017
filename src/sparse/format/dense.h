/* Conversion between a structured chunk's elements and the dense chunk that libhdf5 sees
 * (docs/sparse-format.md §3). */
#ifndef STOA_SPARSE_DENSE_H
#define STOA_SPARSE_DENSE_H

#include "sparse/format/chunk.h"

/*
 * Spread the elements over a dense chunk. Undefined elements get the fill value. Slots of
 * variable-length data are zeroed, which libhdf5 reads as empty.
 *
 * @param fill   element_size bytes
 * @param dense  n_elements elements
 */
void stoa_sparse_spread(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                        const uint8_t *fill, uint8_t *dense);

/* Expand one value of section 1 to an element in the file, with slots of zero; and shrink it back,
 * dropping the slots. */
void stoa_sparse_expand(const stoa_sparse_format *format, const uint8_t *value, uint8_t *element);
void stoa_sparse_shrink(const stoa_sparse_format *format, const uint8_t *element, uint8_t *value);

/*
 * Collect the elements of a dense chunk that differ from the fill value in any byte.
 *
 * @param fill  NULL: every element counts as defined
 * @return STOA_EDATA if an element refers to variable-length data, which only libhdf5 can resolve
 */
stoa_status stoa_sparse_collect(const stoa_sparse_format *format, const uint8_t *dense,
                                const uint8_t *fill, stoa_sparse_chunk *chunk, stoa_error *err);

#endif
