/* Fixed-length strings are processed a word at a time. A string is copied in whole words, and the
 * next one overwrites the excess. So only the position of the next string depends on the length.
 * The last elements, after which a word would be read out of bounds, are copied byte by byte. */
#include "hdf/metadata/fixed_texts.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), TWO_WORDS = 2 * WORD, AT_ONCE = 4096 };

static inline uint64_t load_word(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word); /* little-endian: the first byte is the lowest */
#endif
    return word;
}

static uint64_t filler_word(H5T_str_t padding)
{
    return padding == H5T_STR_SPACEPAD ? UINT64_C(0x2020202020202020) : 0;
}

/* Number of bytes up to the last nonzero one. */
static inline size_t used_bytes(uint64_t word)
{
    return word != 0 ? WORD - (size_t)__builtin_clzll(word) / 8 : 0;
}

/* Number of bytes before the first zero. */
static inline size_t bytes_before_nul(uint64_t word)
{
    const uint64_t low = UINT64_C(0x0101010101010101);
    const uint64_t nuls = (word - low) & ~word & low << 7; /* the lowest set bit is exact */

    return nuls != 0 ? (size_t)__builtin_ctzll(nuls) / 8 : WORD;
}

/* Length of a string of up to one word. `mask` selects its own bytes. */
static inline size_t short_length(const uint8_t *text, size_t size, H5T_str_t padding,
                                  uint64_t mask)
{
    const uint64_t word = load_word(text);

    if (padding == H5T_STR_NULLTERM) {
        const size_t length = bytes_before_nul(word & mask);
        return length < size ? length : size;
    }
    return used_bytes((word ^ filler_word(padding)) & mask);
}

/* Length of a string of more than one word and up to two. The words overlap. */
static inline size_t double_length(const uint8_t *text, size_t size, H5T_str_t padding)
{
    const uint64_t low = load_word(text);
    const uint64_t high = load_word(text + size - WORD);

    if (padding == H5T_STR_NULLTERM) {
        const size_t length = bytes_before_nul(low);
        return length < WORD ? length : size - WORD + bytes_before_nul(high);
    }
    const size_t used = used_bytes(high ^ filler_word(padding));
    return used > 0 ? size - WORD + used : used_bytes(low ^ filler_word(padding));
}

/* Length of a longer string, from its end. */
static size_t long_length(const uint8_t *text, size_t size, H5T_str_t padding)
{
    size_t end = size;

    if (padding == H5T_STR_NULLTERM) {
        return strnlen((const char *)text, size);
    }
    for (; end >= WORD; end -= WORD) {
        const size_t used = used_bytes(load_word(text + end - WORD) ^ filler_word(padding));
        if (used > 0) {
            return end - WORD + used;
        }
    }
    return stoa_fixed_string_length((const char *)text, end, padding);
}

bool stoa_fixed_texts_are_full(const stoa_fixed_texts *texts)
{
    const uint8_t filler = (uint8_t)filler_word(texts->padding);
    const size_t size = texts->size;
    const uint8_t *last = texts->elements + size - 1;

    if (texts->padding == H5T_STR_NULLTERM || texts->missing != NULL) {
        return false;
    }
    for (int64_t at = 0; at < texts->n; at += AT_ONCE) {
        const int64_t end = texts->n - at < AT_ONCE ? texts->n : at + AT_ONCE;
        unsigned n_padded = 0;
        for (int64_t i = at; i < end; i++) {
            n_padded += last[(size_t)i * size] == filler;
        }
        if (n_padded != 0) {
            return false;
        }
    }
    return true;
}

static inline bool is_missing(const uint8_t *missing, int64_t i)
{
    return missing != NULL && stoa_bit_get(missing, (uint64_t)i);
}

/* For strings that are followed by as many bytes as a copy reads too much. */
#define TAKE_WORDS(length_of, n_bytes)                                                             \
    do {                                                                                           \
        for (; i < n_safe; i++) {                                                                  \
            const uint8_t *text = elements + (size_t)i * size;                                     \
            memcpy(bytes + at, text, n_bytes);                                                     \
            at += is_missing(missing, i) ? 0 : (length_of);                                        \
            offsets[i + 1] = (int32_t)at;                                                          \
        }                                                                                          \
    } while (0)

bool stoa_fixed_texts_decode(const stoa_fixed_texts *texts, uint8_t *bytes, int32_t *offsets)
{
    const uint8_t *const elements = texts->elements;
    const uint8_t *const missing = texts->missing;
    const size_t size = texts->size;
    const H5T_str_t padding = texts->padding;
    const uint64_t mask = size < WORD ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
    const int64_t tail = (int64_t)(STOA_TEXTS_SLACK / size) + 1;
    const int64_t n_safe = texts->n - tail;
    size_t at = 0;
    int64_t i = 0;

    offsets[0] = 0;
    if (size <= WORD) {
        TAKE_WORDS(short_length(text, size, padding, mask), WORD);
    } else if (size <= TWO_WORDS) {
        TAKE_WORDS(double_length(text, size, padding), TWO_WORDS);
    }
    for (; i < texts->n; i++) {
        const uint8_t *text = elements + (size_t)i * size;
        const size_t length = is_missing(missing, i) ? 0 : long_length(text, size, padding);
        memcpy(bytes + at, text, length);
        at += length;
        offsets[i + 1] = (int32_t)at;
    }
    return at <= INT32_MAX;
}
