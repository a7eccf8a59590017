/* A bitmap of a table's rows: an index's exact answer to a test where a list of rows would be
 * long. */
#ifndef STOA_INDEX_ROW_BITS_H
#define STOA_INDEX_ROW_BITS_H

#include <stdatomic.h>

#include "core/memory.h"

/* Reference-counted. Not modified once it is shared. */
typedef struct stoa_row_bits {
    atomic_uint n_holders;
    uint64_t n_rows;
    uint8_t bits[]; /* in Arrow's order; bits from n_rows on are undefined */
} stoa_row_bits;

/* Allocate a bitmap for n_rows rows, with undefined bits and one reference. NULL if memory runs
 * out. */
stoa_row_bits *stoa_row_bits_make(uint64_t n_rows);
void stoa_row_bits_hold(stoa_row_bits *rows);
/* NULL is fine. */
void stoa_row_bits_release(stoa_row_bits *rows);

#endif
