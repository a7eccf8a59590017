/* Each filter against its definition, or another implementation, for the files of src/codec. */
#include <libdeflate.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "codec/bytes.h"
#include "codec/kernels/scaleoffset.h"
#include "codec/kit.h"
#include "support/wall.h"

/* --- fletcher32 ------------------------------------------------------------------------------ */

static void put_checksum(uint8_t *behind, uint32_t checksum)
{
    for (unsigned i = 0; i < 4; i++) {
        behind[i] = (uint8_t)(checksum >> (8 * i));
    }
}

/* 65535 is not 0, lanes do not overflow, an odd byte counts; of old, words had their bytes swapped.
 */
static void checksums_are_those_of_the_definition(void)
{
    static uint8_t bytes[70000];
    static const uint8_t fills[] = {0, 0xff, 1, 0x80};

    for (uint64_t i = check_n_cases(300); i > 0; i--) {
        const size_t n = 1 + (size_t)check_random_below(i % 8 == 0 ? 65000 : 700);
        stoa_pipeline p = pipeline_of(n, 1, STOA_SIMD_SCALAR);
        const uint64_t kind = check_random_below(6);

        add_filter(&p, STOA_FILTER_FLETCHER32, 0, NULL);
        for (size_t k = 0; k < n; k++) {
            bytes[k] = kind < 4 ? fills[kind] : (uint8_t)check_random();
        }
        const uint32_t checksum = naive_fletcher32(bytes, n);
        put_checksum(bytes + n, checksum);
        check_undone(&p, bytes, n + 4, bytes);
        put_checksum(bytes + n, (checksum & 0x00ff00ff) << 8 | (checksum >> 8 & 0x00ff00ff));
        check_undone(&p, bytes, n + 4, bytes);
        put_checksum(bytes + n, checksum ^ UINT32_C(1) << check_random_below(32));
        check_refused(&p, bytes, n + 4, "fletcher32");
    }
}

/* "abcde": words 0x6162, 0x6364, 0x6500 add up to 0x129c6, folded 0x29c7; first sums 0x6162, 0xc4c6
 * and 0x29c7 to 0x14fef, folded 0x4ff0. */
static void a_checksum_worked_out_by_hand(void)
{
    stoa_pipeline p = pipeline_of(5, 1, STOA_SIMD_SCALAR);

    add_filter(&p, STOA_FILTER_FLETCHER32, 0, NULL);
    check_undone(&p, (const uint8_t *)"abcde\xc7\x29\xf0\x4f", 9, (const uint8_t *)"abcde");
}

/* --- deflate and zstd ------------------------------------------------------------------------ */

static void what_zlib_deflates_is_undone(void)
{
    uint8_t chunk[3000];
    uint8_t stored[4000];

    for (uint32_t level = 0; level <= 9; level++) {
        stoa_pipeline p = pipeline_of(sizeof chunk, 4, STOA_SIMD_SCALAR);
        uLongf n = sizeof stored;

        add_filter(&p, STOA_FILTER_DEFLATE, 1, &level);
        random_chunk(chunk, sizeof chunk, 4);
        CHECK_I64(compress2(stored, &n, chunk, sizeof chunk, (int)level), Z_OK);
        check_undone(&p, stored, n, chunk);
        check_refused(&p, stored, n + 1, "deflate"); /* a byte too many */
        check_refused(&p, stored, n - 1, "deflate");
        stored[n - 1] ^= 1; /* of the checksum */
        check_refused(&p, stored, n, "deflate");
        n = sizeof stored;
        CHECK_I64(compress2(stored, &n, chunk, sizeof chunk - 1, (int)level), Z_OK);
        check_refused(&p, stored, n, "unpacks to 2999 bytes");
    }
}

/* The first sum of Adler-32 is 1 + 65520 * 1, which is 0 modulo 65521: the stream ends in two zero
 * bytes. Without these it must not be taken as whole, whatever lies behind it in memory. */
static void a_short_stream_is_not_completed(void)
{
    static uint8_t chunk[65520];
    stoa_pipeline p = pipeline_of(sizeof chunk, 1, STOA_SIMD_SCALAR);
    uint8_t stored[1000] = {0};
    uLongf n = sizeof stored;

    memset(chunk, 1, sizeof chunk);
    add_filter(&p, STOA_FILTER_DEFLATE, 1, (uint32_t[]){1});
    CHECK_I64(compress2(stored, &n, chunk, sizeof chunk, 1), Z_OK);
    CHECK(stored[n - 2] == 0 && stored[n - 1] == 0);
    check_undone(&p, stored, n, chunk);
    check_refused(&p, stored, n + 1, "deflate");
    for (size_t k = 0; k < n; k++) {
        check_refused(&p, stored, k, "deflate");
    }
}

static void what_deflate_leaves_zlib_inflates(void)
{
    static uint8_t chunk[60000];
    static uint8_t back[60000];

    for (uint32_t level = 0; level <= 9; level++) {
        stoa_pipeline p = pipeline_of(sizeof chunk, 8, STOA_SIMD_SCALAR);
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        const uint8_t *stored = NULL;
        size_t n_stored = 0;
        uint32_t mask = 0;
        uLongf n = sizeof back;

        memset(chunk, (int)level, sizeof chunk);
        add_filter(&p, STOA_FILTER_DEFLATE, 1, &level);
        CHECK_OK(stoa_pipeline_apply(&p, chunk, &scratch, &stored, &n_stored, &mask, &err), &err);
        CHECK_U64(mask, level == 0); /* which packs nothing */
        if (mask == 0) {
            CHECK_I64(uncompress(back, &n, stored, n_stored), Z_OK);
            CHECK_U64(n, sizeof chunk);
            CHECK_MEM(back, chunk, sizeof chunk);
        }
        stoa_scratch_clear(&scratch);
    }
}

enum { N_RISING = 20000 };

/* What numbers are stored as, and their planes. */
static guarded deflate_numbers(size_t size, const uint64_t *numbers, uint8_t *planes)
{
    static uint8_t elements[N_RISING * 8];
    stoa_pipeline p = pipeline_of(N_RISING * size, size, stoa_simd_of_cpu());
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *packed = NULL;
    size_t n = 0;
    uint32_t mask = 0;

    for (uint64_t i = 0; i < N_RISING; i++) {
        for (size_t k = 0; k < size; k++) {
            elements[i * size + k] = (uint8_t)(numbers[i] >> (8 * k));
        }
    }
    naive_shuffle(planes, elements, N_RISING, size);
    add_filter(&p, STOA_FILTER_SHUFFLE, 1, (uint32_t[]){(uint32_t)size});
    add_filter(&p, STOA_FILTER_DEFLATE, 1, (uint32_t[]){1});
    CHECK_OK(stoa_pipeline_apply(&p, elements, &scratch, &packed, &n, &mask, &err), &err);
    CHECK_U64(mask, 0);
    guarded stored = guarded_new(n);
    memcpy(stored.bytes, packed, n);
    check_undone(&p, stored.bytes, n, elements);
    stoa_scratch_clear(&scratch);
    return stored;
}

/* Numbers that are `step` apart, and up to `jitter` more. */
static guarded deflate_rising(size_t size, uint64_t step, uint64_t jitter, uint8_t *planes)
{
    static uint64_t numbers[N_RISING];

    for (uint64_t i = 0; i < N_RISING; i++) {
        numbers[i] = i * step + (jitter != 0 ? check_random_below(jitter) : 0);
    }
    return deflate_numbers(size, numbers, planes);
}

static void check_inflated(const guarded *stored, const uint8_t *planes, size_t n)
{
    static uint8_t inflated[N_RISING * 8];
    uLongf n_inflated = sizeof inflated;

    CHECK_I64(uncompress(inflated, &n_inflated, stored->bytes, stored->n), Z_OK);
    CHECK_U64(n_inflated, n);
    CHECK_MEM(inflated, planes, n);
}

static bool holds_noise(const guarded *stored, const uint8_t *noise)
{
    return memmem(stored->bytes, stored->n, noise, N_RISING) != NULL;
}

static void noise_is_stored_and_repeats_are_next_to_nothing(void)
{
    static uint8_t planes[N_RISING * 8];

    for (size_t size = 2; size <= 8; size *= 2) {
        guarded stored = deflate_rising(size, 0, 256, planes);
        check_inflated(&stored, planes, N_RISING * size);
        CHECK(holds_noise(&stored, planes));
        CHECK(stored.n < N_RISING + N_RISING / 20);
        guarded_end(&stored);
    }
    guarded stored = deflate_rising(8, 50, 50, planes); /* noise, runs, repeats */
    check_inflated(&stored, planes, N_RISING * 8);
    CHECK(holds_noise(&stored, planes));
    CHECK(stored.n < N_RISING + N_RISING / 3);
    guarded_end(&stored);
}

/* No byte is more frequent than another, yet they are no noise. */
static void counters_are_packed(void)
{
    static uint8_t planes[N_RISING * 8];

    for (size_t size = 4; size <= 8; size *= 2) {
        guarded stored = deflate_rising(size, 1, 0, planes);
        check_inflated(&stored, planes, N_RISING * size);
        CHECK(stored.n < N_RISING / 10);
        guarded_end(&stored);
    }
}

static void numbers_among_zeros_take_no_more_than_by_libdeflate(void)
{
    static uint64_t numbers[N_RISING];
    static uint8_t planes[N_RISING * 8];
    static uint8_t theirs[N_RISING * 8];
    struct libdeflate_compressor *const libdeflate = libdeflate_alloc_compressor(1);

    for (size_t i = 0; i < N_RISING; i++) {
        numbers[i] = check_random_below(100) == 0 ? check_random_below(100000) : 0;
    }
    guarded stored = deflate_numbers(8, numbers, planes);
    check_inflated(&stored, planes, sizeof planes);
    CHECK(libdeflate != NULL);
    CHECK(stored.n <=
          libdeflate_zlib_compress(libdeflate, planes, sizeof planes, theirs, sizeof theirs));
    guarded_end(&stored);
    libdeflate_free_compressor(libdeflate);
}

enum { N_FLOATS = 10000 };

/* Random floats, and their planes: 24 bits that nothing packs, and exponents with an entropy of 2
 * bits, one of which is in another plane. */
static void random_floats(uint32_t *floats, uint8_t *planes)
{
    for (size_t i = 0; i < N_FLOATS; i++) {
        const float value = (float)(1 + check_random_below(1 << 24)) * 0x1p-24F;
        memcpy(&floats[i], &value, sizeof value);
    }
    naive_shuffle(planes, (const uint8_t *)floats, N_FLOATS, 4);
}

static void deflated_exponents_are_packed_apart_from_noise(void)
{
    static uint32_t floats[N_FLOATS];
    static uint8_t planes[sizeof floats];
    static uint8_t back[sizeof floats];
    stoa_pipeline p = pipeline_of(sizeof floats, 4, stoa_simd_of_cpu());
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *stored = NULL;
    size_t n = 0;
    uint32_t mask = 0;
    uLongf n_back = sizeof back;

    random_floats(floats, planes);
    add_filter(&p, STOA_FILTER_SHUFFLE, 1, (uint32_t[]){4});
    add_filter(&p, STOA_FILTER_DEFLATE, 1, (uint32_t[]){1});
    CHECK_OK(stoa_pipeline_apply(&p, (const uint8_t *)floats, &scratch, &stored, &n, &mask, &err),
             &err);
    CHECK_U64(mask, 0);
    CHECK(n < N_FLOATS * 258 / 80);                                /* 25.8 bits each */
    CHECK(memmem(stored, n, planes + N_FLOATS, N_FLOATS) != NULL); /* noise as it is */
    CHECK_I64(uncompress(back, &n_back, stored, n), Z_OK);
    CHECK_U64(n_back, sizeof planes);
    CHECK_MEM(back, planes, sizeof planes);
    check_undone(&p, stored, n, (const uint8_t *)floats);
    stoa_scratch_clear(&scratch);
}

enum { N_DRAWN = 1 << 16 };

/* Numbers of 8 bytes from zero on, each half as frequent as the one before it, times `step`, and
 * noise below it. The entropy is 2 bits and those of the noise. */
static void draw(uint8_t *elements, uint64_t step)
{
    for (size_t i = 0; i < N_DRAWN; i++) {
        const uint64_t drawn = (uint64_t)__builtin_ctzll(check_random() | 1 << 6);
        const uint64_t value = drawn * step + check_random_below(step);
        for (size_t k = 0; k < 8; k++) {
            elements[8 * i + k] = (uint8_t)(value >> (8 * k));
        }
    }
}

static void check_entropy(uint32_t level, uint64_t step, double bits, uint8_t width)
{
    static uint8_t elements[N_DRAWN * 8];
    static uint8_t back[N_DRAWN * 8];
    const stoa_scaleoffset so = {.n = N_DRAWN, .size = 8, .has_fill = true, .fill = UINT64_MAX};
    const stoa_filter filter = stoa_scaleoffset_filter(&so);
    stoa_pipeline p = pipeline_of(sizeof elements, 8, stoa_simd_of_cpu());
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *stored = NULL;
    size_t n = 0;
    uint32_t mask = 0;
    uLongf n_back = sizeof back;

    draw(elements, step);
    add_filter(&p, filter.id, filter.n_values, filter.values);
    add_filter(&p, STOA_FILTER_SHUFFLE, 1, (uint32_t[]){8});
    add_filter(&p, STOA_FILTER_DEFLATE, 1, &level);
    CHECK_OK(stoa_pipeline_apply(&p, elements, &scratch, &stored, &n, &mask, &err), &err);
    CHECK((double)n < 1.03 * bits / 8 * N_DRAWN);
    CHECK_I64(uncompress(back, &n_back, stored, n), Z_OK);
    if ((mask & 2) != 0) { /* not shuffled: it begins with the header of scale-offset */
        CHECK_U64(back[0], width);
    }
    memcpy(back, stored, n);
    if ((mask & 2) != 0) {
        p.filters[1] = p.filters[2];
        p.n_filters = 2;
    }
    check_undone(&p, back, n, elements);
    stoa_scratch_clear(&scratch);
}

/* Two values of 4 bits are a byte, whose code is hardly longer than the entropy. Seven values and
 * the fill take 3 bits, but no whole number of these makes a byte. Planes have codes of their own.
 */
static void values_in_no_order_take_hardly_more_than_their_entropy(void)
{
    for (uint32_t level = 1; level <= 9; level += 4) {
        check_entropy(level, 1, 1.97, 4);
        if (level > 1) { /* which leaves scale-offset alone if little is gained */
            check_entropy(level, 1 << 8, 9.97, 16);
        }
    }
}

/* Random numbers that come again after some thousands: slices of a chunk have no repeats. */
static void numbers_that_repeat_from_afar_are_packed(void)
{
    enum { N = 1 << 16, PERIOD = 10000 };
    static uint64_t values[N];

    for (size_t size = 1; size <= 4; size *= 4) {
        for (uint32_t level = 1; level <= 6; level += 5) {
            const size_t period = PERIOD; /* of numbers */
            stoa_pipeline p = pipeline_of(sizeof values, size, stoa_simd_of_cpu());
            stoa_scratch scratch = {.blocks = {NULL}};
            stoa_error err = STOA_ERROR_INIT;
            uint8_t *const bytes = (uint8_t *)values;
            const uint8_t *stored = NULL;
            size_t n = 0;
            uint32_t mask = 0;

            for (size_t i = 0; i < sizeof values; i++) {
                bytes[i] = i < period * size ? (uint8_t)check_random() : bytes[i - period * size];
            }
            if (size > 1) {
                add_filter(&p, STOA_FILTER_SHUFFLE, 1, (uint32_t[]){(uint32_t)size});
            }
            add_filter(&p, STOA_FILTER_DEFLATE, 1, &level);
            CHECK_OK(stoa_pipeline_apply(&p, bytes, &scratch, &stored, &n, &mask, &err), &err);
            CHECK(n < sizeof values / 10);
            stoa_scratch_clear(&scratch);
        }
    }
}

/* Other readers find the size in the frame. */
static void zstd_packs_exponents_apart_from_noise(void)
{
    static uint32_t floats[N_FLOATS];
    static uint8_t planes[sizeof floats];
    static uint8_t back[sizeof floats];

    for (uint32_t level = 1; level <= 19; level += 9) {
        stoa_pipeline p = pipeline_of(sizeof floats, 4, stoa_simd_of_cpu());
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        const uint8_t *stored = NULL;
        size_t n = 0;
        uint32_t mask = 0;

        random_floats(floats, planes);
        add_filter(&p, STOA_FILTER_SHUFFLE, 1, (uint32_t[]){4});
        add_filter(&p, STOA_FILTER_ZSTD, 1, &level);
        CHECK_OK(
            stoa_pipeline_apply(&p, (const uint8_t *)floats, &scratch, &stored, &n, &mask, &err),
            &err);
        CHECK_U64(mask, 0);
        CHECK(n < N_FLOATS * 258 / 80); /* 25.8 bits each */
        CHECK_U64(ZSTD_getFrameContentSize(stored, n), sizeof floats);
        CHECK_U64(ZSTD_decompress(back, sizeof back, stored, n), sizeof floats);
        CHECK_MEM(back, planes, sizeof planes);
        check_undone(&p, stored, n, (const uint8_t *)floats);
        stoa_scratch_clear(&scratch);
    }
}

/* They are as libzstd makes them: planes of less than 1024 bytes, or of a whole block of zstd's. */
static void zstd_planes_too_short_or_too_long_have_no_blocks_of_their_own(void)
{
    static const size_t counts[] = {1000, ZSTD_BLOCKSIZE_MAX};
    enum { MOST = 2 * ZSTD_BLOCKSIZE_MAX };
    static uint8_t chunk[MOST];
    static uint8_t planes[MOST];
    static uint8_t whole[MOST + MOST / 16 + 1024];

    for (size_t i = 0; i < 2; i++) {
        const size_t n_bytes = 2 * counts[i];
        stoa_pipeline p = pipeline_of(n_bytes, 2, stoa_simd_of_cpu());
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        const uint8_t *stored = NULL;
        size_t n = 0;
        uint32_t mask = 0;

        add_filter(&p, STOA_FILTER_SHUFFLE, 1, (uint32_t[]){2});
        add_filter(&p, STOA_FILTER_ZSTD, 1, (uint32_t[]){3});
        for (size_t k = 0; k < n_bytes; k++) {
            chunk[k] = (uint8_t)(k % 2 != 0 ? check_random_below(3) : check_random());
        }
        naive_shuffle(planes, chunk, counts[i], 2);
        const size_t expected = ZSTD_compress(whole, sizeof whole, planes, n_bytes, 3);
        CHECK(!ZSTD_isError(expected));
        CHECK_OK(stoa_pipeline_apply(&p, chunk, &scratch, &stored, &n, &mask, &err), &err);
        CHECK_U64(mask, 0);
        CHECK_U64(n, expected);
        CHECK_MEM(stored, whole, n);
        stoa_scratch_clear(&scratch);
    }
}

static void zstd_frames_are_undone(void)
{
    uint8_t chunk[3000];
    uint8_t stored[4000];
    stoa_pipeline p = pipeline_of(sizeof chunk, 4, STOA_SIMD_SCALAR);

    add_filter(&p, STOA_FILTER_ZSTD, 0, NULL);
    for (int level = 1; level < 20; level += 6) {
        random_chunk(chunk, sizeof chunk, 4);
        size_t n = ZSTD_compress(stored, sizeof stored, chunk, sizeof chunk, level);
        check_undone(&p, stored, n, chunk);
        check_refused(&p, stored, n - 1, "zstd");
        check_refused(&p, stored, n + 1, "zstd");
        n = ZSTD_compress(stored, sizeof stored, chunk, 1000, level); /* two frames */
        n += ZSTD_compress(stored + n, sizeof stored - n, chunk + 1000, 2000, level);
        check_undone(&p, stored, n, chunk);
        n = ZSTD_compress(stored, sizeof stored, chunk, 1000, level);
        check_refused(&p, stored, n, "unpacks to 1000 bytes");
    }
}

/* --- lz4 ------------------------------------------------------------------------------------- */

/* Blocks of literals alone, by LZ4's block format: the token's upper half is their number, and from
 * 15 on bytes are added to it, the last of them below 255. */
static size_t literals(const uint8_t *bytes, size_t n, uint8_t *out)
{
    size_t at = 0;

    out[at++] = (uint8_t)((n < 15 ? n : 15) << 4);
    if (n >= 15) {
        size_t rest = n - 15;
        for (; rest >= 255; rest -= 255) {
            out[at++] = 255;
        }
        out[at++] = (uint8_t)rest;
    }
    memcpy(out + at, bytes, n);
    return at + n;
}

static void lz4_blocks_are_undone(void)
{
    static const uint32_t blocks[] = {1, 14, 15, 100, 300, 2999, 3000};
    uint8_t chunk[3000];
    static uint8_t stored[40000];
    stoa_pipeline p = pipeline_of(sizeof chunk, 4, STOA_SIMD_SCALAR);

    add_filter(&p, STOA_FILTER_LZ4, 0, NULL);
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        size_t n = 12;
        random_chunk(chunk, sizeof chunk, 4);
        stoa_put_be64(stored, sizeof chunk);
        stoa_put_be32(stored + 8, blocks[b]);
        for (size_t at = 0; at < sizeof chunk; at += blocks[b]) {
            const size_t left = sizeof chunk - at;
            const size_t count = left < blocks[b] ? left : blocks[b];
            const size_t n_packed = literals(chunk + at, count, stored + n + 4);
            stoa_put_be32(stored + n, (uint32_t)n_packed);
            n += 4 + n_packed;
        }
        check_undone(&p, stored, n, chunk);
        check_refused(&p, stored, n + 1, "lz4");
        stoa_put_be64(stored, UINT64_C(1) << 40); /* a chunk of a terabyte */
        check_refused(&p, stored, n, "lz4");
        stoa_put_be64(stored, sizeof chunk);
        stoa_put_be32(stored + 8, 0);
        check_refused(&p, stored, n, "lz4");
    }
}

typedef struct lz4_call {
    stoa_pipeline p;
    walled in;
    walled out;
    stoa_status status;
} lz4_call;

static void undo_lz4(void *context)
{
    lz4_call *call = context;
    stoa_scratch scratch = {0};
    const uint8_t *found = NULL;

    call->status = stoa_pipeline_undo(&call->p, 0, call->in.bytes, call->in.n, &scratch,
                                      call->out.bytes, &found, NULL);
    stoa_scratch_clear(&scratch);
}

static void lz4_keeps_within(const stoa_pipeline *p, const uint8_t *stored, size_t n,
                             stoa_status expected)
{
    lz4_call call = {.p = *p, .in = wall(stored, n), .out = wall(NULL, p->chunk_bytes)};

    CHECK(!wall_is_touched(undo_lz4, &call));
    CHECK_STATUS(call.status, expected);
    wall_end(&call.in);
    wall_end(&call.out);
}

/* Three blocks of 20, 20 and 8 bytes, the second of them not packed; to be cut anywhere. */
static void lz4_touches_nothing_behind_its_bytes(void)
{
    static const size_t counts[] = {20, 20, 8};
    uint8_t chunk[48];
    uint8_t stored[200];
    size_t ends[3];
    size_t n = 12;
    size_t at = 0;
    stoa_pipeline p = pipeline_of(sizeof chunk, 4, STOA_SIMD_SCALAR);

    add_filter(&p, STOA_FILTER_LZ4, 0, NULL);
    random_chunk(chunk, sizeof chunk, 4);
    stoa_put_be64(stored, sizeof chunk);
    stoa_put_be32(stored + 8, 20);
    for (size_t i = 0; i < 3; i++) {
        size_t n_packed = literals(chunk + at, counts[i], stored + n + 4);
        if (i == 1) {
            memcpy(stored + n + 4, chunk + at, counts[i]);
            n_packed = counts[i];
        }
        stoa_put_be32(stored + n, (uint32_t)n_packed);
        n += 4 + n_packed;
        at += counts[i];
        ends[i] = n;
    }
    lz4_keeps_within(&p, stored, n, STOA_OK);
    for (size_t cut = 0; cut < n; cut++) {
        lz4_keeps_within(&p, stored, cut, STOA_EDATA);
    }
    p.chunk_bytes = 40; /* all is there, and more than there is room for */
    lz4_keeps_within(&p, stored, n, STOA_EDATA);
    p.chunk_bytes = sizeof chunk;
    stoa_put_be32(stored + ends[0], 21); /* not what a block has, nor one that is packed */
    lz4_keeps_within(&p, stored, n, STOA_EDATA);
    stoa_put_be32(stored + ends[0], UINT32_C(0x80000014));
    lz4_keeps_within(&p, stored, n, STOA_EDATA);
    stoa_put_be32(stored + ends[0], 20);
    stoa_put_be64(stored, 40); /* something follows */
    p.chunk_bytes = 40;
    lz4_keeps_within(&p, stored, n, STOA_EDATA);
    lz4_keeps_within(&p, stored, ends[1], STOA_OK);
}

/* --- bitshuffle ------------------------------------------------------------------------------ */

/* By the description in bitshuffle.c; blocks of bytes packed by the libraries. */
static size_t bitshuffled(const uint8_t *chunk, size_t n, size_t size, size_t block,
                          uint32_t packing, uint8_t *out)
{
    uint8_t *rows = malloc(block * size + 1);
    size_t at = packing != 0 ? 12 : 0;
    size_t i = 0;

    CHECK(rows != NULL);
    if (packing != 0) {
        stoa_put_be64(out, n * size);
        stoa_put_be32(out + 8, (uint32_t)(block * size));
    }
    while (n - i >= 8) {
        const size_t count = n - i < block ? (n - i) / 8 * 8 : block;
        const int n_rows = (int)(count * size);
        size_t n_packed = (size_t)n_rows;

        naive_bit_rows(rows, chunk + i * size, count, size);
        if (packing == 0) {
            memcpy(out + at, rows, n_packed);
            at += n_packed;
        } else {
            n_packed = packing == 2
                           ? (size_t)LZ4_compress_default((char *)rows, (char *)out + at + 4,
                                                          n_rows, LZ4_compressBound(n_rows))
                           : ZSTD_compress(out + at + 4, ZSTD_compressBound(count * size), rows,
                                           count * size, 3);
            stoa_put_be32(out + at, (uint32_t)n_packed);
            at += 4 + n_packed;
        }
        i += count;
    }
    memcpy(out + at, chunk + i * size, (n - i) * size);
    free(rows);
    return at + (n - i) * size;
}

static void check_bitshuffle(size_t n, size_t size, uint32_t block, uint32_t packing,
                             stoa_simd simd)
{
    const size_t usual = 8192 / size / 8 * 8 > 128 ? 8192 / size / 8 * 8 : 128;
    stoa_pipeline p = pipeline_of(n * size, size, simd);
    uint8_t *chunk = malloc(n * size);
    uint8_t *stored = malloc(n * size * 3 + 10000);
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *ours = NULL;
    size_t n_ours = 0;
    uint32_t mask = 0;

    CHECK(chunk != NULL && stored != NULL);
    const uint32_t n_values = block == 0 && packing == 0 ? 3 : 5; /* the defaults are left out */
    add_filter(&p, STOA_FILTER_BITSHUFFLE, n_values,
               (uint32_t[]){0, 5, (uint32_t)size, block, packing});
    random_chunk(chunk, n * size, size);
    const size_t n_stored =
        bitshuffled(chunk, n, size, block != 0 ? block : usual, packing, stored);
    check_undone(&p, stored, n_stored, chunk);
    if (n_stored > 1) {
        check_refused(&p, stored, n_stored - 1, packing != 0 ? "bitshuffle" : "damaged");
    }
    CHECK_OK(stoa_pipeline_apply(&p, chunk, &scratch, &ours, &n_ours, &mask, &err), &err);
    if (mask == 0 && packing != 3) { /* whose coder may choose otherwise */
        CHECK_U64(n_ours, n_stored);
        CHECK_MEM(ours, stored, n_stored);
    } else if (mask == 0) {
        uint8_t *exact = exact_copy(ours, n_ours);
        check_undone(&p, exact, n_ours, chunk);
        free(exact);
    }
    stoa_scratch_clear(&scratch);
    free(chunk);
    free(stored);
}

static void bits_are_shuffled_as_defined(void)
{
    static const uint32_t packings[] = {0, 2, 3};
    static const uint32_t blocks[] = {0, 8, 64, 256};

    for (EACH_SIMD(simd)) {
        for (uint64_t i = check_n_cases(150); i > 0; i--) {
            const size_t size = 1 + (size_t)check_random_below(i % 4 == 0 ? 20 : 8);
            check_bitshuffle(1 + (size_t)check_random_below(2500), size,
                             blocks[check_random_below(4)], packings[i % 3], simd);
        }
    }
}

TEST_MAIN(TEST(checksums_are_those_of_the_definition), TEST(a_checksum_worked_out_by_hand),
          TEST(what_zlib_deflates_is_undone), TEST(a_short_stream_is_not_completed),
          TEST(what_deflate_leaves_zlib_inflates),
          TEST(noise_is_stored_and_repeats_are_next_to_nothing), TEST(counters_are_packed),
          TEST(numbers_among_zeros_take_no_more_than_by_libdeflate),
          TEST(deflated_exponents_are_packed_apart_from_noise),
          TEST(values_in_no_order_take_hardly_more_than_their_entropy),
          TEST(numbers_that_repeat_from_afar_are_packed),
          TEST(zstd_packs_exponents_apart_from_noise),
          TEST(zstd_planes_too_short_or_too_long_have_no_blocks_of_their_own),
          TEST(zstd_frames_are_undone), TEST(lz4_blocks_are_undone),
          TEST(lz4_touches_nothing_behind_its_bytes), TEST(bits_are_shuffled_as_defined))
