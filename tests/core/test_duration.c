/* Durations as text, for src/core/duration.c. The lengths were counted by hand. */
#include <string.h>

#include "core/text.h"
#include "support/check.h"

static bool parse(const char *text, stoa_time *duration)
{
    return stoa_parse_duration(text, strlen(text), duration);
}

static void check_length(const char *text, int64_t seconds, int32_t nanoseconds,
                         stoa_time_unit unit)
{
    stoa_time duration;

    if (!parse(text, &duration)) {
        FAIL("'%s' is not read", text);
    }
    CHECK_I64(duration.seconds, seconds);
    CHECK_I64(duration.nanoseconds, nanoseconds);
    CHECK_U64(duration.unit, unit);
}

static void durations_of_iso_8601_are_read(void)
{
    check_length("PT0S", 0, 0, STOA_TIME_SECOND);
    check_length("PT90S", 90, 0, STOA_TIME_SECOND);
    check_length("PT1M30S", 90, 0, STOA_TIME_SECOND);
    check_length("P1DT2H3M4S", 93784, 0, STOA_TIME_SECOND);
    check_length("P2W", 1209600, 0, STOA_TIME_SECOND);
    check_length("P1W1D", 691200, 0, STOA_TIME_SECOND);
    check_length("PT36H", 129600, 0, STOA_TIME_SECOND);
    check_length("P0DT0H0M1.500S", 1, 500000000, STOA_TIME_MILLI);
    check_length("PT0.120000S", 0, 120000000, STOA_TIME_MICRO);
    check_length("PT0.000000001S", 0, 1, STOA_TIME_NANO);
    check_length("-PT0.5S", -1, 500000000, STOA_TIME_MILLI);
    check_length("+PT1S", 1, 0, STOA_TIME_SECOND);
    check_length("-P1D", -86400, 0, STOA_TIME_SECOND);
}

static void numbers_with_units_are_read(void)
{
    check_length("90s", 90, 0, STOA_TIME_SECOND);
    check_length("90 s", 90, 0, STOA_TIME_SECOND);
    check_length("1.5ms", 0, 1500000, STOA_TIME_MICRO);
    check_length("1500 us", 0, 1500000, STOA_TIME_MICRO);
    check_length("7 nanoseconds", 0, 7, STOA_TIME_NANO);
    check_length("1h 30min", 5400, 0, STOA_TIME_SECOND);
    check_length("1h30min", 5400, 0, STOA_TIME_SECOND);
    check_length("1.5 hours", 5400, 0, STOA_TIME_SECOND);
    check_length("1 week", 604800, 0, STOA_TIME_SECOND);
    check_length("2 Days 3 ms", 172800, 3000000, STOA_TIME_MILLI);
    check_length("-1d 1s", -86401, 0, STOA_TIME_SECOND);
    check_length("0.000000001 s", 0, 1, STOA_TIME_NANO);
}

static void what_has_no_length_is_refused(void)
{
    static const char *const texts[] = {
        "",
        "-",
        "P",
        "PT",
        "5",
        "s",
        "5 ",
        "5 m",
        "5 month",
        "P1Y",
        "P1M",
        "P1S",
        "PT1D",
        "P1DT",
        "PT1S1M",
        "PT1M1M",
        "PT1.5M",
        "PT.5S",
        "PT1.S",
        "PT1,5S",
        "P-1D",
        "--PT1S",
        "5s ",
        " 5s",
        "5  s",
        "5s  6s",
        "1e3s",
        "pt1s",
        "0.5 ns",
        "5s,",
        "1:30",
        "PT1S ",
        "P1D2H",
        "PT1HT1S",
        "1.0000000001s",
        "5 s 6",
        "nan s",
        "s5",
        "PT1.0000000001S",
        "99999999999999999999s",
        "P99999999999999999W",
        "9223372036854775808s",
        "PT9223372036854775807.5S1S",
    };
    stoa_time duration;

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        if (parse(texts[k], &duration)) {
            FAIL("'%s' is read", texts[k]);
        }
    }
}

static void check_text(int64_t ticks, stoa_time_unit unit, const char *expected)
{
    char text[STOA_NUMBER_SIZE];

    CHECK_U64(stoa_format_duration(ticks, unit, text), strlen(expected));
    CHECK_STR(text, expected);
}

static void durations_are_written_as_iso_8601(void)
{
    check_text(0, STOA_TIME_SECOND, "PT0S");
    check_text(5, STOA_TIME_SECOND, "PT5S");
    check_text(90, STOA_TIME_SECOND, "PT1M30S");
    check_text(3600, STOA_TIME_SECOND, "PT1H0S");
    check_text(93784500, STOA_TIME_MILLI, "P1DT2H3M4.500S");
    check_text(86400000, STOA_TIME_MILLI, "P1DT0.000S");
    check_text(-1, STOA_TIME_MICRO, "-PT0.000001S");
    check_text(1, STOA_TIME_NANO, "PT0.000000001S");
    check_text(INT64_MAX, STOA_TIME_SECOND, "P106751991167300DT15H30M7S");
    check_text(INT64_MIN, STOA_TIME_SECOND, "-P106751991167300DT15H30M8S");
    check_text(INT64_MIN, STOA_TIME_NANO, "-P106751DT23H47M16.854775808S");
}

static void a_duration_reads_back_from_its_text(void)
{
    for (uint64_t n = check_n_cases(100000); n > 0; n--) {
        const stoa_time_unit unit = (stoa_time_unit)(1 + check_random_below(4));
        const int64_t value = (int64_t)check_random() >> check_random_below(64);
        char text[STOA_NUMBER_SIZE];
        stoa_time duration;
        int64_t ticks;

        CHECK(stoa_parse_duration(text, stoa_format_duration(value, unit, text), &duration));
        CHECK_U64(duration.unit, unit);
        CHECK(stoa_time_ticks(&duration, unit, &ticks));
        CHECK_I64(ticks, value);
    }
    for (stoa_time_unit unit = STOA_TIME_SECOND; unit <= STOA_TIME_NANO; unit++) {
        static const int64_t ends[] = {INT64_MIN, INT64_MAX};
        for (int k = 0; k < 2; k++) {
            char text[STOA_NUMBER_SIZE];
            stoa_time duration;
            int64_t ticks;
            CHECK(stoa_parse_duration(text, stoa_format_duration(ends[k], unit, text), &duration));
            CHECK(stoa_time_ticks(&duration, unit, &ticks));
            CHECK_I64(ticks, ends[k]);
        }
    }
}

static void units_of_durations_are_the_four_of_arrow(void)
{
    static const char *const others[] = {
        "",   "d",  "day", "min", "h", "weeks", "MeV", "s since 1970", "seconds since 1970-01-01",
        " s", "s ", "kHz"};
    stoa_time_unit unit;

    for (stoa_time_unit own = STOA_TIME_SECOND; own <= STOA_TIME_NANO; own++) {
        CHECK(stoa_parse_duration_units(stoa_duration_units_text(own), &unit));
        CHECK_U64(unit, own);
    }
    CHECK(stoa_parse_duration_units("Milliseconds", &unit));
    CHECK_U64(unit, STOA_TIME_MILLI);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (stoa_parse_duration_units(others[k], &unit)) {
            FAIL("'%s' is a unit of durations", others[k]);
        }
    }
}

TEST_MAIN(TEST(durations_of_iso_8601_are_read), TEST(numbers_with_units_are_read),
          TEST(what_has_no_length_is_refused), TEST(durations_are_written_as_iso_8601),
          TEST(a_duration_reads_back_from_its_text), TEST(units_of_durations_are_the_four_of_arrow))
