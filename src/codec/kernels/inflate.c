/*
 * Inflates zlib streams in which most blocks have no matches, or long runs.
 *
 * libdeflate looks up one symbol at a time, and the next look-up waits for the length of its code.
 * Here a look-up gives up to three bytes. Codes of four bits need none: see deflate_nibbles.c.
 * A long run is one code again and again, and is written at once. At many short matches libdeflate
 * is faster.
 */
#include "codec/kernels/inflate.h"

#include <libdeflate.h>
#include <string.h>

#include "codec/bytes.h"
#include "codec/kernels/deflate_bits.h"
#include "codec/kernels/deflate_nibbles.h"

enum { N_LITERALS = 288, N_DISTANCES = 32, END = 256 };
enum { N_LENGTH_SYMBOLS = 29, N_DISTANCE_SYMBOLS = 30, MOST_LENGTH = 258 };
enum { TABLE_BITS = 11, DISTANCE_BITS = 8, RUN_BITS = 7, MOST_BITS = STOA_DEFLATE_MOST_BITS };

/*
 * An entry of the table of literals and lengths, from its lowest bit on: 6 bits are the length of
 * the codes with the extra bits. 2 say how many literals they are, and these follow. If there are
 * none, 2 bits say what the code is. A match has 4 more for the length of its code, and its least
 * length.
 */
enum { IS_UNKNOWN, IS_LONG, IS_MATCH, IS_END };
enum { N_AT = 6, LITERALS_AT = 8, CODE_AT = 10, LENGTH_AT = 14, MOST_AT_ONCE = 3 };
/* An entry of the table of distances: 6 bits as above, 4 for the code, and the least distance. */
enum { DISTANCE_CODE_AT = 6, DISTANCE_AT = 10 };
/* An entry of the table of runs: 3 bits are the length of the code, and the others the symbol. */
enum { RUN_AT = 3 };

#define LOW(value, n_bits) ((value) & ((1u << (n_bits)) - 1))
#define LOW64(value, n_bits) ((value) & ((UINT64_C(1) << (n_bits)) - 1))

/* A canonical code, for what its table does not have. */
typedef struct code {
    uint16_t counts[MOST_BITS + 1];
    uint16_t symbols[N_LITERALS];
} code;

/* Tables are as large as their codes are long. */
typedef struct block {
    code literals;
    code distances;
    unsigned n_bits; /* of a place in the table of literals and lengths */
    unsigned n_distance_bits;
    uint32_t table[1 << TABLE_BITS];
    uint32_t distance_table[1 << DISTANCE_BITS];
} block;

typedef struct reader {
    const uint8_t *in;
    const uint8_t *end;
    const uint8_t *readable; /* the end of what may be read; what lies behind `end` means nothing */
    uint64_t bits;
    unsigned n_bits;
    unsigned n_beyond; /* of these, zeros beyond what may be read */
    uint32_t sum;      /* Adler-32 of what was written before `summed` */
    const uint8_t *summed;
} reader;

/* --- bits ------------------------------------------------------------------------------------ */

/* Have at least 56 bits. */
static inline void refill(reader *r)
{
    if (r->readable - r->in >= 8) {
        r->bits |= stoa_get_le64(r->in) << r->n_bits;
        r->in += (63 - r->n_bits) >> 3;
        r->n_bits |= 56;
        return;
    }
    for (; r->n_bits < 56; r->n_bits += 8) {
        if (r->in < r->readable) {
            r->bits |= (uint64_t)*r->in++ << r->n_bits;
        } else {
            r->n_beyond += 8;
        }
    }
}

static inline uint32_t take(reader *r, unsigned n_bits)
{
    const uint32_t value = (uint32_t)LOW(r->bits, n_bits);

    r->bits >>= n_bits;
    r->n_bits -= n_bits;
    return value;
}

/* The byte that has the next bit, and the bit's number. False if that is beyond the end. */
static bool position_of(const reader *r, const uint8_t **byte, unsigned *shift)
{
    if (r->n_beyond > r->n_bits) {
        return false;
    }
    const unsigned left = r->n_bits - r->n_beyond;
    *byte = r->in - (left + 7) / 8;
    *shift = (8 - left % 8) % 8;
    return true;
}

static void go_to(reader *r, const uint8_t *byte, unsigned shift)
{
    r->in = byte;
    r->bits = 0;
    r->n_bits = 0;
    r->n_beyond = 0;
    refill(r);
    (void)take(r, shift);
}

/* --- codes ----------------------------------------------------------------------------------- */

/* Make a code of the lengths of its symbols' codes. One symbol alone may have a code, or none (RFC
 * 1951, 3.2.7). */
static bool make_code(const uint8_t *lengths, unsigned n, code *c)
{
    uint16_t place[MOST_BITS + 2] = {0};
    int left = 1;

    memset(c->counts, 0, sizeof c->counts);
    for (unsigned i = 0; i < n; i++) {
        if (lengths[i] != 0) {
            c->counts[lengths[i]]++;
        }
    }
    for (unsigned b = 1; b <= MOST_BITS; b++) {
        left = 2 * left - c->counts[b];
        if (left < 0) {
            return false;
        }
        place[b + 1] = (uint16_t)(place[b] + c->counts[b]);
    }
    const unsigned n_used = place[MOST_BITS + 1];
    for (unsigned i = 0; i < n; i++) {
        if (lengths[i] != 0) {
            c->symbols[place[lengths[i]]++] = (uint16_t)i;
        }
    }
    return left == 0 || n_used == 0 || (n_used == 1 && c->counts[1] == 1);
}

/* The bits of its longest code, or `most`. */
static unsigned longest(const code *c, unsigned most)
{
    unsigned b = MOST_BITS;

    while (b > 0 && c->counts[b] == 0) {
        b--;
    }
    return b < most ? b : most;
}

/* Find the symbol of the next bits, and the length of its code; false if there is none. */
static bool look_up(const code *c, uint64_t bits, unsigned *symbol, unsigned *n_bits)
{
    unsigned word = 0;
    unsigned first = 0;
    unsigned place = 0;

    for (unsigned b = 1; b <= MOST_BITS; b++, bits >>= 1) {
        word = word << 1 | (unsigned)(bits & 1);
        first <<= 1;
        if (word - first < c->counts[b]) {
            *symbol = c->symbols[place + (word - first)];
            *n_bits = b;
            return true;
        }
        place += c->counts[b];
        first += c->counts[b];
    }
    return false;
}

static uint32_t entry_of(unsigned symbol, unsigned n_bits)
{
    static const uint16_t least[N_LENGTH_SYMBOLS] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                     15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                     67, 83, 99, 115, 131, 163, 195, 227, 258};
    const unsigned i = symbol - END - 1;

    if (symbol < END) {
        return n_bits | 1u << N_AT | symbol << LITERALS_AT;
    }
    if (symbol == END) {
        return n_bits | IS_END << LITERALS_AT;
    }
    if (i >= N_LENGTH_SYMBOLS) {
        return n_bits; /* IS_UNKNOWN */
    }
    const unsigned n_extra = i < 8 || i == N_LENGTH_SYMBOLS - 1 ? 0 : i / 4 - 1;
    return (n_bits + n_extra) | IS_MATCH << LITERALS_AT | n_bits << CODE_AT |
           (uint32_t)least[i] << LENGTH_AT;
}

/* 0: there is no such distance. */
static uint32_t distance_entry_of(unsigned symbol, unsigned n_bits)
{
    const unsigned n_extra = symbol < 4 ? 0 : symbol / 2 - 1;
    const uint32_t least = symbol < 4 ? symbol + 1 : ((2 + (symbol & 1)) << n_extra) + 1;

    return symbol < N_DISTANCE_SYMBOLS
               ? (n_bits + n_extra) | n_bits << DISTANCE_CODE_AT | least << DISTANCE_AT
               : 0;
}

static uint32_t run_entry_of(unsigned symbol, unsigned n_bits)
{
    return n_bits | symbol << RUN_AT;
}

/* Fill a table of 2^most entries with those of the symbols whose codes are not longer, and with
 * `none` where a longer code begins. */
static inline void fill(const code *c, unsigned most, uint32_t (*entry)(unsigned, unsigned),
                        uint32_t none, uint32_t *table)
{
    const uint16_t *symbol = c->symbols;
    unsigned at = 0; /* the next code, whose first bit is the lowest */

    table[0] = none;
    for (unsigned b = 1; b <= most; b++) {
        memcpy(table + (1u << (b - 1)), table, sizeof *table << (b - 1));
        for (unsigned i = 0; i < c->counts[b]; i++) {
            unsigned bit = 1u << (b - 1);
            table[at] = entry(*symbol++, b);
            for (; (at & bit) != 0; bit >>= 1) {
                at &= ~bit;
            }
            at |= bit;
        }
    }
}

/* Whether the bits of an entry are often those of two literals. */
static bool are_short(const code *c, const uint8_t *lengths, unsigned n_literals)
{
    unsigned counts[MOST_BITS + 1];
    unsigned n = 0;

    for (unsigned b = 0; b <= MOST_BITS; b++) {
        counts[b] = c->counts[b];
    }
    for (unsigned i = END; i < n_literals; i++) { /* the end, and lengths */
        counts[lengths[i]]--;
    }
    for (unsigned a = 1; a < TABLE_BITS; a++) {
        for (unsigned b = 1; counts[a] != 0 && a + b <= TABLE_BITS; b++) {
            n += counts[a] * counts[b] << (TABLE_BITS - a - b);
        }
    }
    return n > 1u << (TABLE_BITS - 2);
}

/* Let entries have as many literals as their bits are codes of. */
STOA_CLONES
static void join_literals(uint32_t *table)
{
    uint32_t single[1 << TABLE_BITS];

    memcpy(single, table, sizeof single);
    for (unsigned n = 1; n < MOST_AT_ONCE; n++) {
        for (uint32_t i = 0; i < 1u << TABLE_BITS; i++) {
            const uint32_t some = table[i];
            const uint32_t next = single[i >> LOW(some, 6)];
            const uint32_t n_bits = LOW(some, 6) + LOW(next, 6);
            const bool fits =
                (LOW(some >> N_AT, 2) == n) & (LOW(next >> N_AT, 2) == 1) & (n_bits <= TABLE_BITS);
            const uint32_t joined = (some & ~UINT32_C(0xff)) | (n + 1) << N_AT | n_bits |
                                    next >> LITERALS_AT << (LITERALS_AT + 8 * n);
            table[i] = fits ? joined : some;
        }
    }
}

static bool make_block(const uint8_t *lengths, unsigned n_literals, unsigned n_distances, block *b)
{
    if (!make_code(lengths, n_literals, &b->literals) ||
        !make_code(lengths + n_literals, n_distances, &b->distances)) {
        return false;
    }
    const bool joins = are_short(&b->literals, lengths, n_literals);
    b->n_bits = joins ? TABLE_BITS : longest(&b->literals, TABLE_BITS);
    b->n_distance_bits = longest(&b->distances, DISTANCE_BITS);
    fill(&b->literals, b->n_bits, entry_of, IS_LONG << LITERALS_AT, b->table);
    fill(&b->distances, b->n_distance_bits, distance_entry_of, 0, b->distance_table);
    if (joins) {
        join_literals(b->table);
    }
    return true;
}

/* Read the lengths of a block's codes (RFC 1951, 3.2.7). */
static bool read_lengths(reader *r, uint8_t *lengths, unsigned *n_literals, unsigned *n_distances)
{
    uint8_t run_lengths[STOA_DEFLATE_RUNS] = {0};
    uint32_t table[1 << RUN_BITS];
    code runs;
    unsigned last = 0;

    refill(r);
    *n_literals = take(r, 5) + 257;
    *n_distances = take(r, 5) + 1;
    const unsigned n_runs = take(r, 4) + 4;
    for (unsigned i = 0; i < n_runs; i++) {
        refill(r);
        run_lengths[stoa_deflate_run_order[i]] = (uint8_t)take(r, 3);
    }
    if (*n_literals > END + 1 + N_LENGTH_SYMBOLS || *n_distances > N_DISTANCE_SYMBOLS ||
        !make_code(run_lengths, STOA_DEFLATE_RUNS, &runs)) {
        return false;
    }
    fill(&runs, RUN_BITS, run_entry_of, 0, table);
    for (unsigned i = 0; i < *n_literals + *n_distances;) {
        refill(r);
        const uint32_t entry = table[LOW(r->bits, RUN_BITS)];
        const unsigned symbol = entry >> RUN_AT;
        if (entry == 0) {
            return false;
        }
        (void)take(r, LOW(entry, RUN_AT));
        const unsigned n = symbol < STOA_DEFLATE_AGAIN        ? 1
                           : symbol == STOA_DEFLATE_AGAIN     ? 3 + take(r, 2)
                           : symbol == STOA_DEFLATE_FEW_ZEROS ? 3 + take(r, 3)
                                                              : 11 + take(r, 7);
        if (n > *n_literals + *n_distances - i || (symbol == STOA_DEFLATE_AGAIN && i == 0)) {
            return false;
        }
        last = symbol < STOA_DEFLATE_AGAIN ? symbol : symbol == STOA_DEFLATE_AGAIN ? last : 0;
        memset(lengths + i, (int)last, n);
        i += n;
    }
    return lengths[END] != 0;
}

static void use_fixed_lengths(uint8_t *lengths, unsigned *n_literals, unsigned *n_distances)
{
    *n_literals = N_LITERALS;
    *n_distances = N_DISTANCES;
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    memset(lengths + N_LITERALS, 5, N_DISTANCES);
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* Decode whole segments of codes of 4 bits, none of which is the end. False if there are other
 * codes. */
static bool put_nibbles(reader *r, const uint8_t *lengths, unsigned n_lengths, stoa_simd simd,
                        uint8_t **to, const uint8_t *out_end)
{
    uint8_t *out = *to;
    uint8_t bytes[16] = {0};
    const uint8_t *from = NULL;
    unsigned shift = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < n_lengths; i++) {
        if (lengths[i] != 0 && (lengths[i] != 4 || i > END)) {
            return false;
        }
        if (lengths[i] != 0 && i < END) {
            bytes[stoa_bits_reversed(n++ & 15, 4)] = (uint8_t)i;
        }
    }
    if (n != 15 || !position_of(r, &from, &shift)) {
        return false;
    }
    for (; out_end - out >= STOA_NIBBLES && r->end - from > STOA_NIBBLES / 2 &&
           stoa_nibbles_look_up(from, shift, bytes, simd, out);
         out += STOA_NIBBLES) {
        from += STOA_NIBBLES / 2;
    }
    go_to(r, from, shift);
    *to = out;
    return true;
}

/* The length and the distance of a match that begins with these bits. */
static inline size_t length_of(uint32_t entry, uint64_t bits)
{
    return (entry >> LENGTH_AT) + (size_t)(LOW64(bits, LOW(entry, 6)) >> LOW(entry >> CODE_AT, 4));
}

static inline size_t distance_of(uint32_t far, uint64_t bits)
{
    return (far >> DISTANCE_AT) +
           (size_t)(LOW64(bits, LOW(far, 6)) >> LOW(far >> DISTANCE_CODE_AT, 4));
}

/* Repeat what lies `distance` bytes before; it may overlap. */
static void put_match(uint8_t *out, size_t distance, size_t length)
{
    const uint8_t *const from = out - distance;

    for (; length > distance; distance *= 2) {
        memcpy(out, from, distance);
        out += distance;
        length -= distance;
    }
    memcpy(out, from, length);
}

/* The Adler-32 of more bytes, each of which is the same (RFC 1950, 8.2). */
static uint32_t sum_of_run(uint32_t sum, uint8_t byte, size_t n)
{
    enum { BASE = 65521 };
    const uint64_t half = (n % 2 == 0 ? n / 2 : n) % BASE;
    const uint64_t other = (n % 2 == 0 ? n + 1 : n / 2 + 1) % BASE;
    const uint64_t low = sum & 0xffff;
    const uint64_t all = (sum >> 16) + n % BASE * low + half * other % BASE * byte;

    return (uint32_t)(all % BASE) << 16 | (uint32_t)((low + n % BASE * byte) % BASE);
}

/* Write a long match. Of one byte again and again, the sum is known. */
static __attribute__((noinline)) void put_run(reader *r, uint8_t *out, size_t distance,
                                              size_t length)
{
    if (distance != 1) {
        put_match(out, distance, length);
        return;
    }
    r->sum = sum_of_run(libdeflate_adler32(r->sum, r->summed, (size_t)(out - r->summed)), out[-1],
                        length);
    r->summed = out + length;
    memset(out, out[-1], length);
}

/* Repeat what lies `distance` bytes before; up to 15 bytes more are written. */
static inline void put_match_with_room(uint8_t *out, size_t distance, size_t length)
{
    const uint8_t *from = out - distance;
    const uint8_t *const end = out + length;

    if (distance >= 16) {
        for (; out < end; out += 16, from += 16) {
            memcpy(out, from, 16);
        }
    } else if (distance == 1) {
        const uint8_t byte = *from;
        for (; out < end; out += 16) {
            memset(out, byte, 16);
        }
    } else {
        const size_t step = distance < 8 ? distance : 8;
        for (; out < end; out += step, from += step) {
            stoa_put_le64(out, stoa_get_le64(from));
        }
    }
}

/*
 * A reader where there is room. Its bits lie two places higher, so that an entry's place is found
 * by a mask alone: the next look-up waits for it.
 */
typedef struct window {
    const uint8_t *in;
    uint64_t bits;
    unsigned n_bits; /* modulo 64 */
} window;

enum { HIGHER = 2 };

/* Have at least 54 bits. */
static inline void widen(window *w)
{
    w->bits |= stoa_get_le64(w->in) << (w->n_bits & 63);
    w->in += (~w->n_bits & 63) >> 3;
    w->n_bits |= 56;
}

/* Skip an entry's bits. Those above them are 64 or more, and do not count. */
static inline void skip(window *w, uint32_t entry)
{
    w->bits >>= LOW(entry, 6);
    w->n_bits -= entry;
}

static inline uint32_t look(const window *w, const uint32_t *table, uint64_t places)
{
    uint32_t entry;

    memcpy(&entry, (const uint8_t *)table + (w->bits & places), sizeof entry);
    return entry;
}

/* Room for what is read and written at once. */
enum { ROOM_IN = 24, ROOM_OUT = 32 };

/* Skip up to `most` matches whose bits are those of one before, and count them. A run of a byte, or
 * of a few, is so many of the longest matches, which are written as one. */
static inline size_t skip_repeats(window *w, const uint8_t *in_end, uint64_t match, unsigned n_bits,
                                  size_t most)
{
    enum { WIDE = 54 };
    uint64_t codes = match;
    size_t n = 0;
    size_t n_now;

    for (unsigned n_codes = n_bits; n_codes < WIDE; n_codes *= 2) {
        codes |= codes << n_codes;
    }
    do {
        const uint64_t differs = (w->bits >> HIGHER ^ codes) | UINT64_C(1) << WIDE;
        const unsigned n_same = (unsigned)__builtin_ctzll(differs) / n_bits;
        n_now = n_same < most - n ? n_same : most - n;
        n += n_now;
        skip(w, (uint32_t)n_now * n_bits);
        widen(w);
    } while (n_now == WIDE / n_bits && w->in <= in_end);
    return n;
}

/* Decode literals and matches while there is room, and up to a symbol that the tables do not have,
 * the end, or damage. That is not read. `out_end` is where room for more begins to lack. */
STOA_CLONES
static uint8_t *decode(reader *r, const block *b, const uint8_t *begin, uint8_t *out,
                       const uint8_t *out_end)
{
    enum { PER_ROUND = 4, MOST_FAR = DISTANCE_BITS + 13 };
    const uint32_t *const table = b->table;
    const uint64_t places = LOW64(UINT64_MAX, b->n_bits) << HIGHER;
    const uint8_t *const in_end = r->readable - ROOM_IN;
    window w = {.in = r->in - r->n_bits / 8,
                .bits = LOW64(r->bits, r->n_bits % 8) << HIGHER,
                .n_bits = r->n_bits % 8 + HIGHER};

    widen(&w);
    for (uint32_t entry = look(&w, table, places); w.in <= in_end && out <= out_end;) {
        unsigned n = LOW(entry >> N_AT, 2);
        for (unsigned i = 0; n != 0 && i < PER_ROUND; i++) {
            stoa_put_le32(out, entry >> LITERALS_AT);
            out += n;
            skip(&w, entry);
            if (i == PER_ROUND - 1) {
                widen(&w);
            }
            entry = look(&w, table, places);
            n = i < PER_ROUND - 1 ? LOW(entry >> N_AT, 2) : n;
        }
        if (n != 0) {
            continue;
        }
        if (LOW(entry >> LITERALS_AT, 2) != IS_MATCH) {
            break;
        }
        const window before = w;
        skip(&w, entry);
        if ((w.n_bits & 63) < HIGHER + MOST_FAR) {
            widen(&w);
        }
        const uint32_t far = b->distance_table[LOW(w.bits >> HIGHER, b->n_distance_bits)];
        const size_t length = length_of(entry, before.bits >> HIGHER);
        const size_t distance = distance_of(far, w.bits >> HIGHER);
        if (far == 0 || distance > (size_t)(out - begin) || (ptrdiff_t)length > out_end - out) {
            w = before;
            break;
        }
        skip(&w, far);
        widen(&w);
        const unsigned n_bits = LOW(entry, 6) + LOW(far, 6);
        if (length == MOST_LENGTH && n_bits <= (before.n_bits & 63) - HIGHER) {
            const size_t all =
                length + length * skip_repeats(&w, in_end, LOW64(before.bits >> HIGHER, n_bits),
                                               n_bits, (size_t)(out_end - out) / length - 1);
            put_run(r, out, distance, all);
            out += all;
        } else {
            put_match_with_room(out, distance, length);
            out += length;
        }
        entry = look(&w, table, places);
    }
    r->in = w.in;
    r->bits = w.bits >> HIGHER;
    r->n_bits = (w.n_bits & 63) - HIGHER;
    return out;
}

/* Write up to 3 literals; NULL if there is no room. */
static uint8_t *put_few(uint8_t *out, const uint8_t *out_end, uint32_t literals, unsigned n)
{
    if (n > (size_t)(out_end - out)) {
        return NULL;
    }
    for (unsigned i = 0; i < n; i++, literals >>= 8) {
        *out++ = (uint8_t)literals;
    }
    return out;
}

/* Read a match whose first entry is known. Returns its end; NULL if it is damaged. */
static uint8_t *read_match(reader *r, const block *b, uint32_t entry, const uint8_t *begin,
                           uint8_t *out, const uint8_t *out_end)
{
    const size_t length = length_of(entry, r->bits);
    unsigned symbol;
    unsigned n_bits;

    (void)take(r, LOW(entry, 6));
    refill(r);
    uint32_t far = b->distance_table[LOW(r->bits, b->n_distance_bits)];
    if (far == 0) {
        far = look_up(&b->distances, r->bits, &symbol, &n_bits) ? distance_entry_of(symbol, n_bits)
                                                                : 0;
    }
    const size_t distance = distance_of(far, r->bits);
    (void)take(r, LOW(far, 6));
    if (far == 0 || distance > (size_t)(out - begin) || length > (size_t)(out_end - out)) {
        return NULL;
    }
    put_match(out, distance, length);
    return out + length;
}

/* Decode a block of codes. Returns its end; NULL if it is damaged or too long. */
static uint8_t *read_coded(reader *r, unsigned kind, stoa_simd simd, const uint8_t *begin,
                           uint8_t *out, const uint8_t *out_end)
{
    uint8_t lengths[N_LITERALS + N_DISTANCES];
    unsigned n_literals;
    unsigned n_distances;
    unsigned symbol;
    unsigned n_bits;
    block b;

    if (kind == STOA_DEFLATE_FIXED) {
        use_fixed_lengths(lengths, &n_literals, &n_distances);
    } else if (!read_lengths(r, lengths, &n_literals, &n_distances)) {
        return NULL;
    }
    const bool are_nibbles = put_nibbles(r, lengths, n_literals + n_distances, simd, &out, out_end);
    const unsigned n_end = are_nibbles ? 4 : 7;
    if ((are_nibbles || kind == STOA_DEFLATE_FIXED) &&
        LOW(r->bits, n_end) == (are_nibbles ? 15 : 0)) {
        (void)take(r, n_end); /* the end, which needs no tables */
        return r->n_beyond <= r->n_bits ? out : NULL;
    }
    if (!make_block(lengths, n_literals, n_distances, &b)) {
        return NULL;
    }
    while (out != NULL && r->n_beyond <= r->n_bits) {
        if (r->readable - r->in >= ROOM_IN && out_end - out >= ROOM_OUT) {
            out = decode(r, &b, begin, out, out_end - ROOM_OUT);
        }
        refill(r);
        uint32_t entry = b.table[LOW(r->bits, b.n_bits)];
        if (LOW(entry, LITERALS_AT + 2) == IS_LONG << LITERALS_AT) {
            entry = look_up(&b.literals, r->bits, &symbol, &n_bits) ? entry_of(symbol, n_bits) : 0;
        }
        const unsigned n = LOW(entry >> N_AT, 2);
        if (n == 0 && LOW(entry >> LITERALS_AT, 2) == IS_MATCH) {
            out = read_match(r, &b, entry, begin, out, out_end);
            continue;
        }
        (void)take(r, LOW(entry, 6));
        if (n > 0) {
            out = put_few(out, out_end, entry >> LITERALS_AT, n);
        } else {
            const bool is_end = LOW(entry >> LITERALS_AT, 2) == IS_END;
            return is_end && r->n_beyond <= r->n_bits ? out : NULL;
        }
    }
    return NULL;
}

static uint8_t *read_stored(reader *r, uint8_t *out, const uint8_t *out_end)
{
    const uint8_t *from = NULL;
    unsigned shift = 0;

    if (!position_of(r, &from, &shift)) {
        return NULL;
    }
    from += shift != 0;
    if (r->end - from < 4) {
        return NULL;
    }
    const size_t n = from[0] | (size_t)from[1] << 8;
    if ((n ^ (from[2] | (size_t)from[3] << 8)) != 0xffff || n > (size_t)(out_end - out) ||
        n > (size_t)(r->end - from - 4)) {
        return NULL;
    }
    memcpy(out, from + 4, n);
    go_to(r, from + 4 + n, 0);
    return out + n;
}

/* Whether a stream begins so (RFC 1950, 2.2): deflate, without a dictionary. */
static bool is_head(const uint8_t *in)
{
    enum { DEFLATE = 8, DICTIONARY = 0x20 };

    return (in[0] & 15) == DEFLATE && in[0] >> 4 <= 7 && (in[0] << 8 | in[1]) % 31 == 0 &&
           (in[1] & DICTIONARY) == 0;
}

bool stoa_inflate(const uint8_t *in, size_t n_in, size_t n_readable, stoa_simd simd, uint8_t *out,
                  size_t room, size_t *n)
{
    const uint8_t *const out_end = out + room;
    const uint8_t *end = NULL;
    uint8_t *at = out;
    unsigned shift = 0;
    bool is_last = false;

    if (n_in < STOA_ZLIB_HEAD_BYTES + STOA_ZLIB_SUM_BYTES || !is_head(in)) {
        return false;
    }
    reader r = {.in = in + STOA_ZLIB_HEAD_BYTES,
                .end = in + n_in - STOA_ZLIB_SUM_BYTES,
                .readable = in + n_readable,
                .sum = 1,
                .summed = out};
    while (!is_last && at != NULL) {
        refill(&r);
        is_last = take(&r, 1) != 0;
        const unsigned kind = take(&r, 2);
        at = kind == STOA_DEFLATE_STORED ? read_stored(&r, at, out_end)
             : kind == STOA_DEFLATE_FIXED || kind == STOA_DEFLATE_CODED
                 ? read_coded(&r, kind, simd, out, at, out_end)
                 : NULL;
    }
    if (at == NULL || !position_of(&r, &end, &shift) || end + (shift != 0) != r.end) {
        return false;
    }
    *n = (size_t)(at - out);
    return stoa_get_be32(r.end) == libdeflate_adler32(r.sum, r.summed, (size_t)(at - r.summed));
}
