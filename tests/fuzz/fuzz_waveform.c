/*
 * Any bytes as a row of packed samples, and as a datatype of LH5: undone within their bounds or
 * refused, by every instruction set alike; what was undone is packed and undone again, to the same.
 *
 * First the codec (a byte), the number of samples (two) and the shift (two), then the row.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/kernels/waveform.h"
#include "fuzz/fuzz.h"
#include "layout/lh5/common/datatype.h"

enum { HEAD = 5, FENCE = 32, FENCE_SAMPLE = 0x5b5b5b5b };

typedef struct row {
    bool is_sigcompress;
    int32_t shift;
    size_t n;
} row;

/* Undone between fences, from bytes whose end a sanitizer sees. */
static const char *undo(const stoa_waveform_kernels *kernels, const row *r, const uint8_t *bytes,
                        size_t n_bytes, int32_t *out)
{
    for (size_t i = 0; i < r->n + (size_t)2 * FENCE; i++) {
        out[i] = FENCE_SAMPLE;
    }
    const char *const wrong =
        r->is_sigcompress ? kernels->undo_sigcompress(bytes, n_bytes, r->shift, out + FENCE, r->n)
                          : kernels->undo_uleb128(bytes, n_bytes, out + FENCE, r->n);
    for (size_t i = 0; i < FENCE; i++) {
        if (out[i] != FENCE_SAMPLE || out[FENCE + r->n + i] != FENCE_SAMPLE) {
            abort();
        }
    }
    return wrong;
}

/* Samples that were undone, packed once more. */
static void try_again(const row *r, const int32_t *samples, int32_t *out)
{
    const size_t room = r->is_sigcompress ? stoa_sigcompress_bound(r->n) : stoa_uleb128_bound(r->n);
    uint8_t *const packed = malloc(room + 1);
    size_t n_bytes = 0;

    if (packed == NULL) {
        abort();
    }
    const char *const refused =
        r->is_sigcompress ? stoa_sigcompress_do(samples, r->n, r->shift, packed, &n_bytes) : NULL;
    n_bytes = r->is_sigcompress ? n_bytes : stoa_uleb128_do(samples, r->n, packed);
    if (refused == NULL &&
        (n_bytes > room || undo(&stoa_waveform_scalar, r, packed, n_bytes, out) != NULL ||
         memcmp(out + FENCE, samples, r->n * sizeof *samples) != 0)) {
        abort();
    }
    free(packed);
}

static void look_at_row(const row *r, const uint8_t *bytes, size_t n_bytes)
{
    const size_t room = (r->n + (size_t)2 * FENCE) * sizeof(int32_t);
    int32_t *const plain = malloc(room);
    int32_t *const fast = malloc(room);

    if (plain == NULL || fast == NULL) {
        abort();
    }
    const char *const wrong = undo(&stoa_waveform_scalar, r, bytes, n_bytes, plain);
    const char *const also =
        undo(stoa_waveform_kernels_of(stoa_simd_of_cpu()), r, bytes, n_bytes, fast);
    if ((wrong == NULL) != (also == NULL) || (wrong == NULL && memcmp(plain, fast, room) != 0)) {
        abort();
    }
    if (wrong == NULL) {
        try_again(r, plain + FENCE, fast);
    }
    free(plain);
    free(fast);
}

/* What a type is spelt as is read as the same type. */
static void look_at_type(const uint8_t *bytes, size_t n)
{
    stoa_lh5_datatype type = {0};
    stoa_lh5_datatype again = {0};
    char *const text = malloc(n + 1);
    char *spelt = NULL;

    if (text == NULL) {
        abort();
    }
    memcpy(text, bytes, n);
    text[n] = '\0';
    if (stoa_lh5_datatype_parse(text, &type, NULL) == STOA_OK &&
        stoa_lh5_datatype_compose(&type, &spelt, NULL) == STOA_OK &&
        (stoa_lh5_datatype_parse(spelt, &again, NULL) != STOA_OK || again.kind != type.kind ||
         again.n_names != type.n_names || again.depth != type.depth)) {
        abort();
    }
    stoa_lh5_datatype_clear(&type);
    stoa_lh5_datatype_clear(&again);
    free(spelt);
    free(text);
}

void fuzz_waveform(const uint8_t *bytes, size_t n)
{
    if (n < HEAD) {
        return;
    }
    const row r = {.is_sigcompress = bytes[0] % 2 != 0,
                   .n = (size_t)(bytes[1] | bytes[2] << 8),
                   .shift = (int16_t)(bytes[3] | bytes[4] << 8)};
    const size_t n_bytes = n - HEAD;
    uint8_t *const exact = malloc(n_bytes != 0 ? n_bytes : 1);

    if (exact == NULL) {
        abort();
    }
    memcpy(exact, bytes + HEAD, n_bytes);
    look_at_row(&r, exact, n_bytes);
    look_at_type(exact, n_bytes);
    free(exact);
}
