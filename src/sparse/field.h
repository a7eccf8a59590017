/*
 * Defined elements as a value for each element of the chunk, and a bitmap of those that are there:
 * an edit costs what it costs to touch the value, in memory that does not follow what is defined.
 * For formats without a heap.
 */
#ifndef STOA_SPARSE_FIELD_H
#define STOA_SPARSE_FIELD_H

#include "sparse/content.h"

/* Set the sizes; open before use; free with stoa_field_clear(). */
typedef struct stoa_field {
    size_t value_size;
    size_t n_elements;
    uint8_t *values; /* shape (n_elements,); NULL: not open */
    uint64_t *bits;  /* bit i % 64 of bits[i / 64]: element i is defined */
    uint64_t n;      /* defined elements */
} stoa_field;

void stoa_field_set(stoa_field *field, const stoa_sparse_format *format);
stoa_status stoa_field_open(stoa_field *field, stoa_error *err);
void stoa_field_clear(stoa_field *field);
size_t stoa_field_bytes(
    const stoa_field *field); /* of memory while it is open, even if it is not */

/* Define a run. */
void stoa_field_put(stoa_field *field, uint32_t first, uint32_t n, const uint8_t *values);
/* Define any positions. */
void stoa_field_put_all(stoa_field *field, const uint32_t *positions, size_t n,
                        const uint8_t *values);
void stoa_field_put_line(stoa_field *field, const stoa_line *line);
void stoa_field_erase(stoa_field *field, uint32_t first, uint32_t n);

/* From `first` on, how many of n elements are all defined, or all not; which, as *are_there. */
uint32_t stoa_field_run(const stoa_field *field, uint32_t first, uint32_t n, bool *are_there);

/* All of them: room for n positions and, unless that is NULL, n values. */
void stoa_field_list(const stoa_field *field, uint32_t *positions, uint8_t *values);

#endif
