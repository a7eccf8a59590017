/* Converts stored elements to values of the column's Arrow type, if the two differ: booleans,
 * times, category codes. */
#ifndef STOA_COLUMN_DECODE_H
#define STOA_COLUMN_DECODE_H

#include "column/column.h"
#include "column/read/validity.h"

/* Whether the column's Arrow type is that of its elements. */
static inline bool stoa_column_is_as_stored(const stoa_column *column)
{
    return column->type.kind != STOA_KIND_BOOL && !column->is_time &&
           !stoa_column_is_categorical(column);
}

/* Whether elements are numbers of 1, 2, 4 or 8 bytes, which the kernels in validity.h support. */
static inline bool stoa_column_is_numeric(const stoa_column *column)
{
    return column->element.class == STOA_ELEMENT_INTEGER ||
           column->element.class == STOA_ELEMENT_FLOAT ||
           column->element.class == STOA_ELEMENT_ENUM;
}

/* Whether elements in memory are numbers of the column's Arrow type. Then stoa_column_read_into()
 * fills a buffer of an Arrow array. Some may be missing. */
static inline bool stoa_column_are_values(const stoa_column *column)
{
    const stoa_element *const element = &column->element;

    return ((element->class == STOA_ELEMENT_INTEGER && element->logical == STOA_LOGICAL_NONE) ||
            element->class == STOA_ELEMENT_FLOAT) &&
           column->type.kind == element->kind &&
           (size_t)stoa_kind_width(element->kind) == element->size &&
           stoa_column_is_as_stored(column) && column->source.read_array == NULL &&
           column->mask == NULL;
}

/* The same, and none is missing. */
static inline bool stoa_column_is_values(const stoa_column *column)
{
    return stoa_column_are_values(column) && column->fill == NULL;
}

/* Whether rows may be used in the map of the file, where another program might change them. Only
 * types whose values never become memory offsets may: codes index a dictionary, and integers index
 * tables of groups. Other types are copied. */
static inline bool stoa_column_may_change(const stoa_column *column)
{
    return stoa_kind_is_float(column->type.kind);
}

/* The canonical missing-value test (HEP001 §8.5) for a numeric column with a fill value. Bit i of
 * `validity` is cleared if element i is missing, and set otherwise. Returns the number of missing
 * elements. */
uint64_t stoa_column_mark_valid(const stoa_column *column, const stoa_validity_kernels *marks,
                                const void *elements, uint64_t n, uint8_t *validity);

/* Bytes of n converted values. */
size_t stoa_column_decode_bytes(const stoa_column *column, uint64_t n);
/*
 * Convert n elements into `out`. For categories `out` may be `elements` itself. Missing values
 * become 0.
 *
 * @param validity  bit set: not missing; NULL: no value is missing
 * @return STOA_EDATA if a byte is not a boolean (§8.5) or a code has no label (§8.7), STOA_ERANGE
 *         if a time is out of Arrow's range
 */
stoa_status stoa_column_decode(const stoa_column *column, const void *elements, uint64_t n,
                               const uint8_t *validity, void *out, stoa_error *err);

#endif
