/* Chunks of Blosc2, made by hand after c-blosc2's README_CHUNK_FORMAT, for
 * src/codec/blosc2_chunk.c; a frame after its README_CFRAME_FORMAT.rst, for src/codec/blosc2.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codec/blosc2_chunk.h"
#include "codec/bytes.h"
#include "codec/kit.h"

/* Where the header has what, and what is in it. */
enum {
    VERSION = 0,
    FLAGS = 2,
    ITEM = 3,
    UNPACKED = 4,
    BLOCK = 8,
    PACKED = 12,
    FILTERS = 16,
    METAS = 24,
    MORE_FLAGS = 31,
    HEADER = 32
};
enum { EXTENDED = 0x05, PLAIN = 0x02, WHOLE = 0x10, LZ4 = 1 << 5 };
enum { SHUFFLE = 1, BITSHUFFLE = 2, DELTA = 3, TRUNCATE = 4 };
/* Two blocks and a shorter one, of elements of four bytes. */
enum { SIZE = 4, N_BLOCK = 1024, REST = 200, N = 2 * N_BLOCK + REST, N_BLOCKS = 3 };
enum { MOST = HEADER + 4 * N_BLOCKS + N + 4 * (2 * SIZE + 1) };

static size_t put_header(uint8_t *to, unsigned flags, size_t n_packed)
{
    memset(to, 0, HEADER);
    to[VERSION] = 5;
    to[1] = 1;
    to[FLAGS] = (uint8_t)(EXTENDED | flags);
    to[ITEM] = SIZE;
    stoa_put_le32(to + UNPACKED, N);
    stoa_put_le32(to + BLOCK, N_BLOCK);
    stoa_put_le32(to + PACKED, (uint32_t)n_packed);
    return n_packed;
}

static size_t block_bytes(size_t block)
{
    return block < 2 ? N_BLOCK : REST;
}

/* The chunk is what comes out, block by block; false where its header or a block is refused. */
static bool is_undone(const uint8_t *stored, size_t n_stored, const uint8_t *expected)
{
    uint8_t *in = exact_copy(stored, n_stored);
    stoa_scratch scratch = {.blocks = {NULL}};
    guarded buffers[STOA_BLOSC2_BUFFERS];
    stoa_blosc2_tools tools = {.coders = stoa_scratch_coders(&scratch), .simd = stoa_simd_of_cpu()};
    stoa_blosc2_chunk chunk;
    bool is = stoa_blosc2_chunk_of(in, n_stored, &chunk);

    CHECK(tools.coders != NULL);
    for (size_t i = 0; i < STOA_BLOSC2_BUFFERS; i++) {
        buffers[i] = guarded_new(N_BLOCK);
        tools.buffers[i] = buffers[i].bytes;
    }
    if (is) {
        CHECK_U64(chunk.n_blocks, N_BLOCKS);
    }
    for (size_t block = 0; is && block < N_BLOCKS; block++) {
        guarded out = guarded_new(block_bytes(block));
        CHECK_U64(stoa_blosc2_block_bytes(&chunk, block), block_bytes(block));
        const stoa_status status = stoa_blosc2_block(&chunk, &tools, block, out.bytes);
        CHECK(status == STOA_OK || status == STOA_EDATA);
        is = status == STOA_OK;
        if (is) {
            CHECK_MEM(out.bytes, expected + block * N_BLOCK, block_bytes(block));
        }
        guarded_end(&out);
    }
    for (size_t i = 0; i < STOA_BLOSC2_BUFFERS; i++) {
        guarded_end(&buffers[i]);
    }
    stoa_scratch_clear(&scratch);
    free(in);
    return is;
}

static void apply_filter(int filter, uint8_t *bytes, size_t n)
{
    uint8_t *before = exact_copy(bytes, n);

    if (filter == SHUFFLE) {
        naive_shuffle(bytes, before, n / SIZE, SIZE);
    } else if (filter == BITSHUFFLE) {
        naive_bit_rows(bytes, before, n / SIZE / 8 * 8, SIZE); /* whole groups of eight */
    }
    free(before);
}

/* Streams that are as long as what they unpack to lie there as they are. */
static size_t make_chunk(uint8_t *to, const uint8_t *chunk, const uint8_t *filters, bool is_split)
{
    uint8_t *at = to + HEADER + 4 * N_BLOCKS;

    for (size_t block = 0; block < N_BLOCKS; block++) {
        const size_t n = block_bytes(block);
        const size_t n_streams = is_split && n == N_BLOCK ? SIZE : 1;
        uint8_t bytes[N_BLOCK];

        memcpy(bytes, chunk + block * N_BLOCK, n);
        for (size_t i = 0; i < STOA_BLOSC2_FILTERS; i++) {
            apply_filter(filters[i], bytes, n);
        }
        stoa_put_le32(to + HEADER + 4 * block, (uint32_t)(at - to));
        for (size_t i = 0; i < n_streams; i++) {
            stoa_put_le32(at, (uint32_t)(n / n_streams));
            memcpy(at + 4, bytes + i * (n / n_streams), n / n_streams);
            at += 4 + n / n_streams;
        }
    }
    const size_t n = put_header(to, LZ4 | (is_split ? 0 : WHOLE), (size_t)(at - to));
    memcpy(to + FILTERS, filters, STOA_BLOSC2_FILTERS);
    return n;
}

static void filters_are_undone_last_one_first(void)
{
    static const uint8_t filters[][STOA_BLOSC2_FILTERS] = {
        {0},
        {0, 0, 0, 0, 0, SHUFFLE},
        {0, 0, 0, 0, 0, BITSHUFFLE},
        {TRUNCATE, 0, 0, 0, 0, SHUFFLE},
        {SHUFFLE, BITSHUFFLE},
        {BITSHUFFLE, 0, SHUFFLE, 0, BITSHUFFLE},
        {SHUFFLE, SHUFFLE, BITSHUFFLE, SHUFFLE},
        {SHUFFLE, BITSHUFFLE, SHUFFLE, SHUFFLE, BITSHUFFLE, SHUFFLE}};
    uint8_t chunk[N];
    uint8_t stored[MOST];

    for (size_t i = 0; i < N; i++) {
        chunk[i] = (uint8_t)check_random();
    }
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        for (int is_split = 0; is_split < 2; is_split++) {
            const size_t n = make_chunk(stored, chunk, filters[i], is_split != 0);
            CHECK(is_undone(stored, n, chunk));
            stored[FILTERS + 1] = DELTA;
            CHECK(!is_undone(stored, n, chunk));
        }
    }
}

/* A shuffle may have a size of its own. */
static void a_filter_may_take_elements_of_another_size(void)
{
    uint8_t chunk[N];
    uint8_t stored[MOST];

    for (size_t i = 0; i < N; i++) {
        chunk[i] = (uint8_t)check_random();
    }
    const size_t n = make_chunk(stored, chunk, (const uint8_t[STOA_BLOSC2_FILTERS]){0}, false);
    uint8_t *at = stored + HEADER + 4 * N_BLOCKS;
    for (size_t block = 0; block < N_BLOCKS; block++) {
        naive_shuffle(at + 4, chunk + block * N_BLOCK, block_bytes(block) / 8, 8);
        at += 4 + block_bytes(block);
    }
    stored[FILTERS] = SHUFFLE;
    CHECK(!is_undone(stored, 0, chunk));
    stored[METAS] = 8;
    CHECK(is_undone(stored, n, chunk));
}

static void blocks_may_lie_behind_the_header_as_they_are(void)
{
    uint8_t chunk[N];
    uint8_t stored[HEADER + N];

    for (size_t i = 0; i < N; i++) {
        chunk[i] = (uint8_t)check_random();
    }
    memcpy(stored + HEADER, chunk, N);
    const size_t n = put_header(stored, PLAIN, HEADER + N);
    CHECK(is_undone(stored, n, chunk));
    (void)put_header(stored, PLAIN, HEADER + N - 1);
    CHECK(!is_undone(stored, n, chunk));
}

/* A size of 0 stands for zeros, one below zero for a byte over and over. */
static void a_stream_may_be_one_byte_over_and_over(void)
{
    uint8_t chunk[N];
    uint8_t stored[MOST];

    memset(chunk, 0, N_BLOCK);
    memset(chunk + N_BLOCK, 0xfe, N_BLOCK);
    memset(chunk + 2 * N_BLOCK, 1, REST);
    uint8_t *at = stored + HEADER + 4 * N_BLOCKS;
    for (size_t block = 0; block < N_BLOCKS; block++) {
        stoa_put_le32(stored + HEADER + 4 * block, (uint32_t)(at - stored));
        stoa_put_le32(at, UINT32_C(0) - chunk[block * N_BLOCK]);
        at += 4;
        if (block > 0) {
            *at++ = 1; /* the token: it is repeated */
        }
    }
    const size_t n = put_header(stored, LZ4 | WHOLE, (size_t)(at - stored));
    CHECK(is_undone(stored, n, chunk));
    for (size_t less = HEADER; less < n; less++) {
        (void)put_header(stored, LZ4 | WHOLE, less);
        CHECK(!is_undone(stored, less, chunk));
    }
    (void)put_header(stored, LZ4 | WHOLE, n);
    stored[n - 1] = 2; /* another token */
    CHECK(!is_undone(stored, n, chunk));
    stored[n - 1] = 1;
    stoa_put_le32(stored + n - 5, UINT32_C(0) - 256); /* no byte */
    CHECK(!is_undone(stored, n, chunk));
    stoa_put_le32(stored + n - 5, UINT32_C(0x80000000));
    CHECK(!is_undone(stored, n, chunk));
}

/* --- no blocks ---------------------------------------------------------------------------------
 */

static stoa_status fill(const uint8_t *stored, size_t n_stored, uint8_t *out, size_t n)
{
    uint8_t *in = exact_copy(stored, n_stored);
    guarded g = guarded_new(n);
    stoa_blosc2_chunk chunk;
    stoa_status status = STOA_ENOTFOUND; /* not taken */

    if (stoa_blosc2_chunk_of(in, n_stored, &chunk)) {
        status = stoa_blosc2_fill(&chunk, 0, g.bytes, n);
        memcpy(out, g.bytes, n);
    }
    guarded_end(&g);
    free(in);
    return status;
}

static void special_values_take_a_chunks_place(void)
{
    uint8_t stored[HEADER + 8] = {0};
    uint8_t out[N];

    for (unsigned special = 1; special < 8; special++) {
        for (uint8_t size = 1; size <= 8; size++) {
            const size_t n = (size_t)size * 20;
            (void)put_header(stored, 0, HEADER);
            stored[MORE_FLAGS] = (uint8_t)(special << 4);
            stored[ITEM] = size;
            memset(out, 7, sizeof out);
            const stoa_status status = fill(stored, HEADER, out, n);
            if (special == 2 && (size == 4 || size == 8)) {
                CHECK_OK(status);
                for (size_t i = 0; i < 20; i++) {
                    float f = 0;
                    double d = 0;
                    memcpy(&f, out + i * size, sizeof f);
                    memcpy(&d, out + i * size / 8 * 8, sizeof d);
                    CHECK(size == 4 ? isnan(f) : isnan(d));
                }
            } else if (special == 1 || special == 4) {
                CHECK_OK(status);
                for (size_t i = 0; i < n; i++) {
                    CHECK_U64(out[i], 0);
                }
            } else {
                CHECK_STATUS(STOA_ENOTFOUND, status);
            }
        }
    }
}

static void a_value_behind_the_header_is_repeated(void)
{
    uint8_t stored[HEADER + 8] = {0};
    uint8_t out[N];

    for (uint8_t size = 1; size <= 8; size++) {
        (void)put_header(stored, 0, HEADER + (size_t)size);
        stored[MORE_FLAGS] = 3 << 4;
        stored[ITEM] = size;
        memcpy(stored + HEADER, "12345678", 8);
        CHECK_OK(fill(stored, HEADER + (size_t)size, out, (size_t)size * 20));
        for (size_t i = 0; i < (size_t)size * 20; i++) {
            CHECK_U64(out[i], stored[HEADER + i % size]);
        }
        if (size > 1) { /* no whole number of elements */
            CHECK_STATUS(STOA_EDATA,
                         fill(stored, HEADER + (size_t)size, out, (size_t)size * 20 + 1));
        }
    }
}

/* --- headers -----------------------------------------------------------------------------------
 */

static void headers_that_lie_are_not_taken(void)
{
    static const struct {
        size_t at;
        uint32_t value;
    } lies[] = {{UNPACKED, UINT32_C(0x80000000)},
                {BLOCK, 0},
                {BLOCK, UINT32_C(0x80000000)},
                {BLOCK, 1}, /* starts would not fit */
                {PACKED, 0},
                {PACKED, HEADER - 1},
                {PACKED, MOST + 1}};
    static const struct {
        size_t at;
        uint8_t value;
    } bytes[] = {{VERSION, 2},        {VERSION, 6},        {ITEM, 0},
                 {FLAGS, LZ4 | 0x01}, {FLAGS, LZ4 | 0x04}, {FILTERS, DELTA},
                 {FILTERS + 5, 5},    {MORE_FLAGS, 0x01},  {MORE_FLAGS, 0x80}};
    const uint8_t chunk[N] = {1, 2, 3};
    const uint8_t none[STOA_BLOSC2_FILTERS] = {0};
    stoa_blosc2_chunk found;
    uint8_t stored[MOST];
    const size_t n = make_chunk(stored, chunk, none, true);

    CHECK(stoa_blosc2_chunk_of(stored, n, &found));
    for (size_t less = 0; less < n; less++) {
        CHECK(!is_undone(stored, less, chunk));
    }
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        (void)make_chunk(stored, chunk, none, true);
        stoa_put_le32(stored + lies[i].at, lies[i].value);
        CHECK(!stoa_blosc2_chunk_of(stored, n, &found));
    }
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        (void)make_chunk(stored, chunk, none, true);
        stored[bytes[i].at] = bytes[i].value;
        CHECK(!stoa_blosc2_chunk_of(stored, n, &found));
    }
}

/* Nothing outside of the chunk is read, whatever starts and sizes of streams say. */
static void streams_that_lie_are_refused(void)
{
    static const uint32_t values[] = {1,         HEADER + 4 * N_BLOCKS - 1, MOST - 3, MOST + 1,
                                      INT32_MAX, UINT32_C(0x80000000)};
    const uint8_t none[STOA_BLOSC2_FILTERS] = {0};
    uint8_t chunk[N];
    uint8_t stored[MOST];

    memset(chunk, 0xff, sizeof chunk);                   /* no stream of any codec */
    for (size_t place = 0; place <= N_BLOCKS; place++) { /* starts, and the size of a stream */
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            const size_t n = make_chunk(stored, chunk, none, true);
            stoa_put_le32(stored + HEADER + 4 * place, values[i]);
            CHECK(!is_undone(stored, n, chunk));
        }
    }
}

/* --- frames ------------------------------------------------------------------------------------
 */

enum { RANK = 8, FRAME_HEADER = 267, FRAME = FRAME_HEADER + HEADER + 8 };

/* An array of numbers of 8 or 4 bytes: all of them 1, but the last. */
static uint8_t *put_shape(uint8_t *at, size_t size, uint8_t last)
{
    *at++ = 0x90 | RANK;
    for (size_t i = 0; i < RANK; i++) {
        *at = size == 8 ? 0xd3 : 0xd2;
        at[size] = i + 1 < RANK ? 1 : last;
        at += 1 + size;
    }
    return at;
}

/* All its chunks are of zeros, which the offset of a chunk says. */
static void make_frame(uint8_t *to, uint8_t last_of_chunk, uint8_t last_of_block)
{
    memset(to, 0, FRAME);
    memcpy(to,
           "\x9e\xa8"
           "b2frame\0\xd2",
           11);
    to[13] = FRAME_HEADER >> 8;
    to[14] = FRAME_HEADER & 0xff;
    to[22] = FRAME >> 8;
    to[23] = FRAME & 0xff;
    to[87] = 0x93;
    memcpy(to + 91,
           "\xde\0\1\xa4"
           "b2nd\xd2\0\0\0\x68\xc6\0\0\0\x9e",
           18);
    memcpy(to + 109, (const uint8_t[]){0x95, 0, RANK}, 3);
    uint8_t *at = put_shape(to + 112, 8, 1);
    at = put_shape(at, 4, last_of_chunk);
    CHECK(put_shape(at, 4, last_of_block) == to + FRAME_HEADER);
    at = to + FRAME_HEADER;
    (void)put_header(at, 0, HEADER + 8);
    stoa_put_le32(at + UNPACKED, 8);
    stoa_put_le32(at + BLOCK, 8);
    at[ITEM] = 8;
    at[MORE_FLAGS] = 3 << 4;
    at[HEADER + 7] = 0x81;
}

static void a_frame_may_have_eight_dimensions(void)
{
    stoa_pipeline p = pipeline_of(SIZE, SIZE, stoa_simd_of_cpu());
    uint8_t frame[FRAME];

    add_filter(&p, STOA_FILTER_BLOSC2, 7, (uint32_t[]){1, SIZE, SIZE, SIZE, 5, 1, 5});
    make_frame(frame, 1, 1);
    check_undone(&p, frame, FRAME, (const uint8_t[SIZE]){0});
    make_frame(frame, 1, 2); /* no block is larger than its chunk */
    check_refused(&p, frame, FRAME, "blosc2");
}

/* --- parts -------------------------------------------------------------------------------------
 */

enum { PLAIN_FRAME_HEADER = 97, MOST_OF_FRAME = PLAIN_FRAME_HEADER + MOST + HEADER };

/* A frame of one dimension around a chunk. */
static size_t wrap(uint8_t *frame, const uint8_t *chunk, size_t n_chunk)
{
    const size_t n = PLAIN_FRAME_HEADER + n_chunk + HEADER;
    uint8_t *const index = frame + n - HEADER;

    memset(frame, 0, PLAIN_FRAME_HEADER);
    memcpy(frame,
           "\x9e\xa8"
           "b2frame\0\xd2",
           11);
    frame[14] = PLAIN_FRAME_HEADER;
    frame[22] = (uint8_t)(n >> 8);
    frame[23] = (uint8_t)n;
    frame[45] = (uint8_t)(n_chunk >> 8);
    frame[46] = (uint8_t)n_chunk;
    frame[87] = 0x93;
    frame[91] = 0xde;
    memcpy(frame + PLAIN_FRAME_HEADER, chunk, n_chunk);
    (void)put_header(index, 0, HEADER);
    stoa_put_le32(index + UNPACKED, 8);
    stoa_put_le32(index + BLOCK, 8);
    index[ITEM] = 8;
    index[MORE_FLAGS] = 1 << 4; /* zeros: where the chunk is, behind the header */
    return n;
}

/* Put the last block first, as threads may do. */
static void turn_blocks(uint8_t *stored, size_t n)
{
    const size_t first = HEADER + 4 * N_BLOCKS;
    const size_t last = stoa_get_le32(stored + HEADER + 8);
    uint8_t bytes[MOST];

    memcpy(bytes, stored + first, n - first);
    memcpy(stored + first, bytes + (last - first), n - last);
    memcpy(stored + first + (n - last), bytes, last - first);
    for (size_t i = 0; i < 2; i++) {
        const uint32_t start = stoa_get_le32(stored + HEADER + 4 * i);
        stoa_put_le32(stored + HEADER + 4 * i, start + (uint32_t)(n - last));
    }
    stoa_put_le32(stored + HEADER + 8, (uint32_t)first);
}

/* What is there of a stored chunk. */
typedef struct source {
    const uint8_t *all;
    uint8_t *loaded;
    size_t n;       /* of all */
    size_t n_bytes; /* that were loaded */
    size_t n_calls; /* left before one fails */
} source;

static stoa_status load(void *context, size_t first, size_t n)
{
    source *const from = context;

    CHECK(first <= from->n && n <= from->n - first);
    if (from->n_calls-- == 0) {
        return STOA_EIO;
    }
    memcpy(from->loaded + first, from->all + first, n);
    from->n_bytes += n;
    return STOA_OK;
}

static stoa_status undo_part(const uint8_t *frame, size_t n_frame, size_t first, size_t n,
                             size_t n_calls, uint8_t *out, size_t *n_loaded)
{
    stoa_pipeline p = pipeline_of(N, SIZE, stoa_simd_of_cpu());
    stoa_scratch scratch = {.blocks = {NULL}};
    uint8_t *const loaded = exact_copy(frame, n_frame);
    guarded g = guarded_new(n);
    source from = {frame, loaded, n_frame, 0, n_calls};

    memset(loaded, 0xee, n_frame);
    add_filter(&p, STOA_FILTER_BLOSC2, 7, (uint32_t[]){1, N_BLOCK, SIZE, N, 5, 1, 1});
    CHECK(stoa_pipeline_has_parts(&p));
    const stoa_status status = stoa_pipeline_undo_part(
        &p, loaded, n_frame, &(stoa_loader){load, &from}, &scratch, first, n, g.bytes, NULL);
    memcpy(out, g.bytes, n);
    *n_loaded = from.n_bytes;
    guarded_end(&g);
    stoa_scratch_clear(&scratch);
    free(loaded);
    return status;
}

static void check_parts(const uint8_t *frame, size_t n_frame, const uint8_t *chunk)
{
    uint8_t out[N];
    size_t n_loaded = 0;

    for (int i = 0; i < 100; i++) {
        const size_t first = check_random() % N;
        const size_t n = 1 + check_random() % (N - first);
        CHECK_OK(undo_part(frame, n_frame, first, n, SIZE_MAX, out, &n_loaded));
        CHECK_MEM(out, chunk + first, n);
    }
    CHECK_OK(undo_part(frame, n_frame, N_BLOCK + 4, 8, SIZE_MAX, out, &n_loaded));
    CHECK(n_loaded < n_frame - REST);
    CHECK_STATUS(STOA_EDATA, undo_part(frame, n_frame, N - 4, 8, SIZE_MAX, out, &n_loaded));
}

static void parts_are_decoded_from_their_blocks_alone(void)
{
    static const uint8_t shuffled[STOA_BLOSC2_FILTERS] = {0, 0, 0, 0, 0, SHUFFLE};
    uint8_t chunk[N];
    uint8_t stored[MOST];
    uint8_t frame[MOST_OF_FRAME];

    for (size_t i = 0; i < N; i++) {
        chunk[i] = (uint8_t)check_random();
    }
    for (int is_split = 0; is_split < 2; is_split++) {
        const size_t n = make_chunk(stored, chunk, shuffled, is_split != 0);
        check_parts(frame, wrap(frame, stored, n), chunk);
        turn_blocks(stored, n);
        check_parts(frame, wrap(frame, stored, n), chunk);
    }
    memcpy(stored + HEADER, chunk, N);
    (void)put_header(stored, PLAIN, HEADER + N);
    check_parts(frame, wrap(frame, stored, HEADER + N), chunk);
}

static void parts_of_special_chunks_are_values(void)
{
    uint8_t stored[HEADER + SIZE];
    uint8_t frame[MOST_OF_FRAME];
    uint8_t out[N];
    size_t n_loaded = 0;

    (void)put_header(stored, 0, sizeof stored);
    stored[MORE_FLAGS] = 3 << 4;
    memcpy(stored + HEADER, "1234", SIZE);
    const size_t n = wrap(frame, stored, sizeof stored);
    CHECK_OK(undo_part(frame, n, 6, 8, SIZE_MAX, out, &n_loaded));
    CHECK_MEM(out, "34123412", 8);
    frame[n - HEADER + MORE_FLAGS] = 3 << 4; /* the frame says that all are zeros */
    stoa_put_le32(frame + n - HEADER + PACKED, HEADER + 8);
    memcpy(frame + n, "\0\0\0\0\0\0\0\x81", 8);
    frame[23] = (uint8_t)(n + 8);
    CHECK_OK(undo_part(frame, n + 8, 6, 8, SIZE_MAX, out, &n_loaded));
    CHECK_MEM(out, "\0\0\0\0\0\0\0\0", 8);
}

static void a_part_ends_with_what_its_bytes_end_with(void)
{
    static const uint8_t none[STOA_BLOSC2_FILTERS] = {0};
    uint8_t chunk[N] = {0};
    uint8_t stored[MOST];
    uint8_t frame[MOST_OF_FRAME];
    uint8_t out[N];
    size_t n_loaded = 0;
    const size_t n = wrap(frame, stored, make_chunk(stored, chunk, none, true));
    stoa_status status = STOA_EIO;

    for (size_t n_calls = 0; status != STOA_OK; n_calls++) {
        status = undo_part(frame, n, 0, N, n_calls, out, &n_loaded);
        CHECK(status == STOA_OK || status == STOA_EIO);
    }
    for (size_t less = 0; less < n; less++) {
        CHECK_STATUS(STOA_EDATA, undo_part(frame, less, 0, N, SIZE_MAX, out, &n_loaded));
    }
    for (int i = 0; i < 2000; i++) {
        const size_t at = check_random() % n;
        const uint8_t was = frame[at];
        frame[at] = (uint8_t)check_random();
        status = undo_part(frame, n, check_random() % N, 4, SIZE_MAX, out, &n_loaded);
        CHECK(status == STOA_OK || status == STOA_EDATA);
        frame[at] = was;
    }
}

TEST_MAIN(TEST(filters_are_undone_last_one_first), TEST(a_filter_may_take_elements_of_another_size),
          TEST(blocks_may_lie_behind_the_header_as_they_are),
          TEST(a_stream_may_be_one_byte_over_and_over), TEST(special_values_take_a_chunks_place),
          TEST(a_value_behind_the_header_is_repeated), TEST(headers_that_lie_are_not_taken),
          TEST(streams_that_lie_are_refused), TEST(a_frame_may_have_eight_dimensions),
          TEST(parts_are_decoded_from_their_blocks_alone), TEST(parts_of_special_chunks_are_values),
          TEST(a_part_ends_with_what_its_bytes_end_with))
