/* What the tests of filter pipelines share. */
#include "codec/kit.h"

#include <stdlib.h>
#include <string.h>

enum { FENCE = 256, FENCE_BYTE = 0xb7 };

guarded guarded_new(size_t n)
{
    guarded g = {.n = n};

    g.whole = stoa_alloc_aligned(64, n + 2 * FENCE);
    CHECK(g.whole != NULL);
    memset(g.whole, FENCE_BYTE, n + 2 * FENCE);
    g.bytes = g.whole + FENCE;
    return g;
}

void guarded_end(guarded *g)
{
    for (size_t i = 0; i < FENCE; i++) {
        CHECK_U64(g->whole[i], FENCE_BYTE);
        CHECK_U64(g->bytes[g->n + i], FENCE_BYTE);
    }
    free(g->whole);
    g->whole = NULL;
}

uint8_t *exact_copy(const void *bytes, size_t n)
{
    uint8_t *copy = malloc(n != 0 ? n : 1);

    CHECK(copy != NULL);
    if (n != 0) {
        memcpy(copy, bytes, n);
    }
    return copy;
}

void check_undone(const stoa_pipeline *p, const uint8_t *stored, size_t n_stored,
                  const uint8_t *expected)
{
    guarded out = guarded_new(p->chunk_bytes);
    uint8_t *exact = exact_copy(stored, n_stored);
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *chunk = NULL;

    CHECK(stoa_pipeline_is_known(p));
    CHECK_OK(stoa_pipeline_undo(p, 0, exact, n_stored, &scratch, out.bytes, &chunk, &err), &err);
    CHECK_MEM(chunk, expected, p->chunk_bytes);
    stoa_scratch_clear(&scratch);
    guarded_end(&out);
    free(exact);
}

void check_refused(const stoa_pipeline *p, const uint8_t *stored, size_t n_stored,
                   const char *filter)
{
    guarded out = guarded_new(p->chunk_bytes);
    uint8_t *exact = exact_copy(stored, n_stored);
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *chunk = NULL;

    CHECK_STATUS(STOA_EDATA,
                 stoa_pipeline_undo(p, 0, exact, n_stored, &scratch, out.bytes, &chunk, &err));
    CHECK_CONTAINS(err.message, filter);
    stoa_scratch_clear(&scratch);
    guarded_end(&out);
    free(exact);
}

static uint64_t random_value(unsigned kind, uint64_t *last)
{
    switch (kind) {
    case 0:
        return 77;
    case 1:
        return check_random();
    case 2:
        return check_random_below(100);
    case 3:
        *last += check_random_below(1000);
        return *last;
    default:
        return check_random_below(4) * UINT64_C(0x0123456789abcdef);
    }
}

void random_chunk(uint8_t *bytes, size_t n, size_t element_size)
{
    const unsigned kind = (unsigned)check_random_below(5);
    uint64_t last = check_random() >> 30;

    for (size_t i = 0; i < n; i += element_size) {
        const uint64_t value = random_value(kind, &last);
        for (size_t k = 0; k < element_size && i + k < n; k++) {
            bytes[i + k] = (uint8_t)(value >> (8 * (k % 8)));
        }
    }
}

stoa_pipeline pipeline_of(size_t chunk_bytes, size_t element_size, stoa_simd simd)
{
    return (stoa_pipeline){.chunk_bytes = chunk_bytes, .element_size = element_size, .simd = simd};
}

void add_filter(stoa_pipeline *pipeline, uint32_t id, uint32_t n_values, const uint32_t *values)
{
    stoa_filter *filter = &pipeline->filters[pipeline->n_filters++];

    *filter = (stoa_filter){.id = id, .n_values = n_values};
    for (uint32_t i = 0; i < n_values; i++) {
        filter->values[i] = values[i];
    }
}

void naive_shuffle(uint8_t *out, const uint8_t *in, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < size; k++) {
            out[k * n + i] = in[i * size + k];
        }
    }
}

void naive_bit_rows(uint8_t *out, const uint8_t *in, size_t n, size_t size)
{
    memset(out, 0, n * size);
    for (size_t i = 0; i < n; i++) {
        for (size_t bit = 0; bit < size * 8; bit++) {
            const unsigned set = in[i * size + bit / 8] >> (bit % 8) & 1;
            out[bit * (n / 8) + i / 8] = (uint8_t)(out[bit * (n / 8) + i / 8] | set << (i % 8));
        }
    }
}

/* One word after the other, reduced by folding as libhdf5 does, so that 65535 is not 0. */
uint32_t naive_fletcher32(const uint8_t *bytes, size_t n)
{
    uint32_t first = 0;
    uint32_t second = 0;

    for (size_t i = 0; i < n; i += 2) {
        first += (uint32_t)bytes[i] << 8 | (i + 1 < n ? bytes[i + 1] : 0);
        first = (first & 0xffff) + (first >> 16);
        second += first;
        second = (second & 0xffff) + (second >> 16);
    }
    return second << 16 | first;
}
