/* Memory arena (arena) that is freed all at once: syntax trees, bound trees, and vectors of one
 * window. */
#ifndef STOA_QUERY_ARENA_H
#define STOA_QUERY_ARENA_H

#include "core/memory.h"

enum { STOA_ARENA_ALIGNMENT = 16 };

typedef struct stoa_arena_block {
    struct stoa_arena_block *next;
    size_t size; /* of `bytes` */
    _Alignas(STOA_ARENA_ALIGNMENT) uint8_t bytes[];
} stoa_arena_block;

/* Zero-initialise; free with stoa_arena_clear(). */
typedef struct stoa_arena {
    stoa_arena_block *first;
    stoa_arena_block *current; /* blocks after it are empty and kept for reuse */
    size_t used;               /* bytes of the current block */
} stoa_arena;

/* A fill state of an arena. stoa_arena_reset() frees what was allocated after it. */
typedef struct stoa_arena_mark {
    stoa_arena_block *block;
    size_t used;
} stoa_arena_mark;

/* Make `current` a block with room for so many bytes; false if memory runs out. */
bool stoa_arena_advance(stoa_arena *arena, size_t bytes);
/* n * size bytes, aligned for any type; NULL if memory runs out. */
static inline void *stoa_arena_alloc(stoa_arena *arena, size_t n, size_t size)
{
    enum { UP = STOA_ARENA_ALIGNMENT - 1 };

    if (size != 0 && n > (SIZE_MAX - UP) / size) {
        return NULL;
    }
    const size_t bytes = (n * size + UP) & ~(size_t)UP;

    if ((arena->current == NULL || bytes > arena->current->size - arena->used) &&
        !stoa_arena_advance(arena, bytes)) {
        return NULL;
    }
    arena->used += bytes;
    return arena->current->bytes + (arena->used - bytes);
}
void *stoa_arena_zero(stoa_arena *arena, size_t n, size_t size);
/* A NUL-terminated copy. */
char *stoa_arena_text(stoa_arena *arena, const char *text, size_t length);

static inline stoa_arena_mark stoa_arena_here(const stoa_arena *arena)
{
    return (stoa_arena_mark){arena->current, arena->used};
}
void stoa_arena_reset(stoa_arena *arena, stoa_arena_mark mark);
void stoa_arena_clear(stoa_arena *arena);

#endif
