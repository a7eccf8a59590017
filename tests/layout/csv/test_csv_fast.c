/* The fast readers of numbers and times against the exact ones, for src/layout/csv/fast_parse.h */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "layout/csv/fast_parse.h"
#include "support/check.h"

enum { ROOM = 64 };

static size_t draw(char *text, const char *alphabet, size_t most)
{
    const size_t n = check_random_below(most + 1);

    memset(text, '7', ROOM); /* what stands behind the text has no say */
    for (size_t i = 0; i < n; i++) {
        text[i] = alphabet[check_random_below(strlen(alphabet))];
    }
    return n;
}

static void check_number(const char *text, size_t n)
{
    int64_t i = 0;
    int64_t exact_i = 0;
    double f = 0;
    double exact_f = 0;

    if (stoa_csv_integer(text, n, &i)) {
        CHECK(stoa_parse_i64(text, n, &exact_i));
        CHECK_I64(i, exact_i);
    }
    if (stoa_csv_float(text, n, &f)) {
        CHECK(stoa_parse_f64(text, n, &exact_f));
        CHECK_F64(f, exact_f);
        CHECK(signbit(f) == signbit(exact_f));
    }
}

static void numbers_read_fast_are_the_same_numbers(void)
{
    char text[ROOM];

    for (uint64_t left = check_n_cases(200000); left > 0; left--) {
        check_number(text, draw(text, "0123456789", 20));
        check_number(text, draw(text, "-0123456789.", 8));
        check_number(text, draw(text, "0123456789.", 21));
        check_number(text, draw(text, "000000000.1789", 24));
        check_number(text, draw(text, "-01:/ +e.\x80\xff", 6));
    }
}

/* Else the tests above would be about nothing. */
static void plain_numbers_are_read_fast(void)
{
    static const char *const integers[] = {"0", "-1", "12345678", "123456789",
                                           "-999999999999999999"};
    static const char *const floats[] = {
        "1.5", "-0.25", "5.", "0.000001", "9007199254740993", "0.30000000000000004"};
    char text[ROOM] = {0};
    int64_t i;
    double f;

    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
        memcpy(text, integers[k], strlen(integers[k]));
        CHECK(stoa_csv_integer(text, strlen(integers[k]), &i));
    }
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++) {
        memcpy(text, floats[k], strlen(floats[k]));
        CHECK(stoa_csv_float(text, strlen(floats[k]), &f));
    }
    CHECK(!stoa_csv_integer("1234567890123456789........", 19, &i));
    CHECK(!stoa_csv_float("1.5e3........", 5, &f));
}

static void check_time(stoa_csv_day *day, const char *text, size_t n)
{
    stoa_time fast;
    stoa_time exact;

    if (stoa_csv_time(day, text, n, &fast)) {
        CHECK(stoa_parse_time(text, n, &exact));
        CHECK_I64(fast.seconds, exact.seconds);
        CHECK_I64(fast.nanoseconds, exact.nanoseconds);
        CHECK_U64(fast.unit, exact.unit);
        CHECK_U64(fast.has_time, exact.has_time);
        CHECK_U64(fast.has_zone, exact.has_zone);
    }
}

/* Times as they are written, with a byte or two that are something else. */
static void times_read_fast_are_the_same_times(void)
{
    static const char *const forms[] = {
        "2001-01-31",          "1969-12-31T23:59:59",      "2000-02-29 12:00:00.5Z",
        "2001-02-29T00:00:00", "2001-01-01T00:00:00.123Z", "0000-03-01T01:02:03.123456789",
        "9999-12-31T24:00:00", "2001-01-01T12:00+01:00",   "2001-01-01T00:00:00.1234567890",
    };
    static const char noise[] = "0123456789-:TZ. +";
    stoa_csv_day day = {0};

    for (uint64_t left = check_n_cases(200000); left > 0; left--) {
        const char *form = forms[check_random_below(sizeof forms / sizeof *forms)];
        char text[ROOM] = {0};
        memcpy(text, form, strlen(form));
        for (uint64_t k = check_random_below(3); k > 0; k--) {
            text[check_random_below(strlen(form))] = noise[check_random_below(sizeof noise - 1)];
        }
        check_time(&day, text, strlen(form) - check_random_below(3));
    }
}

static void plain_times_are_read_fast(void)
{
    stoa_csv_day day = {0};
    stoa_time time = {0};

    CHECK(stoa_csv_time(&day, "2001-01-31........", 10, &time));
    CHECK_I64(time.seconds, INT64_C(980899200));
    CHECK(stoa_csv_time(&day, "2001-01-31T00:00:01........", 19, &time));
    CHECK_I64(time.seconds, INT64_C(980899201));
    CHECK(stoa_csv_time(&day, "2001-01-31 00:00:01.25Z........", 23, &time));
    CHECK_I64(time.nanoseconds, 250000000);
    CHECK(time.has_zone);
}

TEST_MAIN(TEST(numbers_read_fast_are_the_same_numbers), TEST(plain_numbers_are_read_fast),
          TEST(times_read_fast_are_the_same_times), TEST(plain_times_are_read_fast))
