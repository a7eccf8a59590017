/* Records sorted in memory, as many as the memory budget of a sort allows. */
#ifndef STOA_INDEX_SORTED_BATCH_H
#define STOA_INDEX_SORTED_BATCH_H

#include "core/memory.h"
#include "core/threads.h"
#include "index/common/order_keys.h"

/* A number and its row. */
typedef struct stoa_sort_pair {
    uint64_t key;
    uint64_t row;
} stoa_sort_pair;

/* A byte string and its row. */
typedef struct stoa_sort_entry {
    uint64_t key;
    uint64_t row;
    size_t offset; /* in the batch's `bytes` */
    size_t length;
} stoa_sort_entry;

/* Records are added in ascending row order, so that a stable sort breaks ties by row (§10.5). */
typedef struct stoa_sort_batch {
    bool is_bytes;
    uint64_t memory; /* memory limit in bytes */
    size_t count;
    size_t capacity;
    stoa_sort_pair *pairs; /* numbers */
    stoa_sort_entry *entries;
    void *scratch; /* buffer of the same size to sort into */
    stoa_buffer bytes;
} stoa_sort_batch;

/* Prepare for about n_expected records. Free with stoa_sort_batch_clear(). */
stoa_status stoa_sort_batch_make(stoa_sort_batch *batch, bool is_bytes, uint64_t memory,
                                 uint64_t n_expected, stoa_error *err);
void stoa_sort_batch_clear(stoa_sort_batch *batch);

/* Whether another record of `length` bytes would exceed the memory limit. An empty batch accepts
 * any. */
bool stoa_sort_batch_is_full(const stoa_sort_batch *batch, size_t length);
/* Add a number to a batch that is not full. */
static inline void stoa_sort_batch_add(stoa_sort_batch *batch, uint64_t key, uint64_t row)
{
    batch->pairs[batch->count++] = (stoa_sort_pair){key, row};
}
/* Add a byte string. */
stoa_status stoa_sort_batch_add_bytes(stoa_sort_batch *batch, const stoa_sort_record *record,
                                      stoa_error *err);

/* Sort with `workers`, which may be NULL. The order does not depend on their number. */
stoa_status stoa_sort_batch_sort(stoa_sort_batch *batch, stoa_workers *workers, stoa_error *err);
/* The i-th record. Its bytes are borrowed until the next record is added. */
stoa_sort_record stoa_sort_batch_get(const stoa_sort_batch *batch, size_t i);
/* Remove all records but keep the memory. */
void stoa_sort_batch_reset(stoa_sort_batch *batch);

#endif
