/* Sorts row numbers by the keys of their rows. */
#ifndef STOA_QUERY_SORT_ORDER_H
#define STOA_QUERY_SORT_ORDER_H

#include <stoa/progress.h>

#include "core/threads.h"
#include "query/sort/sort_keys.h"

/* A row number with the row's cell of the key that is being sorted by. */
typedef struct stoa_sort_entry {
    uint64_t word;
    uint16_t class;
    uint16_t tail;
    uint32_t row;
} stoa_sort_entry;

/* Memory for sorting, in bytes per row. */
#define STOA_SORT_ROW_BYTES (2 * sizeof(stoa_sort_entry) + 1)

/* Get a row by its number. */
typedef stoa_sort_row (*stoa_sort_row_of)(const void *rows, uint32_t row);

/* The most entries that are handled before the listener is told again: few milliseconds of work. */
#define STOA_SORT_LOOK ((size_t)1 << 14)

/*
 * Sort rows [0, n), stably.
 *
 * @param workers   share the work; NULL: the calling thread does it
 * @param listener  told at least once in STOA_SORT_LOOK entries of each pass; NULL: none
 * @param[out] out  n entries; the caller frees it with free()
 * @return STOA_ECANCELLED if the listener says so
 */
stoa_status stoa_sort_order(const stoa_sort_keys *keys, stoa_sort_row_of row_of, const void *rows,
                            uint32_t n, stoa_workers *workers, const stoa_listener *listener,
                            stoa_sort_entry **out, stoa_error *err);

#endif
