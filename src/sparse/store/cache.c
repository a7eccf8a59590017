#include "sparse/store/cache.h"

#include <stdlib.h>

static void unlink_entry(stoa_cache *cache, stoa_cached *cached)
{
    *(cache->newest != cached ? &cached->newer->older : &cache->newest) = cached->older;
    *(cache->oldest != cached ? &cached->older->newer : &cache->oldest) = cached->newer;
    cached->newer = NULL;
    cached->older = NULL;
}

static void put_first(stoa_cache *cache, stoa_cached *cached)
{
    cached->older = cache->newest;
    *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = cached;
    cache->newest = cached;
}

static void weigh(stoa_cache *cache, stoa_cached *cached)
{
    cache->n_bytes -= cached->n_bytes;
    cached->n_bytes = stoa_content_bytes(cached->content);
    cache->n_bytes += cached->n_bytes;
}

stoa_status stoa_cache_add(stoa_cache *cache, stoa_chunk_entry *entry, stoa_content *content,
                           stoa_cached **cached, stoa_error *err)
{
    stoa_cached *made = stoa_alloc_zero(1, sizeof *made);

    *cached = made;
    if (made == NULL) {
        stoa_content_close(content);
        return stoa_fail_memory(err);
    }
    made->content = content;
    made->entry = entry;
    entry->cached = made;
    put_first(cache, made);
    weigh(cache, made);
    return STOA_OK;
}

void stoa_cache_touch(stoa_cache *cache, stoa_cached *cached)
{
    weigh(cache, cached);
    if (cache->newest != cached) {
        unlink_entry(cache, cached);
        put_first(cache, cached);
    }
}

void stoa_cache_drop(stoa_cache *cache, stoa_cached *cached)
{
    unlink_entry(cache, cached);
    cache->n_bytes -= cached->n_bytes;
    cached->entry->cached = NULL;
    stoa_content_close(cached->content);
    free(cached);
}

stoa_status stoa_cache_trim(stoa_cache *cache, stoa_error *err)
{
    while (cache->n_bytes > cache->bound && cache->oldest != cache->newest) {
        if (cache->oldest->is_dirty) {
            STOA_RETURN_NOT_OK(cache->write_back(cache->context, cache->oldest, err));
        }
        stoa_cache_drop(cache, cache->oldest);
    }
    return STOA_OK;
}

stoa_status stoa_cache_flush(stoa_cache *cache, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (stoa_cached *i = cache->oldest; i != NULL; i = i->newer) {
        if (i->is_dirty) {
            const stoa_status written = cache->write_back(cache->context, i, err);
            status = status != STOA_OK ? status : written;
        }
    }
    return status;
}

void stoa_cache_clear(stoa_cache *cache)
{
    while (cache->oldest != NULL) {
        stoa_cache_drop(cache, cache->oldest);
    }
}
