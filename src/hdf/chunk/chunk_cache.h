/*
 * Unpacked chunks, kept up to so many bytes: those that were used last. For reads of few rows, and
 * for scans of so few chunks that they drive out nothing else. Any thread may use it.
 */
#ifndef STOA_HDF_CHUNK_CACHE_H
#define STOA_HDF_CHUNK_CACHE_H

#include "core/memory.h"

typedef struct stoa_chunk_cache stoa_chunk_cache;

/* Chunk `number` of dataset `owner`, or what else the owner numbers so. */
typedef struct stoa_chunk_key {
    uint64_t owner;
    uint64_t number;
} stoa_chunk_key;

/* A chunk that stays where it is as long as it is held. */
typedef struct stoa_held_chunk stoa_held_chunk;

stoa_status stoa_chunk_cache_open(size_t max_bytes, stoa_chunk_cache **cache, stoa_error *err);
/* Change the limit, before chunks are read, and return it. */
void stoa_chunk_cache_limit(stoa_chunk_cache *cache, size_t max_bytes);
size_t stoa_chunk_cache_most(const stoa_chunk_cache *cache);
void stoa_chunk_cache_close(stoa_chunk_cache *cache);

/* A number for a dataset, that no other has had. */
uint64_t stoa_chunk_cache_owner(stoa_chunk_cache *cache);
/* Copy n bytes of a chunk, from `offset` on; false where it is not here. */
bool stoa_chunk_cache_get(stoa_chunk_cache *cache, stoa_chunk_key key, size_t offset, size_t n,
                          void *out);
/* Keep a copy of a chunk, unless it is too large or memory runs out: it can be read again. */
void stoa_chunk_cache_put(stoa_chunk_cache *cache, stoa_chunk_key key, const void *bytes, size_t n);

/* The chunk itself, to be released; NULL where it is not here. */
stoa_held_chunk *stoa_chunk_cache_hold(stoa_chunk_cache *cache, stoa_chunk_key key);
/* Whether a chunk of n bytes that is not here is worth keeping: it was asked for before, not long
 * ago, and is not too large. What is used once is best unpacked into a buffer that is used again.
 */
bool stoa_chunk_cache_wants(stoa_chunk_cache *cache, stoa_chunk_key key, size_t n);
/* Room for a chunk of n bytes, held by nobody else and not in the cache yet: that of one that left
 * it, where there is such a one. NULL where memory runs out. */
stoa_held_chunk *stoa_chunk_cache_make(stoa_chunk_cache *cache, size_t n);
/* Its bytes are as they shall be: from now on others may hold it. */
void stoa_chunk_cache_keep(stoa_chunk_cache *cache, stoa_chunk_key key, stoa_held_chunk *made);
/* NULL is fine. What was made and not kept is given back. */
void stoa_chunk_cache_release(stoa_chunk_cache *cache, stoa_held_chunk *held);
/* Aligned to 64 bytes. */
uint8_t *stoa_held_bytes(stoa_held_chunk *held);

/* Bytes that are kept, for tests. */
size_t stoa_chunk_cache_bytes(stoa_chunk_cache *cache);

#endif
