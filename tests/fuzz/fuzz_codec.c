/*
 * Any bytes as a pipeline and a stored chunk: undone within their bounds, or refused; what was
 * undone is stored and undone again, to the same.
 *
 * First what the pipeline is (a byte each: number of filters, chunk length, element size, mask),
 * then four bytes for each filter (which, and three for its client data), then the chunk.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/pipeline.h"
#include "fuzz/fuzz.h"

enum { HEAD = 4, A_FILTER = 4, MAX_FILTERS = 4, FENCE = 64, FENCE_BYTE = 0xb7 };
static const size_t head = FUZZ_CODEC_HEAD;

static const uint32_t ids[] = {STOA_FILTER_DEFLATE,     STOA_FILTER_SHUFFLE, STOA_FILTER_FLETCHER32,
                               STOA_FILTER_SCALEOFFSET, STOA_FILTER_BLOSC,   STOA_FILTER_LZ4,
                               STOA_FILTER_BITSHUFFLE,  STOA_FILTER_ZSTD,    STOA_FILTER_BZIP2,
                               STOA_FILTER_LZO,         STOA_FILTER_BLOSC2,  STOA_FILTER_LZF};
enum { N_IDS = sizeof ids / sizeof ids[0] };

/* Client data that make sense for the most part. */
static void fill_values(stoa_filter *filter, const uint8_t *bytes, const stoa_pipeline *pipeline)
{
    const uint32_t size = (uint32_t)pipeline->element_size;
    const uint32_t n = (uint32_t)pipeline->chunk_bytes;
    const uint32_t sensible[][STOA_MAX_FILTER_VALUES] = {
        {bytes[0] % 10u},
        {bytes[0] % 3 != 0 ? size : bytes[0]},
        {0},
        /* integers, bits, elements, class, size, signed, order, fill defined, fill */
        {2, 0, n / size, 0, size, bytes[0] & 1, bytes[0] >> 1 & 1, bytes[0] >> 2 & 1, bytes[1],
         bytes[2]},
        {2, 2, size, n, bytes[0] % 10u, bytes[1] % 3u, bytes[2] % 6u},
        {bytes[0]},
        {0, 5, bytes[0] % 3 != 0 ? size : bytes[0], bytes[1] * 8u, bytes[2] % 4u, 1},
        {bytes[0] % 20u},
        {1 + bytes[0] % 9u},
        {1, 27, 0},
        {1, n, size, n, 5, 1, bytes[0] % 6u},
        {4, 261, n},
    };
    static const uint32_t counts[] = {1, 1, 0, 20, 7, 1, 6, 1, 1, 3, 7, 3};
    const size_t which = filter->id;

    filter->id = ids[which];
    filter->n_values = counts[which];
    memcpy(filter->values, sensible[which], sizeof filter->values);
}

static stoa_pipeline pipeline_of(const uint8_t *bytes)
{
    stoa_pipeline p = {.n_filters = bytes[0] % (MAX_FILTERS + 1u), .simd = stoa_simd_of_cpu()};

    p.element_size = 1 + bytes[2] % 16u;
    p.chunk_bytes = p.element_size * (1u + bytes[1] * 8u);
    for (size_t i = 0; i < p.n_filters; i++) {
        const uint8_t *said = bytes + HEAD + i * A_FILTER;
        p.filters[i].id = said[0] % N_IDS;
        fill_values(&p.filters[i], said + 1, &p);
    }
    return p;
}

/* Undone between fences; STOA_OK with the chunk in `out`, which has room for the fences. */
static stoa_status undo(const stoa_pipeline *p, uint32_t mask, const uint8_t *stored, size_t n,
                        stoa_scratch *scratch, uint8_t *out)
{
    uint8_t *exact = malloc(n != 0 ? n : 1);
    const uint8_t *chunk = NULL;

    if (exact == NULL) {
        abort();
    }
    memcpy(exact, stored, n);
    memset(out, FENCE_BYTE, p->chunk_bytes + 2 * FENCE);
    const stoa_status status =
        stoa_pipeline_undo(p, mask, exact, n, scratch, out + FENCE, &chunk, NULL);
    for (size_t i = 0; i < FENCE; i++) {
        if (out[i] != FENCE_BYTE || out[FENCE + p->chunk_bytes + i] != FENCE_BYTE) {
            abort();
        }
    }
    if (status == STOA_OK && chunk != out + FENCE) {
        memcpy(out + FENCE, chunk, p->chunk_bytes);
    }
    free(exact);
    return status;
}

/* A part of a chunk is refused, or has the bytes that the whole chunk has. */
static void undo_part(const stoa_pipeline *p, const uint8_t *stored, size_t n,
                      stoa_scratch *scratch, const uint8_t *chunk)
{
    const size_t first = p->chunk_bytes / 3;
    const size_t size = p->chunk_bytes - first - p->chunk_bytes / 4;
    uint8_t *exact = malloc(n != 0 ? n : 1);
    uint8_t *out = malloc(size);

    if (exact == NULL || out == NULL) {
        abort();
    }
    memcpy(exact, stored, n);
    if (stoa_pipeline_undo_part(p, exact, n, NULL, scratch, first, size, out, NULL) == STOA_OK &&
        chunk != NULL && memcmp(out, chunk + first, size) != 0) {
        abort();
    }
    free(exact);
    free(out);
}

size_t fuzz_codec_input(uint8_t *bytes, size_t room)
{
    const stoa_pipeline p = pipeline_of(bytes);
    stoa_scratch scratch = {.blocks = {NULL}};
    uint8_t *chunk = malloc(p.chunk_bytes);
    const uint8_t *stored = NULL;
    size_t n = 0;
    uint32_t mask = 0;

    if (chunk == NULL) {
        abort();
    }
    for (size_t i = 0; i < p.chunk_bytes; i++) {
        chunk[i] = i % p.element_size == 0 ? bytes[i % head] : bytes[i % 3];
    }
    if (!stoa_pipeline_is_known(&p) ||
        stoa_pipeline_apply(&p, chunk, &scratch, &stored, &n, &mask, NULL) != STOA_OK ||
        n > room - head) {
        n = 0;
    }
    bytes[3] = (uint8_t)mask;
    if (n != 0) {
        memcpy(bytes + head, stored, n);
    }
    stoa_scratch_clear(&scratch);
    free(chunk);
    return n != 0 ? head + n : 0;
}

void fuzz_codec(const uint8_t *bytes, size_t n)
{
    stoa_scratch scratch = {.blocks = {NULL}};
    const uint8_t *stored = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;

    if (n < head) {
        return;
    }
    const stoa_pipeline p = pipeline_of(bytes);
    uint8_t *out = stoa_alloc_aligned(64, p.chunk_bytes + 2 * FENCE);
    uint8_t *again = stoa_alloc_aligned(64, p.chunk_bytes + 2 * FENCE);
    if (out == NULL || again == NULL) {
        abort();
    }
    const bool is_known = stoa_pipeline_is_known(&p);
    const bool is_undone =
        is_known && undo(&p, bytes[3], bytes + head, n - head, &scratch, out) == STOA_OK;
    if (is_known && (bytes[3] & 1) == 0 && stoa_pipeline_has_parts(&p)) {
        undo_part(&p, bytes + head, n - head, &scratch, is_undone ? out + FENCE : NULL);
    }
    if (is_undone) {
        if (stoa_pipeline_apply(&p, out + FENCE, &scratch, &stored, &n_stored, &mask, NULL) !=
                STOA_OK ||
            n_stored > stoa_pipeline_bound(&p) ||
            undo(&p, mask, stored, n_stored, &scratch, again) != STOA_OK ||
            memcmp(out, again, p.chunk_bytes + 2 * FENCE) != 0) {
            abort();
        }
    }
    stoa_scratch_clear(&scratch);
    free(out);
    free(again);
}
