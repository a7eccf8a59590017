/*
 * HDF5's fletcher32 filter (3): a checksum of four bytes, least significant first, after the data.
 *
 * It consists of two sums of 16-bit words, high byte first, modulo 65535. A sum of 0 is written as
 * 65535 unless every byte is 0. An odd last byte is the high byte of its word. Swapping the bytes
 * of all words swaps the bytes of both sums, which the kernel relies on. For the same reason,
 * libhdf5 before 1.6.3 wrote other checksums on little-endian machines. Those are accepted, as
 * libhdf5 accepts them.
 */
#include <string.h>

#include "codec/filter.h"

enum { CHECKSUM = 4, LANES = 16, ROUNDS = 256, ROUND_BYTES = 2 * LANES };

typedef struct sums {
    uint64_t first;  /* of words, modulo 65535 */
    uint64_t second; /* of the first sums, modulo 65535 */
    bool any;        /* some byte is not 0 */
} sums;

static void add(sums *s, uint64_t n_words, uint64_t first, uint64_t second)
{
    s->any = s->any || first != 0;
    s->second = (s->second + s->first * n_words + second) % 65535;
    s->first = (s->first + first) % 65535;
}

/* Add `rounds` times LANES words in native byte order; at most ROUNDS, or a lane overflows. */
static void add_rounds(sums *s, const uint8_t *bytes, size_t rounds)
{
    uint32_t first[LANES] = {0};
    uint32_t second[LANES] = {0}; /* sums of each lane's first sums before each round */
    uint64_t total = 0;
    uint64_t weighted = 0;

    for (size_t r = 0; r < rounds; r++) {
        uint16_t words[LANES];
        memcpy(words, bytes + r * sizeof words, sizeof words);
        for (unsigned i = 0; i < LANES; i++) {
            second[i] += first[i];
            first[i] += words[i];
        }
    }
    for (unsigned i = 0; i < LANES; i++) {
        total += first[i];
        weighted += (uint64_t)LANES * second[i] + (uint64_t)(LANES - i) * first[i];
    }
    add(s, rounds * LANES, total, weighted);
}

static uint32_t swap_halves_bytes(uint32_t checksum)
{
    return (checksum & 0x00ff00ff) << 8 | (checksum >> 8 & 0x00ff00ff);
}

/* The checksum of words in native byte order. */
static uint32_t native_checksum(const uint8_t *bytes, size_t n)
{
    sums s = {.any = false};

    while (n >= ROUND_BYTES) {
        const size_t rounds = n / ROUND_BYTES < ROUNDS ? n / ROUND_BYTES : ROUNDS;
        add_rounds(&s, bytes, rounds);
        bytes += rounds * ROUND_BYTES;
        n -= rounds * ROUND_BYTES;
    }
    for (; n > 0; n -= n < 2 ? n : 2, bytes += 2) {
        uint16_t word = 0; /* an odd last byte is padded with 0 */
        memcpy(&word, bytes, n < 2 ? n : 2);
        add(&s, 1, word, word);
    }
    const uint32_t first = s.any && s.first == 0 ? 65535 : (uint32_t)s.first;
    const uint32_t second = s.any && s.second == 0 ? 65535 : (uint32_t)s.second;
    return second << 16 | first;
}

static uint32_t checksum_of(const uint8_t *bytes, size_t n)
{
    static const uint16_t one = 1;
    const bool is_little_endian = *(const uint8_t *)&one == 1;
    const uint32_t native = native_checksum(bytes, n);

    return is_little_endian ? swap_halves_bytes(native) : native;
}

static bool fletcher32_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    (void)pipeline;
    (void)filter;
    return true;
}

static size_t fletcher32_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return n + CHECKSUM;
}

static stoa_status fletcher32_undo(stoa_step *step)
{
    if (step->n_in < CHECKSUM) {
        return STOA_EDATA;
    }
    const size_t n = step->n_in - CHECKSUM;
    const uint8_t *behind = step->in + n;
    const uint32_t stored = (uint32_t)behind[0] | (uint32_t)behind[1] << 8 |
                            (uint32_t)behind[2] << 16 | (uint32_t)behind[3] << 24;
    const uint32_t found = checksum_of(step->in, n);

    return stored == found || stored == swap_halves_bytes(found) ? stoa_step_done(step, step->in, n)
                                                                 : STOA_EDATA;
}

static stoa_status fletcher32_apply(stoa_step *step)
{
    const uint32_t checksum = checksum_of(step->in, step->n_in);

    memcpy(step->out, step->in, step->n_in);
    for (unsigned i = 0; i < CHECKSUM; i++) {
        step->out[step->n_in + i] = (uint8_t)(checksum >> (8 * i));
    }
    return stoa_step_done(step, step->out, step->n_in + CHECKSUM);
}

const stoa_codec stoa_codec_fletcher32 = {
    .id = STOA_FILTER_FLETCHER32,
    .name = "fletcher32",
    .is_known = fletcher32_is_known,
    .bound = fletcher32_bound,
    .undo = fletcher32_undo,
    .apply = fletcher32_apply,
};
