/* Rows as bits, one for each row of a table: what an index may know of a test where a list of the
 * rows that pass would be long. */
#ifndef STOA_INDEX_ROW_BITS_H
#define STOA_INDEX_ROW_BITS_H

#include <stdatomic.h>

#include "core/memory.h"

/* Shared by whoever holds it; not changed once it is shown to a second one. */
typedef struct stoa_row_bits {
    atomic_uint n_holders;
    uint64_t n_rows;
    uint8_t bits[]; /* as of an Arrow bitmap; anything behind n_rows */
} stoa_row_bits;

/* For n_rows rows, bits undefined, held by the caller; NULL: out of memory. */
stoa_row_bits *stoa_row_bits_make(uint64_t n_rows);
void stoa_row_bits_hold(stoa_row_bits *rows);
/* NULL: nothing is done. */
void stoa_row_bits_release(stoa_row_bits *rows);

#endif
