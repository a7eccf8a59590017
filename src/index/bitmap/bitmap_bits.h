/* Computing the bits of a BITMAP index (HEP001 §10.6) from the column, block by block, to store or
 * compare them. */
#ifndef STOA_INDEX_BITMAP_BITS_H
#define STOA_INDEX_BITMAP_BITS_H

#include "index/bitmap/bitmap_values.h"

/* Bytes per value of a block. Blocks are smaller if there are very many values. */
enum { STOA_BITMAP_BLOCK_BYTES = 8192 };

/* The bits of rows [8 * first_byte, ...) for every value. */
typedef struct stoa_bitmap_block {
    uint64_t first_byte;
    uint64_t n_bytes; /* per value */
    uint64_t n_values;
    uint8_t *bits;          /* n_values * n_bytes */
    uint8_t *missing;       /* n_bytes: missing rows */
    uint8_t *nans;          /* n_bytes: rows that hold NaN, missing or not */
    uint64_t n_unknown;     /* rows with any other value */
    uint64_t first_unknown; /* the first such row */
} stoa_bitmap_block;

typedef stoa_status (*stoa_bitmap_use)(void *context, const stoa_bitmap_block *block,
                                       stoa_error *err);

/* Compute the bits of rows [first, n_rows) block by block and pass each block to `use`. `first` is
 * a multiple of 8. */
stoa_status stoa_bitmap_compute(stoa_column *column, const stoa_bitmap_values *values,
                                uint64_t first, uint64_t n_rows, const stoa_listener *listener,
                                stoa_bitmap_use use, void *context, stoa_error *err);

#endif
