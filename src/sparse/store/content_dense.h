/*
 * Defined elements as an array with a value for each element of the chunk, and a validity bitmap.
 * An edit costs no more than touching the value, but the memory is independent of the number of
 * defined elements. For formats without a heap.
 */
#ifndef STOA_SPARSE_CONTENT_DENSE_H
#define STOA_SPARSE_CONTENT_DENSE_H

#include "sparse/store/content.h"

/* Set the sizes, then open before use. Free with stoa_content_dense_clear(). */
typedef struct stoa_content_dense {
    size_t value_size;
    size_t n_elements;
    uint8_t *values; /* shape (n_elements,); NULL if not open */
    uint64_t *bits;  /* bit i % 64 of bits[i / 64]: element i is defined */
    uint64_t n;      /* number of defined elements */
} stoa_content_dense;

void stoa_content_dense_set(stoa_content_dense *field, const stoa_sparse_format *format);
stoa_status stoa_content_dense_open(stoa_content_dense *field, stoa_error *err);
void stoa_content_dense_clear(stoa_content_dense *field);
size_t stoa_content_dense_bytes(
    const stoa_content_dense *field); /* memory of an open field; may be asked before opening */

/* Define a run. */
void stoa_content_dense_put(stoa_content_dense *field, uint32_t first, uint32_t n,
                            const uint8_t *values);
/* Define elements at arbitrary positions. */
void stoa_content_dense_put_all(stoa_content_dense *field, const uint32_t *positions, size_t n,
                                const uint8_t *values);
void stoa_content_dense_put_line(stoa_content_dense *field, const stoa_line *line);
void stoa_content_dense_erase(stoa_content_dense *field, uint32_t first, uint32_t n);

/* The length of the run from `first` on, at most n, of elements that are all defined or all
 * undefined; *are_there says which. */
uint32_t stoa_content_dense_run(const stoa_content_dense *field, uint32_t first, uint32_t n,
                                bool *are_there);

/* List all defined elements. `positions` has space for n, and so has `values`, which may be
 * NULL. */
void stoa_content_dense_list(const stoa_content_dense *field, uint32_t *positions, uint8_t *values);

#endif
