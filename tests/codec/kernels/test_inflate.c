/* Inflating streams of all kinds that zlib writes, beside zlib itself. */
#include "codec/kernels/inflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/kit.h"

enum { MOST = 70000, N_DAMAGED = 4000, BEHIND = 64, DICTIONARY = 0x20 };

/* A stream of zlib's with the head that is asked for. */
typedef struct stream {
    uint8_t bytes[2 * MOST];
    size_t n;
} stream;

static void head(stream *s)
{
    s->bytes[0] = STOA_INFLATE_HEAD >> 8;
    s->bytes[1] = STOA_INFLATE_HEAD & 0xff;
}

/* Compress; a part of the bytes ends a block, if that is not 0. */
static stream pack(const uint8_t *bytes, size_t n, int level, int strategy, size_t part)
{
    stream s = {.n = 0};
    z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)bytes};

    CHECK_I64(deflateInit2(&z, level, Z_DEFLATED, STOA_INFLATE_WINDOW_BITS, 9, strategy), Z_OK);
    z.next_out = s.bytes;
    z.avail_out = sizeof s.bytes;
    for (size_t at = 0; part != 0 && at + part < n; at += part) {
        z.avail_in = (uInt)part;
        CHECK_I64(deflate(&z, at % 2 == 0 ? Z_BLOCK : Z_SYNC_FLUSH), Z_OK);
    }
    z.avail_in = (uInt)((size_t)(bytes + n - z.next_in));
    CHECK_I64(deflate(&z, Z_FINISH), Z_STREAM_END);
    s.n = z.total_out;
    CHECK_I64(deflateEnd(&z), Z_OK);
    head(&s);
    return s;
}

/* Inflate it into memory that ends with it, and from memory that ends n_behind bytes later. */
static bool is_inflated(const stream *s, size_t n_behind, stoa_simd simd, size_t room, guarded *out,
                        size_t *n)
{
    uint8_t *const in = malloc(s->n + n_behind);

    CHECK(in != NULL);
    memcpy(in, s->bytes, s->n);
    for (size_t i = 0; i < n_behind; i++) {
        in[s->n + i] = (uint8_t)check_random_below(256);
    }
    *out = guarded_new(room);
    const bool is = stoa_inflate(in, s->n, s->n + n_behind, simd, out->bytes, room, n);
    free(in);
    return is;
}

static void check(const stream *s, const uint8_t *bytes, size_t n)
{
    for (EACH_SIMD(simd)) {
        for (size_t n_behind = 0; n_behind <= BEHIND; n_behind += BEHIND) {
            guarded out;
            size_t n_out = 0;
            CHECK(is_inflated(s, n_behind, simd, n, &out, &n_out));
            CHECK_U64(n_out, n);
            CHECK_MEM(out.bytes, bytes, n);
            guarded_end(&out);
        }
    }
}

/* Bytes of so many values, whose chances differ, and which repeat now and then. */
static void fill(uint8_t *bytes, size_t n, unsigned n_values, unsigned run)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t most = 1 + check_random_below(n_values);
        bytes[i] = (uint8_t)(check_random_below(most) * 7);
        if (run != 0 && check_random_below(run) == 0 && i > 300) {
            const size_t distance = 1 + check_random_below(300);
            for (size_t k = 0; k < 200 && i + 1 < n; k++, i++) {
                bytes[i + 1] = bytes[i + 1 - distance];
            }
        }
    }
}

static void all_that_zlib_writes_is_inflated(void)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
    static const unsigned values[] = {1, 2, 3, 10, 15, 16, 40, 256};
    static uint8_t bytes[MOST];

    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        for (size_t k = 0; k < 4; k++) {
            for (int level = 0; level <= 9; level += 3) {
                const size_t n = k == 0 ? MOST : check_random_below(MOST);
                fill(bytes, n, values[v], level == 3 ? 0 : 50);
                const stream s = pack(bytes, n, level, strategies[k], level == 6 ? 5000 : 0);
                check(&s, bytes, n);
            }
        }
    }
}

static void short_streams_are_inflated(void)
{
    static uint8_t bytes[300];

    for (size_t n = 0; n < sizeof bytes; n++) {
        fill(bytes, n, 10, 20);
        const stream s = pack(bytes, n, 6, Z_DEFAULT_STRATEGY, 0);
        check(&s, bytes, n);
        guarded out;
        size_t n_out = 0;
        CHECK(n == 0 || !is_inflated(&s, BEHIND, STOA_SIMD_SCALAR, n - 1, &out, &n_out));
        if (n != 0) {
            guarded_end(&out);
        }
    }
}

/* Codes of up to 15 bits, which no table has: each byte is half as frequent as the one before. */
static void long_codes_are_inflated(void)
{
    static uint8_t bytes[MOST];
    size_t n = 0;

    for (unsigned i = 0; i < 15; i++) {
        for (unsigned k = 0; k < 1u << i; k++) {
            bytes[n++] = (uint8_t)(i * 11);
        }
    }
    for (size_t i = n - 1; i > 0; i--) {
        const size_t other = check_random_below(i + 1);
        const uint8_t byte = bytes[i];
        bytes[i] = bytes[other];
        bytes[other] = byte;
    }
    const stream s = pack(bytes, n, 6, Z_HUFFMAN_ONLY, 0);
    check(&s, bytes, n);
}

/* Matches of the greatest distance, whose codes are rare. */
static void far_matches_are_inflated(void)
{
    static uint8_t bytes[MOST];

    for (size_t i = 0; i < MOST; i++) {
        bytes[i] =
            i % 16000 < 400 && i >= 16000 ? bytes[i - 16000] : (uint8_t)check_random_below(256);
    }
    const stream s = pack(bytes, MOST, 9, Z_DEFAULT_STRATEGY, 0);
    CHECK(s.n < MOST - 1000);
    check(&s, bytes, MOST);
}

/* Bytes that repeat from `period` bytes before, and a byte that does not now and then. */
static void fill_runs(uint8_t *bytes, size_t n, size_t period)
{
    for (size_t i = 0; i < n; i++) {
        const bool is_new = i < period || check_random_below(6000) == 0;
        bytes[i] = is_new ? (uint8_t)check_random_below(256) : bytes[i - period];
    }
}

/* The same code again and again, which is written at once. */
static void long_runs_are_inflated(void)
{
    static const size_t periods[] = {1, 2, 3, 7, 8, 15, 16, 17, 256, 258, 300, 5000};
    static uint8_t bytes[MOST];

    for (size_t k = 0; k < sizeof periods / sizeof periods[0]; k++) {
        for (int level = 1; level <= 9; level += 4) {
            const size_t n = MOST - check_random_below(600);
            fill_runs(bytes, n, periods[k]);
            const stream s = pack(bytes, n, level, level == 5 ? Z_FIXED : Z_DEFAULT_STRATEGY,
                                  level == 9 ? 20000 : 0);
            check(&s, bytes, n);
            guarded out;
            size_t n_out = 0;
            const size_t room = check_random_below(n);
            CHECK(!is_inflated(&s, BEHIND, stoa_simd_of_cpu(), room, &out, &n_out));
            guarded_end(&out);
        }
    }
}

/* Bits flipped, bytes lost: what is inflated nevertheless, zlib inflates to the same. */
static void damage_is_found_as_by_zlib(void)
{
    static uint8_t bytes[4000];
    static uint8_t expected[4000];
    unsigned n_found = 0;

    for (unsigned k = 0; k < N_DAMAGED; k++) {
        const int strategy = k % 2 == 0   ? Z_DEFAULT_STRATEGY
                             : k % 4 == 1 ? Z_HUFFMAN_ONLY
                                          : Z_FIXED;
        if (k % 3 == 1) {
            fill_runs(bytes, sizeof bytes, 1 + k % 20);
        } else {
            fill(bytes, sizeof bytes, 10 + k % 50, 100);
        }
        stream s = pack(bytes, sizeof bytes, 6, strategy, k % 3 == 0 ? 1000 : 0);
        if (k % 5 == 0) {
            s.n = check_random_below(s.n);
        } else {
            s.bytes[2 + check_random_below(s.n - 2)] ^= (uint8_t)(1u << check_random_below(8));
        }
        guarded out;
        size_t n = 0;
        const bool is =
            is_inflated(&s, k % 7 < 3 ? BEHIND : 0, stoa_simd_of_cpu(), sizeof bytes, &out, &n);
        uLongf n_expected = sizeof expected;
        if (is) {
            CHECK_I64(uncompress(expected, &n_expected, s.bytes, s.n), Z_OK);
            CHECK_U64(n, n_expected);
            CHECK_MEM(out.bytes, expected, n);
        }
        n_found += !is;
        guarded_end(&out);
    }
    CHECK(n_found > N_DAMAGED * 9 / 10); /* some bits are padding */
}

/* RFC 1950, 2.2 */
static void other_heads_are_refused(void)
{
    static const uint8_t bytes[100] = {1, 2, 3};
    stream s = pack(bytes, sizeof bytes, 6, Z_DEFAULT_STRATEGY, 0);

    for (unsigned head = 0; head <= UINT16_MAX; head++) {
        const unsigned method = head >> 8;
        const bool is_right = (method & 15) == Z_DEFLATED && method >> 4 <= MAX_WBITS - 8 &&
                              head % 31 == 0 && (head & DICTIONARY) == 0;
        uint8_t out[100];
        size_t n = 0;
        s.bytes[0] = (uint8_t)method;
        s.bytes[1] = (uint8_t)head;
        CHECK(stoa_inflate(s.bytes, s.n, s.n, STOA_SIMD_SCALAR, out, sizeof out, &n) == is_right);
    }
}

TEST_MAIN(TEST(all_that_zlib_writes_is_inflated), TEST(short_streams_are_inflated),
          TEST(long_codes_are_inflated), TEST(far_matches_are_inflated),
          TEST(long_runs_are_inflated), TEST(damage_is_found_as_by_zlib),
          TEST(other_heads_are_refused))
