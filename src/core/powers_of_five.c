/*
 * The table is computed when it is first needed, in about 50 microseconds, with integers of many
 * words. That is shorter than a list of 667 numbers, and right by definition.
 */
#include "core/powers_of_five.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* 5^324 has 753 bits. 5^-342 is 2^-795 and a little more, and 128 bits of it are needed. */
enum { N_WORDS = 30, N_POWERS = STOA_GREATEST_POWER - STOA_LEAST_POWER + 1 };

static stoa_wide powers[N_POWERS];
static atomic_bool is_made;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The first 128 bits of an integer of 32-bit words, the lowest first. It has more than that, or
 * zeros below its first bit. */
static stoa_wide top_of(const uint32_t words[N_WORDS])
{
    uint64_t top[3] = {0};
    int n = N_WORDS;

    while (words[n - 1] == 0) {
        n--;
    }
    for (int i = 0; i < 5 && i < n; i++) { /* five words have 128 bits below their first bit */
        top[i / 2] |= (uint64_t)words[n - 1 - i] << (i % 2 == 0 ? 32 : 0);
    }
    const int shift = __builtin_clzll(top[0]);
    return shift == 0 ? (stoa_wide){top[0], top[1]}
                      : (stoa_wide){top[0] << shift | top[1] >> (64 - shift),
                                    top[1] << shift | top[2] >> (64 - shift)};
}

static void make(void)
{
    uint32_t words[N_WORDS] = {1};

    for (int power = 0; power <= STOA_GREATEST_POWER; power++) {
        uint64_t carry = 0;
        powers[power - STOA_LEAST_POWER] = top_of(words);
        for (int i = 0; i < N_WORDS; i++) {
            carry += (uint64_t)words[i] * 5;
            words[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    /* 2^959 / 5 / 5 ... A quotient that is cut off and divided again is the whole quotient cut
     * off. */
    for (int i = 0; i < N_WORDS; i++) {
        words[i] = i == N_WORDS - 1 ? UINT32_C(1) << 31 : 0;
    }
    for (int power = -1; power >= STOA_LEAST_POWER; power--) {
        uint64_t rest = 0;
        for (int i = N_WORDS - 1; i >= 0; i--) {
            rest = rest << 32 | words[i];
            words[i] = (uint32_t)(rest / 5);
            rest %= 5;
        }
        powers[power - STOA_LEAST_POWER] = top_of(words);
    }
    atomic_store_explicit(&is_made, true, memory_order_release);
}

stoa_wide stoa_power_of_five(int power)
{
    if (!atomic_load_explicit(&is_made, memory_order_acquire)) {
        (void)pthread_once(&once, make);
    }
    return powers[power - STOA_LEAST_POWER];
}
