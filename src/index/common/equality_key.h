/*
 * Keys: the canonical bytes of a value (HEP001 §10.7). Two values of a column are equal if and only
 * if their keys are, so a hash table of keys is one of values.
 *
 * Numbers are little-endian at the column's width, with a single zero. Strings have no padding.
 * Opaque values are their bytes. NaN equals nothing and has no key.
 */
#ifndef STOA_INDEX_EQUALITY_KEY_H
#define STOA_INDEX_EQUALITY_KEY_H

#include "index/common/kind.h"

typedef struct stoa_key {
    const void *bytes; /* borrowed from the element, the scalar, or `number` of this key */
    size_t length;
    uint8_t number[8];
} stoa_key;

/* Make the key of an element in memory form; false for NaN. */
bool stoa_key_of(const stoa_column *column, const void *element, stoa_key *key);
/* Make the key of elements equal to the scalar; false if no element of the column can equal it. */
bool stoa_key_of_scalar(const stoa_column *column, const stoa_scalar *scalar, stoa_key *key);

/* Convert a key back to a value. Its bytes are borrowed from the key. */
stoa_scalar stoa_key_scalar(const stoa_column *column, const void *bytes, size_t length);
/* Convert a key to an element in memory form of element.size bytes. Not for variable-length
 * strings. */
void stoa_key_element(const stoa_column *column, const void *bytes, size_t length, void *element);

#endif
