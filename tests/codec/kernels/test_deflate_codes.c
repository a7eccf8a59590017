/* Deflate blocks of codes alone, src/codec/kernels/deflate_codes.c. zlib is the judge: it inflates
 * them, and makes blocks of the same kind. */
#include "codec/kernels/deflate_codes.h"

#include <zlib.h>

#include "codec/kit.h"

enum { MOST = 4 * STOA_CODES_PIECE, END = 8 };

static uint8_t bytes[MOST];

/* What zlib makes of them without matches, in one block. */
static size_t size_by_zlib(size_t n)
{
    static uint8_t out[2 * MOST];
    z_stream z = {.next_in = bytes, .avail_in = (uInt)n, .next_out = out, .avail_out = sizeof out};

    CHECK_I64(deflateInit2(&z, 1, Z_DEFLATED, -15, 9, Z_HUFFMAN_ONLY), Z_OK);
    CHECK_I64(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t size = z.total_out;
    CHECK_I64(deflateEnd(&z), Z_OK);
    return size;
}

/* Write n bytes behind a few bits, and the end; inflate both. */
static size_t check_blocks(size_t n)
{
    static uint8_t back[MOST + 1];
    const size_t most = n + (n / STOA_CODES_PIECE + 1) * STOA_CODES_MORE;
    guarded stored = guarded_new(2 + most + END);
    stoa_bit_writer w = {.out = stored.bytes};
    z_stream z = {.next_in = stored.bytes, .next_out = back, .avail_out = sizeof back};

    stoa_put_bits(&w, STOA_DEFLATE_FIXED << 1, 3); /* an empty block */
    stoa_put_bits(&w, 0, 7);
    stoa_deflate_codes_put(&w, bytes, n);
    const size_t size = w.n - 1;
    CHECK(size <= 1 + most);
    stoa_put_bits(&w, 1 | STOA_DEFLATE_FIXED << 1, 3);
    stoa_put_bits(&w, 0, 7);
    stoa_put_to_byte(&w);
    z.avail_in = (uInt)w.n;
    CHECK_I64(inflateInit2(&z, -15), Z_OK);
    CHECK_I64(inflate(&z, Z_FINISH), Z_STREAM_END);
    CHECK_U64(z.total_out, n);
    CHECK_MEM(back, bytes, n);
    CHECK_I64(inflateEnd(&z), Z_OK);
    guarded_end(&stored);
    return size;
}

/* The same, of bytes that are alike everywhere. */
static void check_block(size_t n)
{
    const size_t size = stoa_deflate_codes_size(bytes, n);
    const size_t by_zlib = size_by_zlib(n);

    CHECK(size <= by_zlib + 8 || by_zlib >= n);
    CHECK(check_blocks(n) <= by_zlib + by_zlib / 100 + 8);
}

static void bytes_of_any_distribution_are_inflated_by_zlib(void)
{
    for (uint64_t i = check_n_cases(300); i > 0; i--) {
        const size_t n = 1 + (size_t)check_random_below(i % 4 == 0 ? MOST : 600);
        const uint64_t n_values = 1 + check_random_below(256);
        const bool is_skewed = check_random_below(2) == 0;

        for (size_t k = 0; k < n; k++) {
            const uint64_t below = is_skewed ? 1 + check_random_below(n_values) : n_values;
            bytes[k] = (uint8_t)(7 * check_random_below(below));
        }
        check_block(n);
    }
}

/* The tree of counts that grow like Fibonacci's numbers is a chain, deeper than the 15 bits that a
 * code may have. */
static void codes_of_rare_bytes_are_not_too_long(void)
{
    size_t n = 0;

    for (size_t byte = 0, count = 1, last = 1; n + count <= MOST; byte++) {
        const size_t next = count + last;
        memset(bytes + n, (int)byte, count);
        n += count;
        last = count;
        count = next;
    }
    check_block(n);
}

static void noise_is_stored(void)
{
    for (size_t k = 0; k < MOST; k++) {
        bytes[k] = (uint8_t)check_random();
    }
    CHECK(check_blocks(MOST) <= MOST + 2 * STOA_CODES_MORE);
    CHECK(stoa_deflate_codes_size(bytes, MOST) > MOST);
}

/* The first half of the bytes are others than the second half. */
static void bytes_that_change_have_several_blocks(void)
{
    for (size_t k = 0; k < MOST; k++) {
        bytes[k] = (uint8_t)(check_random_below(16) + (k < MOST / 2 ? 0 : 100));
    }
    CHECK(stoa_deflate_codes_size(bytes, MOST) > MOST * 5 / 8); /* 5 bits in one block */
    CHECK(check_blocks(MOST) < MOST * 9 / 16);
}

TEST_MAIN(TEST(bytes_of_any_distribution_are_inflated_by_zlib),
          TEST(codes_of_rare_bytes_are_not_too_long), TEST(noise_is_stored),
          TEST(bytes_that_change_have_several_blocks))
