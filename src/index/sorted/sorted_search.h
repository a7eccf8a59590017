/* Binary search in an open SORTED_ROWS index (HEP001 §10.5). */
#ifndef STOA_INDEX_SORTED_SEARCH_H
#define STOA_INDEX_SORTED_SEARCH_H

#include "column/read/block.h"
#include "index/sorted/sorted.h"

/* Cached values or rows: ranks [first, first + count). */
typedef struct stoa_byte_matrix_part {
    uint64_t first;
    uint64_t count;
    uint64_t capacity;
    void *items;
} stoa_byte_matrix_part;

struct stoa_index {
    stoa_sorted_store store;
    uint64_t n_ordered;
    stoa_fences fences;            /* none if they are missing or unusable */
    stoa_byte_matrix_part *values; /* read cache, which look-ups through a const index may change */
    stoa_byte_matrix_part *rows;
    stoa_block *probe; /* one row of the column, if the index has no sorted values: of variable
                          length */
    uint8_t *element;  /* of fixed length */
};

/* Read the value at an ordered rank. It is borrowed until the next call. */
stoa_status stoa_sorted_value_at(const stoa_index *index, uint64_t rank, stoa_scalar *value,
                                 stoa_error *err);
/* Find the first ordered rank, from `from` on, whose value is above the bound, or at it if
 * `or_equal`. Fast if that is `from` or the next rank. STOA_EDATA if the values are out of
 * order. */
stoa_status stoa_sorted_find_rank(const stoa_index *index, const stoa_scalar *bound, bool or_equal,
                                  uint64_t from, uint64_t *rank, stoa_error *err);

#endif
