/* Reusable blocks of memory, and coders of other libraries. */
#include <libdeflate.h>
#include <stdlib.h>
#include <zstd.h>

#include "codec/deflate.h"

uint8_t *stoa_scratch_block(stoa_scratch *scratch, int which, size_t size)
{
    scratch->kept = NULL;
    if (scratch->blocks[which] == NULL || scratch->sizes[which] < size) {
        free(scratch->blocks[which]);
        scratch->blocks[which] = stoa_alloc_aligned(64, size);
        scratch->sizes[which] = scratch->blocks[which] != NULL ? size : 0;
    }
    return scratch->blocks[which];
}

stoa_coders *stoa_scratch_coders(stoa_scratch *scratch)
{
    if (scratch->coders == NULL) {
        scratch->coders = stoa_alloc_zero(1, sizeof *scratch->coders);
    }
    return scratch->coders;
}

void stoa_scratch_clear(stoa_scratch *scratch)
{
    if (scratch->coders != NULL) {
        libdeflate_free_decompressor(scratch->coders->inflater);
        libdeflate_free_compressor(scratch->coders->deflater);
        stoa_deflate_planes_end(scratch->coders);
        (void)ZSTD_freeDCtx(scratch->coders->unzstd);
        (void)ZSTD_freeCCtx(scratch->coders->zstd);
        stoa_library_close(&scratch->coders->lzo);
        stoa_library_close(&scratch->coders->bzip2);
        stoa_library_close(&scratch->coders->blosc);
        free(scratch->coders);
    }
    for (int i = 0; i < 4; i++) {
        free(scratch->blocks[i]);
    }
    *scratch = (stoa_scratch){.blocks = {NULL}};
}
