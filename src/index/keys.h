/*
 * The order of HEP001 §10.5 as keys: what a sort compares instead of elements.
 *
 * A number becomes a uint64 that orders as its value does and can be turned back into it; strings
 * and opaque values keep their bytes, of which the first eight are the key. Missing rows and NaN
 * have no place in the order: who sorts sets them aside.
 */
#ifndef STOA_INDEX_KEYS_H
#define STOA_INDEX_KEYS_H

#include <string.h>

#include "column/column.h"

/* The key of every NaN, which no other float has. */
#define STOA_KEY_NAN UINT64_MAX

/* One value on its way into order. */
typedef struct stoa_sort_record {
    uint64_t key;
    uint64_t row;
    const char *bytes; /* strings without padding, opaque; borrowed */
    size_t length;
} stoa_sort_record;

/* Whether records of such elements carry bytes; otherwise they are their keys alone. */
bool stoa_key_is_bytes(const stoa_element *element);

/* The keys of n numbers. */
void stoa_keys_of(const stoa_element *element, const void *elements, uint64_t n, uint64_t *keys);
/* The number a key stands for, as an element in memory form; zero comes back positive. */
void stoa_key_restore(const stoa_element *element, uint64_t key, void *value);

/* One element, of either sort; the row is left alone. False if it is NaN. */
bool stoa_record_of(const stoa_column *column, const void *value, stoa_sort_record *record);

/* The first eight bytes, the first one foremost; what is missing is 0. */
static inline uint64_t stoa_key_of_bytes(const char *bytes, size_t length)
{
    uint64_t key = 0;

    memcpy(&key, bytes, length < sizeof key ? length : sizeof key);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    key = __builtin_bswap64(key);
#endif
    return key;
}

/* By value alone: <0, 0, >0. */
int stoa_record_compare(const stoa_sort_record *a, const stoa_sort_record *b);

#endif
