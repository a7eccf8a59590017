/* See spare.h. */
#include "core/spare.h"

#include <stdlib.h>

#include "core/memory.h"

/* Larger blocks are asked for too rarely to be kept. */
enum { MOST_KEPT = 8 << 20 };

/* Before the bytes, which are aligned for any type behind it. */
typedef union block {
    size_t n;
    max_align_t alignment;
} block;

void *stoa_spare_take(stoa_spare *spare, size_t n)
{
    block *b = atomic_exchange(&spare->block, NULL);

    if (b == NULL || b->n < n) {
        free(b);
        b = n < SIZE_MAX - sizeof *b ? stoa_alloc(n + sizeof *b, 1) : NULL;
        if (b == NULL) {
            return NULL;
        }
        b->n = n;
    }
    return b + 1;
}

void stoa_spare_give(stoa_spare *spare, void *bytes)
{
    block *const b = bytes != NULL ? (block *)bytes - 1 : NULL;

    free(b != NULL && b->n <= MOST_KEPT ? atomic_exchange(&spare->block, b) : b);
}

void stoa_spare_clear(stoa_spare *spare)
{
    free(atomic_exchange(&spare->block, NULL));
}
