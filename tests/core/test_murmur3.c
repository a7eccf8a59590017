/* MurmurHash3_x64_128, for src/core/murmur3.c */
#include "core/murmur3.h"
#include "support/check.h"

static void put(uint64_t hash, uint8_t *bytes)
{
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(hash >> (8 * i));
    }
}

/* SMHasher's verification: the keys {}, {0}, {0, 1}, ... with the seeds 256, 255, ...; all hashes
 * are hashed again, with seed 0, and the first four bytes are published as 0x6384BA69. */
static void the_published_verification_value_comes_out(void)
{
    uint8_t key[256];
    uint8_t hashes[256 * 16];
    uint64_t hash[2];

    for (uint32_t i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        stoa_murmur3(key, i, 256 - i, hash);
        put(hash[0], hashes + (size_t)16 * i);
        put(hash[1], hashes + (size_t)16 * i + 8);
    }
    stoa_murmur3(hashes, sizeof hashes, 0, hash);
    CHECK_U64(hash[0] & 0xffffffff, 0x6384BA69);
}

static void nothing_hashes_to_nothing(void)
{
    uint64_t hash[2] = {1, 1};

    stoa_murmur3("", 0, 0, hash);
    CHECK_U64(hash[0], 0);
    CHECK_U64(hash[1], 0);
}

TEST_MAIN(TEST(the_published_verification_value_comes_out), TEST(nothing_hashes_to_nothing))
