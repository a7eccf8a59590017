/*
 * The fences of a SORTED_ROWS index: values at some of its ranks, so that a search need not begin
 * with all of them.
 *
 * They are in an attribute of the index, since HEP001 §10.1 lets no other object lie beside it. An
 * array [n][2] of uint64 has a key (index/common/order_keys.h) and a rank in each line; a rank of
 * all ones ends it. No key at a lower rank is above that of a fence, and none from its rank on is
 * below. That stays true when rows are added or taken out, if ranks are moved accordingly.
 *
 * Fences are hints. A search confirms what it finds, so wrong fences cost time and nothing else.
 */
#ifndef STOA_INDEX_SORTED_FENCES_H
#define STOA_INDEX_SORTED_FENCES_H

#include "index/common/order_keys.h"
#include "index/sorted/sorted_batch.h"

#define STOA_SORTED_HINTS "stoa_fences"

/* The attribute is 32 KiB at most: an object header holds 64 KiB (docs/decisions/index-content.md).
 */
enum { STOA_MOST_FENCES = 2048 };

typedef struct stoa_fence {
    uint64_t key;
    uint64_t rank;
} stoa_fence;

/* In the order of their ranks. */
typedef struct stoa_fences {
    stoa_fence *items;
    size_t n;
    size_t capacity;
    uint64_t spacing; /* ranks from one to the next, at least half of it */
} stoa_fences;

/* Make an empty list for n_ordered ranks. Free with stoa_fences_clear(); a zeroed list is clear. */
stoa_status stoa_fences_make(stoa_fences *fences, uint64_t n_ordered, stoa_error *err);
void stoa_fences_clear(stoa_fences *fences);

/* Add one, if there is room. */
static inline void stoa_fences_put(stoa_fences *fences, uint64_t key, uint64_t rank)
{
    if (fences->n < fences->capacity) {
        fences->items[fences->n++] = (stoa_fence){key, rank};
    }
}
/* Add one with a higher rank, unless it is too near to the last one. */
static inline void stoa_fences_add(stoa_fences *fences, uint64_t key, uint64_t rank)
{
    if (fences->n == 0 || rank - fences->items[fences->n - 1].rank >= fences->spacing / 2) {
        stoa_fences_put(fences, key, rank);
    }
}
/* Add those of an index to which a sorted batch was added, moved to their new ranks, and those of
 * added records, `fresh`, which are in their final ranks. */
void stoa_fences_merge(stoa_fences *fences, const stoa_fences *old, const stoa_sort_batch *batch,
                       const stoa_fences *fresh);

/* Read those of an index with n_ordered ordered ranks. If they are missing or unusable, the list is
 * empty; `flaw` (256 bytes, may be NULL) then has the reason, else "". */
stoa_status stoa_fences_read(stoa_fences *fences, hid_t dataset, uint64_t n_ordered, char *flaw,
                             stoa_error *err);
stoa_status stoa_fences_write(const stoa_fences *fences, hid_t dataset, stoa_error *err);

#endif
