/*
 * Compresses shuffled numbers with deflate in a form that is decoded quickly.
 *
 * The planes of integers that hardly differ are of two kinds: upper bytes repeat one byte, and
 * lower bytes are noise. libdeflate writes repeats as matches of distance 1. It decodes these
 * several times slower than the matches of longer distance that zlib writes. Noise is decoded
 * fastest if it is stored. So zlib compresses such chunks, at its lowest level, and is told which
 * planes to store.
 *
 * The same is done for short chunks of floats, such as the sections of sparse arrays, if at least
 * half of their planes are noise. Their exponents then get a Huffman code of their own, without
 * matches if these save less than the code. Longer chunks of floats are left to deflate_nibbles.c.
 * libdeflate compresses all other chunks: it is faster and produces fewer bytes.
 */
#include <libdeflate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/bytes.h"
#include "codec/deflate.h"
#include "codec/kernels/deflate_codes.h"
#include "codec/kernels/deflate_nibbles.h"

/* Bytes from the middle of a plane that represent it, and the least gain that is worth compressing:
 * one part in LITTLE. */
enum { SLICE = 8192, SHORT_SLICE = 2048, LITTLE = 32 };
enum { LEVEL = 1, WINDOW_BITS = 15, MEMORY_LEVEL = 9, MAX_PLANES = 8 };
enum { HEAD_BYTES = 2, SUM_BYTES = 4 }; /* of zlib's frame around deflate (RFC 1950) */
enum { SHORT_PLANE = 1 << 16 };         /* libdeflate uses separate blocks for longer ones */

/* How much shorter than libdeflate's form another must be. */
#define CLEARLY 0.99

/* The encoding of a plane. */
typedef enum fate { IS_PACKED, IS_CODED, IS_STORED } fate;

/* The size of a plane in bytes; 0 if there are no planes, or they are too short to judge. */
static size_t plane_bytes(const stoa_step *step)
{
    const stoa_filter *filters = step->pipeline->filters;
    const size_t size = step->pipeline->element_size;

    if (step->filter == filters || step->filter[-1].id != STOA_FILTER_SHUFFLE ||
        (step->mask >> (step->filter - 1 - filters) & 1) != 0 ||
        step->filter[-1].values[0] != size || size < 2 || size > MAX_PLANES ||
        step->n_in / size < SHORT_SLICE || step->n_in > UINT32_MAX) {
        return 0;
    }
    return step->n_in / size;
}

static const uint8_t *slice_of(const stoa_step *step, size_t n, size_t plane, size_t slice)
{
    return step->in + plane * n + (n - slice) / 2;
}

static bool is_even(const uint8_t *slice, size_t n)
{
    return memcmp(slice, slice + 1, n - 1) == 0;
}

/* The least size of a slice in bytes with a Huffman code and no matches. */
static double coded_bytes(const uint8_t *slice, size_t n)
{
    size_t counts[256] = {0};
    double bits = 0;

    for (size_t i = 0; i < n; i++) {
        counts[slice[i]]++;
    }
    for (size_t i = 0; i < 256; i++) {
        if (counts[i] > 0) {
            bits += (double)counts[i] * log2((double)n / (double)counts[i]);
        }
    }
    return bits / 8;
}

/* Choose the encoding of a plane from a slice of it. A plane is stored if compression gains little.
 * For a short plane, also judge whether matches gain anything. Trial output goes where the chunk
 * will. */
static fate fate_of(const stoa_step *step, struct libdeflate_compressor *deflater, size_t n,
                    size_t plane, bool is_short)
{
    const size_t n_slice = is_short ? SHORT_SLICE : SLICE;
    const uint8_t *slice = slice_of(step, n, plane, n_slice);

    if (is_even(slice, n_slice)) {
        return IS_PACKED;
    }
    const size_t packed = libdeflate_deflate_compress(deflater, slice, n_slice, step->out,
                                                      n_slice - n_slice / LITTLE);
    if (packed == 0) {
        return IS_STORED;
    }
    return is_short && (double)packed >= 0.9 * coded_bytes(slice, n_slice) ? IS_CODED : IS_PACKED;
}

/* Compress bytes of planes. */
static bool put(z_stream *stream, unsigned level, const uint8_t *bytes, size_t n, fate is)
{
    if (deflateParams(stream, is == IS_STORED ? Z_NO_COMPRESSION : (int)level,
                      is == IS_CODED ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    stream->next_in = (z_const Bytef *)(uintptr_t)bytes;
    stream->avail_in = (uInt)n;
    return deflate(stream, Z_BLOCK) == Z_OK && stream->avail_in == 0;
}

static z_stream *stream_of(stoa_coders *coders)
{
    if (coders->planes == NULL) {
        coders->planes = stoa_alloc_zero(1, sizeof *coders->planes);
        if (coders->planes != NULL && deflateInit2(coders->planes, LEVEL, Z_DEFLATED, -WINDOW_BITS,
                                                   MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
            free(coders->planes);
            coders->planes = NULL;
        }
    }
    return coders->planes != NULL && deflateReset(coders->planes) == Z_OK ? coders->planes : NULL;
}

/* The frame of a zlib stream whose blocks end at `end`. libdeflate computes the checksum several
 * times as fast as zlib would. */
static void put_frame(const stoa_step *step, size_t end)
{
    step->out[0] = 0x78;
    step->out[1] = 0x01;
    stoa_put_be32(step->out + end, libdeflate_adler32(1, step->in, step->n_in));
}

/* Choose the encoding of all planes, before zlib overwrites the trials; false leaves the chunk to
 * libdeflate. */
static bool decide(const stoa_step *step, struct libdeflate_compressor *deflater, size_t n,
                   size_t size, fate *fates)
{
    size_t n_even = 0;
    size_t n_noise = 0;

    for (size_t k = 0; n >= SLICE && k < size; k++) {
        n_even += is_even(slice_of(step, n, k, SLICE), SLICE);
    }
    const bool is_short = 2 * n_even < size || n_even == 0;
    if (n == 0 || (is_short && n >= SHORT_PLANE)) {
        return false;
    }
    for (size_t k = 0; k < size; k++) {
        fates[k] = fate_of(step, deflater, n, k, is_short);
        n_noise += fates[k] == IS_STORED;
    }
    return !is_short || (2 * n_noise >= size && n_noise < size);
}

bool stoa_deflate_planes(const stoa_step *step, stoa_coders *coders, size_t *n_packed)
{
    const size_t size = step->pipeline->element_size;
    const size_t n = plane_bytes(step);
    fate fates[MAX_PLANES];

    if (step->n_in % size != 0) {
        return false;
    }
    if (!decide(step, coders->deflater, n, size, fates)) {
        return stoa_deflate_nibbles(step, coders->deflater, n, n_packed);
    }
    z_stream *const stream = step->room < HEAD_BYTES + SUM_BYTES ? NULL : stream_of(coders);
    if (stream == NULL) {
        return false;
    }
    const size_t room = step->room - HEAD_BYTES - SUM_BYTES;
    stream->next_out = step->out + HEAD_BYTES;
    stream->avail_out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    for (size_t k = 0, end; k < size; k = end) {
        /* Each plane with a code gets a block of its own. */
        for (end = k + 1; end < size && fates[end] == fates[k] && fates[k] != IS_CODED; end++) {
        }
        if (!put(stream, LEVEL, step->in + k * n, (end - k) * n, fates[k])) {
            return false;
        }
    }
    if (deflate(stream, Z_FINISH) != Z_STREAM_END) {
        return false;
    }
    put_frame(step, HEAD_BYTES + stream->total_out);
    *n_packed = HEAD_BYTES + stream->total_out + SUM_BYTES;
    return true;
}

/* Choose the encoding of all parts of a chunk, by a slice of each. False if libdeflate's is not
 * clearly longer. */
static bool decide_codes(const stoa_step *step, struct libdeflate_compressor *deflater, size_t n,
                         size_t n_parts, bool are_planes, fate *fates)
{
    enum { N = 4096, LEAST = 256, LEAST_GAIN = 32 };
    const bool is_fast = step->filter->values[0] == STOA_DEFLATE_FAST;
    const size_t n_slice = n < N ? n : N;
    size_t ours = 0;
    size_t theirs = 0;

    for (size_t k = 0; n_slice >= LEAST && k < n_parts; k++) {
        const uint8_t *const slice = slice_of(step, n, k, n_slice);
        const size_t coded = stoa_deflate_codes_size(slice, n_slice);
        const size_t packed =
            libdeflate_deflate_compress(deflater, slice, n_slice, step->out, step->room);
        if (are_planes && is_fast && coded > n_slice - n_slice / LITTLE) {
            fates[k] = IS_STORED;
        } else {
            fates[k] = are_planes && packed + LEAST_GAIN < coded ? IS_PACKED : IS_CODED;
        }
        ours += fates[k] == IS_PACKED ? packed : coded;
        theirs += packed;
    }
    return (double)ours < CLEARLY * (double)theirs;
}

/* Whether there is room for blocks of so many bytes, the end of the stream, and its checksum. */
static bool has_room(const stoa_bit_writer *w, const stoa_step *step, size_t n)
{
    const size_t needed =
        w->n + n + (n / STOA_CODES_BLOCK + 2) * (size_t)STOA_CODES_MORE + SUM_BYTES;

    return needed <= step->room;
}

/* Write bytes in blocks that have codes or are stored. */
static bool put_blocks(stoa_bit_writer *w, const stoa_step *step, const uint8_t *bytes, size_t n,
                       fate is)
{
    if (!has_room(w, step, n)) {
        return false;
    }
    for (size_t at = 0; at < n; at += STOA_CODES_BLOCK) {
        const size_t now = n - at < STOA_CODES_BLOCK ? n - at : STOA_CODES_BLOCK;
        if (is == IS_STORED) {
            stoa_put_stored(w, bytes + at, now, 0);
        } else {
            stoa_deflate_codes_put(w, bytes + at, now);
        }
    }
    return true;
}

/* Write bytes with matches, which zlib finds. Its blocks begin and end at a whole byte, behind an
 * empty block. */
static bool put_packed(stoa_bit_writer *w, const stoa_step *step, stoa_coders *coders,
                       const uint8_t *bytes, size_t n)
{
    z_stream *const stream = has_room(w, step, 0) ? stream_of(coders) : NULL;

    if (stream == NULL) {
        return false;
    }
    if (w->n_bits != 0) {
        stoa_put_stored(w, bytes, 0, 0);
    }
    const size_t room = step->room - w->n - (STOA_CODES_MORE + SUM_BYTES);
    stream->next_out = w->out + w->n;
    stream->avail_out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    if (!put(stream, step->filter->values[0], bytes, n, IS_PACKED) ||
        deflate(stream, Z_SYNC_FLUSH) != Z_OK || stream->avail_out == 0) {
        return false;
    }
    w->n += stream->total_out;
    return true;
}

bool stoa_deflate_codes(const stoa_step *step, stoa_coders *coders, size_t *n_packed)
{
    const size_t in_planes = plane_bytes(step);
    const size_t n_parts = in_planes != 0 ? step->pipeline->element_size : MAX_PLANES;
    const size_t n = in_planes != 0 ? in_planes : step->n_in / MAX_PLANES;
    stoa_bit_writer w = {.out = step->out};
    fate fates[MAX_PLANES];

    if (step->filter->values[0] == Z_NO_COMPRESSION || step->n_in > UINT32_MAX ||
        !decide_codes(step, coders->deflater, n, n_parts, in_planes != 0, fates)) {
        return false;
    }
    w.n = HEAD_BYTES;
    for (size_t k = 0, end; k < n_parts; k = end) {
        for (end = k + 1;
             end < n_parts && fates[end] == fates[k] && (in_planes == 0 || fates[k] == IS_PACKED);
             end++) {
        }
        /* Shuffle leaves some bytes behind the planes. */
        const size_t n_bytes = (end < n_parts ? end * n : step->n_in) - k * n;
        if (fates[k] == IS_PACKED ? !put_packed(&w, step, coders, step->in + k * n, n_bytes)
                                  : !put_blocks(&w, step, step->in + k * n, n_bytes, fates[k])) {
            return false;
        }
    }
    stoa_put_bits(&w, 1 | STOA_DEFLATE_FIXED << 1, 3); /* the last block has only its end */
    stoa_put_bits(&w, 0, 7);
    stoa_put_to_byte(&w);
    put_frame(step, w.n);
    *n_packed = w.n + SUM_BYTES;
    return true;
}

void stoa_deflate_planes_end(stoa_coders *coders)
{
    if (coders->planes != NULL) {
        (void)deflateEnd(coders->planes);
        free(coders->planes);
    }
}
