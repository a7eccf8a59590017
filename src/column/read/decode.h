/*
 * Stored elements as values of the column's Arrow type, where that is not what is stored: bools,
 * times, category codes.
 */
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

/* Whether elements are numbers of 1, 2, 4 or 8 bytes, which the loops of validity.h know. */
static inline bool stoa_column_is_numeric(const stoa_column *column)
{
    return column->element.class == STOA_ELEMENT_INTEGER ||
           column->element.class == STOA_ELEMENT_FLOAT ||
           column->element.class == STOA_ELEMENT_ENUM;
}

/* Whether elements in memory are numbers of the column's Arrow type, none of them missing: what
 * stoa_column_read_into() reads is a buffer of Arrow's. */
static inline bool stoa_column_is_values(const stoa_column *column)
{
    const stoa_element *const element = &column->element;

    return ((element->class == STOA_ELEMENT_INTEGER && element->show == STOA_SHOW_STORED) ||
            element->class == STOA_ELEMENT_FLOAT) &&
           column->type.kind == element->kind &&
           (size_t)stoa_kind_width(element->kind) == element->size &&
           stoa_column_is_as_stored(column) && column->source.read_array == NULL &&
           column->fill == NULL && column->mask == NULL;
}

/* Whether rows may be looked at in the map of the file, where another program might change them:
 * those that nobody takes for a place in memory, as codes are taken for one in a dictionary, and
 * integers in a table of groups. Others are copied. */
static inline bool stoa_column_may_change(const stoa_column *column)
{
    return stoa_kind_is_float(column->type.kind);
}

/* The canonical missing-value test (HEP001 §8.5) on elements of a numeric column that has a fill:
 * bit i of `validity` is cleared where element i is missing, and set elsewhere. Returns how many
 * are missing. */
uint64_t stoa_column_mark_valid(const stoa_column *column, const stoa_validity_kernels *marks,
                                const void *elements, uint64_t n, uint8_t *validity);

/* Bytes that n presented values take up. */
size_t stoa_column_decode_bytes(const stoa_column *column, uint64_t n);
/*
 * n elements as presented values into `out`, which for categories may be `elements` itself. Missing
 * ones become 0.
 *
 * @param validity  bit set: not missing; NULL: none is
 * @return STOA_EDATA where a byte is no boolean (§8.5) or a code has no label (§8.7), STOA_ERANGE
 * where a time is past what Arrow can count
 */
stoa_status stoa_column_decode(const stoa_column *column, const void *elements, uint64_t n,
                               const uint8_t *validity, void *out, stoa_error *err);

#endif
