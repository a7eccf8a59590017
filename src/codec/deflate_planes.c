/*
 * Compresses numbers and short texts with deflate in forms that libdeflate does not write.
 *
 * A slice of each plane of shuffled elements decides how the plane is encoded:
 *
 * - Values in no order get Huffman codes and no matches. Matches among them are chance, and take
 *   more bits than the literals in their place. Each plane has codes of its own, and noise is
 *   stored, which is decoded fastest.
 * - Repeats are packed by zlib, which can end a block so that another one follows. Planes of one
 *   byte are packed apart from others: faster, and shorter.
 *
 * libdeflate is faster and produces fewer bytes where repeats take most of them. Elements that are
 * not shuffled are one part: they get codes, or are left to libdeflate.
 */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/bytes.h"
#include "codec/deflate.h"
#include "codec/kernels/deflate_codes.h"
#include "codec/kernels/deflate_nibbles.h"
#include "codec/kernels/inflate.h"

/* Bytes from the middle of a plane that represent it, and the fewest that do. A chunk that is not
 * shuffled has a slice for so many bytes. */
enum { SLICE = 4096, LEAST_SLICE = 256, BYTES_PER_SLICE = 1 << 15 };
enum { LEAST_GAIN = 32 }; /* in a slice, that is worth matches */
enum { WINDOW_BITS = STOA_INFLATE_WINDOW_BITS, MEMORY_LEVEL = 9, MAX_SLICES = 8, MAX_PLANES = 64 };

/* How much shorter than libdeflate's form codes must be. */
#define CLEARLY 0.99

/* What encodes a plane: codes, zlib, or zlib that looks only for runs of a byte. */
typedef enum encoder { CODES, MATCHES, RUNS } encoder;

/* How the planes of a chunk are encoded. */
typedef struct plan {
    encoder by[MAX_PLANES];
    bool is_ours; /* not libdeflate's */
    double share; /* of their bytes, that libdeflate leaves */
} plan;

/* The bytes of a plane; 0 if the chunk is not of shuffled elements, or too short to judge. */
static size_t plane_bytes(const stoa_step *step)
{
    const stoa_filter *filters = step->pipeline->filters;
    const size_t size = step->pipeline->element_size;

    if (step->filter == filters || step->filter[-1].id != STOA_FILTER_SHUFFLE ||
        (step->mask >> (step->filter - 1 - filters) & 1) != 0 ||
        step->filter[-1].values[0] != size || size < 2 || size > MAX_PLANES ||
        step->n_in / size < LEAST_SLICE) {
        return 0;
    }
    return step->n_in / size;
}

/* Whether more than a few strings of 4 to 16 bytes have occurred before, as far as a small table
 * remembers them. One in 2^skip of them is looked at. */
static inline bool has_repeats(const uint8_t *bytes, size_t n, size_t length, unsigned skip)
{
    enum { TABLE_BITS = 11, FEW = 64, WORD = sizeof(uint64_t) };
    const uint64_t mask = length < WORD ? UINT64_MAX >> 8 * (WORD - length) : UINT64_MAX;
    const size_t more = length > WORD ? length - WORD : 0;
    uint16_t last[1 << TABLE_BITS] = {0};
    size_t n_seen = 0;
    size_t n_repeats = 0;

    for (size_t i = 1; i + more + WORD <= n; i++) {
        const uint64_t now = stoa_get_le64(bytes + i);
        const uint64_t hash = (now & mask) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        if (hash >> (32 - skip) == 0) {
            uint16_t *const at = &last[hash >> (32 - skip - TABLE_BITS)];
            const bool is_same = ((now ^ stoa_get_le64(bytes + *at)) & mask) == 0;
            n_repeats += is_same && (more == 0 || stoa_get_le64(bytes + i + more) ==
                                                      stoa_get_le64(bytes + *at + more));
            n_seen++;
            *at = (uint16_t)i;
        }
    }
    return n_repeats > n_seen / FEW;
}

/* Whether matches may gain anything in a slice that becomes `coded` by codes: whether strings recur
 * that take more bits than a match does. */
static bool repeats_near(const uint8_t *slice, size_t n, size_t coded)
{
    enum { MATCH_BITS = 18, LEAST = 4, MOST = 16 };
    const size_t length = MATCH_BITS * n / (8 * coded) + 1;

    return has_repeats(slice, n, length < LEAST ? LEAST : length < MOST ? length : MOST, 0);
}

/* Whether bytes repeat from farther away than a slice of them, which becomes `coded`. Of bytes with
 * fewer than 4 bits each, long strings recur by chance. */
static bool repeats_afar(const uint8_t *bytes, size_t n, size_t coded)
{
    enum { MOST = UINT16_MAX, LENGTH = 8 };

    return n > SLICE && coded > SLICE / 2 && has_repeats(bytes, n < MOST ? n : MOST, LENGTH, 4);
}

/* Get what becomes of a slice of n bytes by codes alone, and by libdeflate: nothing if it repeats
 * one byte. Trial output goes where the chunk will. */
static size_t look_at(const stoa_step *step, struct libdeflate_compressor *deflater,
                      const uint8_t *bytes, size_t n, size_t *packed)
{
    const size_t n_slice = n < SLICE ? n : SLICE;
    const uint8_t *const slice = bytes + (n - n_slice) / 2;
    const size_t coded = stoa_deflate_codes_size(slice, n_slice);

    if (memcmp(slice, slice + 1, n_slice - 1) == 0) {
        *packed = 0;
    } else if (repeats_near(slice, n_slice, coded)) {
        *packed = libdeflate_deflate_compress(deflater, slice, n_slice, step->out, step->room);
    } else {
        *packed = coded + coded / 64; /* libdeflate takes several times as long */
    }
    return coded;
}

/* Look at planes of n bytes. At higher levels libdeflate finds more matches than zlib. */
static plan plan_planes(const stoa_step *step, struct libdeflate_compressor *deflater, size_t n)
{
    const size_t n_slice = n < SLICE ? n : SLICE;
    const size_t size = step->pipeline->element_size;
    const bool is_fast = step->filter->values[0] == STOA_DEFLATE_FAST;
    plan p = {.share = 0};
    size_t matched = 0;
    size_t literal = 0;
    size_t most = 0;  /* of the slices */
    size_t noise = 0; /* the plane that it is of */

    for (size_t k = 0; k < size; k++) {
        size_t packed = 0;
        const size_t coded = look_at(step, deflater, step->in + k * n, n, &packed);
        p.by[k] = packed == 0 ? RUNS : packed + LEAST_GAIN < coded ? MATCHES : CODES;
        *(p.by[k] == CODES ? &literal : &matched) += p.by[k] == CODES ? coded : packed;
        p.share += (double)(packed < n_slice ? packed : n_slice) / (double)(n_slice * size);
        noise = coded > most ? k : noise;
        most = coded > most ? coded : most;
    }
    if (repeats_afar(step->in + noise * n, n, most)) {
        return (plan){.share = 0};
    }
    p.is_ours = (is_fast ? matched : 4 * matched) <= literal;
    return p;
}

/* Whether codes suit a chunk that is not shuffled. */
static bool is_in_no_order(const stoa_step *step, struct libdeflate_compressor *deflater)
{
    const size_t most = step->n_in / BYTES_PER_SLICE + 1;
    const size_t n_slices = most < MAX_SLICES ? most : MAX_SLICES;
    const size_t n = step->n_in / n_slices;
    size_t ours = 0;
    size_t theirs = 0;

    for (size_t k = 0; k < n_slices; k++) {
        size_t packed = 0;
        ours += look_at(step, deflater, step->in + k * n, n, &packed);
        theirs += packed;
    }
    return (double)ours < CLEARLY * (double)theirs &&
           !repeats_afar(step->in, step->n_in, ours / n_slices);
}

/* zlib's state, for a new stream. */
static z_stream *stream_of(stoa_coders *coders, int level, int strategy)
{
    if (coders->planes == NULL) {
        coders->planes = stoa_alloc_zero(1, sizeof *coders->planes);
        if (coders->planes != NULL && deflateInit2(coders->planes, level, Z_DEFLATED, -WINDOW_BITS,
                                                   MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
            free(coders->planes);
            coders->planes = NULL;
        }
    }
    return coders->planes != NULL && deflateReset(coders->planes) == Z_OK &&
                   deflateParams(coders->planes, level, strategy) == Z_OK
               ? coders->planes
               : NULL;
}

/* Whether there is room for blocks of codes, the end of the stream, and its checksum. */
static bool has_room(const stoa_bit_writer *w, const stoa_step *step, size_t n)
{
    const size_t needed =
        w->n + n + (n / STOA_CODES_PIECE + 2) * (size_t)STOA_CODES_MORE + STOA_ZLIB_SUM_BYTES;

    return needed <= step->room;
}

/* Write bytes without matches. */
static bool put_codes(stoa_bit_writer *w, const stoa_step *step, const uint8_t *bytes, size_t n)
{
    if (!has_room(w, step, n)) {
        return false;
    }
    stoa_deflate_codes_put(w, bytes, n);
    return true;
}

/* Write bytes with matches, which zlib finds. Its blocks begin and end at a whole byte, behind an
 * empty block. */
static bool put_packed(stoa_bit_writer *w, const stoa_step *step, stoa_coders *coders,
                       const uint8_t *bytes, size_t n, int strategy)
{
    const int level = (int)step->filter->values[0];
    z_stream *const stream = has_room(w, step, 0) ? stream_of(coders, level, strategy) : NULL;

    if (stream == NULL) {
        return false;
    }
    if (w->n_bits != 0) {
        stoa_put_stored(w, bytes, 0, 0);
    }
    const size_t room = step->room - w->n - (STOA_CODES_MORE + STOA_ZLIB_SUM_BYTES);
    stream->next_out = w->out + w->n;
    stream->avail_out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    stream->next_in = (z_const Bytef *)(uintptr_t)bytes;
    stream->avail_in = (uInt)n;
    if (deflate(stream, Z_SYNC_FLUSH) != Z_OK || stream->avail_in != 0 || stream->avail_out == 0) {
        return false;
    }
    w->n += stream->total_out;
    return true;
}

/* Write planes of n bytes, and the bytes that shuffle leaves behind them. */
static bool put_planes(stoa_bit_writer *w, const stoa_step *step, stoa_coders *coders, size_t n,
                       const encoder *by)
{
    const size_t size = step->pipeline->element_size;

    for (size_t k = 0, end; k < size; k = end) {
        for (end = k + 1; end < size && by[end] == by[k] && by[k] != CODES; end++) {
        }
        const uint8_t *const bytes = step->in + k * n;
        const size_t n_bytes = (end < size ? end * n : step->n_in) - k * n;
        const int strategy = by[k] == RUNS ? Z_RLE : Z_DEFAULT_STRATEGY;
        if (by[k] == CODES ? !put_codes(w, step, bytes, n_bytes)
                           : !put_packed(w, step, coders, bytes, n_bytes, strategy)) {
            return false;
        }
    }
    return true;
}

bool stoa_deflate_planes(const stoa_step *step, stoa_coders *coders, size_t *n_packed)
{
    const uint32_t level = step->filter->values[0];
    const size_t n = plane_bytes(step);
    stoa_bit_writer w = {.out = step->out, .n = STOA_ZLIB_HEAD_BYTES};
    bool is_put = false;

    if (level == Z_NO_COMPRESSION || step->n_in < LEAST_SLICE || step->n_in > UINT32_MAX) {
        return false;
    }
    if (n == 0) {
        is_put =
            is_in_no_order(step, coders->deflater) && put_codes(&w, step, step->in, step->n_in);
    } else {
        const plan p = plan_planes(step, coders->deflater, n);
        if (level == STOA_DEFLATE_FAST && stoa_deflate_nibbles(step, n, p.share, n_packed)) {
            return true;
        }
        is_put = p.is_ours && put_planes(&w, step, coders, n, p.by);
    }
    if (!is_put) {
        return false;
    }
    stoa_put_bits(&w, 1 | STOA_DEFLATE_FIXED << 1, 3); /* the last block has only its end */
    stoa_put_bits(&w, 0, 7);
    *n_packed = stoa_deflate_frame(&w, step->in, step->n_in);
    return true;
}

void stoa_deflate_planes_end(stoa_coders *coders)
{
    if (coders->planes != NULL) {
        (void)deflateEnd(coders->planes);
        free(coders->planes);
    }
}
