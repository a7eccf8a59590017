/* A cache of decoded chunks with a limit in bytes and least-recently-used eviction. It serves reads
 * of few rows, and scans of few chunks. Any thread may use it. */
#ifndef STOA_HDF_CHUNK_CACHE_H
#define STOA_HDF_CHUNK_CACHE_H

#include "core/memory.h"

typedef struct stoa_chunk_cache stoa_chunk_cache;

/* Chunk `number` of dataset `owner`, or another item that an owner numbers. */
typedef struct stoa_chunk_key {
    uint64_t owner;
    uint64_t number;
} stoa_chunk_key;

/* A chunk that stays in memory, at the same address, while it is held. */
typedef struct stoa_held_chunk stoa_held_chunk;

stoa_status stoa_chunk_cache_open(size_t max_bytes, stoa_chunk_cache **cache, stoa_error *err);
/* Change the limit. Call it before chunks are read. */
void stoa_chunk_cache_limit(stoa_chunk_cache *cache, size_t max_bytes);
size_t stoa_chunk_cache_most(const stoa_chunk_cache *cache);
void stoa_chunk_cache_close(stoa_chunk_cache *cache);

/* A new owner number, for a dataset. */
uint64_t stoa_chunk_cache_owner(stoa_chunk_cache *cache);
/* Copy n bytes of a chunk, from `offset` on. False if they are not cached. */
bool stoa_chunk_cache_get(stoa_chunk_cache *cache, stoa_chunk_key key, size_t offset, size_t n,
                          void *out);
/* Cache a copy of a chunk, unless it is too large or memory runs out: it can be read again. */
void stoa_chunk_cache_put(stoa_chunk_cache *cache, stoa_chunk_key key, const void *bytes, size_t n);

/* Hold a cached chunk; release it afterwards. NULL if it is not cached. */
stoa_held_chunk *stoa_chunk_cache_hold(stoa_chunk_cache *cache, stoa_chunk_key key);
/* Whether a chunk of n bytes that is not cached should be: it was requested before, not long ago,
 * and is not too large. Chunks that are used once are better decoded into a reused buffer. */
bool stoa_chunk_cache_wants(stoa_chunk_cache *cache, stoa_chunk_key key, size_t n);
/* Allocate a chunk of n bytes, which only the caller holds and which is not in the cache yet.
 * Memory of evicted chunks is reused. NULL if memory runs out. */
stoa_held_chunk *stoa_chunk_cache_make(stoa_chunk_cache *cache, size_t n);
/* Put a complete chunk into the cache. From now on others may hold it. */
void stoa_chunk_cache_keep(stoa_chunk_cache *cache, stoa_chunk_key key, stoa_held_chunk *made);
/* NULL is allowed. A chunk that was not put into the cache is freed by its last holder. */
void stoa_chunk_cache_release(stoa_chunk_cache *cache, stoa_held_chunk *held);
/* Aligned to 64 bytes. */
uint8_t *stoa_held_bytes(stoa_held_chunk *held);

/* Bytes in the cache, for tests. */
size_t stoa_chunk_cache_bytes(stoa_chunk_cache *cache);

#endif
