/* Binary search in a SORTED_ROWS index that is open (HEP001 §10.5). */
#ifndef STOA_INDEX_SORTED_SEARCH_H
#define STOA_INDEX_SORTED_SEARCH_H

#include "column/block.h"
#include "index/sorted.h"

/* Values or rows read last: ranks [first, first + count). */
typedef struct stoa_window {
    uint64_t first;
    uint64_t count;
    uint64_t capacity;
    void *items;
} stoa_window;

struct stoa_index {
    stoa_sorted_store store;
    uint64_t n_ordered;
    uint8_t *fences; /* NULL: none */
    uint64_t n_fences;
    stoa_window *values; /* looking does not change the index, but what was read last */
    stoa_window *rows;
    stoa_block *probe; /* one row of the column, where there are no sorted values */
};

/* The value at an ordered rank; borrowed until the next one is asked for. */
stoa_status stoa_sorted_value_at(const stoa_index *index, uint64_t rank, stoa_scalar *value,
                                 stoa_error *err);
/* The first ordered rank from `from` on whose value is above the bound, or, if `or_equal`, at it:
 * at once where that is `from` or the one behind it. STOA_EDATA where the values have no order. */
stoa_status stoa_sorted_find_rank(const stoa_index *index, const stoa_scalar *bound, bool or_equal,
                                  uint64_t from, uint64_t *rank, stoa_error *err);

#endif
