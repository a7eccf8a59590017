/* A set of distinct byte strings, numbered in the order they were first added. */
#ifndef STOA_CORE_STRINGS_H
#define STOA_CORE_STRINGS_H

#include "core/memory.h"

/* Zero-initialise; free with stoa_strings_clear(). */
typedef struct stoa_strings {
    stoa_buffer bytes;   /* all strings, back to back */
    stoa_buffer offsets; /* uint64_t, count + 1 of them once something was added */
    stoa_buffer hashes;  /* uint64_t a string */
    uint64_t *slots;     /* open addressing: number + 1 below the hash's upper half; 0 free */
    size_t n_slots;
    uint32_t count;
} stoa_strings;

/* The string's number, adding it if it is new. Room for 2^32 - 2 strings. */
stoa_status stoa_strings_add(stoa_strings *set, const void *bytes, size_t length, uint32_t *number,
                             stoa_error *err);
/* Room for n more strings, so that adding them does not move those that are there. */
stoa_status stoa_strings_reserve(stoa_strings *set, size_t n, stoa_error *err);
/* Add all strings of another set; `numbers` are theirs in this one, NULL: not asked for. */
stoa_status stoa_strings_merge(stoa_strings *set, const stoa_strings *other, uint32_t *numbers,
                               stoa_error *err);
/* False if it is not there. */
bool stoa_strings_find(const stoa_strings *set, const void *bytes, size_t length, uint32_t *number);

/* Look-ups that wait for memory together. */
enum { STOA_STRINGS_AT_ONCE = 32 };
#define STOA_STRINGS_NONE UINT32_MAX

/* The numbers of n strings, STOA_STRINGS_NONE for one that is not there. In a set that is larger
 * than the processor's caches this is several times as fast as one by one. */
void stoa_strings_find_many(const stoa_strings *set, const char *const *texts,
                            const size_t *lengths, size_t n, uint32_t *numbers);
/* Borrowed until the next add. */
const char *stoa_strings_get(const stoa_strings *set, uint32_t number, size_t *length);
void stoa_strings_clear(stoa_strings *set);

/* FNV-like 64-bit hash with a final mix; not for hostile keys beyond this process. */
uint64_t stoa_hash_bytes(const void *bytes, size_t length, uint64_t seed);

/* Byte-wise lexicographic order, shorter first (HEP001 §10.5): <0, 0, >0. */
int stoa_compare_bytes(const void *a, size_t a_length, const void *b, size_t b_length);

#endif
