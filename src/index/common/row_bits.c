#include "index/common/row_bits.h"

#include <stdlib.h>

stoa_row_bits *stoa_row_bits_make(uint64_t n_rows)
{
    stoa_row_bits *rows = stoa_alloc(sizeof *rows + (size_t)stoa_bit_bytes(n_rows), 1);

    if (rows != NULL) {
        atomic_init(&rows->n_holders, 1);
        rows->n_rows = n_rows;
    }
    return rows;
}

void stoa_row_bits_hold(stoa_row_bits *rows)
{
    (void)atomic_fetch_add_explicit(&rows->n_holders, 1, memory_order_relaxed);
}

void stoa_row_bits_release(stoa_row_bits *rows)
{
    if (rows != NULL && atomic_fetch_sub_explicit(&rows->n_holders, 1, memory_order_acq_rel) == 1) {
        free(rows);
    }
}
