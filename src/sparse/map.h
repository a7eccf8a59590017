/*
 * Defined elements as a bitmap cut into pages of 64 elements, each with the values of its defined
 * elements side by side: an edit moves at most 63 of them, and memory follows what is defined.
 *
 * With a heap, each value has a place in it; data that were replaced stay there until they are most
 * of it.
 */
#ifndef STOA_SPARSE_MAP_H
#define STOA_SPARSE_MAP_H

#include "sparse/content.h"

typedef struct stoa_map_page {
    uint64_t bits;    /* bit i: element i is defined */
    uint8_t *records; /* of those, in order: a value and, where there is a heap, its place */
    unsigned n;       /* bits that are set */
    unsigned capacity;
} stoa_map_page;

/* Set the sizes; open before use; free with stoa_map_clear(). */
typedef struct stoa_map {
    size_t value_size;
    size_t record_size;   /* the same where there is no heap */
    stoa_map_page *pages; /* NULL: not open */
    size_t n_pages;
    uint64_t n;     /* defined elements */
    size_t n_bytes; /* of records, allocated */
    stoa_buffer heap;
    uint64_t n_heap; /* bytes of it that elements refer to */
} stoa_map;

void stoa_map_set(stoa_map *map, const stoa_sparse_format *format);
stoa_status stoa_map_open(stoa_map *map, stoa_error *err);
void stoa_map_clear(stoa_map *map);
size_t stoa_map_bytes(const stoa_map *map); /* of memory */
/* The least that one of n elements takes, open or not; without a heap. */
size_t stoa_map_bytes_of(const stoa_map *map, uint64_t n);

/* Define a run. */
stoa_status stoa_map_put(stoa_map *map, uint32_t first, uint32_t n, const uint8_t *values,
                         const stoa_heap_run *heap, stoa_error *err);
/* Define ascending positions. */
stoa_status stoa_map_put_all(stoa_map *map, const uint32_t *positions, size_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err);
void stoa_map_erase(stoa_map *map, uint32_t first, uint32_t n);

/* An element's value; NULL: it is not defined. */
const uint8_t *stoa_map_find(const stoa_map *map, uint32_t position);
/* Append the data of variable length of such a value. */
stoa_status stoa_map_heap_of(const stoa_map *map, const uint8_t *value, uint64_t *length,
                             stoa_buffer *bytes, stoa_error *err);

/* All of them: room for n positions, n values and n_heap bytes. */
void stoa_map_list(const stoa_map *map, uint32_t *positions, uint8_t *values, uint8_t *heap);

#endif
