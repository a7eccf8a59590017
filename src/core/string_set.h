/* A set of distinct byte strings, numbered in insertion order. */
#ifndef STOA_CORE_STRING_SET_H
#define STOA_CORE_STRING_SET_H

#include <stoa/progress.h>

#include "core/memory.h"

/* Zero-initialise; free with stoa_string_set_clear(). */
typedef struct stoa_string_set {
    stoa_buffer bytes;   /* all strings, concatenated */
    stoa_buffer offsets; /* uint64_t; count + 1 of them once a string was added */
    stoa_buffer hashes;  /* uint64_t, one per string */
    uint64_t *slots;     /* open addressing: number + 1 and the hash's upper half; 0 if free */
    size_t n_slots;
    uint32_t count;
    const stoa_listener *listener; /* told while slots grow; borrowed, may be NULL */
} stoa_string_set;

/* Return the string's number, and add the string if it is new. The set holds up to 2^32 - 2
 * strings. */
stoa_status stoa_string_set_add(stoa_string_set *set, const void *bytes, size_t length,
                                uint32_t *number, stoa_error *err);
/* Number of look-ups whose memory accesses overlap. */
enum { STOA_STRING_SET_AT_ONCE = 32 };
/* Add n strings, whose hashes by stoa_hash_bytes() with seed 0 are known. If the set exceeds the
 * processor's caches, this is several times faster than single calls. */
stoa_status stoa_string_set_add_many(stoa_string_set *set, const char *const *texts,
                                     const size_t *lengths, const uint64_t *hashes, size_t n,
                                     uint32_t *numbers, stoa_error *err);
/* Reserve slots for n more strings, so that adding them does not rehash the set. */
stoa_status stoa_string_set_reserve(stoa_string_set *set, size_t n, stoa_error *err);
/* Add all strings of another set. `numbers` receives the number in `set` of each string of `other`;
 * it may be NULL. */
stoa_status stoa_string_set_merge(stoa_string_set *set, const stoa_string_set *other,
                                  uint32_t *numbers, stoa_error *err);
/* Return false if the string is absent. */
bool stoa_string_set_find(const stoa_string_set *set, const void *bytes, size_t length,
                          uint32_t *number);

#define STOA_STRING_SET_NONE UINT32_MAX

/* Look up n strings; an absent one gives STOA_STRING_SET_NONE. If the set exceeds the processor's
 * caches, this is several times faster than single look-ups. */
void stoa_string_set_find_many(const stoa_string_set *set, const char *const *texts,
                               const size_t *lengths, size_t n, uint32_t *numbers);
/* Borrowed until the next add. */
const char *stoa_string_set_get(const stoa_string_set *set, uint32_t number, size_t *length);
void stoa_string_set_clear(stoa_string_set *set);

/* FNV-like 64-bit hash with a final mix. It does not resist keys chosen to collide. */
uint64_t stoa_hash_bytes(const void *bytes, size_t length, uint64_t seed);

/* Byte-wise lexicographic order, shorter first (HEP001 §10.5): <0, 0, >0. */
int stoa_compare_bytes(const void *a, size_t a_length, const void *b, size_t b_length);

#endif
