/* Memory arena: a chain of blocks that are filled in order. */
#include "core/arena.h"

#include <stdlib.h>
#include <string.h>

/* The first block is small, since most queries need no more. */
enum { POOL_FIRST = 1 << 13, POOL_BLOCK = 1 << 16 };

/* The next block, if it is large enough, else a new one inserted before it. */
bool stoa_arena_advance(stoa_arena *arena, size_t size)
{
    stoa_arena_block *next = arena->current != NULL ? arena->current->next : arena->first;

    if (next == NULL || next->size < size) {
        const size_t least = arena->current == NULL ? POOL_FIRST : POOL_BLOCK;
        const size_t room = size > least ? size : least;
        if (room > SIZE_MAX - sizeof *next) {
            return false;
        }
        stoa_arena_block *block = stoa_alloc(1, sizeof *block + room);
        if (block == NULL) {
            return false;
        }
        block->size = room;
        block->next = next;
        if (arena->current != NULL) {
            arena->current->next = block;
        } else {
            arena->first = block;
        }
        next = block;
    }
    arena->current = next;
    arena->used = 0;
    return true;
}

void *stoa_arena_zero(stoa_arena *arena, size_t n, size_t size)
{
    void *block = stoa_arena_alloc(arena, n, size);

    if (block != NULL) {
        memset(block, 0, n * size);
    }
    return block;
}

char *stoa_arena_text(stoa_arena *arena, const char *text, size_t length)
{
    char *copy = stoa_arena_alloc(arena, length + 1, 1);

    if (copy != NULL) {
        if (length != 0) {
            memcpy(copy, text, length);
        }
        copy[length] = '\0';
    }
    return copy;
}

void stoa_arena_reset(stoa_arena *arena, stoa_arena_mark mark)
{
    arena->current = mark.block;
    arena->used = mark.used;
}

void stoa_arena_clear(stoa_arena *arena)
{
    for (stoa_arena_block *block = arena->first, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    *arena = (stoa_arena){0};
}
