/* The bits of a BITMAP index (HEP001 §10.6): computed from the column block by block, to be stored
 * or to be compared. */
#ifndef STOA_INDEX_BITMAP_BITS_H
#define STOA_INDEX_BITMAP_BITS_H

#include "index/bitmap_values.h"

/* Bytes of each row of the bitmap that are computed together, unless there are very many values. */
enum { STOA_BITMAP_BLOCK_BYTES = 8192 };

/* Bits of rows [8 * first_byte, ...) for every value. */
typedef struct stoa_bitmap_block {
    uint64_t first_byte;
    uint64_t n_bytes; /* of each value's row */
    uint64_t n_values;
    uint8_t *bits;          /* n_values times n_bytes */
    uint8_t *missing;       /* n_bytes: rows that are missing */
    uint8_t *nans;          /* n_bytes: rows that hold NaN, missing or not */
    uint64_t n_unknown;     /* rows whose value is none of these */
    uint64_t first_unknown; /* the first of them */
} stoa_bitmap_block;

typedef stoa_status (*stoa_bitmap_use)(void *context, const stoa_bitmap_block *block,
                                       stoa_error *err);

/* Compute the bits of rows [first, n_rows), `first` being a multiple of 8, block after block, and
 * hand each to `use`. */
stoa_status stoa_bitmap_compute(stoa_column *column, const stoa_bitmap_values *values,
                                uint64_t first, uint64_t n_rows, const stoa_listener *listener,
                                stoa_bitmap_use use, void *context, stoa_error *err);

#endif
