/*
 * Sorting batches by any number of keys: stable; missing values last in either direction, NaN after
 * all other numbers likewise; texts by their bytes.
 *
 * With a limit, only the best rows are kept: whenever enough others have gathered, everything is
 * sorted and cut, and from then on only rows better than the last one are taken in.
 */
#ifndef STOA_QUERY_SORT_H
#define STOA_QUERY_SORT_H

#include "query/take.h"

/* One batch that rows are kept of. */
typedef struct stoa_sort_source {
    struct ArrowArray array; /* struct */
    stoa_view *views;        /* a child each */
} stoa_sort_source;

/* A key of a row, made so that the lesser class, then the lesser word, comes first. */
typedef struct stoa_sort_cell {
    uint64_t word;  /* texts: the first eight bytes; labels of dictionaries: their rank */
    uint32_t class; /* 0 a value, 1 NaN, 2 missing */
} stoa_sort_cell;

/* What a key of the order is like. */
typedef struct stoa_sort_key {
    bool descending;
    bool is_text;            /* plain texts: words that agree do not say that the texts do */
    const void *identity[2]; /* dictionaries: the one that `by_code` was made for */
    int64_t n_labels;
    stoa_sort_cell *by_code; /* the label's rank */
} stoa_sort_key;

/* Zero-initialise; free with stoa_sorter_clear(). */
typedef struct stoa_sorter {
    const struct ArrowSchema *schema; /* struct: the output columns, then the keys */
    size_t n_outputs;
    size_t n_keys;
    stoa_sort_key *keys;
    uint64_t limit;
    stoa_buffer sources; /* stoa_sort_source */
    stoa_buffer picks;   /* stoa_pick a row */
    stoa_buffer cells;   /* n_keys stoa_sort_cell a row */
    uint64_t n_held;     /* rows of all sources, kept or not */
    bool has_cut;        /* rows are sorted and `limit` long: the last one is the one to beat */
    uint64_t *order;     /* rows, sorted; after finish */
    uint64_t n_order;
    uint64_t at;
} stoa_sorter;

/* `schema` is borrowed; `descending` has a flag a key. */
stoa_status stoa_sorter_open(stoa_sorter *sorter, const struct ArrowSchema *schema,
                             size_t n_outputs, const bool *descending, uint64_t limit,
                             stoa_error *err);
/* Take a batch in; it is moved from in every case. */
stoa_status stoa_sorter_add(stoa_sorter *sorter, struct ArrowArray *batch, stoa_error *err);
stoa_status stoa_sorter_finish(stoa_sorter *sorter, stoa_error *err);
/* The next rows in order, without the keys; out->release is NULL at the end. */
stoa_status stoa_sorter_next(stoa_sorter *sorter, int64_t n_rows, struct ArrowArray *out,
                             stoa_error *err);
void stoa_sorter_clear(stoa_sorter *sorter);

#endif
