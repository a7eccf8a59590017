/* Memory pool (arena) that is freed all at once: syntax trees, bound trees, and vectors of one
 * window. */
#ifndef STOA_QUERY_POOL_H
#define STOA_QUERY_POOL_H

#include "core/memory.h"

typedef struct stoa_pool_block stoa_pool_block;

/* Zero-initialise; free with stoa_pool_clear(). */
typedef struct stoa_pool {
    stoa_pool_block *first;
    stoa_pool_block *current; /* blocks after it are empty and kept for reuse */
    size_t used;              /* bytes of the current block */
} stoa_pool;

/* A fill state of a pool. stoa_pool_reset() frees what was allocated after it. */
typedef struct stoa_pool_mark {
    stoa_pool_block *block;
    size_t used;
} stoa_pool_mark;

/* n * size bytes, aligned for any type; NULL if memory runs out. */
void *stoa_pool_alloc(stoa_pool *pool, size_t n, size_t size);
void *stoa_pool_zero(stoa_pool *pool, size_t n, size_t size);
/* A NUL-terminated copy. */
char *stoa_pool_text(stoa_pool *pool, const char *text, size_t length);

static inline stoa_pool_mark stoa_pool_here(const stoa_pool *pool)
{
    return (stoa_pool_mark){pool->current, pool->used};
}
void stoa_pool_reset(stoa_pool *pool, stoa_pool_mark mark);
void stoa_pool_clear(stoa_pool *pool);

#endif
