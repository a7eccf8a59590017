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
    return stoa_is_in_range(by, (uint64_t)*x + by->bias);
}

static void check_beyond(int64_t units_per_day)
{
    const stoa_divisor by = stoa_divisor_of(units_per_day);
    const int64_t x = (int64_t)check_random();
    const int64_t quotient = stoa_quotient(&by, x);

    CHECK(stoa_is_in_range(&by, (uint64_t)x + by.bias) ||
          quotient >= stoa_quotient(&by, (int64_t)(by.bias - 1)) ||
          quotient <= stoa_quotient(&by, -(int64_t)by.bias));
}

static void check_parts(const stoa_divisor *by, int64_t x)
{
    CHECK(stoa_is_in_range(by, (uint64_t)x + by->bias));
    CHECK_I64(stoa_quotient(by, x), floor_of(x, by->by));
    CHECK_I64(stoa_floor_rest(by, x), x % by->by + (x % by->by < 0 ? by->by : 0));
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
                check_parts(&by, x);
            }
        }
        for (int64_t k = 0; k <= 2 && by.beyond != UINT64_MAX; k++) {
            check_parts(&by, (int64_t)((uint64_t)k - by.bias));
            check_parts(&by, (int64_t)(by.bias - 1 - (uint64_t)k));
        }
    }
    CHECK(n > 100000);
}

static bool is_right_of(int64_t by, int64_t x)
{
    const stoa_divisor divisor = stoa_divisor_of(by);

    return stoa_is_in_range(&divisor, (uint64_t)x + divisor.bias);
}

static void dividends_beyond_the_doubles_are_told(void)
{
    CHECK(is_right_of(7, -(INT64_C(1) << 50)) && is_right_of(7, (INT64_C(1) << 50) - 1));
    CHECK(!is_right_of(7, -(INT64_C(1) << 50) - 1) && !is_right_of(7, INT64_C(1) << 50));
    CHECK(!is_right_of(7, INT64_MIN) && !is_right_of(7, INT64_MAX));
    CHECK(!is_right_of((INT64_C(1) << 50) + 1, 0));
    CHECK(is_right_of(86400000000, INT64_MIN) && is_right_of(86400000000, INT64_MAX));
}

static void quotients_beyond_the_range_are_not_within_it(void)
{
    for (int i = 0; i < 100000; i++) {
        check_beyond(1);
        check_beyond(86400);
        check_beyond(86400000);
    }
}

TEST_MAIN(TEST(quotients_are_those_of_a_division), TEST(dividends_beyond_the_doubles_are_told),
          TEST(quotients_beyond_the_range_are_not_within_it))
