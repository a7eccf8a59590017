/* The values of a BITMAP index (HEP001 §10.6): collected from a column, sorted, stored as
 * VALUES. */
#ifndef STOA_INDEX_BITMAP_VALUES_H
#define STOA_INDEX_BITMAP_VALUES_H

#include <string.h>

#include "column/read/block.h"
#include "core/string_set.h"
#include "index/common/equality_key.h"

/* Maximum number of values for building a bitmap, and for reading a foreign one. */
enum { STOA_BITMAP_MAX_VALUES = 65536, STOA_BITMAP_MAX_FOREIGN = 1 << 20 };

/* The value of one row of the bitmap. */
typedef struct stoa_bitmap_value {
    stoa_scalar scalar; /* bytes borrowed from the keys */
    bool is_nan;        /* marks no row, or the NaN rows (notes D6) */
    bool is_fill;       /* may mark missing rows too (notes D6) */
} stoa_bitmap_value;

/* Zero-initialise; free with stoa_bitmap_values_clear(). */
typedef struct stoa_bitmap_values {
    stoa_string_set keys;     /* the distinct values except NaN */
    uint32_t *rows;           /* for each key, its row of the bitmap */
    stoa_bitmap_value *items; /* for each row of the bitmap, its value */
    uint64_t n;               /* rows of the bitmap */
    bool has_twins;           /* a value occurs twice, which is not allowed (10.6-DISTINCT) */
    bool is_ours;             /* ascending, without NaN and the fill value */
} stoa_bitmap_values;

/* Add the values of a block, except missing ones and NaN. STOA_ERANGE if they become too many or
 * too long for a useful bitmap. */
stoa_status stoa_bitmap_values_add(stoa_bitmap_values *values, const stoa_column *column,
                                   const stoa_block *block, stoa_error *err);
/* Add the values of another set, from its value `first` on. */
stoa_status stoa_bitmap_values_unite(stoa_bitmap_values *values, const stoa_column *column,
                                     const stoa_bitmap_values *others, uint32_t first,
                                     stoa_error *err);
/* Assign rows to the collected values, in ascending order. */
stoa_status stoa_bitmap_values_settle(stoa_bitmap_values *values, const stoa_column *column,
                                      stoa_error *err);
void stoa_bitmap_values_clear(stoa_bitmap_values *values);

/* Find the row of an element's value; false if it has none, as for NaN. */
bool stoa_bitmap_values_find(const stoa_bitmap_values *values, const stoa_column *column,
                             const void *element, uint64_t *row);

/* Numbers that were found lately, by their bits, so that hardly any is hashed: few values are
 * indexed. Begin with zeros. */
typedef struct stoa_bitmap_recent {
    struct stoa_bitmap_found {
        uint64_t bits;
        uint64_t row; /* the value's row of the bitmap, plus 1; 0: nothing is here */
    } found[256];
} stoa_bitmap_recent;

/* Where a number is, if it was found lately: then *has is true. Else it may be put there. */
static inline struct stoa_bitmap_found *stoa_bitmap_recall_number(stoa_bitmap_recent *recent,
                                                                  const void *element, size_t size,
                                                                  bool *has)
{
    uint64_t bits = 0;

    switch (size) { /* so that none is a call */
    case 1:
        memcpy(&bits, element, 1);
        break;
    case 2:
        memcpy(&bits, element, 2);
        break;
    case 4:
        memcpy(&bits, element, 4);
        break;
    default:
        memcpy(&bits, element, 8);
        break;
    }
    struct stoa_bitmap_found *const at = &recent->found[bits * 0x9e3779b97f4a7c15u >> 56];
    *has = at->row != 0 && at->bits == bits;
    if (!*has) {
        *at = (struct stoa_bitmap_found){bits, 0};
    }
    return at;
}

/* Whether a column's elements are such numbers, of 1, 2, 4 or 8 bytes. */
bool stoa_bitmap_may_recall(const stoa_column *column);

/* Create the empty values dataset of a bitmap, named "<name>_values". */
stoa_status stoa_bitmap_values_create(const stoa_column *column, hid_t indexes, const char *name,
                                      char **made_name, hid_t *dataset, stoa_error *err);
/* Replace the contents of the dataset by these values. */
stoa_status stoa_bitmap_values_write(const stoa_bitmap_values *values, const stoa_column *column,
                                     hid_t dataset, stoa_error *err);
/* Open the values dataset of a bitmap. STOA_EDATA unless VALUES is a scalar reference to a rank-1
 * dataset of the column's datatype with `n` values. The caller closes it. */
stoa_status stoa_bitmap_values_open(const stoa_column *column, hid_t bitmap, uint64_t n,
                                    hid_t *dataset, stoa_error *err);
stoa_status stoa_bitmap_values_read(stoa_bitmap_values *values, const stoa_column *column,
                                    hid_t dataset, uint64_t n, stoa_error *err);

#endif
