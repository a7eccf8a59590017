/* Chunks of Blosc, made by hand after c-blosc's README_CHUNK_FORMAT, for src/codec/blosc2_chunk.c.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/blosc2_chunk.h"
#include "codec/bytes.h"
#include "codec/kit.h"

/* Where the header has what, and what is in it. */
enum { VERSION = 0, FLAGS = 2, ITEM = 3, UNPACKED = 4, BLOCK = 8, PACKED = 12, HEADER = 16 };
enum { SHUFFLED = 0x01, PLAIN = 0x02, UNKNOWN = 0x08, BITS = 0x04, LZ4 = 1 << 5, SNAPPY = 2 << 5 };
/* Two bytes an element; a block that is split, and one that is too short for it. */
enum { WHOLE = 512, REST = 100, N = WHOLE + REST, SIZES = 4, STARTS = 2 * 4 };
enum { SECOND = HEADER + STARTS + 2 * (SIZES + WHOLE / 2), ALL = SECOND + SIZES + REST };

static void put_header(uint8_t *to, unsigned flags, uint32_t n_block, uint32_t n_packed)
{
    memset(to, 0, HEADER);
    to[VERSION] = 2;
    to[1] = 1;
    to[FLAGS] = (uint8_t)flags;
    to[ITEM] = 2;
    stoa_put_le32(to + UNPACKED, N);
    stoa_put_le32(to + BLOCK, n_block);
    stoa_put_le32(to + PACKED, n_packed);
}

/* Streams that are as long as what they unpack to: they lie there as they are. */
static void make_split(const uint8_t *chunk, uint8_t *to)
{
    uint8_t *at = to + HEADER + STARTS;

    put_header(to, SHUFFLED | LZ4, WHOLE, ALL);
    stoa_put_le32(to + HEADER, HEADER + STARTS);
    stoa_put_le32(to + HEADER + 4, SECOND);
    for (size_t k = 0; k < 2; k++, at += WHOLE / 2) {
        stoa_put_le32(at, WHOLE / 2);
        at += SIZES;
        for (size_t i = 0; i < WHOLE / 2; i++) {
            at[i] = chunk[2 * i + k];
        }
    }
    stoa_put_le32(at, REST);
    for (size_t i = 0; i < REST; i++) {
        at[SIZES + i] = chunk[WHOLE + i % (REST / 2) * 2 + i / (REST / 2)];
    }
}

static stoa_pipeline blosc_of(void)
{
    stoa_pipeline p = pipeline_of(N, 2, stoa_simd_of_cpu());

    add_filter(&p, STOA_FILTER_BLOSC, 7, (uint32_t[]){2, 2, 2, N, 5, 1, 1});
    return p;
}

static void chunks_are_unpacked_without_the_library(void)
{
    const stoa_pipeline p = blosc_of();
    uint8_t chunk[N];
    uint8_t stored[ALL];

    random_chunk(chunk, N, 2);
    make_split(chunk, stored);
    check_undone(&p, stored, ALL, chunk);
    put_header(stored, PLAIN, WHOLE, HEADER + N);
    memcpy(stored + HEADER, chunk, N);
    check_undone(&p, stored, HEADER + N, chunk);
}

static bool is_taken(const uint8_t *stored, size_t n)
{
    stoa_blosc2_chunk chunk;
    uint8_t *copy = exact_copy(stored, n);
    const bool is = stoa_blosc_chunk_of(copy, n, &chunk);

    free(copy);
    return is;
}

/* What libblosc refuses is left to it, as is what it alone can unpack. */
static void headers_that_lie_are_not_taken(void)
{
    static const struct {
        size_t at;
        uint32_t value;
    } lies[] = {{UNPACKED, 0},
                {UNPACKED, WHOLE - 1},
                {UNPACKED, UINT32_C(0x80000000)},
                {BLOCK, 0},
                {BLOCK, N + 1},
                {BLOCK, UINT32_MAX},
                {BLOCK, 1} /* starts would not fit */,
                {PACKED, 0},
                {PACKED, HEADER - 1},
                {PACKED, HEADER + 7},
                {PACKED, ALL + 1}};
    static const struct {
        size_t at;
        uint8_t value;
    } bytes[] = {{VERSION, 1},
                 {VERSION, 3},
                 {ITEM, 0},
                 {FLAGS, SHUFFLED | SNAPPY},
                 {FLAGS, SHUFFLED | LZ4 | UNKNOWN},
                 {FLAGS, BITS | LZ4 | UNKNOWN},
                 {FLAGS, 7 << 5}};
    const uint8_t chunk[N] = {1, 2, 3};
    uint8_t stored[ALL];

    make_split(chunk, stored);
    CHECK(is_taken(stored, ALL));
    for (size_t n = 0; n < ALL; n++) {
        CHECK(!is_taken(stored, n));
    }
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        make_split(chunk, stored);
        stoa_put_le32(stored + lies[i].at, lies[i].value);
        CHECK(!is_taken(stored, ALL));
    }
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        make_split(chunk, stored);
        stored[bytes[i].at] = bytes[i].value;
        CHECK(!is_taken(stored, ALL));
    }
    put_header(stored, PLAIN, WHOLE, HEADER + N + 1);
    CHECK(!is_taken(stored, ALL)); /* longer than what it is a copy of */
    put_header(stored, PLAIN, WHOLE, HEADER + N - 1);
    CHECK(!is_taken(stored, ALL));
}

/* Starts and sizes of streams: nothing outside of the chunk is read, which is a block of its own.
 */
static void streams_that_lie_are_refused(void)
{
    static const uint32_t values[] = {
        0,   1,       HEADER + STARTS - 1, SECOND + 1,           ALL - 3,
        ALL, ALL + 1, INT32_MAX,           UINT32_C(0x80000000), UINT32_MAX};
    static const size_t places[] = {HEADER, HEADER + 4, HEADER + STARTS,
                                    HEADER + STARTS + SIZES + WHOLE / 2, SECOND};
    const stoa_pipeline p = blosc_of();
    uint8_t chunk[N];
    uint8_t stored[ALL];

    memset(chunk, 0xff, sizeof chunk); /* no stream of any codec */
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            make_split(chunk, stored);
            stoa_put_le32(stored + places[k], values[i]);
            check_refused(&p, stored, ALL, "blosc");
        }
    }
}

TEST_MAIN(TEST(chunks_are_unpacked_without_the_library), TEST(headers_that_lie_are_not_taken),
          TEST(streams_that_lie_are_refused))
