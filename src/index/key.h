/*
 * Keys: the canonical byte representation of a value (HEP001 §10.7). Two values of a column are
 * equal if and only if their keys are, so a hash table of keys is one of values.
 *
 * Numbers are little-endian at the column's width, with one zero; strings are without padding;
 * opaque values are their bytes. A NaN equals nothing and has no key.
 */
#ifndef STOA_INDEX_KEY_H
#define STOA_INDEX_KEY_H

#include "index/kind.h"

typedef struct stoa_key {
    const void *bytes; /* borrowed: from the element, the scalar, or `number` of this very key */
    size_t length;
    uint8_t number[8];
} stoa_key;

/* The key of an element in memory form; false for a NaN. */
bool stoa_key_of(const stoa_column *column, const void *element, stoa_key *key);
/* The key that elements equal to the scalar have; false if no element of the column can be. */
bool stoa_key_of_scalar(const stoa_column *column, const stoa_scalar *scalar, stoa_key *key);

/* Back again: the value, its bytes borrowed from the key's. */
stoa_scalar stoa_key_scalar(const stoa_column *column, const void *bytes, size_t length);
/* An element in memory form, into element.size bytes. Not for variable-length strings. */
void stoa_key_element(const stoa_column *column, const void *bytes, size_t length, void *element);

#endif
