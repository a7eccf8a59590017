/*
 * Short runs of bytes, eight at a time and without a call.
 *
 * Most texts have a few bytes, and calls of memcmp(), memcpy() or memmem() take longer than
 * their work. No function here reads or writes beyond the bytes that it is given.
 */
#ifndef STOA_CORE_SHORT_BYTES_H
#define STOA_CORE_SHORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The lowest bit, and the highest, of each byte of a word. */
#define STOA_LOW_BITS UINT64_C(0x0101010101010101)
#define STOA_HIGH_BITS UINT64_C(0x8080808080808080)

static inline uint32_t stoa_load_u32(const void *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t stoa_load_u64(const void *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* At most 8 bytes as a word whose lowest is the first; zeros stand for the others. */
static inline uint64_t stoa_word_of(const char *bytes, size_t n)
{
    uint64_t word = 0;

    if (n >= 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        return stoa_load_u64(bytes);
    }
    if (n >= 4 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) { /* they overlap */
        return stoa_load_u32(bytes) | (uint64_t)stoa_load_u32(bytes + n - 4) << 8 * (n - 4);
    }
    for (size_t i = 0; i < n && i < 8; i++) {
        word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    }
    return word;
}

/* Write the lowest n bytes of a word, at most 8. */
static inline void stoa_write_word(char *to, uint64_t word, size_t n)
{
    if (n >= 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        memcpy(to, &word, 8);
        return;
    }
    if (n >= 4 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) { /* they overlap */
        const uint32_t last = (uint32_t)(word >> 8 * (n - 4));
        memcpy(to, &word, 4);
        memcpy(to + n - 4, &last, 4);
        return;
    }
    for (size_t i = 0; i < n && i < 8; i++) {
        to[i] = (char)(word >> 8 * i);
    }
}

static inline bool stoa_same_bytes(const char *a, const char *b, size_t n)
{
    if (n > 16) {
        return memcmp(a, b, n) == 0;
    }
    if (n < 8) {
        return stoa_word_of(a, n) == stoa_word_of(b, n);
    }
    return ((stoa_load_u64(a) ^ stoa_load_u64(b)) |
            (stoa_load_u64(a + n - 8) ^ stoa_load_u64(b + n - 8))) == 0;
}

static inline void stoa_copy_bytes(char *to, const char *from, size_t n)
{
    if (n > 16) {
        memcpy(to, from, n);
    } else if (n >= 8) { /* they overlap */
        const uint64_t last = stoa_load_u64(from + n - 8);
        stoa_write_word(to, stoa_word_of(from, 8), 8);
        memcpy(to + n - 8, &last, 8);
    } else {
        stoa_write_word(to, stoa_word_of(from, n), n);
    }
}

/* Whether no byte is above 127. */
static inline bool stoa_is_ascii(const char *bytes, size_t n)
{
    uint64_t all = 0;

    if (n < 8) {
        return (stoa_word_of(bytes, n) & STOA_HIGH_BITS) == 0;
    }
    for (size_t i = 0; i + 8 < n; i += 8) {
        all |= stoa_load_u64(bytes + i);
    }
    return ((all | stoa_load_u64(bytes + n - 8)) & STOA_HIGH_BITS) == 0;
}

/* Which of the first 16 of n bytes are `byte`: bit i for byte i. */
static inline uint32_t stoa_bytes_equal(const char *bytes, size_t n, char byte)
{
    const size_t second = n > 8 && n < 16 ? n - 8 : 8; /* the words overlap */
    const uint64_t words[2] = {stoa_word_of(bytes, n), n > 8 ? stoa_word_of(bytes + second, 8) : 0};
    uint32_t equal = 0;

#if defined(__SSE2__)
    const __m128i same = _mm_cmpeq_epi8(_mm_set_epi64x((long long)words[1], (long long)words[0]),
                                        _mm_set1_epi8(byte));
    equal = (uint32_t)_mm_movemask_epi8(same);
#else
    for (int i = 0; i < 2; i++) { /* collect the highest bit of each byte that is 0 */
        const uint64_t other = words[i] ^ (unsigned char)byte * STOA_LOW_BITS;
        const uint64_t is_none = ~(((other & ~STOA_HIGH_BITS) + ~STOA_HIGH_BITS) | other);
        equal |= (uint32_t)(((is_none & STOA_HIGH_BITS) >> 7) * UINT64_C(0x0102040810204080) >> 56)
                 << 8 * i;
    }
#endif
    equal = (equal & 0xff) | equal >> 8 << second;
    return n < 16 ? equal & ((1u << n) - 1) : equal;
}

/* The first place of `part` in a text; SIZE_MAX if it is not there. An empty part is at 0. */
static inline size_t stoa_find_bytes(const char *text, size_t n, const char *part, size_t n_part)
{
    uint64_t places = 0; /* where the part may be */
    uint64_t seconds = 0;

    if (n_part == 0 || n_part > n) {
        return n_part == 0 ? 0 : SIZE_MAX;
    }
    if (n > 64) {
        const char *const at = memmem(text, n, part, n_part);
        return at != NULL ? (size_t)(at - text) : SIZE_MAX;
    }
    for (size_t i = 0; i < n; i += 16) {
        places |= (uint64_t)stoa_bytes_equal(text + i, n - i, part[0]) << i;
        if (n_part > 1) {
            seconds |= (uint64_t)stoa_bytes_equal(text + i, n - i, part[1]) << i;
        }
    }
    places &= UINT64_MAX >> (63 - (n - n_part)) & (n_part > 1 ? seconds >> 1 : UINT64_MAX);
    while (places != 0 && n_part > 2 &&
           !stoa_same_bytes(text + __builtin_ctzll(places), part, n_part)) {
        places &= places - 1;
    }
    /* Without a branch, for which rows pass is not to be foreseen. */
    return (size_t)__builtin_ctzll(places | UINT64_C(1) << 63) | -(size_t)(places == 0);
}

#endif
