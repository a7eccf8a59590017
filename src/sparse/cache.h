/*
 * Chunks in memory, the one that was not used for longest first in line to go. What was edited is
 * packed and written before it goes; what could not be written stays.
 */
#ifndef STOA_SPARSE_CACHE_H
#define STOA_SPARSE_CACHE_H

#include "sparse/content.h"
#include "sparse/directory.h"

typedef struct stoa_cached stoa_cached;
struct stoa_cached {
    stoa_content *content;
    stoa_chunk_entry *entry;
    stoa_cached *newer;
    stoa_cached *older;
    size_t n_bytes; /* as counted in the cache's sum */
    bool is_dirty;
};

/* Pack and write a chunk; it is clean then. */
typedef stoa_status (*stoa_write_back)(void *context, stoa_cached *cached, stoa_error *err);

/* Zero-initialise, then set what comes first; free with stoa_cache_clear(). */
typedef struct stoa_cache {
    size_t bound; /* bytes; one chunk is kept in any case */
    stoa_write_back write_back;
    void *context;
    stoa_cached *newest;
    stoa_cached *oldest;
    size_t n_bytes;
} stoa_cache;

/* Take a content over, also after a failure; it is the newest then. */
stoa_status stoa_cache_add(stoa_cache *cache, stoa_chunk_entry *entry, stoa_content *content,
                           stoa_cached **cached, stoa_error *err);
/* It was used: count its bytes, make it the newest. */
void stoa_cache_touch(stoa_cache *cache, stoa_cached *cached);
/* Let the oldest go until the bound is kept. */
stoa_status stoa_cache_trim(stoa_cache *cache, stoa_error *err);
/* Write all that is dirty, also past a failure; the first one is reported. */
stoa_status stoa_cache_flush(stoa_cache *cache, stoa_error *err);
/* Forget one, or all; nothing is written. */
void stoa_cache_drop(stoa_cache *cache, stoa_cached *cached);
void stoa_cache_clear(stoa_cache *cache);

#endif
