/*
 * The bitshuffle filter (32008). Its client data: major and minor version, bytes per element,
 * elements per block (0: the default), the codec of the blocks, its level.
 *
 * A block has one row of bits for each bit of an element. Row 8k + b holds bit b of byte k of every
 * element, element 0 first and in the lowest bit. The last block may be shorter, but is a multiple
 * of 8 elements; up to 7 remaining elements follow unchanged. With LZ4 or zstd, the chunk begins
 * with a header: decompressed bytes (8), bytes per block (4). Each compressed block then follows
 * its size (4 bytes, big-endian).
 */
#include "codec/bitshuffle.h"

#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "codec/bytes.h"
#include "codec/filter.h"
#include "codec/kernels/shuffle.h"

enum { ELEMENT = 2, BLOCK = 3, PACKING = 4, LEVEL = 5 };
enum { UNPACKED = 0, LZ4 = 2, ZSTD = 3 };
enum { HEADER = 12, GROUP = 8, USUAL_BYTES = 8192, MIN_ELEMENTS = 128 };

/* Client data of the filter, and buffers. */
typedef struct blocks {
    size_t size;  /* bytes per element */
    size_t block; /* elements per block, a multiple of GROUP */
    uint32_t packing;
    int level;
    stoa_simd simd;
    const stoa_shuffle_kernels *kernels;
    stoa_coders *coders;
    uint8_t *planes; /* of one block */
    uint8_t *rows;
} blocks;

static bool bitshuffle_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    const uint32_t packing = stoa_filter_value(filter, PACKING, UNPACKED);
    const uint32_t size = stoa_filter_value(filter, ELEMENT, 0);

    return size != 0 && size <= pipeline->chunk_bytes &&
           stoa_filter_value(filter, BLOCK, 0) % GROUP == 0 &&
           (packing == UNPACKED || packing == LZ4 || packing == ZSTD);
}

static size_t elements_a_block(size_t size)
{
    const size_t n = USUAL_BYTES / size / GROUP * GROUP;

    return n > MIN_ELEMENTS ? n : MIN_ELEMENTS;
}

static void describe(const stoa_filter *filter, blocks *b)
{
    const uint32_t block = stoa_filter_value(filter, BLOCK, 0);

    b->size = stoa_filter_value(filter, ELEMENT, 1);
    b->block = block != 0 ? block : elements_a_block(b->size);
    b->packing = stoa_filter_value(filter, PACKING, UNPACKED);
    b->level = (int)stoa_filter_value(filter, LEVEL, 0);
}

static size_t bitshuffle_bound(const stoa_filter *filter, size_t n)
{
    blocks b = {.size = 0};

    describe(filter, &b);
    const size_t n_blocks = n / (b.block * b.size) + 2;
    return b.packing == UNPACKED ? n : HEADER + n_blocks * 128 + stoa_packed_bound(n);
}

/* Allocate buffers for `n` elements, and the coders that are needed. */
static stoa_status prepare(const stoa_step *step, size_t n, bool packs, blocks *b)
{
    const size_t n_bytes = (n < b->block ? n : b->block) * b->size;
    const size_t part = (n_bytes + 63) / 64 * 64;

    b->simd = step->pipeline->simd;
    b->kernels = stoa_shuffle_kernels_of(b->simd);
    b->planes = stoa_scratch_block(step->scratch, step->spare, 2 * part);
    b->coders = stoa_scratch_coders(step->scratch);
    if (b->planes == NULL || b->coders == NULL) {
        return STOA_ENOMEM;
    }
    b->rows = b->planes + part;
    if (b->packing == ZSTD && packs && b->coders->zstd == NULL) {
        b->coders->zstd = ZSTD_createCCtx();
    }
    if (b->packing == ZSTD && !packs && b->coders->unzstd == NULL) {
        b->coders->unzstd = ZSTD_createDCtx();
    }
    return b->packing != ZSTD || (packs ? b->coders->zstd != NULL : b->coders->unzstd != NULL)
               ? STOA_OK
               : STOA_ENOMEM;
}

/* The number of elements in the next block; 0 if the `left` remaining elements are stored
 * unchanged. */
static size_t elements_of_next(const blocks *b, size_t left)
{
    return left < b->block ? left / GROUP * GROUP : b->block;
}

/* --- encoding -------------------------------------------------------------------------------- */

/* Make the bit rows of n elements, n a multiple of GROUP. */
static void make_rows(const blocks *b, const uint8_t *elements, size_t n, uint8_t *rows)
{
    stoa_shuffle(b->planes, elements, n, b->size, b->simd);
    b->kernels->transpose_bits(b->planes, n * b->size);
    for (size_t k = 0; k < b->size; k++) {
        b->kernels->split8(rows + k * n, n / GROUP, b->planes + k * n, GROUP, n / GROUP);
    }
}

/* Write the size of a compressed block and the block. Returns the bytes written; 0 if `room` is too
 * small. */
static size_t pack(const blocks *b, size_t n_bytes, uint8_t *out, size_t room)
{
    size_t n = 0;

    if (room < 4) {
        return 0;
    }
    room = room - 4 < INT32_MAX ? room - 4 : INT32_MAX;
    if (b->packing == LZ4) {
        n = (size_t)LZ4_compress_default((const char *)b->rows, (char *)out + 4, (int)n_bytes,
                                         (int)room);
    } else {
        n = ZSTD_compressCCtx(b->coders->zstd, out + 4, room, b->rows, n_bytes, b->level);
    }
    if (n == 0 || ZSTD_isError(n)) {
        return 0;
    }
    stoa_put_be32(out, (uint32_t)n);
    return n + 4;
}

static size_t apply_block(const blocks *b, const uint8_t *in, size_t n, uint8_t *out, size_t room)
{
    if (b->packing == UNPACKED) {
        make_rows(b, in, n, out);
        return n * b->size;
    }
    make_rows(b, in, n, b->rows);
    return pack(b, n * b->size, out, room);
}

static stoa_status bitshuffle_apply(stoa_step *step)
{
    blocks b = {.size = 0};
    size_t at = 0;
    size_t i = 0;

    describe(step->filter, &b);
    const size_t n = step->n_in / b.size;
    if (step->n_in % b.size != 0 || b.block > (size_t)INT32_MAX / 2 / b.size) {
        return STOA_ERANGE;
    }
    if (prepare(step, n, true, &b) != STOA_OK) {
        return STOA_ENOMEM;
    }
    if (b.packing != UNPACKED) {
        stoa_put_be64(step->out, step->n_in);
        stoa_put_be32(step->out + 8, (uint32_t)(b.block * b.size));
        at = HEADER;
    }
    for (size_t count; (count = elements_of_next(&b, n - i)) != 0; i += count) {
        const size_t n_out =
            apply_block(&b, step->in + i * b.size, count, step->out + at, step->room - at);
        if (n_out == 0) {
            return STOA_ERANGE;
        }
        at += n_out;
    }
    if ((n - i) * b.size > step->room - at) {
        return STOA_ERANGE;
    }
    memcpy(step->out + at, step->in + i * b.size, (n - i) * b.size);
    return stoa_step_done(step, step->out, at + (n - i) * b.size);
}

/* --- decoding -------------------------------------------------------------------------------- */

void stoa_bit_unshuffle(uint8_t *elements, const uint8_t *rows, size_t n, size_t size,
                        uint8_t *planes, stoa_simd simd)
{
    const stoa_shuffle_kernels *kernels = stoa_shuffle_kernels_of(simd);

    for (size_t k = 0; k < size; k++) {
        kernels->join8(planes + k * n, GROUP, rows + k * n, n / GROUP, n / GROUP);
    }
    kernels->transpose_bits(planes, n * size);
    stoa_unshuffle(elements, planes, n, size, simd);
}

static void undo_rows(const blocks *b, const uint8_t *rows, size_t n, uint8_t *elements)
{
    stoa_bit_unshuffle(elements, rows, n, b->size, b->planes, b->simd);
}

/* Decompress a block into b->rows; it must yield exactly n_bytes. */
static bool unpack(const blocks *b, const uint8_t *in, size_t n_in, size_t n_bytes)
{
    if (b->packing == ZSTD) {
        return ZSTD_decompressDCtx(b->coders->unzstd, b->rows, n_bytes, in, n_in) == n_bytes;
    }
    return n_in <= INT32_MAX && n_bytes <= INT32_MAX &&
           LZ4_decompress_safe((const char *)in, (char *)b->rows, (int)n_in, (int)n_bytes) ==
               (int)n_bytes;
}

/* Decode a block. Returns the bytes read; 0 if they are damaged. */
static size_t undo_block(const blocks *b, const uint8_t *in, size_t n_in, size_t n, uint8_t *out)
{
    const size_t n_bytes = n * b->size;

    if (b->packing == UNPACKED) {
        if (n_in < n_bytes) {
            return 0;
        }
        undo_rows(b, in, n, out);
        return n_bytes;
    }
    if (n_in < 4 || stoa_get_be32(in) > n_in - 4 ||
        !unpack(b, in + 4, stoa_get_be32(in), n_bytes)) {
        return 0;
    }
    undo_rows(b, b->rows, n, out);
    return 4 + (size_t)stoa_get_be32(in);
}

/* Read the decoded size of the chunk and the elements per block; false if they are invalid. */
static bool read_header(const stoa_step *step, blocks *b, uint64_t *n_bytes)
{
    *n_bytes = step->n_in;
    if (b->packing != UNPACKED) {
        if (step->n_in < HEADER) {
            return false;
        }
        *n_bytes = stoa_get_be64(step->in);
        b->block = stoa_get_be32(step->in + 8) / b->size;
    }
    return *n_bytes <= step->room && *n_bytes % b->size == 0 && b->block != 0 &&
           b->block % GROUP == 0;
}

static stoa_status bitshuffle_undo(stoa_step *step)
{
    blocks b = {.size = 0};
    uint64_t n_bytes = 0;
    size_t i = 0;

    describe(step->filter, &b);
    if (!read_header(step, &b, &n_bytes)) {
        return STOA_EDATA;
    }
    const size_t n = (size_t)n_bytes / b.size;
    size_t at = b.packing != UNPACKED ? HEADER : 0;
    if (prepare(step, n, false, &b) != STOA_OK) {
        return STOA_ENOMEM;
    }
    for (size_t count; (count = elements_of_next(&b, n - i)) != 0; i += count) {
        const size_t n_read =
            undo_block(&b, step->in + at, step->n_in - at, count, step->out + i * b.size);
        if (n_read == 0) {
            return STOA_EDATA;
        }
        at += n_read;
    }
    if (step->n_in - at != (n - i) * b.size) {
        return STOA_EDATA;
    }
    memcpy(step->out + i * b.size, step->in + at, (n - i) * b.size);
    return stoa_step_done(step, step->out, (size_t)n_bytes);
}

const stoa_codec stoa_codec_bitshuffle = {
    .id = STOA_FILTER_BITSHUFFLE,
    .name = "bitshuffle",
    .is_known = bitshuffle_is_known,
    .bound = bitshuffle_bound,
    .undo = bitshuffle_undo,
    .apply = bitshuffle_apply,
};
