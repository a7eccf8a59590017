/* Memory pool: a chain of blocks that are filled in order. */
#include "core/pool.h"

#include <stdlib.h>
#include <string.h>

/* The first block is small, since most queries need no more. */
enum { POOL_ALIGNMENT = 16, POOL_FIRST = 1 << 13, POOL_BLOCK = 1 << 16 };

struct stoa_pool_block {
    stoa_pool_block *next;
    size_t size; /* of `bytes` */
    _Alignas(POOL_ALIGNMENT) uint8_t bytes[];
};

/* Make `current` a block with at least `size` bytes: the next one if it is large enough, else a
 * new one inserted before it. */
static bool advance(stoa_pool *pool, size_t size)
{
    stoa_pool_block *next = pool->current != NULL ? pool->current->next : pool->first;

    if (next == NULL || next->size < size) {
        const size_t least = pool->current == NULL ? POOL_FIRST : POOL_BLOCK;
        const size_t room = size > least ? size : least;
        if (room > SIZE_MAX - sizeof *next) {
            return false;
        }
        stoa_pool_block *block = stoa_alloc(1, sizeof *block + room);
        if (block == NULL) {
            return false;
        }
        block->size = room;
        block->next = next;
        if (pool->current != NULL) {
            pool->current->next = block;
        } else {
            pool->first = block;
        }
        next = block;
    }
    pool->current = next;
    pool->used = 0;
    return true;
}

void *stoa_pool_alloc(stoa_pool *pool, size_t n, size_t size)
{
    if (size != 0 && n > (SIZE_MAX - POOL_ALIGNMENT) / size) {
        return NULL;
    }
    const size_t bytes = (n * size + POOL_ALIGNMENT - 1) / POOL_ALIGNMENT * POOL_ALIGNMENT;

    if (pool->current == NULL || bytes > pool->current->size - pool->used) {
        if (!advance(pool, bytes)) {
            return NULL;
        }
    }
    void *block = pool->current->bytes + pool->used;
    pool->used += bytes;
    return block;
}

void *stoa_pool_zero(stoa_pool *pool, size_t n, size_t size)
{
    void *block = stoa_pool_alloc(pool, n, size);

    if (block != NULL) {
        memset(block, 0, n * size);
    }
    return block;
}

char *stoa_pool_text(stoa_pool *pool, const char *text, size_t length)
{
    char *copy = stoa_pool_alloc(pool, length + 1, 1);

    if (copy != NULL) {
        if (length != 0) {
            memcpy(copy, text, length);
        }
        copy[length] = '\0';
    }
    return copy;
}

void stoa_pool_reset(stoa_pool *pool, stoa_pool_mark mark)
{
    pool->current = mark.block;
    pool->used = mark.used;
}

void stoa_pool_clear(stoa_pool *pool)
{
    for (stoa_pool_block *block = pool->first, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    *pool = (stoa_pool){0};
}
