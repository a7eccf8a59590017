#include "core/buffer_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { MAX_IDLE = 16, ALIGNMENT = 64, PAGE = 4096 };

/* Header in front of each buffer. */
typedef struct head {
    stoa_buffer_pool *blocks;
    size_t size; /* of the buffer behind the header */
} head;

struct stoa_buffer_pool {
    pthread_mutex_t mutex; /* guards everything below */
    size_t most;
    size_t n_idle_bytes;
    head *idle[MAX_IDLE]; /* oldest first */
    size_t n_idle;
    size_t n_taken; /* buffers in use */
    bool is_closed; /* the last buffer given back frees the pool */
};

stoa_status stoa_buffer_pool_open(size_t most, stoa_buffer_pool **blocks, stoa_error *err)
{
    stoa_buffer_pool *made = stoa_alloc_zero(1, sizeof *made);

    *blocks = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    made->most = most;
    const int failed = pthread_mutex_init(&made->mutex, NULL);
    if (failed != 0) {
        free(made);
        return stoa_fail_errno(err, failed, "cannot make a lock");
    }
    *blocks = made;
    return STOA_OK;
}

static head *idle_out(stoa_buffer_pool *blocks, size_t i)
{
    head *const found = blocks->idle[i];

    blocks->n_idle_bytes -= found->size;
    blocks->n_idle--;
    memmove(&blocks->idle[i], &blocks->idle[i + 1], (blocks->n_idle - i) * sizeof(head *));
    return found;
}

void stoa_blocks_limit(stoa_buffer_pool *blocks, size_t most)
{
    (void)pthread_mutex_lock(&blocks->mutex);
    blocks->most = most;
    while (blocks->n_idle > 0 && blocks->n_idle_bytes > most) {
        free(idle_out(blocks, 0));
    }
    (void)pthread_mutex_unlock(&blocks->mutex);
}

/* Find the most recently released buffer that is large enough and not far too large. Its bytes are
 * likely to be in the processor's caches. */
static head *find_idle(stoa_buffer_pool *blocks, size_t size)
{
    for (size_t i = blocks->n_idle; i-- > 0;) {
        if (blocks->idle[i]->size >= size && blocks->idle[i]->size / 4 <= size + PAGE) {
            return idle_out(blocks, i);
        }
    }
    return NULL;
}

/* Allocate some slack, so that the buffer also fits slightly larger requests. */
static head *make_block(stoa_buffer_pool *blocks, size_t size)
{
    const size_t more = size / 8 + PAGE;

    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    head *const made = stoa_alloc_aligned(ALIGNMENT, ALIGNMENT + size + more);
    if (made != NULL) {
        *made = (head){blocks, size + more};
    }
    return made;
}

void *stoa_buffer_pool_get(stoa_buffer_pool *blocks, size_t size)
{
    (void)pthread_mutex_lock(&blocks->mutex);
    head *found = find_idle(blocks, size);
    blocks->n_taken++;
    (void)pthread_mutex_unlock(&blocks->mutex);
    found = found != NULL ? found : make_block(blocks, size);
    if (found != NULL) {
        return (uint8_t *)found + ALIGNMENT;
    }
    (void)pthread_mutex_lock(&blocks->mutex);
    blocks->n_taken--; /* cannot be the last one: the owner still has the pool open */
    (void)pthread_mutex_unlock(&blocks->mutex);
    return NULL;
}

/* Free the pool. It has no idle buffers by then, since a closed pool keeps none. */
static void end(stoa_buffer_pool *blocks)
{
    (void)pthread_mutex_destroy(&blocks->mutex);
    free(blocks);
}

/* Keep a buffer and evict the oldest ones if needed. Recently used sizes are likely to be requested
 * again. */
static void keep(stoa_buffer_pool *blocks, head *block)
{
    while (blocks->n_idle > 0 &&
           (blocks->n_idle == MAX_IDLE || block->size > blocks->most - blocks->n_idle_bytes)) {
        free(idle_out(blocks, 0));
    }
    blocks->idle[blocks->n_idle++] = block;
    blocks->n_idle_bytes += block->size;
}

void stoa_buffer_pool_put(void *block)
{
    if (block == NULL) {
        return;
    }
    head *const is = (head *)(void *)((uint8_t *)block - ALIGNMENT);
    stoa_buffer_pool *const blocks = is->blocks;

    (void)pthread_mutex_lock(&blocks->mutex);
    const bool is_kept = !blocks->is_closed && is->size <= blocks->most;
    if (is_kept) {
        keep(blocks, is);
    }
    const bool is_last = --blocks->n_taken == 0 && blocks->is_closed;
    (void)pthread_mutex_unlock(&blocks->mutex);
    if (!is_kept) {
        free(is);
    }
    if (is_last) {
        end(blocks);
    }
}

void stoa_buffer_pool_close(stoa_buffer_pool *blocks)
{
    if (blocks == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&blocks->mutex);
    blocks->is_closed = true;
    while (blocks->n_idle > 0) {
        free(idle_out(blocks, 0));
    }
    const bool is_last = blocks->n_taken == 0;
    (void)pthread_mutex_unlock(&blocks->mutex);
    if (is_last) {
        end(blocks);
    }
}
