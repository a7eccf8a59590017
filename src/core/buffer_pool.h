/*
 * A pool of recycled buffers. Released buffers are kept for reuse, up to a limit.
 *
 * Fresh memory from the system costs more per batch of rows than filling it does.
 */
#ifndef STOA_CORE_BUFFER_POOL_H
#define STOA_CORE_BUFFER_POOL_H

#include <stddef.h>

#include "core/error.h"

typedef struct stoa_buffer_pool stoa_buffer_pool;

/* `most`: limit, in bytes, on the idle buffers that the pool keeps. */
stoa_status stoa_buffer_pool_open(size_t most, stoa_buffer_pool **blocks, stoa_error *err);
/* Change the limit. Idle buffers above it are freed. */
void stoa_blocks_limit(stoa_buffer_pool *blocks, size_t most);
/* Return at least `size` bytes, uninitialised and aligned to 64, or NULL if memory runs out. Do not
 * pass it to free(). Thread-safe. */
void *stoa_buffer_pool_get(stoa_buffer_pool *blocks, size_t size);
/* Release a buffer. The pool may already be closed; NULL is ignored. Thread-safe. */
void stoa_buffer_pool_put(void *block);
/* Buffers still in use stay valid until they are given back. */
void stoa_buffer_pool_close(stoa_buffer_pool *blocks);

#endif
