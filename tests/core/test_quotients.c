/* Quotients by a constant, for src/core/quotients.h: C's division is the judge. */
#include "core/quotients.h"

#include "support/check.h"

static int64_t floor_of(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

/* A dividend of the divisor's range; false if there is none. */
static bool some_dividend(const stoa_divisor *by, int64_t *x)
{
    const int64_t random = (int64_t)check_random() >> check_random_below(64);
    const int64_t multiple = random / by->by * by->by;

    *x = check_random_below(2) != 0 ? random
                                    : (int64_t)((uint64_t)multiple + check_random_below(3) - 1);
    return stoa_is_in_range(by, *x, *x);
}

static void quotients_are_those_of_a_division(void)
{
    static const int64_t some[] = {
        1, 2, 3, 7, 10, 60, 86400, 86400000000, 86400000000000, INT64_C(1) << 50, 146097};
    uint64_t n = 0;

    for (int i = 0; i < 4000; i++) {
        const int64_t random = (int64_t)(check_random() >> (1 + check_random_below(62)));
        const stoa_divisor by =
            stoa_divisor_of(i < (int)(sizeof some / sizeof *some) ? some[i] : random | 1);
        for (int k = 0; k < 250; k++) {
            int64_t x;
            if (some_dividend(&by, &x)) {
                n++;
                CHECK_I64(stoa_quotient(&by, x), floor_of(x, by.by));
            }
        }
        for (int64_t k = -2; k <= 0 && by.least < by.greatest; k++) {
            CHECK_I64(stoa_quotient(&by, by.least - k), floor_of(by.least - k, by.by));
            CHECK_I64(stoa_quotient(&by, by.greatest + k), floor_of(by.greatest + k, by.by));
        }
    }
    CHECK(n > 100000);
}

static void dividends_beyond_the_doubles_are_told(void)
{
    const stoa_divisor by_7 = stoa_divisor_of(7);
    const stoa_divisor by_much = stoa_divisor_of((INT64_C(1) << 50) + 1);
    const stoa_divisor days = stoa_divisor_of(86400000000);

    CHECK(stoa_is_in_range(&by_7, -(INT64_C(1) << 50), INT64_C(1) << 50));
    CHECK(!stoa_is_in_range(&by_7, 0, (INT64_C(1) << 50) + 1));
    CHECK(!stoa_is_in_range(&by_7, INT64_MIN, 0));
    CHECK(!stoa_is_in_range(&by_much, 0, 0));
    CHECK(stoa_is_in_range(&days, -INT64_MAX, INT64_MAX));
}

TEST_MAIN(TEST(quotients_are_those_of_a_division), TEST(dividends_beyond_the_doubles_are_told))
