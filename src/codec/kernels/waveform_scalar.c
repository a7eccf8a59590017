/* The waveform codecs one sample at a time, as a reference; and the choice of decoders. */
#include "codec/kernels/waveform_body.h"

const stoa_waveform_kernels *stoa_waveform_kernels_of(stoa_simd simd)
{
    return STOA_SIMD_OF_X86(simd, &stoa_waveform);
}

static const char *undo_uleb128(const uint8_t *row, size_t n_bytes, int32_t *samples, size_t n)
{
    return stoa_uleb128_rest(row, row + n_bytes, 0, samples, n);
}

/* Reads fields in order. Bytes are loaded only when needed, so that none is read past the last
 * field. */
typedef struct field_reader {
    const uint8_t *next;
    uint32_t bits; /* the lowest n_bits are unread */
    unsigned n_bits;
} field_reader;

static uint32_t next_field(field_reader *reader, unsigned width)
{
    while (reader->n_bits < width) {
        reader->bits = reader->bits << 8 | *reader->next++;
        reader->n_bits += 8;
    }
    reader->n_bits -= width;
    return reader->bits >> reader->n_bits & ((UINT32_C(1) << width) - 1);
}

static void absolute(const uint8_t *bits, size_t n_bytes, unsigned width, int32_t base,
                     int32_t *samples, size_t n)
{
    field_reader reader = {.next = bits};

    (void)n_bytes;
    for (size_t i = 0; i < n; i++) {
        samples[i] = (int32_t)((uint32_t)base + next_field(&reader, width));
    }
}

static void steps(const uint8_t *bits, size_t n_bytes, unsigned width, int32_t step, int32_t from,
                  int32_t shift, int32_t *samples, size_t n)
{
    field_reader reader = {.next = bits};
    uint32_t sample = (uint32_t)from;

    (void)n_bytes;
    for (size_t i = 0; i < n; i++) {
        sample += (uint32_t)step + next_field(&reader, width);
        samples[i] = stoa_less(stoa_signed_word(sample), shift);
    }
}

const stoa_waveform_kernels stoa_waveform_scalar = {undo_uleb128, undo_sigcompress};
