/* A chunk has a header of 32 bytes, the offset of each block (4 bytes each), and the blocks. A
 * block has one stream, or one per byte of an element. A stream has its compressed size (4 bytes)
 * and its bytes. All numbers are little-endian. A chunk of Blosc 1 has only the first 16 bytes of
 * the header, and at most one filter. */
#include "codec/blosc2_chunk.h"

#include <libdeflate.h>
#include <lz4.h>
#include <math.h>
#include <string.h>
#include <zstd.h>

#include "codec/bitshuffle.h"
#include "codec/blosclz.h"
#include "codec/bytes.h"
#include "codec/kernels/shuffle.h"

/* Offsets in the header. */
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
    HEADER = 32,
    OLD_HEADER = 16
};
/* Versions of the format that are supported; version 6 has blocks of different lengths. */
enum { OLDEST = 3, NEWEST = 5, OLD_VERSION = 2 };
enum { IS_EXTENDED = 0x05, IS_PLAIN = 0x02, IS_WHOLE = 0x10, CODEC_SHIFT = 5 };
enum { SPECIAL_SHIFT = 4, SPECIAL_MASK = 7, REFUSED = 0x8f }; /* dictionary, lazy, and others */
enum { BLOSCLZ = 0, LZ4 = 1, DEFLATE = 3, ZSTD = 4 };
enum { SHUFFLE = 1, BITSHUFFLE = 2, TRUNCATE = 4 }; /* TRUNCATE needs no decoding */
enum { IS_REPEATED = 1 };                           /* bit of a stream's token */
/* Filters of Blosc 1 are flags. It splits blocks into streams only if the elements have at most
 * MAX_STREAMS bytes and a block has at least MIN_ITEMS elements. */
enum { IS_SHUFFLED = 0x01, IS_BIT_SHUFFLED = 0x04, MAX_STREAMS = 16, MIN_ITEMS = 128 };
enum { IS_UNKNOWN = 0x08 }; /* an undefined flag, which libblosc refuses */

/* --- the header ------------------------------------------------------------------------------ */

static bool read_filters(const uint8_t *header, stoa_blosc2_chunk *chunk)
{
    for (size_t i = 0; i < STOA_BLOSC2_FILTERS; i++) {
        const uint8_t filter = header[FILTERS + i];
        const uint8_t meta = header[METAS + i];

        if (filter == SHUFFLE || filter == BITSHUFFLE) {
            chunk->shuffles[chunk->n_filters].is_bits = filter == BITSHUFFLE;
            chunk->shuffles[chunk->n_filters].size =
                filter == SHUFFLE && meta != 0 ? meta : chunk->item_bytes;
            chunk->n_filters++;
        } else if (filter != 0 && filter != TRUNCATE) {
            return false;
        }
    }
    return true;
}

/* Whether the chunk has enough bytes for its blocks, which have not been read yet. */
static bool fits(const stoa_blosc2_chunk *chunk)
{
    const size_t n = chunk->n_bytes - chunk->n_header;

    switch (chunk->special) {
    case STOA_BLOSC2_BLOCKS:
        return chunk->is_plain ? n >= chunk->n_unpacked : n / 4 >= chunk->n_blocks;
    case STOA_BLOSC2_NANS:
        return chunk->item_bytes == 4 || chunk->item_bytes == 8;
    case STOA_BLOSC2_VALUE:
        return n != 0;
    default:
        return chunk->special == STOA_BLOSC2_ZEROS || chunk->special == STOA_BLOSC2_UNSET;
    }
}

bool stoa_blosc2_chunk_of(const uint8_t *bytes, size_t n, stoa_blosc2_chunk *chunk)
{
    if (n < HEADER || bytes[VERSION] < OLDEST || bytes[VERSION] > NEWEST ||
        (bytes[FLAGS] & IS_EXTENDED) != IS_EXTENDED || (bytes[MORE_FLAGS] & REFUSED) != 0) {
        return false;
    }
    const uint32_t n_unpacked = stoa_get_le32(bytes + UNPACKED);
    const uint32_t n_block = stoa_get_le32(bytes + BLOCK);
    const uint32_t n_packed = stoa_get_le32(bytes + PACKED);
    if (n_unpacked > INT32_MAX || n_packed < HEADER || n_packed > n || bytes[ITEM] == 0 ||
        ((n_block == 0 || n_block > INT32_MAX) && n_unpacked != 0)) {
        return false;
    }
    *chunk = (stoa_blosc2_chunk){
        .bytes = bytes,
        .n_bytes = n_packed,
        .n_unpacked = n_unpacked,
        .n_header = HEADER,
        .block_bytes = n_block < n_unpacked ? n_block : n_unpacked,
        .item_bytes = bytes[ITEM],
        .codec = bytes[FLAGS] >> CODEC_SHIFT,
        .is_split = (bytes[FLAGS] & IS_WHOLE) == 0,
        .is_plain = (bytes[FLAGS] & IS_PLAIN) != 0,
        .special = (stoa_blosc2_special)(bytes[MORE_FLAGS] >> SPECIAL_SHIFT & SPECIAL_MASK),
    };
    chunk->n_blocks =
        n_unpacked != 0 ? (n_unpacked + chunk->block_bytes - 1) / chunk->block_bytes : 0;
    return read_filters(bytes, chunk) && fits(chunk);
}

bool stoa_blosc_chunk_of(const uint8_t *bytes, size_t n, stoa_blosc2_chunk *chunk)
{
    if (n < OLD_HEADER || bytes[VERSION] != OLD_VERSION) {
        return false;
    }
    const uint8_t flags = bytes[FLAGS];
    const unsigned codec = flags >> CODEC_SHIFT;
    const uint32_t n_unpacked = stoa_get_le32(bytes + UNPACKED);
    const uint32_t n_block = stoa_get_le32(bytes + BLOCK);
    const uint32_t n_packed = stoa_get_le32(bytes + PACKED);
    if (n_unpacked == 0 || n_unpacked > INT32_MAX || n_packed < OLD_HEADER || n_packed > n ||
        n_block == 0 || n_block > n_unpacked || bytes[ITEM] == 0 || (flags & IS_UNKNOWN) != 0 ||
        ((flags & IS_PLAIN) != 0 && n_packed - OLD_HEADER != n_unpacked) ||
        (codec != BLOSCLZ && codec != LZ4 && codec != DEFLATE && codec != ZSTD)) {
        return false;
    }
    *chunk = (stoa_blosc2_chunk){
        .bytes = bytes,
        .n_bytes = n_packed,
        .n_unpacked = n_unpacked,
        .n_header = OLD_HEADER,
        .block_bytes = n_block,
        .n_blocks = (n_unpacked - 1) / n_block + 1,
        .item_bytes = bytes[ITEM],
        .codec = codec,
        .is_old = true,
        .is_split = (flags & IS_WHOLE) == 0 && bytes[ITEM] <= MAX_STREAMS &&
                    n_block / bytes[ITEM] >= MIN_ITEMS,
        .is_plain = (flags & IS_PLAIN) != 0,
        .special = STOA_BLOSC2_BLOCKS,
    };
    chunk->shuffles[0].is_bits = (flags & IS_SHUFFLED) == 0 || chunk->item_bytes == 1;
    chunk->shuffles[0].size = chunk->item_bytes;
    chunk->n_filters = !chunk->shuffles[0].is_bits || (flags & IS_BIT_SHUFFLED) != 0;
    return fits(chunk);
}

size_t stoa_blosc2_block_bytes(const stoa_blosc2_chunk *chunk, size_t block)
{
    const size_t left = chunk->n_unpacked - block * chunk->block_bytes;

    return left < chunk->block_bytes ? left : chunk->block_bytes;
}

/* --- streams --------------------------------------------------------------------------------- */

static stoa_status unzstd(stoa_coders *coders, const uint8_t *in, size_t n_in, uint8_t *out,
                          size_t n)
{
    if (coders->unzstd == NULL) {
        coders->unzstd = ZSTD_createDCtx();
    }
    if (coders->unzstd == NULL) {
        return STOA_ENOMEM;
    }
    return ZSTD_decompressDCtx(coders->unzstd, out, n, in, n_in) == n ? STOA_OK : STOA_EDATA;
}

static stoa_status inflate(stoa_coders *coders, const uint8_t *in, size_t n_in, uint8_t *out,
                           size_t n)
{
    if (coders->inflater == NULL) {
        coders->inflater = libdeflate_alloc_decompressor();
    }
    if (coders->inflater == NULL) {
        return STOA_ENOMEM;
    }
    return libdeflate_zlib_decompress(coders->inflater, in, n_in, out, n, NULL) ==
                   LIBDEFLATE_SUCCESS
               ? STOA_OK
               : STOA_EDATA;
}

/* Decompress to exactly n bytes; n is at most INT32_MAX, as for a whole chunk. */
static stoa_status unpack(unsigned codec, stoa_coders *coders, const uint8_t *in, size_t n_in,
                          uint8_t *out, size_t n)
{
    switch (codec) {
    case BLOSCLZ:
        return stoa_blosclz_undo(in, n_in, out, n) ? STOA_OK : STOA_EDATA;
    case LZ4:
        return LZ4_decompress_safe((const char *)in, (char *)out, (int)n_in, (int)n) == (int)n
                   ? STOA_OK
                   : STOA_EDATA;
    case DEFLATE:
        return inflate(coders, in, n_in, out, n);
    case ZSTD:
        return unzstd(coders, in, n_in, out, n);
    default:
        return STOA_EDATA;
    }
}

/* Decode the stream at *at to n bytes, and advance *at past it. */
static stoa_status undo_stream(const stoa_blosc2_chunk *chunk, stoa_coders *coders, size_t *at,
                               uint8_t *out, size_t n)
{
    if (chunk->n_bytes - *at < 4) {
        return STOA_EDATA;
    }
    const uint32_t size = stoa_get_le32(chunk->bytes + *at);
    const uint8_t *const in = chunk->bytes + *at + 4;
    const size_t left = chunk->n_bytes - *at - 4;
    const uint32_t repeated = UINT32_C(0) - size; /* the repeated byte, if the size is negative */

    *at += 4;
    if (size == 0 && !chunk->is_old) {
        memset(out, 0, n);
        return STOA_OK;
    }
    if (chunk->is_old && size > INT32_MAX) {
        return STOA_EDATA;
    }
    if (size > INT32_MAX) {
        if (left < 1 || (in[0] & IS_REPEATED) == 0 || repeated > UINT8_MAX) {
            return STOA_EDATA;
        }
        memset(out, (int)repeated, n);
        *at += 1;
        return STOA_OK;
    }
    if (size > left) {
        return STOA_EDATA;
    }
    *at += size;
    if (size == n) {
        memcpy(out, in, n);
        return STOA_OK;
    }
    return unpack(chunk->codec, coders, in, size, out, n);
}

/* Decode all streams of a block. A shorter last block is never split. */
static stoa_status undo_streams(const stoa_blosc2_chunk *chunk, stoa_coders *coders, size_t block,
                                uint8_t *out, size_t n)
{
    const size_t n_streams = chunk->is_split && n == chunk->block_bytes ? chunk->item_bytes : 1;
    size_t at = stoa_get_le32(chunk->bytes + chunk->n_header + 4 * block);
    stoa_status status = STOA_OK;

    if (at < chunk->n_header + 4 * chunk->n_blocks || at > chunk->n_bytes || n % n_streams != 0) {
        return STOA_EDATA;
    }
    for (size_t i = 0; i < n_streams && status == STOA_OK; i++) {
        status = undo_stream(chunk, coders, &at, out + i * (n / n_streams), n / n_streams);
    }
    return status;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void undo_shuffle(const stoa_blosc2_chunk *chunk, size_t i, const stoa_blosc2_tools *tools,
                         const uint8_t *in, uint8_t *out, size_t n)
{
    const size_t size = chunk->shuffles[i].size;
    size_t n_items = n / size;

    if (chunk->shuffles[i].is_bits) {
        n_items -= chunk->is_old && n_items % 8 != 0 ? n_items : n_items % 8;
        stoa_bit_unshuffle(out, in, n_items, size, tools->buffers[2], tools->simd);
    } else {
        stoa_unshuffle(out, in, n_items, size, tools->simd);
    }
    memcpy(out + n_items * size, in + n_items * size, n - n_items * size);
}

stoa_status stoa_blosc2_block(const stoa_blosc2_chunk *chunk, const stoa_blosc2_tools *tools,
                              size_t block, uint8_t *out)
{
    const size_t n = stoa_blosc2_block_bytes(chunk, block);
    uint8_t *in = chunk->n_filters > 0 ? tools->buffers[0] : out;
    int next = 1;

    if (chunk->is_plain) {
        memcpy(out, chunk->bytes + chunk->n_header + block * chunk->block_bytes, n);
        return STOA_OK;
    }
    const stoa_status status = undo_streams(chunk, tools->coders, block, in, n);
    for (size_t i = chunk->n_filters; status == STOA_OK && i-- > 0;) {
        uint8_t *const to = i == 0 ? out : tools->buffers[next];
        undo_shuffle(chunk, i, tools, in, to, n);
        in = to;
        next = 1 - next;
    }
    return status;
}

uint8_t *stoa_blosc2_prepare(stoa_step *step, size_t n, stoa_blosc2_tools *tools)
{
    const size_t part = (n + 63) / 64 * 64 + 64;
    uint8_t *const bytes =
        stoa_scratch_block(step->scratch, step->spare, (STOA_BLOSC2_BUFFERS + 1) * part);

    tools->coders = stoa_scratch_coders(step->scratch);
    tools->simd = step->pipeline->simd;
    for (size_t i = 0; bytes != NULL && i < STOA_BLOSC2_BUFFERS; i++) {
        tools->buffers[i] = bytes + i * part;
    }
    return tools->coders != NULL && bytes != NULL ? bytes + STOA_BLOSC2_BUFFERS * part : NULL;
}

stoa_status stoa_blosc2_blocks(stoa_step *step, const stoa_blosc2_chunk *chunk)
{
    stoa_blosc2_tools tools;
    stoa_status status = STOA_OK;

    if (chunk->n_unpacked > step->room) {
        return STOA_EDATA;
    }
    if (stoa_blosc2_prepare(step, chunk->block_bytes, &tools) == NULL) {
        return STOA_ENOMEM;
    }
    for (size_t i = 0; status == STOA_OK && i < chunk->n_blocks; i++) {
        status = stoa_blosc2_block(chunk, &tools, i, step->out + i * chunk->block_bytes);
    }
    return status == STOA_OK ? stoa_step_done(step, step->out, chunk->n_unpacked) : status;
}

/* --- chunks without blocks ------------------------------------------------------------------- */

static void repeat(const uint8_t *value, size_t size, size_t first, uint8_t *out, size_t n)
{
    for (size_t done = 0; done < n;) {
        const size_t skip = (first + done) % size;
        const size_t some = n - done < size - skip ? n - done : size - skip;
        memcpy(out + done, value + skip, some);
        done += some;
    }
}

stoa_status stoa_blosc2_fill(const stoa_blosc2_chunk *chunk, size_t first, uint8_t *out, size_t n)
{
    const float nan32 = NAN;
    const double nan64 = (double)NAN;

    if (chunk->special == STOA_BLOSC2_VALUE) {
        repeat(chunk->bytes + HEADER, chunk->n_bytes - HEADER, first, out, n);
    } else if (chunk->special == STOA_BLOSC2_NANS && chunk->item_bytes == 4) {
        repeat((const uint8_t *)&nan32, sizeof nan32, first, out, n);
    } else if (chunk->special == STOA_BLOSC2_NANS) {
        repeat((const uint8_t *)&nan64, sizeof nan64, first, out, n);
    } else {
        memset(out, 0, n);
    }
    return n % chunk->item_bytes == 0 ? STOA_OK : STOA_EDATA;
}
