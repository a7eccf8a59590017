/* Writing a SORTED_ROWS index in blocks of ranks. */
#ifndef STOA_INDEX_SORTED_WRITE_H
#define STOA_INDEX_SORTED_WRITE_H

#include "index/sorted/sorted_sort.h"
#include "index/sorted/sorted_store.h"

/* Ranks [first, first + capacity): their rows. */
typedef struct stoa_rank_block {
    const stoa_sorted_store *store;
    uint64_t capacity;
    uint64_t first;
    uint64_t *rows;
} stoa_rank_block;

stoa_status stoa_rank_block_make(stoa_rank_block *block, const stoa_sorted_store *store,
                                 stoa_error *err);
void stoa_rank_block_clear(stoa_rank_block *block);
/* Start the block that contains `rank`. Blocks begin at multiples of the capacity. */
void stoa_rank_block_begin(stoa_rank_block *block, uint64_t rank);
static inline void stoa_rank_block_set(stoa_rank_block *block, uint64_t rank, uint64_t row)
{
    block->rows[rank - block->first] = row;
}
/* Write ranks [low, high) of the block. */
stoa_status stoa_rank_block_write(const stoa_rank_block *block, uint64_t low, uint64_t high,
                                  stoa_error *err);

/* Write rows without a value from `rank` on. */
stoa_status stoa_sorted_write_list(const stoa_sorted_store *store, const stoa_row_list *list,
                                   uint64_t rank, stoa_error *err);

/* Replace the index by one of the sorted rows [0, n_rows). */
stoa_status stoa_sorted_fill(stoa_sorted_store *store, uint64_t n_rows, stoa_row_sorter *sorter,
                             stoa_error *err);

#endif
