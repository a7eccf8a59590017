/* The rows that a sort holds in memory: batches, and which of their rows take part. */
#ifndef STOA_QUERY_SORT_ROWS_H
#define STOA_QUERY_SORT_ROWS_H

#include "arrow/take.h"
#include "query/sort/sort_order.h"

/* Row numbers have 32 bits. */
#define STOA_SORT_MAX_ROWS UINT32_MAX

/* A batch with rows that take part. */
typedef struct stoa_sort_source {
    struct ArrowArray array; /* of struct type */
    stoa_view *views;        /* one per child */
    uint64_t n_bytes;        /* memory in use */
} stoa_sort_source;

/* A row of a source. */
typedef struct stoa_sort_place {
    uint32_t source;
    uint32_t row;
} stoa_sort_place;

/* Rows whose number is the same but for these bits have a common hint. */
enum { STOA_SORT_HINT_BITS = 12 };

/*
 * Rows are whole at first: all rows of the sources take part, and a row's number counts them. From
 * the first choice of rows on each has a place, and its cells.
 *
 * Zero-initialise; free with stoa_sort_rows_clear().
 */
typedef struct stoa_sort_rows {
    const struct ArrowSchema *schema; /* struct: the output columns, then the keys; borrowed */
    stoa_sort_keys *keys;             /* borrowed */
    stoa_buffer sources;              /* stoa_sort_source */
    bool is_whole;
    stoa_buffer starts; /* whole: uint32_t per source, the number of its first row */
    stoa_buffer hints;  /* whole: uint32_t, the source of every 2^STOA_SORT_HINT_BITS-th row */
    stoa_buffer places; /* not whole: stoa_sort_place per row */
    stoa_buffer cells;  /* not whole: stoa_sort_cell per row and key */
    uint64_t n_held;    /* rows of all sources, used or not */
    uint64_t n_bytes;   /* memory of the sources */
} stoa_sort_rows;

/* Make a source of a batch, which is moved from in every case. */
stoa_status stoa_sort_source_open(stoa_sort_source *source, const struct ArrowSchema *schema,
                                  struct ArrowArray *batch, stoa_error *err);
void stoa_sort_source_clear(stoa_sort_source *source);
/* The first `n_columns` columns of the picked rows, as one struct array. */
stoa_status stoa_sort_take(const stoa_sort_source *sources, size_t n_sources, size_t n_columns,
                           const stoa_row_source *picks, int64_t n, struct ArrowArray *out,
                           stoa_error *err);

void stoa_sort_rows_make(stoa_sort_rows *rows, const struct ArrowSchema *schema,
                         stoa_sort_keys *keys, bool is_whole);
void stoa_sort_rows_clear(stoa_sort_rows *rows);
/* Remove all rows, but keep the buffers. Those to come are not whole. */
void stoa_sort_rows_empty(stoa_sort_rows *rows);
uint64_t stoa_sort_rows_count(const stoa_sort_rows *rows);
/* Memory in use, including what sorting will need. */
uint64_t stoa_sort_rows_bytes(const stoa_sort_rows *rows);
stoa_sort_row stoa_sort_rows_get(const void *of, uint32_t row);
/* Hold a batch without adding rows, unless rows are whole; it is moved from in every case. */
stoa_status stoa_sort_rows_hold(stoa_sort_rows *rows, struct ArrowArray *batch, stoa_error *err);
/* Release the batch held last. None of its rows may have been added. */
void stoa_sort_rows_unhold(stoa_sort_rows *rows);
/* Add rows [first, first + n) of the batch held last. Rows are not whole. */
stoa_status stoa_sort_rows_add(stoa_sort_rows *rows, int64_t first, int64_t n, stoa_error *err);
/* Keep rows [0, at). Of the rows after them, keep those that come before both `last` and `bar`.
 * These are rows of any batch; NULL: no such row. */
void stoa_sort_rows_drop(stoa_sort_rows *rows, uint64_t at, const stoa_sort_row *last,
                         const stoa_sort_row *bar);
/* Keep the n rows of the entries, in that order. They are not whole afterwards. */
stoa_status stoa_sort_rows_keep(stoa_sort_rows *rows, const stoa_sort_entry *entries, uint64_t n,
                                stoa_error *err);
/* The rows of n entries, as an array of the first `n_columns` columns. */
stoa_status stoa_sort_rows_take(const stoa_sort_rows *rows, const stoa_sort_entry *entries,
                                uint64_t n, size_t n_columns, struct ArrowArray *out,
                                stoa_error *err);

#endif
