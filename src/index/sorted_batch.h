/* Records sorted in memory: as many as the budget of a sort holds. */
#ifndef STOA_INDEX_SORTED_BATCH_H
#define STOA_INDEX_SORTED_BATCH_H

#include "core/memory.h"
#include "core/threads.h"
#include "index/keys.h"

/* A number and where it is. */
typedef struct stoa_sort_pair {
    uint64_t key;
    uint64_t row;
} stoa_sort_pair;

/* A byte string and where it is. */
typedef struct stoa_sort_entry {
    uint64_t key;
    uint64_t row;
    size_t offset; /* into the bytes of the batch */
    size_t length;
} stoa_sort_entry;

/* Added in ascending order of rows, so that a stable sort breaks ties by row (§10.5). */
typedef struct stoa_sort_batch {
    bool is_bytes;
    uint64_t memory; /* bytes it may take up */
    size_t count;
    size_t capacity;
    stoa_sort_pair *pairs; /* numbers */
    stoa_sort_entry *entries;
    void *scratch; /* as many again, to sort into */
    stoa_buffer bytes;
} stoa_sort_batch;

/* Expecting about n_expected records. Freed with stoa_sort_batch_clear(). */
stoa_status stoa_sort_batch_make(stoa_sort_batch *batch, bool is_bytes, uint64_t memory,
                                 uint64_t n_expected, stoa_error *err);
void stoa_sort_batch_clear(stoa_sort_batch *batch);

/* Does another record of `length` bytes go beyond the memory? An empty batch takes any. */
bool stoa_sort_batch_is_full(const stoa_sort_batch *batch, size_t length);
/* Add a number to a batch that is not full. */
static inline void stoa_sort_batch_add(stoa_sort_batch *batch, uint64_t key, uint64_t row)
{
    batch->pairs[batch->count++] = (stoa_sort_pair){key, row};
}
/* Add a byte string. */
stoa_status stoa_sort_batch_add_bytes(stoa_sort_batch *batch, const stoa_sort_record *record,
                                      stoa_error *err);

/* By `workers`, who may be NULL. The order does not depend on how many there are. */
stoa_status stoa_sort_batch_sort(stoa_sort_batch *batch, stoa_workers *workers, stoa_error *err);
/* The i-th record; its bytes are borrowed until the next is added. */
stoa_sort_record stoa_sort_batch_get(const stoa_sort_batch *batch, size_t i);
/* Empty it; its memory is kept. */
void stoa_sort_batch_reset(stoa_sort_batch *batch);

#endif
