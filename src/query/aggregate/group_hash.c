/* Groups by hash table, keyed by the keys' words. */
#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "query/aggregate/group.h"

/* Rows are hashed in batches of this size, so that slots can be prefetched. */
enum { BATCH = 64 };
/* A table that grows prefetches the slot of the group so far ahead. */
enum { AHEAD = 16 };
#define MOST_GROUPS (UINT32_MAX - 1 - BATCH)
/* The listener is told after so many slots, a power of two, or groups. */
enum { LOOK = 65536 };

/* Grow the table so that it is at most half full with `more` groups. */
static stoa_status reserve_slots(stoa_groups *groups, size_t more, stoa_error *err)
{
    static const stoa_progress progress = {.stage = "grouping"};
    stoa_status status = STOA_OK;
    const uint64_t *hashes = (const uint64_t *)(const void *)groups->hashes.data;
    size_t n_slots = groups->n_slots != 0 ? groups->n_slots : 256;

    while ((groups->n_groups + more) * 2 > n_slots) {
        n_slots *= 2;
    }
    if (n_slots == groups->n_slots) {
        return STOA_OK;
    }
    stoa_slot *slots = stoa_alloc_large(n_slots, sizeof *slots);
    STOA_RETURN_NO_MEMORY(err, slots);
    const size_t at_once = n_slots < LOOK ? n_slots : LOOK; /* both are powers of two */
    for (size_t slot = 0; slot < n_slots; slot += at_once) {
        memset(slots + slot, 0, at_once * sizeof *slots);
        STOA_TRY(stoa_report_progress(groups->listener, &progress, err));
    }
    for (uint32_t group = 0; group < groups->n_groups; group++) {
        STOA_TRY(group % LOOK == 0 ? stoa_report_progress(groups->listener, &progress, err)
                                   : STOA_OK);
        if (groups->n_groups - group > AHEAD) {
            __builtin_prefetch(&slots[hashes[group + AHEAD] & (n_slots - 1)], 1);
        }
        size_t slot = (size_t)hashes[group] & (n_slots - 1);
        while (slots[slot].group != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = (stoa_slot){group + 1, (uint32_t)(hashes[group] >> 32)};
    }
    free(groups->slots);
    groups->slots = slots;
    groups->n_slots = n_slots;
    slots = NULL;

done:
    free(slots);
    return status;
}

static bool same_words(const uint64_t *a, const uint64_t *b, size_t n)
{
    size_t i = 0;

    while (i < n && a[i] == b[i]) {
        i++;
    }
    return i == n;
}

/* The slot that holds the words, or the free slot for them. */
static stoa_slot *find_slot(const stoa_groups *groups, const uint64_t *words, uint64_t hash)
{
    const size_t stride = groups->n_keys + 1;
    const uint64_t *all = (const uint64_t *)(const void *)groups->words.data;
    size_t at = (size_t)hash & (groups->n_slots - 1);

    for (;; at = (at + 1) & (groups->n_slots - 1)) {
        stoa_slot *slot = &groups->slots[at];
        if (slot->group == 0 || (slot->tag == (uint32_t)(hash >> 32) &&
                                 same_words(all + (slot->group - 1) * stride, words, stride))) {
            return slot;
        }
    }
}

/* Room for that many more groups, at most BATCH. */
static stoa_status reserve_groups(stoa_groups *groups, size_t more, stoa_error *err)
{
    const size_t size = (groups->n_keys + 1) * sizeof(uint64_t);

    if (groups->n_groups > MOST_GROUPS) {
        return stoa_fail(err, STOA_ERANGE, "there are more than %u groups", MOST_GROUPS);
    }
    STOA_RETURN_NOT_OK(reserve_slots(groups, more, err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&groups->words, more * size, err));
    return stoa_buffer_reserve(&groups->hashes, more * sizeof(uint64_t), err);
}

/* Add a group, for which there is room. */
static void add_group(stoa_groups *groups, const uint64_t *words, uint64_t hash, stoa_slot *slot)
{
    const size_t stride = groups->n_keys + 1;
    uint64_t *const to = (uint64_t *)(void *)groups->words.data + groups->n_groups * stride;

    for (size_t i = 0; i < stride; i++) {
        to[i] = words[i];
    }
    ((uint64_t *)(void *)groups->hashes.data)[groups->n_groups] = hash;
    groups->words.size += stride * sizeof *words;
    groups->hashes.size += sizeof hash;
    *slot = (stoa_slot){++groups->n_groups, (uint32_t)(hash >> 32)};
}

stoa_status stoa_groups_assign_words(stoa_groups *groups, const uint64_t *words, int64_t n,
                                     uint32_t *ids, stoa_error *err)
{
    const size_t stride = groups->n_keys + 1;
    uint64_t hashes[BATCH];

    for (int64_t at = 0; at < n; at += BATCH) {
        const int64_t n_batch = n - at < BATCH ? n - at : BATCH;
        const uint64_t *rows = words + (size_t)at * stride;
        STOA_RETURN_NOT_OK(reserve_groups(groups, (size_t)n_batch, err));
        for (int64_t i = 0; i < n_batch; i++) {
            hashes[i] = stoa_hash_words(rows + (size_t)i * stride, stride);
            __builtin_prefetch(&groups->slots[hashes[i] & (groups->n_slots - 1)]);
        }
        for (int64_t i = 0; i < n_batch; i++) {
            const uint64_t *row = rows + (size_t)i * stride;
            stoa_slot *slot = find_slot(groups, row, hashes[i]);
            if (slot->group == 0) {
                add_group(groups, row, hashes[i], slot);
            }
            ids[at + i] = slot->group - 1;
        }
    }
    return STOA_OK;
}

/* Numbers of texts ---------------------------------------------------------------------------- */

/* Make `dense` reach so far. */
static stoa_status reserve_dense(stoa_groups *groups, size_t n, stoa_error *err)
{
    size_t wanted = groups->n_dense != 0 ? groups->n_dense : BATCH;

    while (wanted < n) {
        wanted *= 2;
    }
    if (wanted != groups->n_dense) {
        uint32_t *const dense = stoa_realloc(groups->dense, wanted, sizeof *dense);
        STOA_RETURN_NO_MEMORY(err, dense);
        memset(dense + groups->n_dense, 0, (wanted - groups->n_dense) * sizeof *dense);
        groups->dense = dense;
        groups->n_dense = wanted;
    }
    return STOA_OK;
}

stoa_status stoa_groups_assign_numbers(stoa_groups *groups, const uint32_t *numbers, int64_t n,
                                       uint32_t step, uint32_t *ids, stoa_error *err)
{
    uint32_t most = 0;

    for (int64_t i = 0; i < n; i++) {
        most = numbers[i] > most ? numbers[i] : most;
    }
    STOA_RETURN_NOT_OK(reserve_dense(groups, (size_t)(most / step) + 1, err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&groups->words, (size_t)n * 2 * sizeof(uint64_t), err));
    uint64_t *const words = (uint64_t *)(void *)groups->words.data;
    for (int64_t i = 0; i < n; i++) {
        uint32_t *const group = &groups->dense[numbers[i] / step];
        if (*group == 0) {
            words[2 * (size_t)groups->n_groups] = numbers[i] - (numbers[i] != 0);
            words[2 * (size_t)groups->n_groups + 1] = numbers[i] == 0; /* missing */
            *group = ++groups->n_groups;
        }
        ids[i] = *group - 1;
    }
    groups->words.size = 2 * (size_t)groups->n_groups * sizeof *words;
    return STOA_OK;
}
