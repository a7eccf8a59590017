/* Lists of values: what the sieve before them lets pass, and what is left of it. */
#include <stdlib.h>
#include <string.h>

#include "query/eval/filter.h"
#include "support/check.h"

enum { MOST = 700, MAX_LIST_LENGTH = 300, WORDS = MOST / 64 + 2 };

static const stoa_filter_kernels *filter_of(int simd)
{
    return simd <= (int)stoa_simd_of_cpu() ? stoa_filter_of((stoa_simd)simd) : NULL;
}

/* n values, from an odd address on and with nothing behind them: sanitizers see what is read. */
static uint8_t *put(const uint64_t *values, int64_t n, size_t width, uint8_t **block)
{
    *block = malloc((size_t)n * width + 3);
    CHECK(*block != NULL);
    for (int64_t i = 0; i < n; i++) {
        memcpy(*block + 3 + (size_t)i * width, &values[i], width); /* little-endian machines */
    }
    return *block + 3;
}

static bool is_set(const uint8_t *table, uint64_t bit)
{
    return (table[bit / 8] >> bit % 8 & 1) != 0;
}

/* Said once more, in plain arithmetic. */
static bool passes(const stoa_sieve *sieve, uint64_t value)
{
    const uint64_t folded = (value ^ value >> 32) & UINT32_MAX;
    const uint64_t hash = folded * 2654435761 % ((uint64_t)1 << 32);
    const uint64_t high = hash / (1 << 24);
    const uint64_t low = hash / (1 << 16) % 256;

    return is_set(sieve->tables[0], high % 128 * 8 + low % 8) &&
           is_set(sieve->tables[1], low % 128 * 8 + high / 32);
}

static void every_kernel_lets_the_same_values_pass(void)
{
    static uint64_t values[MOST];
    stoa_sieve sieve;

    for (uint64_t k = check_n_cases(600); k > 0; k--) {
        const stoa_lane lane = k % 2 == 0 ? STOA_LANE_32 : STOA_LANE_64;
        const int64_t n = (int64_t)check_random_below(MOST);
        uint8_t *block = NULL;
        for (size_t i = 0; i < STOA_SIEVE_TABLE; i++) {
            sieve.tables[0][i] = (uint8_t)(check_random() | check_random());
            sieve.tables[1][i] = (uint8_t)(check_random() | check_random());
        }
        for (int64_t i = 0; i < n; i++) {
            values[i] = lane == STOA_LANE_32 ? (uint32_t)check_random()
                                             : check_random() >> check_random_below(40);
        }
        const uint8_t *from = put(values, n, stoa_lane_width(lane), &block);
        for (int simd = 0; filter_of(simd) != NULL; simd++) {
            uint64_t words[WORDS];
            memset(words, 0xaa, sizeof words);
            filter_of(simd)->sieve[lane](from, n, &sieve, words);
            for (int64_t i = 0; i < (n + 63) / 64 * 64; i++) {
                if ((words[i / 64] >> i % 64 & 1) != (i < n && passes(&sieve, values[i]))) {
                    FAIL("kernels %d, lane %d, value %lld", simd, (int)lane, (long long)i);
                }
            }
            CHECK_U64(words[(n + 63) / 64], 0xaaaaaaaaaaaaaaaa);
        }
        free(block);
    }
}

static int order_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* n values so far apart that no table has room for them. */
static void make_list(stoa_lane lane, uint64_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        list[i] = ((uint64_t)i << (lane == STOA_LANE_32 ? 20 : 50)) + check_random_below(9999) + i;
    }
    qsort(list, n, sizeof *list, order_u64);
}

/* Half of them listed; some that the sieve cannot tell from one that is. */
static void make_values(stoa_lane lane, const uint64_t *list, size_t n_list, uint64_t *values,
                        int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const uint64_t listed = list[check_random_below(n_list)];
        const uint64_t roll = check_random_below(4);
        const uint64_t half = (uint32_t)check_random();
        values[i] = roll < 2 ? listed : roll == 2 ? check_random() : listed ^ (half << 32 | half);
        values[i] = lane == STOA_LANE_32 ? (uint32_t)values[i] : values[i];
    }
}

static void what_passes_and_is_not_listed_is_left_out(void)
{
    static uint64_t list[MAX_LIST_LENGTH];
    static uint64_t values[MOST];

    for (uint64_t k = check_n_cases(400); k > 0; k--) {
        const stoa_lane lane = k % 2 == 0 ? STOA_LANE_32 : STOA_LANE_64;
        const size_t n_list = 10 + (size_t)check_random_below(MAX_LIST_LENGTH - 10);
        const int64_t n = (int64_t)check_random_below(MOST);
        stoa_arena arena = {0};
        stoa_set set;
        uint8_t *block = NULL;
        make_list(lane, list, n_list);
        make_values(lane, list, n_list, values, n);
        CHECK_OK(stoa_set_of_list(lane, list, n_list, &arena, &set, NULL));
        CHECK(set.list != NULL && (set.sieve != NULL) == (n_list <= STOA_SIEVE_MAX));
        const uint8_t *from = put(values, n, stoa_lane_width(lane), &block);
        for (int simd = 0; filter_of(simd) != NULL; simd++) {
            uint64_t words[WORDS] = {0};
            stoa_set_test(filter_of(simd), &set, from, n, words);
            for (int64_t i = 0; i < n; i++) {
                CHECK_U64(words[i / 64] >> i % 64 & 1,
                          bsearch(&values[i], list, n_list, sizeof *list, order_u64) != NULL);
            }
        }
        free(block);
        stoa_arena_clear(&arena);
    }
}

/* One of a hundred is what chance makes of a hundred in 1024, twice. */
static void few_others_pass_a_sieve_of_a_hundred(void)
{
    static uint64_t list[100];
    stoa_arena arena = {0};
    stoa_set set;

    for (int step = 1; step <= 1000; step *= 10) { /* values one after the other, and others */
        int n_passed = 0;
        make_list(STOA_LANE_64, list, 100);
        CHECK_OK(stoa_set_of_list(STOA_LANE_64, list, 100, &arena, &set, NULL));
        for (uint64_t i = 0; i < 100000; i++) {
            n_passed += passes(set.sieve, 12345678901 + i * (uint64_t)step);
        }
        CHECK(n_passed < 3000);
    }
    stoa_arena_clear(&arena);
}

TEST_MAIN(TEST(every_kernel_lets_the_same_values_pass),
          TEST(what_passes_and_is_not_listed_is_left_out),
          TEST(few_others_pass_a_sieve_of_a_hundred))
