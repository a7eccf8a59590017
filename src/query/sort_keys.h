/*
 * Sort keys as words, and rows compared by them: missing values last in either direction, NaN after
 * all other numbers likewise; texts by their bytes.
 */
#ifndef STOA_QUERY_SORT_KEYS_H
#define STOA_QUERY_SORT_KEYS_H

#include "arrow/read.h"

enum { STOA_SORT_VALUE, STOA_SORT_NAN, STOA_SORT_MISSING };

/* A key of a row, made so that the lesser class, then the lesser word, then the lesser tail comes
 * first. */
typedef struct stoa_sort_cell {
    uint64_t word;  /* texts: the first eight bytes; labels of dictionaries: their rank */
    uint16_t class; /* of the enum above */
    uint16_t tail;  /* texts: their length, which decides where the word is all of them */
} stoa_sort_cell;

/* What a key of the order is like. */
typedef struct stoa_sort_key {
    bool descending;
    uint16_t long_tail;      /* of texts that are longer than the word; 0: the key is no text */
    const void *identity[2]; /* dictionaries: the one that `by_code` was made for */
    int64_t n_labels;
    stoa_sort_cell *by_code; /* the label's rank */
} stoa_sort_key;

/* Zero-initialise; free with stoa_sort_keys_clear(). */
typedef struct stoa_sort_keys {
    size_t n_outputs; /* columns before the keys */
    size_t n;
    stoa_sort_key *keys;
} stoa_sort_keys;

/* A row of somebody's. */
typedef struct stoa_sort_row {
    const stoa_sort_cell *cells; /* one a key */
    const stoa_view *views;      /* outputs and keys */
    int64_t row;                 /* of the views */
} stoa_sort_row;

/* `schema`: struct of the output columns, then the keys; `descending` has a flag a key. */
stoa_status stoa_sort_keys_open(stoa_sort_keys *keys, const struct ArrowSchema *schema,
                                size_t n_outputs, const bool *descending, stoa_error *err);
void stoa_sort_keys_clear(stoa_sort_keys *keys);
/* The cells of rows [first, first + n): n of them for each row. */
stoa_status stoa_sort_keys_fill(stoa_sort_keys *keys, const stoa_view *views, int64_t first,
                                int64_t n, stoa_sort_cell *cells, stoa_error *err);
/* By the keys from number k on. */
int stoa_sort_compare(const stoa_sort_keys *keys, size_t k, const stoa_sort_row *a,
                      const stoa_sort_row *b);

#endif
