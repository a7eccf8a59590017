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
#include "codec/kernels/deflate_nibbles.h"

/* Bytes from the middle of a plane that represent it, and the least gain that is worth compressing:
 * one part in LITTLE. */
enum { SLICE = 8192, SHORT_SLICE = 2048, LITTLE = 32 };
enum { LEVEL = 1, WINDOW_BITS = 15, MEMORY_LEVEL = 9, MAX_PLANES = 8 };
enum { HEAD_BYTES = 2, SUM_BYTES = 4 }; /* of zlib's frame around deflate (RFC 1950) */
enum { SHORT_PLANE = 1 << 16 };         /* libdeflate uses separate blocks for longer ones */

/* The encoding of a plane. */
typedef enum fate { IS_PACKED, IS_CODED, IS_STORED } fate;

/* The size of a plane in bytes; 0 if there are no planes, or they are too short to judge. */
static size_t plane_bytes(const stoa_step *step)
{
    const stoa_filter *filters = step->pipeline->filters;
    const size_t size = step->pipeline->element_size;

    if (step->filter == filters || step->filter[-1].id != STOA_FILTER_SHUFFLE ||
        step->filter[-1].values[0] != size || size < 2 || size > MAX_PLANES ||
        step->n_in % size != 0 || step->n_in / size < SHORT_SLICE || step->n_in > UINT32_MAX) {
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

/* Compress the planes [first, end). */
static bool put(z_stream *stream, const stoa_step *step, size_t n, size_t first, size_t end,
                fate is)
{
    if (deflateParams(stream, is == IS_STORED ? Z_NO_COMPRESSION : LEVEL,
                      is == IS_CODED ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    stream->next_in = (z_const Bytef *)(uintptr_t)(step->in + first * n);
    stream->avail_in = (uInt)((end - first) * n);
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

    if (!decide(step, coders->deflater, n, size, fates)) {
        return stoa_deflate_nibbles(step, coders->deflater, n, n_packed);
    }
    z_stream *stream = stream_of(coders);
    if (stream == NULL) {
        return false;
    }
    if (step->room < HEAD_BYTES + SUM_BYTES) {
        return false;
    }
    /* libdeflate computes the checksum several times as fast as zlib would. */
    const size_t room = step->room - HEAD_BYTES - SUM_BYTES;
    step->out[0] = 0x78;
    step->out[1] = 0x01;
    stream->next_out = step->out + HEAD_BYTES;
    stream->avail_out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    for (size_t k = 0, end; k < size; k = end) {
        /* Each plane with a code gets a block of its own. */
        for (end = k + 1; end < size && fates[end] == fates[k] && fates[k] != IS_CODED; end++) {
        }
        if (!put(stream, step, n, k, end, fates[k])) {
            return false;
        }
    }
    if (deflate(stream, Z_FINISH) != Z_STREAM_END) {
        return false;
    }
    stoa_put_be32(step->out + HEAD_BYTES + stream->total_out,
                  libdeflate_adler32(1, step->in, step->n_in));
    *n_packed = HEAD_BYTES + stream->total_out + SUM_BYTES;
    return true;
}

void stoa_deflate_planes_end(stoa_coders *coders)
{
    if (coders->planes != NULL) {
        (void)deflateEnd(coders->planes);
        free(coders->planes);
    }
}
