/* Packed waveforms, damaged at random or cut, are undone or refused (fuzz_waveform.c). */
#include <string.h>

#include "codec/kernels/waveform.h"
#include "fuzz/fuzz.h"
#include "support/check.h"

enum { HEAD = 5, MOST = 700, ROOM = HEAD + 5 * MOST };

/* A sound row behind its head: steps of a random height. */
static size_t random_input(uint8_t *bytes)
{
    int32_t samples[MOST];
    const size_t n = (size_t)check_random_below(MOST);
    const uint64_t height = (uint64_t)1 << check_random_below(14);
    int32_t sample = 0;
    size_t n_bytes = 0;

    for (size_t i = 0; i < n; i++) {
        sample = (int16_t)(sample + (int32_t)check_random_below(height) - (int32_t)(height / 2));
        samples[i] = sample;
    }
    memset(bytes, 0, HEAD);
    bytes[0] = (uint8_t)check_random_below(2);
    bytes[1] = (uint8_t)n;
    bytes[2] = (uint8_t)(n >> 8);
    if (bytes[0] != 0) {
        CHECK(stoa_sigcompress_do(samples, n, 0, bytes + HEAD, &n_bytes) == NULL);
        return HEAD + n_bytes;
    }
    return HEAD + stoa_uleb128_do(samples, n, bytes + HEAD);
}

static void damaged_rows_are_survived(void)
{
    static uint8_t bytes[ROOM];
    static uint8_t damaged[ROOM];

    for (uint64_t i = check_n_cases(1500); i > 0; i--) {
        const size_t n = random_input(bytes);
        fuzz_waveform(bytes, n);
        for (unsigned k = 0; k < 8; k++) {
            memcpy(damaged, bytes, n);
            damaged[check_random_below(n)] ^= (uint8_t)(1u << check_random_below(8));
            damaged[check_random_below(n)] = (uint8_t)check_random();
            fuzz_waveform(damaged, n);
        }
        fuzz_waveform(bytes, (size_t)check_random_below(n));
    }
}

TEST_MAIN(TEST(damaged_rows_are_survived))
