/* Sorts row numbers by the keys of their rows. */
#ifndef STOA_QUERY_SORT_ORDER_H
#define STOA_QUERY_SORT_ORDER_H

#include "query/sort/sort_keys.h"

/* A row number with the row's cell of the key that is being sorted by. */
typedef struct stoa_sort_entry {
    uint64_t word;
    uint16_t class;
    uint16_t tail;
    uint32_t row;
} stoa_sort_entry;

/* Memory for sorting, in bytes per row. */
#define STOA_SORT_ROW_BYTES (2 * sizeof(stoa_sort_entry))

/* Get a row by its number. */
typedef stoa_sort_row (*stoa_sort_row_of)(const void *rows, uint32_t row);

/* Sort rows [0, n), stably. *out has n entries; the caller frees it with free(). */
stoa_status stoa_sort_order(const stoa_sort_keys *keys, stoa_sort_row_of row_of, const void *rows,
                            uint32_t n, stoa_sort_entry **out, stoa_error *err);

#endif
