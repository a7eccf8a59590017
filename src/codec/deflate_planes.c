/*
 * Deflate for shuffled integers, in a form that is undone quickly.
 *
 * The planes of integers that hardly differ are of two kinds: those of the upper bytes repeat one
 * byte, those of the lowest are noise. libdeflate writes repeats as copies of the byte just before,
 * which it undoes several times slower than the copies of a longer way back that zlib writes; and
 * noise is undone at once where it is stored. So zlib packs such a chunk, at its lowest level, and
 * is told which planes to store. Any other chunk is libdeflate's: it packs better, and faster.
 */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/deflate.h"

/* Bytes out of the middle of a plane that stand for all of it, and what is a gain of packing it. */
enum { SLICE = 8192, LITTLE_GAIN = SLICE / 32 };
enum { LEVEL = 1, WINDOW_BITS = 15, MEMORY_LEVEL = 9, MAX_PLANES = 8 };

/* Bytes of a plane; 0 where these are no planes, or too short to tell anything of them. */
static size_t plane_bytes(const stoa_step *step)
{
    const stoa_filter *filters = step->pipeline->filters;
    const size_t size = step->pipeline->element_size;

    if (step->filter == filters || step->filter[-1].id != STOA_FILTER_SHUFFLE ||
        step->filter[-1].values[0] != size || size < 2 || size > MAX_PLANES ||
        step->n_in % size != 0 || step->n_in / size < SLICE || step->n_in > UINT32_MAX) {
        return 0;
    }
    return step->n_in / size;
}

static const uint8_t *slice_of(const stoa_step *step, size_t n, size_t plane)
{
    return step->in + plane * n + (n - SLICE) / 2;
}

static bool is_even(const stoa_step *step, size_t n, size_t plane)
{
    const uint8_t *slice = slice_of(step, n, plane);

    return memcmp(slice, slice + 1, SLICE - 1) == 0;
}

/* Whether packing a plane gains nothing to speak of; what it becomes goes where the chunk will. */
static bool is_noise(const stoa_step *step, struct libdeflate_compressor *deflater, size_t n,
                     size_t plane)
{
    return !is_even(step, n, plane) &&
           libdeflate_deflate_compress(deflater, slice_of(step, n, plane), SLICE, step->out,
                                       SLICE - LITTLE_GAIN) == 0;
}

/* All of the planes [first, end), packed or stored. */
static bool put(z_stream *stream, const stoa_step *step, size_t n, size_t first, size_t end,
                bool stores)
{
    if (deflateParams(stream, stores ? Z_NO_COMPRESSION : LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
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
        if (coders->planes != NULL && deflateInit2(coders->planes, LEVEL, Z_DEFLATED, WINDOW_BITS,
                                                   MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
            free(coders->planes);
            coders->planes = NULL;
        }
    }
    return coders->planes != NULL && deflateReset(coders->planes) == Z_OK ? coders->planes : NULL;
}

bool stoa_deflate_planes(const stoa_step *step, stoa_coders *coders, size_t *n_packed)
{
    const size_t size = step->pipeline->element_size;
    const size_t n = plane_bytes(step);
    bool stores[MAX_PLANES];
    size_t n_even = 0;

    for (size_t k = 0; n != 0 && k < size; k++) {
        n_even += is_even(step, n, k);
    }
    z_stream *stream = n_even != 0 && 2 * n_even >= size ? stream_of(coders) : NULL;
    if (stream == NULL) {
        return false;
    }
    /* All are known before zlib writes over the trials. */
    for (size_t k = 0; k < size; k++) {
        stores[k] = is_noise(step, coders->deflater, n, k);
    }
    stream->next_out = step->out;
    stream->avail_out = step->room < UINT32_MAX ? (uInt)step->room : UINT32_MAX;
    for (size_t k = 0, end; k < size; k = end) {
        for (end = k + 1; end < size && stores[end] == stores[k]; end++) {
        }
        if (!put(stream, step, n, k, end, stores[k])) {
            return false;
        }
    }
    if (deflate(stream, Z_FINISH) != Z_STREAM_END) {
        return false;
    }
    *n_packed = stream->total_out;
    return true;
}

void stoa_deflate_planes_end(stoa_coders *coders)
{
    if (coders->planes != NULL) {
        (void)deflateEnd(coders->planes);
        free(coders->planes);
    }
}
