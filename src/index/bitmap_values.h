/* The values of a BITMAP index: collected from a column, put in order, stored as VALUES (HEP001
 * §10.6). */
#ifndef STOA_INDEX_BITMAP_VALUES_H
#define STOA_INDEX_BITMAP_VALUES_H

#include "column/block.h"
#include "core/strings.h"
#include "index/key.h"

/* The most values that a bitmap is built of, and that a foreign one is read with. */
enum { STOA_BITMAP_MAX_VALUES = 65536, STOA_BITMAP_MAX_FOREIGN = 1 << 20 };

/* What one row of the bitmap stands for. */
typedef struct stoa_bitmap_value {
    stoa_scalar scalar; /* bytes borrowed from the keys */
    bool is_nan;        /* it marks no row, or NaNs (notes D6) */
    bool is_fill;       /* it may mark missing rows too (notes D6) */
} stoa_bitmap_value;

/* Zero-initialise; free with stoa_bitmap_values_clear(). */
typedef struct stoa_bitmap_values {
    stoa_strings keys;        /* the distinct values but NaN */
    uint32_t *rows;           /* of each key: its row of the bitmap */
    stoa_bitmap_value *items; /* of each row */
    uint64_t n;               /* rows */
    bool has_twins;           /* a value stands twice: nobody may write such (10.6-DISTINCT) */
    bool is_ours;             /* ascending, and neither NaN nor the fill is among them */
} stoa_bitmap_values;

/* Take in the values of a block that are neither missing nor NaN. STOA_ERANGE when they become too
 * many, or too long, for a bitmap to help. */
stoa_status stoa_bitmap_values_add(stoa_bitmap_values *values, const stoa_column *column,
                                   const stoa_block *block, stoa_error *err);
/* Take in those that others have collected, from the `first` of them on. */
stoa_status stoa_bitmap_values_unite(stoa_bitmap_values *values, const stoa_column *column,
                                     const stoa_bitmap_values *others, uint32_t first,
                                     stoa_error *err);
/* Give the collected values their rows, in ascending order. */
stoa_status stoa_bitmap_values_settle(stoa_bitmap_values *values, const stoa_column *column,
                                      stoa_error *err);
void stoa_bitmap_values_clear(stoa_bitmap_values *values);

/* The row of an element's value; false if it has none, NaN included. */
bool stoa_bitmap_values_find(const stoa_bitmap_values *values, const stoa_column *column,
                             const void *element, uint64_t *row);

/* Make the values dataset of a bitmap, empty, beside it as "<name>_values". */
stoa_status stoa_bitmap_values_create(const stoa_column *column, hid_t indexes, const char *name,
                                      char **made_name, hid_t *dataset, stoa_error *err);
/* Make the dataset hold exactly these. */
stoa_status stoa_bitmap_values_write(const stoa_bitmap_values *values, const stoa_column *column,
                                     hid_t dataset, stoa_error *err);
/* The dataset that a bitmap links; STOA_EDATA if VALUES is no scalar reference that leads to one of
 * rank 1, the column's datatype, and `n` values. To be closed. */
stoa_status stoa_bitmap_values_open(const stoa_column *column, hid_t bitmap, uint64_t n,
                                    hid_t *dataset, stoa_error *err);
stoa_status stoa_bitmap_values_read(stoa_bitmap_values *values, const stoa_column *column,
                                    hid_t dataset, uint64_t n, stoa_error *err);

#endif
