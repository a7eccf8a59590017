/* Tables whose rows come in blocks, as the entries of a matrix do. */
#ifndef STOA_LAYOUT_BLOCK_TABLE_H
#define STOA_LAYOUT_BLOCK_TABLE_H

#include "table/open/foreign.h"

/* The blocks. The table takes it over. */
typedef struct stoa_blocks {
    struct ArrowSchema schema; /* a struct of the columns; its metadata are the table's */
    uint64_t *starts;          /* shape (n + 1,): the first row of each block, and the end */
    size_t n;
    /* Read a block, as a struct of starts[i + 1] - starts[i] rows without an offset. Called only
     * where libhdf5 may be called. */
    stoa_status (*read)(void *context, size_t i, struct ArrowArray *out, stoa_error *err);
    void (*close)(void *context);
    void *context;
} stoa_blocks;

/* Append the first row of the next block to a list that is under way. */
stoa_status stoa_blocks_add(stoa_blocks *blocks, uint64_t n_rows, stoa_error *err);
void stoa_blocks_clear(stoa_blocks *blocks);

/*
 * Make a table of them. The last few blocks stay in memory.
 *
 * @param object  of the table; consumed in every case, as `blocks` is
 * @param layout  for listings; static storage
 */
stoa_status stoa_block_table_open(hid_t object, const char *path, const char *file,
                                  const char *layout, stoa_blocks *blocks, stoa_table **table,
                                  stoa_error *err);

#endif
