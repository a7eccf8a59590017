/*
 * The defined elements of one chunk, in a form that can be edited. While elements are read or
 * written as a whole, they are a list of ascending positions. Small edits change it into a field,
 * with a slot for each element of the chunk, if memory permits or the field is not much larger.
 * Otherwise they change it into a map, whose memory is proportional to the number of defined
 * elements.
 *
 * If the format has variable-length data, each element carries its own. They are given as `n`
 * lengths in bytes, and the bytes one after the other, as in section 2 (docs/sparse-format.md §3).
 */
#ifndef STOA_SPARSE_CONTENT_H
#define STOA_SPARSE_CONTENT_H

#include "sparse/format/chunk.h"

/* The variable-length data of `n` elements. */
typedef struct stoa_heap_run {
    const uint64_t *lengths; /* bytes of each element */
    const uint8_t *bytes;
} stoa_heap_run;

/* Destination of variable-length data. `lengths` has space for each requested element, and `bytes`
 * grows. `fill` is the data of an undefined element, set by the store. */
typedef struct stoa_heap_sink {
    uint64_t *lengths;
    stoa_buffer *bytes;
    const uint8_t *fill;
    size_t n_fill;
} stoa_heap_sink;

/* Measures how many bytes of section 2 belong to a value, at most n_heap. Only the datatype
 * tells. */
typedef struct stoa_heap_measure {
    const void *context;
    stoa_status (*measure)(const void *context, const uint8_t *value, const uint8_t *heap,
                           size_t n_heap, size_t *n_bytes, stoa_error *err);
} stoa_heap_measure;

/* Elements of a chunk at equal distances. */
typedef struct stoa_line {
    uint32_t first;
    uint32_t stride; /* positions from one element to the next; 1 or more */
    size_t n;
    const uint8_t *values;
    ptrdiff_t step; /* bytes from one value to the next */
} stoa_line;

typedef struct stoa_content stoa_content;

/* Create an empty content. `format` is borrowed. */
stoa_status stoa_content_open(const stoa_sparse_format *format, stoa_content **content,
                              stoa_error *err);
void stoa_content_close(stoa_content *content);

/* Set how much memory the content may use for fast edits; 0 initially. */
void stoa_content_allow(stoa_content *content, size_t n_bytes);

/* Take over a chunk's elements; `chunk` is empty afterwards. `measure` is needed if the format has
 * a heap. */
stoa_status stoa_content_adopt(stoa_content *content, stoa_sparse_chunk *chunk,
                               const stoa_heap_measure *measure, stoa_error *err);
/* @return STOA_EDATA if a chunk's values do not account for all of its heap */
stoa_status stoa_content_check(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                               const stoa_heap_measure *measure, stoa_error *err);
/* The elements as a read-only list; valid until the next edit. */
stoa_status stoa_content_list(stoa_content *content, const stoa_sparse_chunk **chunk,
                              stoa_error *err);
/* Release the list that stoa_content_list() made. */
void stoa_content_unlist(stoa_content *content);

uint64_t stoa_content_n(const stoa_content *content);      /* defined elements */
uint64_t stoa_content_n_heap(const stoa_content *content); /* bytes of section 2 */
size_t stoa_content_bytes(const stoa_content *content);    /* of memory */

/* Define the elements first .. first + n - 1. */
stoa_status stoa_content_put(stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err);
/* Undefine the elements first .. first + n - 1. */
stoa_status stoa_content_erase(stoa_content *content, uint32_t first, uint32_t n, stoa_error *err);
/*
 * Values of the elements; undefined elements have the fill value.
 *
 * @param[out] values   may be NULL
 * @param[out] defined  one byte each, 0 or 1; may be NULL
 * @param heap          NULL if the format has no heap
 */
stoa_status stoa_content_get(const stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *fill, uint8_t *values, uint8_t *defined,
                             const stoa_heap_sink *heap, stoa_error *err);

/* Define or replace the elements at ascending positions, without duplicates. For formats without a
 * heap. */
stoa_status stoa_content_merge(stoa_content *content, const uint32_t *positions, size_t n,
                               const uint8_t *values, stoa_error *err);
/* Define the elements of a line. For formats without a heap. */
stoa_status stoa_content_put_line(stoa_content *content, const stoa_line *line, stoa_error *err);
/* Undefine the elements at ascending positions. */
stoa_status stoa_content_remove(stoa_content *content, const uint32_t *positions, size_t n,
                                stoa_error *err);

#endif
