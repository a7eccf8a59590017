/* Values of Arrow columns in NumPy's forms (numpy.lib.format, NEP 1). */
#ifndef STOA_LAYOUT_NPY_VALUES_H
#define STOA_LAYOUT_NPY_VALUES_H

#include "arrow/read.h"
#include "column/type/tensor.h"

/* How a column is stored. */
typedef struct stoa_npy_values {
    const char *name; /* borrowed from the schema */
    bool is_text;     /* its type depends on the longest text: stoa_npy_values_text() */
    stoa_kind kind;   /* of an item */
    size_t size;      /* bytes of an item in the file; 0 for text */
    size_t n_items;   /* in a row */
    int n_levels;     /* of fixed-size lists, one within the other */
    int64_t base;     /* of the current batch: the item of row 0 */
    bool is_complex;
    int rank; /* of a row */
    hsize_t shape[H5S_MAX_RANK];
    char type[32];   /* "<f8" */
    stoa_view items; /* of the current batch, and the parts of complex numbers */
    stoa_view parts[2];
    stoa_view rows;
} stoa_npy_values;

/* STOA_ETYPE for a column that no such file has; `takes_text` if it may have texts. */
stoa_status stoa_npy_values_of(stoa_npy_values *f, const struct ArrowSchema *schema,
                               bool takes_text, stoa_error *err);
/* Look at column i of a batch. */
stoa_status stoa_npy_values_bind(stoa_npy_values *f, const stoa_view *table, int64_t i,
                                 stoa_error *err);
/* Write a row that is no text. STOA_ELOSS if it is missing and its type has no place for that. */
stoa_status stoa_npy_values_put(const stoa_npy_values *f, int64_t row, uint8_t *to,
                                stoa_error *err);
/* The text of a row, borrowed. STOA_ELOSS if it is missing, or if NumPy would cut it at its end. */
stoa_status stoa_npy_values_text(const stoa_npy_values *f, int64_t row, const char **text,
                                 size_t *length, stoa_error *err);

#endif
