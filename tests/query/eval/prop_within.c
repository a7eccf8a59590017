/* Values within bounds, by each instruction set: what one comparison after another says. For
 * src/query/filter_<set>.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/eval/filter.h"
#include "support/check.h"

enum { MOST = 700, WORDS = MOST / 64 + 2, WIDEST = 8 };

/* Few of them are far from each other, many are the same. */
static uint64_t any_bits(size_t width)
{
    static const uint64_t ends[] = {0, 1, 0x7f, 0x80, 0x7fff, 0x8000, 0x7c00, 0x7c01};
    const uint64_t x = check_random();

    switch (x % 4) {
    case 0:
        return check_random() >> check_random_below(64);
    case 1:
        return 0 - check_random_below(300);
    case 2:
        return ends[x / 4 % (sizeof ends / sizeof *ends)] << (8 * (width - 1));
    default:
        return check_random_below(300);
    }
}

static double any_number(void)
{
    static const double ends[] = {0, -0.0, (double)INFINITY, (double)-INFINITY, (double)NAN, 1e30};
    const uint64_t x = check_random();

    return x % 3 == 0 ? ends[x / 3 % (sizeof ends / sizeof *ends)]
                      : (double)check_random_below(20) - 10;
}

static uint64_t get(const uint8_t *from, size_t width)
{
    uint64_t x = 0;

    memcpy(&x, from, width); /* little-endian machines */
    return x;
}

static bool is_within(stoa_lane lane, const uint8_t *at, const stoa_bounds *b)
{
    const size_t width = stoa_lane_width(lane);
    const uint64_t ones = UINT64_MAX >> (64 - 8 * width);
    uint64_t x = get(at, width);
    float f = 0;
    double d = 0;

    switch (lane) {
    case STOA_LANE_F32:
        memcpy(&f, at, sizeof f);
        return (double)f >= b->least && (double)f <= b->greatest;
    case STOA_LANE_F64:
        memcpy(&d, at, sizeof d);
        return d >= b->least && d <= b->greatest;
    case STOA_LANE_F16: /* negative ones backwards */
        x = x < 0x8000 ? x : 0x8000 + (0xffff - x);
        break;
    default:
        break;
    }
    return ((x - b->low) & ones) <= (b->span & ones);
}

static void put_any(stoa_lane lane, uint8_t *to)
{
    const double d = any_number();
    const float f = (float)d;
    const uint64_t x = any_bits(stoa_lane_width(lane));

    memcpy(to,
           lane == STOA_LANE_F64   ? (const void *)&d
           : lane == STOA_LANE_F32 ? (const void *)&f
                                   : (const void *)&x,
           stoa_lane_width(lane));
}

static void every_set_finds_the_values_that_are_within_bounds(void)
{
    static uint8_t values[MOST * WIDEST + 1];

    for (uint64_t k = check_n_cases(3000); k > 0; k--) {
        const stoa_lane lane = (stoa_lane)(k % STOA_N_LANES);
        const size_t width = stoa_lane_width(lane);
        const int64_t n = (int64_t)check_random_below(k % 8 == 0 ? MOST : 70);
        const stoa_bounds bounds = {any_bits(width), any_bits(width), (double)(float)any_number(),
                                    (double)(float)any_number()};
        for (int64_t i = 0; i < n; i++) {
            put_any(lane, values + 1 + (size_t)i * width);
        }
        for (int simd = STOA_SIMD_SCALAR; simd <= (int)stoa_simd_of_cpu(); simd++) {
            uint64_t words[WORDS] = {0};
            stoa_filter_of((stoa_simd)simd)->within[lane](values + 1, n, &bounds, words);
            for (int64_t i = 0; i < n; i++) {
                const bool found = (words[i / 64] >> i % 64 & 1) != 0;
                if (found != is_within(lane, values + 1 + (size_t)i * width, &bounds)) {
                    FAIL("lane %d, set %d: value %lld of %lld is%s found", (int)lane, simd,
                         (long long)i, (long long)n, found ? "" : " not");
                }
            }
            CHECK(n % 64 == 0 || words[n / 64] >> n % 64 == 0);
        }
    }
}

TEST_MAIN(TEST(every_set_finds_the_values_that_are_within_bounds))
