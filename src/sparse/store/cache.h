/*
 * LRU cache of unpacked chunks. A modified chunk is packed and written before it is evicted. A
 * chunk whose write fails stays in the cache.
 */
#ifndef STOA_SPARSE_CACHE_H
#define STOA_SPARSE_CACHE_H

#include "sparse/store/content.h"
#include "sparse/store/directory.h"

typedef struct stoa_cached stoa_cached;
struct stoa_cached {
    stoa_content *content;
    stoa_chunk_entry *entry;
    stoa_cached *newer;
    stoa_cached *older;
    size_t n_bytes; /* as counted in the cache's total */
    bool is_dirty;
};

/* Pack and write a chunk; it is clean afterwards. */
typedef stoa_status (*stoa_write_back)(void *context, stoa_cached *cached, stoa_error *err);

/* Zero-initialise, then set `bound`, `write_back` and `context`. Free with stoa_cache_clear(). */
typedef struct stoa_cache {
    size_t bound; /* in bytes; the cache always keeps at least one chunk */
    stoa_write_back write_back;
    void *context;
    stoa_cached *newest;
    stoa_cached *oldest;
    size_t n_bytes;
} stoa_cache;

/* Add a content as the newest entry. The cache owns it, also after a failure. */
stoa_status stoa_cache_add(stoa_cache *cache, stoa_chunk_entry *entry, stoa_content *content,
                           stoa_cached **cached, stoa_error *err);
/* Mark an entry as used: update its size and make it the newest. */
void stoa_cache_touch(stoa_cache *cache, stoa_cached *cached);
/* Evict the oldest entries until the cache is within its bound. */
stoa_status stoa_cache_trim(stoa_cache *cache, stoa_error *err);
/* Write all dirty entries. After a failure the remaining entries are written too; the first error
 * is reported. */
stoa_status stoa_cache_flush(stoa_cache *cache, stoa_error *err);
/* Remove one entry, or all, without writing anything. */
void stoa_cache_drop(stoa_cache *cache, stoa_cached *cached);
void stoa_cache_clear(stoa_cache *cache);

#endif
