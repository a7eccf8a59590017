/*
 * The two loops of the scanner, written once on 64-bit masks of 64 bytes.
 *
 * Included by scan_<set>.c, which defines before it:
 *
 *     static inline uint64_t equal(const word64 *word, char c)   bytes equal to c
 *     static inline uint64_t high(const word64 *word)            bytes of 0x80 and above
 *     static inline word64 load(const char *text)
 */
#include <string.h>

#include "layout/csv/scan.h"

/* The first n bits. */
static inline uint64_t first_bits(size_t n)
{
    return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

static void count(const char *text, size_t n, bool after_cr, stoa_csv_counts *counts)
{
    uint64_t carried = after_cr;

    *counts = (stoa_csv_counts){0};
    for (size_t i = 0; i < n; i += 64) {
        const word64 word = load(text + i);
        const uint64_t valid = first_bits(n - i);
        const uint64_t cr = equal(&word, '\r') & valid;
        const uint64_t lf = equal(&word, '\n') & valid & ~(cr << 1 | carried);
        counts->n_quotes += (uint64_t)__builtin_popcountll(equal(&word, '"') & valid);
        counts->n_lines += (uint64_t)__builtin_popcountll(cr | lf);
        carried = cr >> 63;
    }
}

/* Bit i: whether the number of set bits in [0, i] is odd. */
static inline uint64_t parity_so_far(uint64_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    return bits;
}

/* Write the positions of the set bits, four at a time. Writing a few too many is cheaper than a
 * branch. */
static inline size_t put_bits(uint64_t bits, uint32_t first, uint32_t *at)
{
    const size_t n = (size_t)__builtin_popcountll(bits);

    for (size_t i = 0; i < n; i += 4) {
        for (size_t j = i; j < i + 4; j++) {
            at[j] = first + (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
            bits &= bits - 1;
        }
    }
    return n;
}

/* State that one word passes to the next, each in bit 0. Only `inside` sets all bits or none. */
typedef struct carry {
    uint64_t inside; /* quotes are open */
    uint64_t start;  /* a field begins */
    uint64_t closed; /* a quote has closed, unless it is the first half of a doubled one */
    uint64_t cr;     /* unquoted */
} carry;

/* Quotes that are misplaced: they may only be at the start or end of a field, or doubled inside. */
static inline uint64_t misplaced(uint64_t quotes, uint64_t inside, uint64_t separators,
                                 uint64_t starts, uint64_t valid, carry *c)
{
    const uint64_t opens = quotes & inside;
    const uint64_t closes = quotes & ~inside;
    const uint64_t after_close = closes << 1 | c->closed;

    c->closed = closes >> 63;
    return (opens & ~(starts | after_close)) | (after_close & valid & ~(separators | opens));
}

static void mark(const char *text, size_t n, char delimiter, uint32_t *at, stoa_csv_marks *marks)
{
    carry c = {.start = 1};
    uint64_t nul = 0;
    uint64_t tops = 0;
    uint64_t quotes_seen = 0;
    uint64_t cr_seen = 0;
    uint64_t broken = 0;

    *marks = (stoa_csv_marks){0};
    for (size_t i = 0; i < n; i += 64) {
        const word64 word = load(text + i);
        const uint64_t valid = first_bits(n - i);
        const uint64_t quotes = equal(&word, '"') & valid;
        uint64_t inside = c.inside;
        if (quotes != 0) {
            inside ^= parity_so_far(quotes);
        }
        const uint64_t outside = valid & ~inside;
        const uint64_t cr = equal(&word, '\r') & outside;
        const uint64_t lf = equal(&word, '\n') & outside;
        const uint64_t second = lf & (cr << 1 | c.cr); /* of CRLF */
        const uint64_t lines = (lf | cr) & ~second;
        const uint64_t separators = lines | (equal(&word, delimiter) & outside);

        const uint64_t starts = (separators | second) << 1 | c.start;
        broken |= misplaced(quotes, inside, separators, starts, valid, &c);
        c.start = (separators | second) >> 63;
        c.cr = cr >> 63;
        c.inside = (uint64_t)0 - (inside >> 63);
        nul |= equal(&word, 0) & valid;
        tops |= high(&word) & valid;
        quotes_seen |= quotes;
        cr_seen |= cr;
        marks->n_lines += (size_t)__builtin_popcountll(lines);
        marks->n += put_bits(separators, (uint32_t)i, at + marks->n);
    }
    marks->has_quotes = quotes_seen != 0;
    marks->has_cr = cr_seen != 0;
    marks->has_nul = nul != 0;
    marks->is_ascii = tops == 0;
    /* A quote at the end of the text is open, or closes a field without a separator. */
    marks->is_broken = broken != 0 || c.inside != 0 || (n != 0 && text[n - 1] == '"');
}
