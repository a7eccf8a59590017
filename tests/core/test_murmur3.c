/*
 * MurmurHash3_x64_128 (src/core/murmur3.c) against published values: SMHasher's verification value
 * of the algorithm, which covers every tail length and 256 seeds, and digests that other
 * implementations print in their tests and manuals.
 */
#include "core/murmur3.h"

#include <string.h>

#include "support/check.h"

static void put_little(uint8_t *out, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

/* SMHasher, VerificationTest: keys {}, {0}, {0, 1}, ... with seeds 256, 255, ...; the digests
 * hashed once more; the first four bytes of that. */
static void the_verification_value_is_smhashers(void)
{
    uint8_t key[256];
    uint8_t digests[256 * 16];
    uint8_t last[8];

    for (unsigned i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        const stoa_murmur3 hash = stoa_murmur3_x64_128(key, i, 256 - i);
        put_little(digests + 16 * i, hash.low);
        put_little(digests + 16 * i + 8, hash.high);
    }
    put_little(last, stoa_murmur3_x64_128(digests, sizeof digests, 0).low);
    const uint32_t value =
        last[0] | (uint32_t)last[1] << 8 | (uint32_t)last[2] << 16 | (uint32_t)last[3] << 24;
    CHECK_U64(value, 0x6384BA69);
}

static void check_text(const char *text, uint64_t low, uint64_t high)
{
    const stoa_murmur3 hash = stoa_murmur3_x64_128(text, strlen(text), 0);

    CHECK_U64(hash.low, low);
    CHECK_U64(hash.high, high);
}

static void digests_are_those_that_others_print(void)
{
    check_text("", 0, 0);
    check_text("hello", UINT64_C(0xcbd8a7b341bd9b02), UINT64_C(0x5b1e906a48ae1d19));
    check_text("hello, world", UINT64_C(0x342fac623a5ebc8e), UINT64_C(0x4cdcbc079642414d));
    check_text("19 Jan 2038 at 3:14:07 AM", UINT64_C(0xb89e5988b737affc),
               UINT64_C(0x664fc2950231b2cb));
    check_text("The quick brown fox jumps over the lazy dog.", UINT64_C(0xcd99481f9ee902c9),
               UINT64_C(0x695da1a38987b6e7));
    check_text("The quick brown fox jumps over the lazy dog", UINT64_C(0xe34bbc7bbc071b6c),
               UINT64_C(0x7a433ca9c49a9347));
}

TEST_MAIN(TEST(the_verification_value_is_smhashers), TEST(digests_are_those_that_others_print))
