/* Stored chunks of every filter, damaged at random or cut, are undone or refused (fuzz_codec.c). */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/check.h"

enum { ROOM = 80000 };

static size_t random_input(uint8_t *bytes)
{
    size_t n = 0;

    while (n == 0) {
        for (size_t i = 0; i < FUZZ_CODEC_HEAD; i++) {
            bytes[i] = (uint8_t)check_random();
        }
        bytes[1] = (uint8_t)(bytes[1] & (check_random_below(8) == 0 ? 0xff : 0x1f));
        n = fuzz_codec_input(bytes, ROOM);
    }
    return n;
}

static void damage(uint8_t *bytes, size_t n)
{
    for (uint64_t hits = 1 + check_random_below(3); hits > 0; hits--) {
        /* Headers, and what stands near the beginning, tell most. */
        const size_t span =
            check_random_below(2) == 0 && n > FUZZ_CODEC_HEAD + 32 ? 32 : n - FUZZ_CODEC_HEAD;
        const size_t at = FUZZ_CODEC_HEAD + (size_t)check_random_below(span);
        bytes[at] = check_random_below(2) == 0 ? (uint8_t)check_random()
                                               : (uint8_t)(bytes[at] ^ 1u << check_random_below(8));
    }
}

static void damaged_chunks_are_survived(void)
{
    static uint8_t bytes[ROOM];
    static uint8_t damaged[ROOM];

    for (uint64_t i = check_n_cases(1500); i > 0; i--) {
        const size_t n = random_input(bytes);
        fuzz_codec(bytes, n);
        for (unsigned k = 0; k < 8; k++) {
            memcpy(damaged, bytes, n);
            damage(damaged, n);
            fuzz_codec(damaged, n);
        }
        fuzz_codec(bytes, FUZZ_CODEC_HEAD + (size_t)check_random_below(n - FUZZ_CODEC_HEAD));
    }
}

TEST_MAIN(TEST(damaged_chunks_are_survived))
