/*
 * Unpacked chunks, kept up to so many bytes: those that were used last. For reads of few rows; a
 * scan would only drive out what they need. Any thread may use it.
 */
#ifndef STOA_HDF_CHUNK_CACHE_H
#define STOA_HDF_CHUNK_CACHE_H

#include "core/memory.h"

typedef struct stoa_chunk_cache stoa_chunk_cache;

/* Chunk `number` of dataset `owner`. */
typedef struct stoa_chunk_key {
    uint64_t owner;
    uint64_t number;
} stoa_chunk_key;

stoa_status stoa_chunk_cache_open(size_t max_bytes, stoa_chunk_cache **cache, stoa_error *err);
void stoa_chunk_cache_close(stoa_chunk_cache *cache);

/* A number for a dataset, that no other has had. */
uint64_t stoa_chunk_cache_owner(stoa_chunk_cache *cache);
/* Copy n bytes of a chunk, from `offset` on; false where it is not here. */
bool stoa_chunk_cache_get(stoa_chunk_cache *cache, stoa_chunk_key key, size_t offset, size_t n,
                          void *out);
/* Keep a copy of a chunk, unless it is too large or memory runs out: it can be read again. */
void stoa_chunk_cache_put(stoa_chunk_cache *cache, stoa_chunk_key key, const void *bytes, size_t n);
/* Bytes that are kept, for tests. */
size_t stoa_chunk_cache_bytes(stoa_chunk_cache *cache);

#endif
