/* See blocks.h. */
#include "core/blocks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { MAX_IDLE = 16, ALIGNMENT = 64, PAGE = 4096 };

/* Before the bytes of a block. */
typedef struct head {
    stoa_blocks *blocks;
    size_t size; /* of the bytes */
} head;

struct stoa_blocks {
    pthread_mutex_t mutex; /* of all below */
    size_t most;
    size_t n_idle_bytes;
    head *idle[MAX_IDLE]; /* the first was given back first */
    size_t n_idle;
    size_t n_taken; /* blocks that are somewhere */
    bool is_closed; /* the last of them takes this along */
};

stoa_status stoa_blocks_open(size_t most, stoa_blocks **blocks, stoa_error *err)
{
    stoa_blocks *made = stoa_alloc_zero(1, sizeof *made);

    *blocks = NULL;
    if (made == NULL) {
        return stoa_fail_memory(err);
    }
    made->most = most;
    const int failed = pthread_mutex_init(&made->mutex, NULL);
    if (failed != 0) {
        free(made);
        return stoa_fail_errno(err, failed, "cannot make a lock");
    }
    *blocks = made;
    return STOA_OK;
}

static head *idle_out(stoa_blocks *blocks, size_t i)
{
    head *const found = blocks->idle[i];

    blocks->n_idle_bytes -= found->size;
    blocks->n_idle--;
    memmove(&blocks->idle[i], &blocks->idle[i + 1], (blocks->n_idle - i) * sizeof(head *));
    return found;
}

/* The one given back last that is large enough, and not far too large: its bytes are likely to be
 * in the processor's caches. */
static head *find_idle(stoa_blocks *blocks, size_t size)
{
    for (size_t i = blocks->n_idle; i-- > 0;) {
        if (blocks->idle[i]->size >= size && blocks->idle[i]->size / 4 <= size + PAGE) {
            return idle_out(blocks, i);
        }
    }
    return NULL;
}

/* With room for a little more, so that it will do for the next ones, too. */
static head *make_block(stoa_blocks *blocks, size_t size)
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

void *stoa_blocks_take(stoa_blocks *blocks, size_t size)
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
    blocks->n_taken--; /* its owner has it, so that it does not end here */
    (void)pthread_mutex_unlock(&blocks->mutex);
    return NULL;
}

/* None is idle: what is given back from now on is not kept. */
static void end(stoa_blocks *blocks)
{
    (void)pthread_mutex_destroy(&blocks->mutex);
    free(blocks);
}

/* Keep it, and less of the others if need be: those that were asked for last are likely to be asked
 * for again. */
static void keep(stoa_blocks *blocks, head *block)
{
    while (blocks->n_idle > 0 &&
           (blocks->n_idle == MAX_IDLE || block->size > blocks->most - blocks->n_idle_bytes)) {
        free(idle_out(blocks, 0));
    }
    blocks->idle[blocks->n_idle++] = block;
    blocks->n_idle_bytes += block->size;
}

void stoa_blocks_give_back(void *block)
{
    if (block == NULL) {
        return;
    }
    head *const is = (head *)(void *)((uint8_t *)block - ALIGNMENT);
    stoa_blocks *const blocks = is->blocks;

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

void stoa_blocks_close(stoa_blocks *blocks)
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
