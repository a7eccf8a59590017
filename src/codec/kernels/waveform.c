/* Encodes waveforms (LH5 notes §6) exactly as the experiment's own encoders do, byte for byte. */
#include "codec/kernels/waveform.h"

#include <stdbool.h>

/* --- uleb128_zigzag_diff --------------------------------------------------------------------- */

size_t stoa_uleb128_do(const int32_t *samples, size_t n, uint8_t *row)
{
    uint8_t *at = row;
    uint32_t before = 0;

    for (size_t i = 0; i < n; i++) {
        const uint32_t step = (uint32_t)samples[i] - before;
        uint32_t number = step << 1 ^ (0 - (step >> 31));
        for (; number >= 0x80; number >>= 7) {
            *at++ = (uint8_t)(number | 0x80);
        }
        *at++ = (uint8_t)number;
        before = (uint32_t)samples[i];
    }
    return (size_t)(at - row);
}

/* --- radware_sigcompress --------------------------------------------------------------------- */

enum {
    PROBED = 48,      /* samples that determine a block's mode and width */
    MAX_LENGTH = 128, /* samples per block */
    STEEPEST = 16000, /* initial bound of differences */
    STEPS = 32,       /* added to the width of differences */
    MAX_SAMPLES = INT16_MAX
};

typedef struct bounds {
    int32_t least;
    int32_t greatest;
} bounds;

static bounds widened(bounds b, int32_t x)
{
    return (bounds){x < b.least ? x : b.least, x > b.greatest ? x : b.greatest};
}

static int32_t range(bounds b)
{
    return b.greatest - b.least;
}

/* Samples to be encoded: 16 bits each, with `shift` added. */
typedef struct waveform {
    const int32_t *samples;
    size_t n;
    int32_t shift;
} waveform;

static int32_t sample_at(const waveform *wave, size_t i)
{
    return wave->samples[i] + wave->shift;
}

static int32_t step_at(const waveform *wave, size_t i)
{
    return wave->samples[i] - wave->samples[i - 1];
}

/* The value encoded for sample i. */
static int32_t value_at(const waveform *wave, size_t i, bool is_steps)
{
    return is_steps ? step_at(wave, i) : sample_at(wave, i);
}

typedef struct block {
    size_t first;
    size_t n;
    bool is_steps;
    unsigned width;
    bounds of_values;
} block;

/* The block that begins at sample `first` (LH5 notes §6.2, steps 1 to 4). */
static block block_at(const waveform *wave, size_t first)
{
    const size_t n_left = wave->n - first;
    const size_t n_probed = n_left < PROBED ? n_left : PROBED;
    bounds samples = {sample_at(wave, first), sample_at(wave, first)};
    bounds steps = {STEEPEST, -STEEPEST};
    block b = {.first = first, .n = n_probed, .width = 2};

    for (size_t i = first + 1; i < first + n_probed; i++) {
        samples = widened(samples, sample_at(wave, i));
        steps = widened(steps, step_at(wave, i));
    }
    b.is_steps = range(samples) > range(steps);
    b.of_values = b.is_steps ? steps : samples;
    while ((INT32_C(1) << b.width) - 1 < range(b.of_values)) {
        b.width++;
    }
    for (; b.n < n_left && b.n < MAX_LENGTH; b.n++) {
        const bounds with = widened(b.of_values, value_at(wave, first + b.n, b.is_steps));
        if (range(with) > (INT32_C(1) << b.width) - 1) {
            break;
        }
        b.of_values = with;
    }
    return b;
}

static uint8_t *put_word(uint8_t *at, uint32_t word)
{
    at[0] = (uint8_t)(word >> 8);
    at[1] = (uint8_t)word;
    return at + 2;
}

static uint8_t *put_fields(uint8_t *at, const waveform *wave, const block *b)
{
    uint32_t bits = 0;
    unsigned n_bits = 0;

    for (size_t i = b->first + (b->is_steps ? 1 : 0); i < b->first + b->n; i++) {
        bits = bits << b->width | (uint32_t)(value_at(wave, i, b->is_steps) - b->of_values.least);
        n_bits += b->width;
        if (n_bits >= 16) {
            n_bits -= 16;
            at = put_word(at, bits >> n_bits);
        }
    }
    return n_bits > 0 ? put_word(at, bits << (16 - n_bits)) : at;
}

static uint8_t *put_block(uint8_t *at, const waveform *wave, const block *b)
{
    at = put_word(at, (uint32_t)b->n);
    at = put_word(at, b->is_steps ? b->width + STEPS : b->width);
    if (b->is_steps) {
        at = put_word(at, (uint32_t)sample_at(wave, b->first));
    }
    at = put_word(at, (uint32_t)b->of_values.least);
    return put_fields(at, wave, b);
}

/* Whether all samples plus `shift` fit in 16 bits; others could not be decoded. */
static bool fits(const int32_t *samples, size_t n, int32_t shift)
{
    bool all = true;

    for (size_t i = 0; i < n; i++) {
        const int64_t x = (int64_t)samples[i] + shift;
        all &= x >= INT16_MIN && x <= INT16_MAX;
    }
    return all;
}

const char *stoa_sigcompress_do(const int32_t *samples, size_t n, int32_t shift, uint8_t *row,
                                size_t *n_bytes)
{
    const waveform wave = {samples, n, shift};
    uint8_t *at = row;

    if (n > MAX_SAMPLES) {
        return "has more than 32767 samples, which no reader takes";
    }
    if (!fits(samples, n, shift)) {
        return "has samples that are beyond 16 bits when codec_shift is added to them";
    }
    at = put_word(at, (uint32_t)n);
    for (size_t done = 0; done < n;) {
        const block b = block_at(&wave, done);
        at = put_block(at, &wave, &b);
        done += b.n;
    }
    if ((at - row) % 4 != 0) {
        at = put_word(at, 0);
    }
    *n_bytes = (size_t)(at - row);
    return NULL;
}
