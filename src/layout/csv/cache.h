/* A cache of recent labels and their numbers. A column with few labels repeats the same ones. */
#ifndef STOA_LAYOUT_CSV_CACHE_H
#define STOA_LAYOUT_CSV_CACHE_H

#include "core/string_set.h"
#include "layout/csv/fast_parse.h"

enum { STOA_CSV_CACHE_BITS = 9, STOA_CSV_CACHE_BYTES = 16 };

/* A text of at most 16 bytes: its first eight, its last eight and its length. */
typedef struct stoa_csv_key {
    uint64_t head;
    uint64_t tail;
    uint32_t length; /* plus one; 0 for a free slot */
} stoa_csv_key;

/* Zero-initialise. */
typedef struct stoa_csv_cache {
    size_t n_asked;
    size_t n_found;
    struct {
        stoa_csv_key key;
        uint32_t number;
    } slots[1 << STOA_CSV_CACHE_BITS];
} stoa_csv_cache;

/* False if the text is too long. */
static inline bool stoa_csv_key_of(const char *text, size_t length, stoa_csv_key *key)
{
    if (length > STOA_CSV_CACHE_BYTES) {
        return false;
    }
    key->head = stoa_csv_word(text, length);
    key->tail = length > 8 ? stoa_csv_word(text + length - 8, 8) : 0;
    key->length = (uint32_t)length + 1;
    return true;
}

static inline size_t stoa_csv_cache_slot(const stoa_csv_key *key)
{
    const uint64_t mix = (key->head ^ (key->tail * UINT64_C(0x9e3779b97f4a7c15)) ^ key->length) *
                         UINT64_C(0xff51afd7ed558ccd);

    return (size_t)(mix >> (64 - STOA_CSV_CACHE_BITS));
}

/* The cache is given up when hardly any label is found. */
static inline bool stoa_csv_cache_is_worth(const stoa_csv_cache *cache)
{
    return cache->n_asked < 256 || cache->n_found > cache->n_asked / 8;
}

static inline bool stoa_csv_cache_get(stoa_csv_cache *cache, const char *text, size_t length,
                                      uint32_t *number)
{
    stoa_csv_key key;

    if (!stoa_csv_cache_is_worth(cache)) {
        return false;
    }
    cache->n_asked++;
    if (!stoa_csv_key_of(text, length, &key)) {
        return false;
    }
    const size_t slot = stoa_csv_cache_slot(&key);
    const stoa_csv_key *has = &cache->slots[slot].key;
    if (has->head != key.head || has->tail != key.tail || has->length != key.length) {
        return false;
    }
    *number = cache->slots[slot].number;
    cache->n_found++;
    return true;
}

static inline void stoa_csv_cache_put(stoa_csv_cache *cache, const char *text, size_t length,
                                      uint32_t number)
{
    stoa_csv_key key;

    if (stoa_csv_cache_is_worth(cache) && stoa_csv_key_of(text, length, &key)) {
        const size_t slot = stoa_csv_cache_slot(&key);
        cache->slots[slot].key = key;
        cache->slots[slot].number = number;
    }
}

/* A batch of labels that were not in the cache, to be looked up together. Set `n` to 0 to start
 * again. */
typedef struct stoa_csv_lookup_batch {
    const char *texts[STOA_STRING_SET_AT_ONCE];
    size_t lengths[STOA_STRING_SET_AT_ONCE];
    size_t rows[STOA_STRING_SET_AT_ONCE];
    size_t n;
} stoa_csv_lookup_batch;

/* False when the batch is full. */
static inline bool stoa_csv_lookup_batch_add(stoa_csv_lookup_batch *wanted, const char *text,
                                             size_t length, size_t row)
{
    wanted->texts[wanted->n] = text;
    wanted->lengths[wanted->n] = length;
    wanted->rows[wanted->n++] = row;
    return wanted->n < STOA_STRING_SET_AT_ONCE;
}

#endif
