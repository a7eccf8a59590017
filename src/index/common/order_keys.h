/*
 * Sort keys for the order of HEP001 §10.5, compared instead of elements.
 *
 * A number becomes a uint64 with the same order, and can be converted back. Strings and opaque
 * values keep their bytes, the first eight of which are the key. Missing rows and NaN have no place
 * in the order, so callers set them aside.
 */
#ifndef STOA_INDEX_ORDER_KEYS_H
#define STOA_INDEX_ORDER_KEYS_H

#include <string.h>

#include "column/column.h"

/* The key of every NaN. No other float has it. */
#define STOA_KEY_NAN UINT64_MAX

/* A value to be sorted. */
typedef struct stoa_sort_record {
    uint64_t key;
    uint64_t row;
    const char *bytes; /* strings without padding, or opaque bytes; borrowed */
    size_t length;
} stoa_sort_record;

/* Whether records of such elements carry bytes. Otherwise the key is the whole value. */
bool stoa_key_is_bytes(const stoa_element *element);

/* Make the keys of n numbers. */
void stoa_keys_of(const stoa_element *element, const void *elements, uint64_t n, uint64_t *keys);
/* Convert a key back to an element in memory form. A zero becomes positive. */
void stoa_key_restore(const stoa_element *element, uint64_t key, void *value);

/* Make the record of one element, except its row; false for NaN. */
bool stoa_record_of(const stoa_column *column, const void *value, stoa_sort_record *record);

/* The first eight bytes, big-endian and padded with zeros. */
static inline uint64_t stoa_key_of_bytes(const char *bytes, size_t length)
{
    uint64_t key = 0;

    if (length >= sizeof key) { /* without a call */
        memcpy(&key, bytes, sizeof key);
    } else if (length > 0) { /* a text without bytes may be NULL */
        memcpy(&key, bytes, length);
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    key = __builtin_bswap64(key);
#endif
    return key;
}

/* Compare by value only: <0, 0, >0. */
int stoa_record_compare(const stoa_sort_record *a, const stoa_sort_record *b);

#endif
