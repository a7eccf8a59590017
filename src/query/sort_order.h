/* Row numbers put in the order of their rows' keys. */
#ifndef STOA_QUERY_SORT_ORDER_H
#define STOA_QUERY_SORT_ORDER_H

#include "query/sort_keys.h"

/* A row by its number, and its first key that is not known to be that of its neighbours. */
typedef struct stoa_sort_entry {
    uint64_t word;
    uint16_t class;
    uint16_t tail;
    uint32_t row;
} stoa_sort_entry;

/* Bytes that sorting takes up a row. */
#define STOA_SORT_ROW_BYTES (2 * sizeof(stoa_sort_entry))

/* A row by its number. */
typedef stoa_sort_row (*stoa_sort_row_of)(const void *rows, uint32_t row);

/* Rows [0, n) in order, stable: n entries, to be freed with free(). */
stoa_status stoa_sort_order(const stoa_sort_keys *keys, stoa_sort_row_of row_of, const void *rows,
                            uint32_t n, stoa_sort_entry **out, stoa_error *err);

#endif
