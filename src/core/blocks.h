/*
 * Blocks of memory that go round: what is given back is kept for the next one who asks, within
 * bounds. Memory that comes anew from the system for each batch of rows costs more than to fill it.
 */
#ifndef STOA_CORE_BLOCKS_H
#define STOA_CORE_BLOCKS_H

#include <stddef.h>

#include "core/error.h"

typedef struct stoa_blocks stoa_blocks;

/* `most`: bytes of blocks that nobody has, kept at a time. */
stoa_status stoa_blocks_open(size_t most, stoa_blocks **blocks, stoa_error *err);
/* At least `size` bytes, undefined, aligned to 64; NULL when memory runs out. Not for free(). On
 * any thread. */
void *stoa_blocks_take(stoa_blocks *blocks, size_t size);
/* One that was taken; its blocks may be closed by then. On any thread; of NULL nothing. */
void stoa_blocks_give_back(void *block);
/* Blocks that are somewhere stay good until they are given back. */
void stoa_blocks_close(stoa_blocks *blocks);

#endif
