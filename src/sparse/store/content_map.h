/*
 * Defined elements as a bitmap in pages of 64 elements, each with the values of its defined
 * elements side by side. An edit moves at most 63 values, and memory is proportional to the number
 * of defined elements.
 *
 * With a heap, each value has a place in it. Replaced data stay in the heap until they are most of
 * it.
 */
#ifndef STOA_SPARSE_CONTENT_MAP_H
#define STOA_SPARSE_CONTENT_MAP_H

#include "sparse/store/content.h"

typedef struct stoa_content_map_page {
    uint64_t bits; /* bit i: element i is defined */
    uint8_t
        *records; /* records of defined elements, in order: a value and, with a heap, its place */
    unsigned n;   /* number of set bits */
    unsigned capacity;
} stoa_content_map_page;

/* Set the sizes, then open before use. Free with stoa_content_map_clear(). */
typedef struct stoa_content_map {
    size_t value_size;
    size_t record_size;           /* equals value_size without a heap */
    stoa_content_map_page *pages; /* NULL if not open */
    size_t n_pages;
    uint64_t n;     /* number of defined elements */
    size_t n_bytes; /* allocated for records */
    stoa_buffer heap;
    uint64_t n_heap; /* bytes of the heap that elements refer to */
} stoa_content_map;

void stoa_content_map_set(stoa_content_map *map, const stoa_sparse_format *format);
stoa_status stoa_content_map_open(stoa_content_map *map, stoa_error *err);
void stoa_content_map_clear(stoa_content_map *map);
size_t stoa_content_map_bytes(const stoa_content_map *map); /* of memory */
/* The least memory of a map of n elements, open or not; without a heap. */
size_t stoa_content_map_bytes_of(const stoa_content_map *map, uint64_t n);

/* Define a run. */
stoa_status stoa_content_map_put(stoa_content_map *map, uint32_t first, uint32_t n,
                                 const uint8_t *values, const stoa_heap_run *heap, stoa_error *err);
/* Define elements at ascending positions. */
stoa_status stoa_content_map_put_all(stoa_content_map *map, const uint32_t *positions, size_t n,
                                     const uint8_t *values, const stoa_heap_run *heap,
                                     stoa_error *err);
void stoa_content_map_erase(stoa_content_map *map, uint32_t first, uint32_t n);

/* An element's value; NULL if it is undefined. */
const uint8_t *stoa_content_map_find(const stoa_content_map *map, uint32_t position);
/* Append the variable-length data of such a value. */
stoa_status stoa_content_map_heap_of(const stoa_content_map *map, const uint8_t *value,
                                     uint64_t *length, stoa_buffer *bytes, stoa_error *err);

/* List all elements. The buffers have space for n positions, n values and n_heap bytes. */
void stoa_content_map_list(const stoa_content_map *map, uint32_t *positions, uint8_t *values,
                           uint8_t *heap);

#endif
