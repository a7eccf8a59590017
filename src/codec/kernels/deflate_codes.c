/*
 * Deflate blocks with dynamic Huffman codes (RFC 1951, 3.2.7) and no matches.
 *
 * zlib can be told to write them (Z_HUFFMAN_ONLY), at a quarter of the speed. libdeflate cannot.
 */
#include "codec/kernels/deflate_codes.h"

#include <libdeflate.h>
#include <math.h>
#include <stdbool.h>

#include "codec/bytes.h"
#include "codec/kernels/inflate.h"

enum { N_BYTES = 256, END = 256, N_SYMBOLS = 257, MOST_BITS = STOA_DEFLATE_MOST_BITS };
/* Bytes that have a block of their own if they differ from those around them; most of a block. */
enum { PIECE = STOA_CODES_PIECE, N_PIECES = 4, COUNT_BITS = 16 };
/* The least gain that is worth codes: one part of so many. */
enum { LITTLE = 128 };
enum { N_RUN_SYMBOLS = STOA_DEFLATE_RUNS, MOST_RUN_BITS = 7, N_LENGTHS = N_SYMBOLS + 1 };
/* Runs of code lengths: the last one again, and zeros. */
enum {
    AGAIN = STOA_DEFLATE_AGAIN,
    FEW_ZEROS = STOA_DEFLATE_FEW_ZEROS,
    MANY_ZEROS = STOA_DEFLATE_MANY_ZEROS
};
enum { LEAST_RUN = 3, MOST_AGAIN = 6, MOST_FEW = 10, LEAST_MANY = 11, MOST_MANY = 138 };
typedef struct code {
    uint16_t bits[N_SYMBOLS]; /* in the order in which they are written */
    uint8_t lengths[N_SYMBOLS];
} code;

typedef struct leaf {
    uint32_t count;
    uint32_t symbol;
} leaf;

/* A run of code lengths: its symbol, and what follows it. */
typedef struct run {
    uint8_t symbol;
    uint8_t more;
} run;

/* A block before it is written. */
typedef struct block {
    code bytes;
    code runs;
    run run_list[N_LENGTHS];
    size_t n_runs;
    unsigned n_run_lengths; /* that are written */
    size_t n_bits;
} block;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Sort leaves by count, byte by byte. Those of equal counts keep their order. */
static void sort(leaf *leaves, unsigned n)
{
    leaf sorted[N_SYMBOLS];

    for (unsigned shift = 0; shift < COUNT_BITS; shift += 8) {
        unsigned starts[256 + 1] = {0};
        for (unsigned i = 0; i < n; i++) {
            starts[(leaves[i].count >> shift & 255) + 1]++;
        }
        for (unsigned i = 1; i < 256; i++) {
            starts[i] += starts[i - 1];
        }
        for (unsigned i = 0; i < n; i++) {
            sorted[starts[leaves[i].count >> shift & 255]++] = leaves[i];
        }
        memcpy(leaves, sorted, n * sizeof leaves[0]);
    }
}

/* The depth of the deepest leaf of a Huffman tree over leaves in ascending order, and those of all
 * in `lengths`. */
static unsigned depths_of(const leaf *leaves, unsigned n, uint8_t *lengths)
{
    uint32_t counts[2 * N_SYMBOLS];
    uint16_t parents[2 * N_SYMBOLS];
    uint8_t depths[2 * N_SYMBOLS];
    unsigned next_leaf = 0;
    unsigned next_inner = n;
    unsigned most = 0;

    for (unsigned i = 0; i < n; i++) {
        counts[i] = leaves[i].count;
    }
    for (unsigned inner = n; inner < 2 * n - 1; inner++) {
        counts[inner] = 0;
        for (int child = 0; child < 2; child++) {
            const bool is_leaf =
                next_leaf < n && (next_inner == inner || counts[next_leaf] <= counts[next_inner]);
            const unsigned least = is_leaf ? next_leaf++ : next_inner++;
            counts[inner] += counts[least];
            parents[least] = (uint16_t)inner;
        }
    }
    depths[2 * n - 2] = 0;
    for (unsigned i = 2 * n - 2; i-- > 0;) {
        depths[i] = (uint8_t)(depths[parents[i]] + 1);
        if (i < n) {
            lengths[leaves[i].symbol] = depths[i];
            most = depths[i] > most ? depths[i] : most;
        }
    }
    return most;
}

/* Codes of some symbols by how often each occurs. A tree that is too deep is made again with the
 * counts halved, which come closer to each other. At least two symbols get a code: deflate wants
 * a complete one. */
static void make_code(const uint32_t *counts, unsigned n_symbols, unsigned most_bits, code *made)
{
    leaf leaves[N_SYMBOLS];
    unsigned n = 0;

    memset(made->lengths, 0, sizeof made->lengths);
    for (unsigned i = 0; i < n_symbols; i++) {
        if (counts[i] != 0) {
            leaves[n++] = (leaf){counts[i], i};
        }
    }
    for (unsigned i = 0; n < 2; i++) {
        if (counts[i] == 0) {
            leaves[n++] = (leaf){1, i};
        }
    }
    sort(leaves, n);
    while (depths_of(leaves, n, made->lengths) > most_bits) {
        for (unsigned i = 0; i < n; i++) {
            leaves[i].count = leaves[i].count / 2 + 1;
        }
    }
    stoa_codes_of_lengths(made->lengths, n_symbols, made->bits);
}

/* The bits behind a run's symbol. */
static unsigned more_bits_of(unsigned symbol)
{
    return symbol == AGAIN ? 2 : symbol == FEW_ZEROS ? 3 : symbol == MANY_ZEROS ? 7 : 0;
}

/* Describe the lengths of all codes by runs. No distance has a code, which is a length of zero. */
static void describe(block *b)
{
    uint8_t lengths[N_LENGTHS];
    uint32_t counts[N_RUN_SYMBOLS] = {0};

    memcpy(lengths, b->bytes.lengths, N_SYMBOLS);
    lengths[N_SYMBOLS] = 0;
    b->n_runs = 0;
    for (unsigned i = 0, n; i < N_LENGTHS; i += n) {
        const uint8_t length = lengths[i];
        const bool is_again = i > 0 && length == lengths[i - 1] && length != 0;
        const unsigned most = length == 0 ? MOST_MANY : MOST_AGAIN;
        run r = {.symbol = length};
        for (n = 1; i + n < N_LENGTHS && lengths[i + n] == length && n < most; n++) {
        }
        if (n < LEAST_RUN || (length != 0 && !is_again)) {
            n = 1;
        } else if (length != 0) {
            r = (run){AGAIN, (uint8_t)(n - LEAST_RUN)};
        } else if (n <= MOST_FEW) {
            r = (run){FEW_ZEROS, (uint8_t)(n - LEAST_RUN)};
        } else {
            r = (run){MANY_ZEROS, (uint8_t)(n - LEAST_MANY)};
        }
        counts[r.symbol]++;
        b->run_list[b->n_runs++] = r;
    }
    make_code(counts, N_RUN_SYMBOLS, MOST_RUN_BITS, &b->runs);
    for (b->n_run_lengths = N_RUN_SYMBOLS;
         b->n_run_lengths > 4 && b->runs.lengths[stoa_deflate_run_order[b->n_run_lengths - 1]] == 0;
         b->n_run_lengths--) {
    }
    b->n_bits = 3 + 5 + 5 + 4 + 3 * (size_t)b->n_run_lengths;
    for (unsigned i = 0; i < N_RUN_SYMBOLS; i++) {
        b->n_bits += counts[i] * (size_t)(b->runs.lengths[i] + more_bits_of(i));
    }
}

static void count(const uint8_t *bytes, size_t n, uint32_t *counts)
{
    enum { LANES = 4 }; /* so that equal bytes in a row do not wait for each other */
    uint32_t lanes[LANES][N_BYTES] = {{0}};

    for (size_t i = 0; i < n; i++) {
        lanes[i % LANES][bytes[i]]++;
    }
    for (unsigned i = 0; i < N_BYTES; i++) {
        counts[i] = lanes[0][i] + lanes[1][i] + lanes[2][i] + lanes[3][i];
    }
    counts[END] = 1;
}

/* The entropy of n bytes and about the description of a block, in bits. */
static float entropy_of(const uint32_t *counts, size_t n)
{
    enum { HEAD = 64, EACH = 3 };
    float bits = HEAD;

    for (unsigned i = 0; i < N_BYTES; i++) {
        if (counts[i] != 0) {
            bits += EACH + (float)counts[i] * log2f((float)n / (float)counts[i]);
        }
    }
    return bits;
}

static void make_block(const uint32_t *counts, block *b)
{
    make_code(counts, N_SYMBOLS, MOST_BITS, &b->bytes);
    describe(b);
    for (unsigned i = 0; i < N_SYMBOLS; i++) {
        b->n_bits += (size_t)counts[i] * b->bytes.lengths[i];
    }
}

static void put_description(stoa_bit_writer *w, const block *b)
{
    stoa_put_bits(w, STOA_DEFLATE_CODED << 1, 3);
    stoa_put_bits(w, (b->n_run_lengths - 4) << 10, 14);
    for (unsigned i = 0; i < b->n_run_lengths; i++) {
        stoa_put_bits(w, b->runs.lengths[stoa_deflate_run_order[i]], 3);
    }
    for (size_t i = 0; i < b->n_runs; i++) {
        const run r = b->run_list[i];
        stoa_put_bits(w, b->runs.bits[r.symbol], b->runs.lengths[r.symbol]);
        stoa_put_bits(w, r.more, more_bits_of(r.symbol));
    }
}

static void put_bytes(stoa_bit_writer *w, const code *codes, const uint8_t *bytes, size_t n)
{
    uint64_t bits = w->bits;
    unsigned n_bits = w->n_bits;
    uint8_t *out = w->out + w->n;

    for (size_t i = 0; i < n; i++) {
        bits |= (uint64_t)codes->bits[bytes[i]] << n_bits;
        n_bits += codes->lengths[bytes[i]];
        if (n_bits >= 32) {
            for (unsigned k = 0; k < 4; k++) {
                *out++ = (uint8_t)(bits >> 8 * k);
            }
            bits >>= 32;
            n_bits -= 32;
        }
    }
    for (; n_bits >= 8; n_bits -= 8, bits >>= 8) {
        *out++ = (uint8_t)bits;
    }
    w->n = (size_t)(out - w->out);
    w->bits = (uint32_t)bits;
    w->n_bits = n_bits;
}

static void put_block(stoa_bit_writer *w, const uint32_t *counts, const uint8_t *bytes, size_t n)
{
    block b;

    make_block(counts, &b);
    if (b.n_bits / 8 >= n - n / LITTLE) {
        stoa_put_stored(w, bytes, n, 0);
        return;
    }
    put_description(w, &b);
    put_bytes(w, &b.bytes, bytes, n);
    stoa_put_bits(w, b.bytes.bits[END], b.bytes.lengths[END]);
}

size_t stoa_deflate_codes_size(const uint8_t *bytes, size_t n)
{
    uint32_t counts[N_SYMBOLS];
    block b;

    count(bytes, n, counts);
    make_block(counts, &b);
    return (b.n_bits + 7) / 8;
}

/* Put up to N_PIECES pieces into a block each, or all into one if that is shorter. */
static void put_pieces(stoa_bit_writer *w, const uint8_t *bytes, size_t n)
{
    uint32_t counts[N_PIECES][N_SYMBOLS];
    uint32_t all[N_SYMBOLS] = {[END] = 1};
    float apart = 0;

    for (size_t at = 0; at < n; at += PIECE) {
        uint32_t *const these = counts[at / PIECE];
        count(bytes + at, least(n - at, PIECE), these);
        apart += entropy_of(these, least(n - at, PIECE));
        for (unsigned i = 0; i < N_BYTES; i++) {
            all[i] += these[i];
        }
    }
    if (n <= PIECE || entropy_of(all, n) <= apart) {
        put_block(w, all, bytes, n);
        return;
    }
    for (size_t at = 0; at < n; at += PIECE) {
        put_block(w, counts[at / PIECE], bytes + at, least(n - at, PIECE));
    }
}

void stoa_deflate_codes_put(stoa_bit_writer *w, const uint8_t *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += N_PIECES * PIECE) {
        put_pieces(w, bytes + at, least(n - at, N_PIECES * PIECE));
    }
}

size_t stoa_deflate_frame(stoa_bit_writer *w, const uint8_t *bytes, size_t n)
{
    stoa_put_to_byte(w);
    w->out[0] = STOA_INFLATE_HEAD >> 8;
    w->out[1] = STOA_INFLATE_HEAD & 0xff;
    stoa_put_be32(w->out + w->n, libdeflate_adler32(1, bytes, n));
    return w->n + STOA_ZLIB_SUM_BYTES;
}
