/* Offsets and limbs by each instruction set that this processor has, beside loops that do one at a
 * time, for src/layout/arkouda/read/turn_*.c. */
#include <string.h>

#include "layout/arkouda/read/offsets_simd.h"
#include "support/check.h"

enum { MOST = 300, LIMBS = 5 };

/* Every table that can be called here. */
static size_t find_all(const stoa_arkouda_offsets_simd **all)
{
    size_t n = 0;

    for (int simd = STOA_SIMD_SCALAR; simd <= (int)stoa_simd_of_cpu(); simd++) {
        all[n++] = stoa_arkouda_offsets_simd_of((stoa_simd)simd);
    }
    return n;
}

/* Ascending, of steps of `least` or more. */
static uint64_t fill(int64_t *offsets, int64_t first, uint64_t least)
{
    const uint64_t n = 1 + check_random_below(MOST);

    offsets[0] = first;
    for (uint64_t i = 1; i < n; i++) {
        offsets[i] = offsets[i - 1] + (int64_t)(least + check_random_below(9));
    }
    return n;
}

static bool ascend_from_0(const int64_t *offsets, uint64_t n)
{
    bool holds = offsets[0] >= 0;

    for (uint64_t i = 1; i < n; i++) {
        holds = holds && offsets[i] >= offsets[i - 1];
    }
    return holds;
}

static void offsets_that_go_down_or_are_negative_are_seen(void)
{
    const stoa_arkouda_offsets_simd *all[8];
    const size_t n_all = find_all(all);
    int64_t offsets[MOST];
    int64_t found[MOST];

    for (uint64_t i = check_n_cases(1000); i > 0; i--) {
        const uint64_t base = i % 3 == 0 ? 0 : check_random() >> 2;
        const uint64_t n = fill(offsets, (int64_t)check_random_below(3), 0);
        if (i % 2 == 0) { /* one that may be anything */
            const int64_t far = (int64_t)check_random();
            const int64_t near = (int64_t)check_random_below(40) - 20;
            offsets[check_random_below(n)] = i % 4 == 0 ? far : near;
        }
        for (size_t k = 0; k < n_all; k++) {
            memcpy(found, offsets, sizeof offsets);
            CHECK(all[k]->rebase(found, n, base) == ascend_from_0(offsets, n));
            for (uint64_t at = 0; at < n; at++) {
                CHECK_U64((uint64_t)found[at] - base, (uint64_t)offsets[at]);
            }
        }
    }
}

static void strings_end_with_their_nul(void)
{
    const stoa_arkouda_offsets_simd *all[8];
    const size_t n_all = find_all(all);
    int64_t starts[MOST];
    uint8_t bytes[MOST * 9];

    for (uint64_t i = check_n_cases(1000); i > 0; i--) {
        const int64_t first = (int64_t)check_random_below(1000000);
        const uint64_t n = fill(starts, first, 1) - 1;
        bool holds = true;
        memset(bytes, 'x', sizeof bytes);
        for (uint64_t at = 0; at < n; at++) {
            bytes[starts[at + 1] - first - 1] = 0;
        }
        if (n > 0 && i % 3 == 0) { /* a NUL is wanting */
            bytes[starts[1 + check_random_below(n)] - first - 1] = 'x';
            holds = false;
        } else if (n > 0 && i % 3 == 1) { /* a string has no bytes, not even that */
            const uint64_t at = check_random_below(n);
            starts[at + 1] = starts[at];
            holds = false;
        }
        for (size_t k = 0; k < n_all; k++) {
            CHECK(all[k]->are_ended(starts, n, bytes) == holds);
        }
    }
}

static void offsets_are_placed_without_nuls(void)
{
    const stoa_arkouda_offsets_simd *all[8];
    const size_t n_all = find_all(all);
    int64_t starts[MOST];
    int32_t small[MOST];
    int64_t large[MOST];

    for (uint64_t i = check_n_cases(1000); i > 0; i--) {
        const unsigned n_nuls = i % 2 == 0;
        const int64_t first = (int64_t)check_random_below(INT32_MAX - MOST * 10);
        const uint64_t n = fill(starts, (int64_t)(check_random() >> 2), n_nuls);
        for (size_t k = 0; k < n_all; k++) {
            all[k]->place_small(starts, n, n_nuls, first, small);
            all[k]->place_large(starts, n, n_nuls, first, large);
            int64_t wanted = first;
            for (uint64_t at = 0; at < n; at++) {
                wanted += at > 0 ? starts[at] - starts[at - 1] - (int64_t)n_nuls : 0;
                CHECK_I64(small[at], wanted);
                CHECK_I64(large[at], wanted);
            }
        }
    }
}

static void limbs_are_woven_lowest_byte_first(void)
{
    const stoa_arkouda_offsets_simd *all[8];
    const size_t n_all = find_all(all);
    uint64_t limbs[LIMBS * (MOST + 3)];
    uint64_t masks[LIMBS];
    uint8_t found[LIMBS * MOST * 8 + 1];

    for (uint64_t i = check_n_cases(300); i > 0; i--) {
        const size_t n_limbs = 1 + i % LIMBS;
        const uint64_t n = check_random_below(MOST + 1);
        const uint64_t stride = n + check_random_below(4);
        for (size_t at = 0; at < n_limbs * stride; at++) {
            limbs[at] = check_random();
        }
        for (size_t l = 0; l < n_limbs; l++) {
            masks[l] = i % 2 == 0 ? UINT64_MAX : check_random();
        }
        for (size_t k = 0; k < n_all; k++) {
            memset(found, 0xee, sizeof found);
            all[k]->weave(limbs, stride, n_limbs, masks, n, found);
            for (uint64_t at = 0; at < n * n_limbs * 8; at++) {
                const uint64_t row = at / 8 / n_limbs;
                const size_t l = at / 8 % n_limbs;
                const uint64_t limb = limbs[l * stride + row] & masks[l];
                CHECK_U64(found[at], limb >> at % 8 * 8 & 0xff);
            }
            CHECK_U64(found[n * n_limbs * 8], 0xee);
        }
    }
}

TEST_MAIN(TEST(offsets_that_go_down_or_are_negative_are_seen), TEST(strings_end_with_their_nul),
          TEST(offsets_are_placed_without_nuls), TEST(limbs_are_woven_lowest_byte_first))
