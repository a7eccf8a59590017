/* Blocks of bytes that are reused. */
#include <stdlib.h>

#include "codec/pipeline.h"

uint8_t *stoa_scratch_block(stoa_scratch *scratch, int which, size_t size)
{
    if (scratch->blocks[which] == NULL || scratch->sizes[which] < size) {
        free(scratch->blocks[which]);
        scratch->blocks[which] = stoa_alloc_aligned(64, size);
        scratch->sizes[which] = scratch->blocks[which] != NULL ? size : 0;
    }
    return scratch->blocks[which];
}

void stoa_scratch_clear(stoa_scratch *scratch)
{
    for (int i = 0; i < 3; i++) {
        free(scratch->blocks[i]);
    }
    *scratch = (stoa_scratch){.blocks = {NULL}};
}
