/*
 * Sort keys as words, and comparison of rows by them. Missing values are last and NaNs before them,
 * in either direction. Texts are ordered by their bytes.
 */
#ifndef STOA_QUERY_SORT_KEYS_H
#define STOA_QUERY_SORT_KEYS_H

#include "arrow/read.h"

enum { STOA_SORT_VALUE, STOA_SORT_NAN, STOA_SORT_MISSING };

/* Bytes of a text in a word. */
enum { STOA_SORT_WORD_BYTES = 8 };

/* A key of one row. Cells are ordered by class, then word, then tail. */
typedef struct stoa_sort_cell {
    uint64_t word;  /* texts: the first eight bytes; labels of dictionaries: their rank */
    uint16_t class; /* of the enum above */
    uint16_t tail;  /* texts: their length, which decides if the word holds all of them */
} stoa_sort_cell;

/* Negative if a comes before b, and 0 if the cells do not tell. */
static inline int stoa_sort_cell_order(const stoa_sort_cell *a, const stoa_sort_cell *b)
{
    if (a->class != b->class) {
        return a->class < b->class ? -1 : 1;
    }
    if (a->word != b->word) {
        return a->word < b->word ? -1 : 1;
    }
    return (int)a->tail - (int)b->tail;
}

/* Doubles as words of the same order: the bits of negative ones are inverted. -0 is 0. */
static inline uint64_t stoa_ordered_f64(double value)
{
    uint64_t word;

    value += 0.0;
    memcpy(&word, &value, sizeof word);
    return word >> 63 != 0 ? ~word : word | UINT64_C(1) << 63;
}

/* Properties of a sort key. */
typedef struct stoa_sort_key {
    bool descending;
    uint16_t long_tail;      /* tail of texts longer than the word; 0: not a text */
    const void *identity[2]; /* dictionaries: the one that `by_code` was made for */
    int64_t n_labels;
    stoa_sort_cell *by_code; /* cell of each label, with its rank */
} stoa_sort_key;

/* Zero-initialise; free with stoa_sort_keys_clear(). */
typedef struct stoa_sort_keys {
    size_t n_outputs; /* columns before the keys */
    size_t n;
    stoa_sort_key *keys;
} stoa_sort_keys;

/* A row of any batch. */
typedef struct stoa_sort_row {
    const stoa_sort_cell *cells; /* one per key; NULL: they are made when they are asked for */
    const stoa_view *views;      /* of outputs and keys */
    int64_t row;                 /* row number within the views */
} stoa_sort_row;

/* `schema` is a struct of the output columns, then the keys. `descending` has one flag per key. */
stoa_status stoa_sort_keys_open(stoa_sort_keys *keys, const struct ArrowSchema *schema,
                                size_t n_outputs, const bool *descending, stoa_error *err);
void stoa_sort_keys_clear(stoa_sort_keys *keys);
/* Rank the labels of keys that are dictionaries, before cells of these views are made. */
stoa_status stoa_sort_keys_rank(stoa_sort_keys *keys, const stoa_view *views, stoa_error *err);
/* The cells of rows [first, first + n), one per key for each row. */
stoa_status stoa_sort_keys_fill(stoa_sort_keys *keys, const stoa_view *views, int64_t first,
                                int64_t n, stoa_sort_cell *cells, stoa_error *err);
/* The cell of key k. If it is made now, the labels were ranked before. */
stoa_sort_cell stoa_sort_cell_of(const stoa_sort_keys *keys, size_t k, const stoa_sort_row *row);
/* The cell of the text of key k from byte `from` on, at most its length. */
stoa_sort_cell stoa_sort_cell_from(const stoa_sort_keys *keys, size_t k, const stoa_sort_row *row,
                                   size_t from);
/* Compare by the keys from number k on. */
int stoa_sort_compare(const stoa_sort_keys *keys, size_t k, const stoa_sort_row *a,
                      const stoa_sort_row *b);

#endif
