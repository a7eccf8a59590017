/* Counting distinct values per chunk, to size the filters of a CHUNK_BLOOM index (HEP001 §10.7). */
#include <stdlib.h>
#include <string.h>

#include "index/bloom/bloom.h"
#include "index/common/block_scan.h"

/* Maximum number of distinct values in the hash table. Beyond that, every further value counts. */
static const uint64_t max_counted = 4u << 20;

/* The distinct values of the current chunk, by their hashes. */
typedef struct counter {
    uint64_t *slots; /* open addressing; 0 is free */
    uint64_t n_slots;
    uint64_t n_taken;
    bool has_zero; /* the hash 0 occurred */
    bool is_full;  /* the table is full: every value counts */
    uint64_t n;    /* of this chunk */
    uint64_t most; /* maximum over all chunks */
} counter;

static void finish_chunk(counter *c)
{
    c->most = c->n > c->most ? c->n : c->most;
    c->n = 0;
    c->n_taken = 0;
    c->has_zero = false;
    c->is_full = false;
    if (c->slots != NULL) {
        memset(c->slots, 0, (size_t)c->n_slots * sizeof *c->slots);
    }
}

/* Find the hash, or the free slot where it belongs. */
static uint64_t *find_slot(uint64_t *slots, uint64_t n_slots, uint64_t hash)
{
    uint64_t at = hash & (n_slots - 1);

    while (slots[at] != 0 && slots[at] != hash) {
        at = (at + 1) & (n_slots - 1);
    }
    return &slots[at];
}

static stoa_status make_room(counter *c, stoa_error *err)
{
    const uint64_t n_slots = c->n_slots != 0 ? 2 * c->n_slots : 1024;
    uint64_t *slots;

    if (2 * (c->n_taken + 1) <= c->n_slots) {
        return STOA_OK;
    }
    slots = stoa_alloc_zero((size_t)n_slots, sizeof *slots);
    STOA_RETURN_NO_MEMORY(err, slots);
    for (uint64_t i = 0; i < c->n_slots; i++) {
        if (c->slots[i] != 0) {
            *find_slot(slots, n_slots, c->slots[i]) = c->slots[i];
        }
    }
    free(c->slots);
    c->slots = slots;
    c->n_slots = n_slots;
    return STOA_OK;
}

static stoa_status count_value(counter *c, uint64_t hash, stoa_error *err)
{
    if (c->is_full) {
        c->n++;
        return STOA_OK;
    }
    if (hash == 0) {
        c->n += !c->has_zero;
        c->has_zero = true;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(make_room(c, err));
    uint64_t *slot = find_slot(c->slots, c->n_slots, hash);
    if (*slot == 0) {
        *slot = hash;
        c->n_taken++;
        c->n++;
        c->is_full = c->n_taken == max_counted;
    }
    return STOA_OK;
}

/* One counter for each run scanned at the same time. */
typedef struct counting {
    const stoa_column *column;
    stoa_runs runs;
    counter *counters;
} counting;

static stoa_status count_slice(void *context, uint64_t place, uint64_t first,
                               const stoa_block *slice, stoa_error *err)
{
    const counting *all = context;
    counter *c = &all->counters[place];
    const size_t size = all->column->element.size;
    stoa_key key;

    for (uint64_t i = 0; i < slice->count; i++) {
        if ((first + i) % all->runs.chunk_rows == 0) {
            finish_chunk(c); /* a no-op at the start of a run */
        }
        if ((slice->missing == NULL || !stoa_bit_get(slice->missing, i)) &&
            stoa_key_of(all->column, slice->elements + i * size, &key)) {
            STOA_RETURN_NOT_OK(
                count_value(c, stoa_murmur3_x64_128(key.bytes, key.length, 0).low, err));
        }
    }
    return STOA_OK;
}

static stoa_status finish_runs(void *context, uint64_t n, uint64_t first, uint64_t end,
                               stoa_error *err)
{
    const counting *all = context;

    (void)first;
    (void)end;
    (void)err;
    for (uint64_t i = 0; i < n; i++) {
        finish_chunk(&all->counters[i]);
    }
    return STOA_OK;
}

stoa_status stoa_bloom_count(stoa_column *column, uint64_t n_rows, const stoa_listener *listener,
                             uint64_t *most, stoa_error *err)
{
    stoa_status status = STOA_OK;
    counting all = {.column = column};
    const uint64_t chunk_rows = stoa_index_chunk_rows(column, n_rows);
    const uint64_t n_most = chunk_rows < max_counted ? chunk_rows : max_counted;

    *most = 0;
    if (n_rows == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_runs_open(&all.runs, column, chunk_rows, 0, 2 * n_most * sizeof(uint64_t), 0,
                            n_rows, err));
    all.counters = stoa_alloc_zero((size_t)all.runs.n_places, sizeof *all.counters);
    STOA_TRY(all.counters != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_runs_visit(&all.runs, "counting values", listener, count_slice, finish_runs, &all,
                             err));
    for (uint64_t i = 0; i < all.runs.n_places; i++) {
        *most = all.counters[i].most > *most ? all.counters[i].most : *most;
    }

done:
    for (uint64_t i = 0; all.counters != NULL && i < all.runs.n_places; i++) {
        free(all.counters[i].slots);
    }
    free(all.counters);
    stoa_runs_close(&all.runs);
    return status;
}
