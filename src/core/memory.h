/* Allocation with overflow checks, growable buffers, and bitmaps. */
#ifndef STOA_CORE_MEMORY_H
#define STOA_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Stoa allocates all its memory with these functions and releases it with free(). So a test can
 * make the n-th allocation fail (stoa_memory_fail_after()). A size of 0 gives a valid pointer.
 * Returns NULL if memory runs out or n * size overflows. */
void *stoa_alloc(size_t n, size_t size);
void *stoa_alloc_zero(size_t n, size_t size);
void *stoa_realloc(void *block, size_t n, size_t size);
/* Make room for one more element in an array of n elements that only this function grows. The
 * capacity doubles at powers of two, so appending has amortised constant cost. */
void *stoa_one_more(void *block, size_t n, size_t size);
/* `alignment` is a power of two. Do not pass the result to stoa_realloc(). */
void *stoa_alloc_aligned(size_t alignment, size_t size);
/* stoa_alloc() for memory that may be large and is written from start to end. Large blocks use huge
 * pages. */
void *stoa_alloc_large(size_t n, size_t size);
/* Bytes of the machine's memory; 1 GiB if the system does not tell. */
uint64_t stoa_machine_memory(void);
/* Bytes that a sort takes by default before it writes temporary files: a quarter of the machine's
 * memory, but at most 768 MiB. Runs in files merge about as fast from there on. */
uint64_t stoa_sort_memory(void);

char *stoa_strdup(const char *text);
char *stoa_strndup(const char *text, size_t length);
/* Format into a new string; NULL if memory runs out. */
char *stoa_format(const char *format, ...) STOA_PRINTF(1, 2);

/* Register a callback that tells whether any allocation of the process has failed; NULL removes it.
 * libhdf5 treats some failed allocations as answers. A change that is incomplete for that reason
 * must not be committed. */
void stoa_memory_watch(bool (*ran_out)(void));
bool stoa_memory_ran_out(void);

/* For tests: the allocation after the next `n` ones fails, once. UINT64_MAX disables it (the
 * default). */
void stoa_memory_fail_after(uint64_t n);

/* A growable byte buffer. Zero-initialise; free with stoa_buffer_clear(). `data` has the alignment
 * of malloc(). */
typedef struct stoa_buffer {
    uint8_t *data;
    size_t size;     /* bytes in use */
    size_t capacity; /* bytes allocated */
} stoa_buffer;

stoa_status stoa_buffer_reserve(stoa_buffer *buffer, size_t extra, stoa_error *err);
stoa_status stoa_buffer_append(stoa_buffer *buffer, const void *bytes, size_t n, stoa_error *err);
/* Append n zero bytes. */
stoa_status stoa_buffer_grow(stoa_buffer *buffer, size_t n, stoa_error *err);
/* Append formatted text. A NUL follows the text but is not counted in `size`. */
stoa_status stoa_buffer_print(stoa_buffer *buffer, stoa_error *err, const char *format, ...)
    STOA_PRINTF(3, 4);
/* Append a name or a text in quotes, as SQL and queries have it: `mark` is '"' or '\'', and is
 * doubled within. A NUL follows, as above. */
stoa_status stoa_buffer_quote(stoa_buffer *buffer, char mark, const char *text, size_t length,
                              stoa_error *err);
/* Transfer ownership of the bytes to the caller and empty the buffer. NULL only if the buffer was
 * never filled. */
void *stoa_buffer_detach(stoa_buffer *buffer);
/* The same for a NUL-terminated string; "" if the buffer was never filled. On STOA_ENOMEM the
 * buffer and `out` are unchanged. */
stoa_status stoa_buffer_detach_text(stoa_buffer *buffer, char **out, stoa_error *err);
void stoa_buffer_clear(stoa_buffer *buffer);

/* Bits in Arrow's order: bit i is in byte i/8, least significant bit first. */
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
/* Number of set bits. Avoids a library call where the target processor may lack POPCNT. */
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
/* Bit mask of the nonzero words among n words (at most 64). A loop over its bits branches more
 * predictably than one over the words. */
static inline uint64_t stoa_words_marked(const uint64_t *words, size_t n)
{
    uint64_t marked = 0;

    for (size_t i = 0; i < n; i++) {
        marked |= (uint64_t)(words[i] != 0) << i;
    }
    return marked;
}
/* Number of set bits in [first, first + n). */
uint64_t stoa_bit_count(const uint8_t *bits, uint64_t first, uint64_t n);

#endif
