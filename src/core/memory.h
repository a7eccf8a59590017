/* Allocation with overflow checks, and the growable buffer everything variable is built in. */
#ifndef STOA_CORE_MEMORY_H
#define STOA_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* All memory of Stoa comes from these six (and goes back through free()), so that a test can make
 * the n-th allocation fail: stoa_memory_fail_after. A size of 0 gives a valid pointer. NULL when
 * memory runs out or n * size overflows. */
void *stoa_alloc(size_t n, size_t size);
void *stoa_alloc_zero(size_t n, size_t size);
void *stoa_realloc(void *block, size_t n, size_t size);
/* An array of n elements that has room for one more, where nothing else allocates it: it doubles at
 * powers of two, so that n elements are not copied n times. */
void *stoa_one_more(void *block, size_t n, size_t size);
/* `alignment` is a power of two; not for stoa_realloc(). */
void *stoa_alloc_aligned(size_t alignment, size_t size);
/* stoa_alloc() for what may be large and is written from its beginning to its end: of huge pages
 * then. */
void *stoa_alloc_large(size_t n, size_t size);
char *stoa_strdup(const char *text);
char *stoa_strndup(const char *text, size_t length);
/* printf into a fresh string; NULL when memory runs out. */
char *stoa_format(const char *format, ...) STOA_PRINTF(1, 2);

/* Tests only: the allocation after `n` more ones fails, once; UINT64_MAX never (the default). */
void stoa_memory_fail_after(uint64_t n);

/* A growable run of bytes. Zero-initialise; free with stoa_buffer_clear(). `data` is aligned as
 * malloc() aligns. */
typedef struct stoa_buffer {
    uint8_t *data;
    size_t size;     /* bytes in use */
    size_t capacity; /* bytes allocated */
} stoa_buffer;

stoa_status stoa_buffer_reserve(stoa_buffer *buffer, size_t extra, stoa_error *err);
stoa_status stoa_buffer_append(stoa_buffer *buffer, const void *bytes, size_t n, stoa_error *err);
/* Grow by n zero bytes. */
stoa_status stoa_buffer_grow(stoa_buffer *buffer, size_t n, stoa_error *err);
/* Append formatted text (no NUL is counted; one always follows the text). */
stoa_status stoa_buffer_print(stoa_buffer *buffer, stoa_error *err, const char *format, ...)
    STOA_PRINTF(3, 4);
/* The bytes, no longer the buffer's; NULL only if never filled. */
void *stoa_buffer_take(stoa_buffer *buffer);
/* The same as a text that ends with a NUL, empty of a buffer never filled; STOA_ENOMEM leaves the
 * buffer as it was, and `out` as it was. */
stoa_status stoa_buffer_take_text(stoa_buffer *buffer, char **out, stoa_error *err);
void stoa_buffer_clear(stoa_buffer *buffer);

/* Arrow bitmaps: bit i of byte i/8, least significant first. */
static inline bool stoa_bit_get(const uint8_t *bits, uint64_t i)
{
    return (bits[i >> 3] >> (i & 7)) & 1;
}
static inline void stoa_bit_set(uint8_t *bits, uint64_t i)
{
    bits[i >> 3] = (uint8_t)(bits[i >> 3] | (1u << (i & 7)));
}
static inline void stoa_bit_clear(uint8_t *bits, uint64_t i)
{
    bits[i >> 3] = (uint8_t)(bits[i >> 3] & ~(1u << (i & 7)));
}
static inline uint64_t stoa_bit_bytes(uint64_t n_bits)
{
    return (n_bits >> 3) + ((n_bits & 7) != 0);
}
/* Bits set in a word: without a call where the processor that is compiled for may lack the
 * instruction. */
static inline unsigned stoa_word_count(uint64_t word)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(word * 0x0101010101010101u >> 56);
#else
    return (unsigned)__builtin_popcountll(word);
#endif
}
/* Of n words, 64 at most, those that are not 0: a loop over these bits foresees where it goes, one
 * over the words does not. */
static inline uint64_t stoa_words_marked(const uint64_t *words, size_t n)
{
    uint64_t marked = 0;

    for (size_t i = 0; i < n; i++) {
        marked |= (uint64_t)(words[i] != 0) << i;
    }
    return marked;
}
/* Bits set among [first, first + n). */
uint64_t stoa_bit_count(const uint8_t *bits, uint64_t first, uint64_t n);

#endif
