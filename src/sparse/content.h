/*
 * The defined elements of one chunk, to be edited: a list of ascending positions while they are
 * read or written as a whole. Once small edits come, a field with a slot for each element of the
 * chunk, where there is memory for it or it takes little more; else a map, whose memory follows
 * what is defined.
 *
 * Where the format has data of variable length, each element carries its own: `n` lengths in bytes,
 * and the bytes one after the other, as in section 2 (docs/sparse-format.md §3).
 */
#ifndef STOA_SPARSE_CONTENT_H
#define STOA_SPARSE_CONTENT_H

#include "sparse/chunk.h"

/* Data of variable length of `n` elements. */
typedef struct stoa_heap_run {
    const uint64_t *lengths; /* bytes of each element */
    const uint8_t *bytes;
} stoa_heap_run;

/* Where such data go: `lengths` has room for each element asked for, `bytes` grows. `fill`: those
 * of an element that is not defined; a store sets them. */
typedef struct stoa_heap_sink {
    uint64_t *lengths;
    stoa_buffer *bytes;
    const uint8_t *fill;
    size_t n_fill;
} stoa_heap_sink;

/* Bytes that a value's data of variable length take up in section 2, at most n_heap: what only the
 * datatype tells. */
typedef struct stoa_heap_measure {
    const void *context;
    stoa_status (*measure)(const void *context, const uint8_t *value, const uint8_t *heap,
                           size_t n_heap, size_t *n_bytes, stoa_error *err);
} stoa_heap_measure;

/* Elements of a chunk, equally far from each other. */
typedef struct stoa_line {
    uint32_t first;
    uint32_t stride; /* positions from one to the next; 1 or more */
    size_t n;
    const uint8_t *values;
    ptrdiff_t step; /* bytes from one value to the next */
} stoa_line;

typedef struct stoa_content stoa_content;

/* An empty one. `format` is borrowed. */
stoa_status stoa_content_open(const stoa_sparse_format *format, stoa_content **content,
                              stoa_error *err);
void stoa_content_close(stoa_content *content);

/* It may take up so many bytes to be quick to edit; 0 at first. */
void stoa_content_allow(stoa_content *content, size_t n_bytes);

/* Take a chunk's elements over; `chunk` is left empty. `measure`: where the format has a heap. */
stoa_status stoa_content_take(stoa_content *content, stoa_sparse_chunk *chunk,
                              const stoa_heap_measure *measure, stoa_error *err);
/* STOA_EDATA where a chunk's values do not account for all of its heap. */
stoa_status stoa_content_check(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                               const stoa_heap_measure *measure, stoa_error *err);
/* The elements as a list, of which nothing may be changed; good until the next edit. */
stoa_status stoa_content_list(stoa_content *content, const stoa_sparse_chunk **chunk,
                              stoa_error *err);
/* The list is not looked at any more. */
void stoa_content_unlist(stoa_content *content);

uint64_t stoa_content_n(const stoa_content *content);      /* defined elements */
uint64_t stoa_content_n_heap(const stoa_content *content); /* bytes of section 2 */
size_t stoa_content_bytes(const stoa_content *content);    /* of memory */

/* Define the elements first .. first + n - 1. */
stoa_status stoa_content_put(stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err);
/* Undefine them. */
stoa_status stoa_content_erase(stoa_content *content, uint32_t first, uint32_t n, stoa_error *err);
/*
 * Values of the elements, the fill value where undefined.
 *
 * @param[out] values   may be NULL
 * @param[out] defined  a byte each, 0 or 1; may be NULL
 * @param heap          NULL where the format has none
 */
stoa_status stoa_content_get(const stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *fill, uint8_t *values, uint8_t *defined,
                             const stoa_heap_sink *heap, stoa_error *err);

/* Define many: ascending positions, none twice; those that were there are replaced. Only for
 * formats without a heap. */
stoa_status stoa_content_merge(stoa_content *content, const uint32_t *positions, size_t n,
                               const uint8_t *values, stoa_error *err);
/* The same of a line. */
stoa_status stoa_content_put_line(stoa_content *content, const stoa_line *line, stoa_error *err);
/* Undefine many: ascending positions. */
stoa_status stoa_content_remove(stoa_content *content, const uint32_t *positions, size_t n,
                                stoa_error *err);

#endif
