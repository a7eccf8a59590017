/* Rows of a column in memory, on their way into an Arrow array. */
#ifndef STOA_COLUMN_BLOCK_H
#define STOA_COLUMN_BLOCK_H

#include "column/column.h"

/* Zero-initialise; free with stoa_block_clear(). */
typedef struct stoa_block {
    uint8_t *elements; /* in memory form */
    uint8_t *missing;  /* bit set: missing (§8.5); NULL: none is */
    uint64_t count;
    uint64_t n_missing;
    void *reclaimed; /* elements whose variable-length parts libhdf5 wants back; `elements` is then
                        a copy that borrows them */
} stoa_block;

/* Read rows [first, first + count) and see which are missing. */
stoa_status stoa_block_read(stoa_column *column, uint64_t first, uint64_t count, stoa_block *block,
                            stoa_error *err);
/* The block as an Arrow array of the stored element; takes elements and missing bits out of it. */
stoa_status stoa_block_decode(const stoa_element *element, stoa_block *block,
                              struct ArrowArray *out, stoa_error *err);
/* The block as an Arrow array of the column's type; takes them out of it as well. */
stoa_status stoa_column_array(stoa_column *column, stoa_block *block, struct ArrowArray *out,
                              stoa_error *err);
void stoa_block_clear(const stoa_element *element, stoa_block *block);

#endif
