/* A structured chunk's elements spread out as libhdf5 sees a chunk, and picked from there
 * (docs/sparse-format.md §3). */
#ifndef STOA_SPARSE_DENSE_H
#define STOA_SPARSE_DENSE_H

#include "sparse/chunk.h"

/*
 * Every element of the chunk, those that are not defined as the fill value; where data of variable
 * length belong, bytes of 0, which is nothing to libhdf5.
 *
 * @param fill   element_size bytes
 * @param dense  n_elements of them
 */
void stoa_sparse_spread(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                        const uint8_t *fill, uint8_t *dense);

/* One value of section 1 as an element in the file, its slots as 0; and back, whatever those are.
 */
void stoa_sparse_expand(const stoa_sparse_format *format, const uint8_t *value, uint8_t *element);
void stoa_sparse_shrink(const stoa_sparse_format *format, const uint8_t *element, uint8_t *value);

/*
 * The elements that are not the fill value, byte for byte.
 *
 * @param fill  NULL: every element counts as defined
 * @return STOA_EDATA where one refers to data of variable length, which only libhdf5 finds
 */
stoa_status stoa_sparse_collect(const stoa_sparse_format *format, const uint8_t *dense,
                                const uint8_t *fill, stoa_sparse_chunk *chunk, stoa_error *err);

#endif
