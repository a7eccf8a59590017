/* The order of HEP001 §10.5: elements as scalars, their comparison, and their text. */
#ifndef STOA_INDEX_ORDER_H
#define STOA_INDEX_ORDER_H

#include "index/common/kind.h"

/* Convert an element in memory form to a scalar, whose bytes are borrowed from the element. The
 * column must be ordered (stoa_column_is_ordered()). */
stoa_scalar stoa_scalar_of(const stoa_column *column, const void *element);

/* Compare: <0, 0, >0 in *order. False if the two are unordered: NaN, or a number and a string. */
bool stoa_scalar_compare(const stoa_scalar *a, const stoa_scalar *b, int *order);

/* Format for display: times as ISO 8601, opaque values as hex, long strings truncated between
 * characters. Codes of enums and categoricals stay numbers. Always NUL-terminated; size >= 1. */
void stoa_scalar_text(const stoa_column *column, const stoa_scalar *scalar, char *out, size_t size);

#endif
