/* ISO 8601 and CF time units, for src/core/time.c. Expected seconds are from `date -u +%s`. */
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "support/check.h"

/* Behind a text stands what would go on with it, and has no say. */
static bool parse(const char *text, stoa_time *time)
{
    char longer[64];
    const size_t n = strlen(text);

    memcpy(longer, text, n);
    memcpy(longer + n, "9999999Z", 9);
    return stoa_parse_time(longer, n, time);
}

static void check_time(const char *text, int64_t seconds, int32_t nanoseconds, stoa_time_unit unit,
                       bool has_zone)
{
    stoa_time time;

    if (!parse(text, &time)) {
        FAIL("%s is not read", text);
    }
    CHECK_I64(time.seconds, seconds);
    CHECK_I64(time.nanoseconds, nanoseconds);
    CHECK_U64(time.unit, unit);
    CHECK_U64(time.has_zone, has_zone);
    CHECK_U64(time.has_time, unit != STOA_TIME_DAY);
}

static void check_text(int64_t ticks, stoa_time_unit unit, bool utc, const char *expected)
{
    char text[STOA_NUMBER_SIZE];

    CHECK_U64(stoa_format_time(ticks, unit, utc, text), strlen(expected));
    CHECK_STR(text, expected);
}

static void dates_and_times_are_read(void)
{
    check_time("1970-01-01", 0, 0, STOA_TIME_DAY, false);
    check_time("2001-01-01", 978307200, 0, STOA_TIME_DAY, false);
    check_time("2000-02-29", 951782400, 0, STOA_TIME_DAY, false);
    check_time("1969-12-31T23:59:59", -1, 0, STOA_TIME_SECOND, false);
    check_time("2001-01-01T00:04", 978307440, 0, STOA_TIME_SECOND, false);
    check_time("2001-01-01 00:04:00", 978307440, 0, STOA_TIME_SECOND, false);
    check_time("2001-01-01T00:04:00Z", 978307440, 0, STOA_TIME_SECOND, true);
    check_time("2001-01-01T01:34:00+01:30", 978307440, 0, STOA_TIME_SECOND, true);
    check_time("2001-01-01T01:34:00+0130", 978307440, 0, STOA_TIME_SECOND, true);
    check_time("2000-12-31T23:04-01", 978307440, 0, STOA_TIME_SECOND, true);
    check_time("0000-01-01", -62167219200, 0, STOA_TIME_DAY, false);
    check_time("9999-12-31T23:59:59", 253402300799, 0, STOA_TIME_SECOND, false);
}

/* Of each month the last day, and not the one after it. */
static void months_are_as_long_as_they_are(void)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const int leaps[] = {-400, 0, 4, 1600, 1968, 2000, 2024, 2400};
    static const int others[] = {-1, 1, 1700, 1900, 2001, 2100, 2200, 2300};
    stoa_time time;
    char text[64];

    for (int month = 1; month <= 12; month++) {
        (void)snprintf(text, sizeof text, "2001-%02d-%02d", month, lengths[month - 1]);
        CHECK(parse(text, &time));
        (void)snprintf(text, sizeof text, "2001-%02d-%02d", month, lengths[month - 1] + 1);
        CHECK(!parse(text, &time));
    }
    for (size_t i = 0; i < sizeof leaps / sizeof leaps[0]; i++) {
        (void)snprintf(text, sizeof text, "%+07d-02-29", leaps[i]);
        CHECK(parse(text, &time));
        (void)snprintf(text, sizeof text, "%+07d-02-29", others[i]);
        CHECK(!parse(text, &time));
    }
}

static void months_count_from_1970(void)
{
    CHECK_I64(stoa_days_of_month(0), 0);
    CHECK_I64(stoa_days_of_month(1), 31);
    CHECK_I64(stoa_days_of_month(2), 59);
    CHECK_I64(stoa_days_of_month(12), 365);
    CHECK_I64(stoa_days_of_month(-1), -31);
    CHECK_I64(stoa_days_of_month(372), 11323);      /* 2001-01-01 */
    CHECK_I64(stoa_days_of_month(-23640), -719528); /* 0000-01-01 */
    CHECK_I64(stoa_month_of_days(11323), 372);
    for (int64_t month = -30000; month < 30000; month++) {
        const int64_t first = stoa_days_of_month(month);
        CHECK_I64(stoa_month_of_days(first), month);
        CHECK_I64(stoa_month_of_days(first - 1), month - 1);
    }
}

static void each_unit_is_a_whole_number_of_the_finer_ones(void)
{
    static const int64_t per_day[] = {1, 86400, 86400000, 86400000000, 86400000000000};

    for (int from = STOA_TIME_DAY; from <= STOA_TIME_NANO; from++) {
        for (int to = STOA_TIME_DAY; to <= STOA_TIME_NANO; to++) {
            const stoa_rescaling r = stoa_rescaling_of((stoa_time_unit)from, (stoa_time_unit)to);
            CHECK_I64(r.up, to > from ? per_day[to] / per_day[from] : 1);
            CHECK_I64(r.down, to < from ? per_day[from] / per_day[to] : 1);
        }
    }
}

static void the_unit_is_as_fine_as_what_is_written(void)
{
    check_time("1970-01-01T00:00:00.5", 0, 500000000, STOA_TIME_MILLI, false);
    check_time("1970-01-01T00:00:00.120", 0, 120000000, STOA_TIME_MILLI, false);
    check_time("1970-01-01T00:00:00.1200", 0, 120000000, STOA_TIME_MICRO, false);
    check_time("1970-01-01T00:00:00.000001Z", 0, 1000, STOA_TIME_MICRO, true);
    check_time("1970-01-01T00:00:00.123456789", 0, 123456789, STOA_TIME_NANO, false);
    check_time("1969-12-31T23:59:59.9", -1, 900000000, STOA_TIME_MILLI, false);
}

static void what_is_no_time_is_not_read_as_one(void)
{
    static const char *const texts[] = {
        "",
        "2001",
        "2001-01",
        "20010101",
        "2001-1-1",
        "01-01-2001",
        "2001-02-29",
        "1900-02-29",
        "2001-04-31",
        "2001-13-01",
        "2001-00-01",
        "2001-01-00",
        "2001-01-01T",
        "2001-01-01 ",
        "2001-01-01T24:00",
        "2001-01-01T00:60",
        "2001-01-01T00:00:60",
        "2001-01-01T00:00:00.",
        "2001-01-01T00:00:00.1234567890",
        "2001-01-01T00:00:00,5",
        "2001-01-01T1:00",
        "2001-01-01T00:00:00 Z",
        "2001-01-01T00:00:00z",
        "2001-01-01T00:00+1",
        "2001-01-01T00:00+24",
        "2001-01-01T00:00+01:",
        "2001-01-01T00:00+01:60",
        "2001-01-01T00:00ZZ",
        "2001-01-01Z",
        "00:00:00",
        "12345-01-01",
        "+12345-01-01",
        "2001/01/01",
        " 2001-01-01",
        "+99999999999999-01-01",
        "+",
        "-",
        "2001-001-01",
        "2001-01-001",
        "2001-01-01T000:00",
        "2001-01-01T00:000",
        "2001-01-01T00:00:000",
        "2001-01-01T00:00+001",
        "2001-01-01T00:00+01:000",
        "2001-01-01T00:00+0100:",
    };
    stoa_time time;

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        if (parse(texts[k], &time)) {
            FAIL("'%s' is read as %lld s", texts[k], (long long)time.seconds);
        }
    }
}

static void times_are_written_with_the_digits_of_their_unit(void)
{
    check_text(0, STOA_TIME_DAY, false, "1970-01-01");
    check_text(11323, STOA_TIME_DAY, false, "2001-01-01");
    check_text(-1, STOA_TIME_DAY, false, "1969-12-31");
    check_text(978307440, STOA_TIME_SECOND, false, "2001-01-01T00:04:00");
    check_text(978307440, STOA_TIME_SECOND, true, "2001-01-01T00:04:00Z");
    check_text(-1, STOA_TIME_MILLI, false, "1969-12-31T23:59:59.999");
    check_text(1, STOA_TIME_MICRO, true, "1970-01-01T00:00:00.000001Z");
    check_text(-1, STOA_TIME_NANO, false, "1969-12-31T23:59:59.999999999");
}

static void years_out_of_four_digits_get_a_sign(void)
{
    check_text(253402300800, STOA_TIME_SECOND, false, "+010000-01-01T00:00:00");
    check_text(-62167219201, STOA_TIME_SECOND, false, "-000001-12-31T23:59:59");
    check_text(INT64_MAX, STOA_TIME_NANO, false, "2262-04-11T23:47:16.854775807");
    check_text(INT64_MIN, STOA_TIME_NANO, false, "1677-09-21T00:12:43.145224192");
    check_text(INT64_MAX, STOA_TIME_SECOND, true, "+292277026596-12-04T15:30:07Z");
    check_time("+010000-01-01T00:00:00", 253402300800, 0, STOA_TIME_SECOND, false);
    check_time("-000001-12-31T23:59:59", -62167219201, 0, STOA_TIME_SECOND, false);
}

static void every_tick_of_int64_can_be_written(void)
{
    static const stoa_time_unit units[] = {STOA_TIME_DAY, STOA_TIME_SECOND, STOA_TIME_MILLI,
                                           STOA_TIME_MICRO, STOA_TIME_NANO};
    char text[STOA_NUMBER_SIZE];

    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        CHECK(stoa_format_time(INT64_MIN, units[k], true, text) < sizeof text);
        CHECK(stoa_format_time(INT64_MAX, units[k], true, text) < sizeof text);
    }
}

static void ticks_never_lose_digits_or_overflow(void)
{
    stoa_time time;
    int64_t ticks;

    CHECK(parse("1969-12-31T23:59:59.999", &time));
    CHECK(stoa_time_ticks(&time, STOA_TIME_MILLI, &ticks));
    CHECK_I64(ticks, -1);
    CHECK(stoa_time_ticks(&time, STOA_TIME_NANO, &ticks));
    CHECK_I64(ticks, -1000000);
    CHECK(!stoa_time_ticks(&time, STOA_TIME_SECOND, &ticks));
    CHECK(!stoa_time_ticks(&time, STOA_TIME_DAY, &ticks));

    CHECK(parse("2262-04-11T23:47:16.854775807", &time));
    CHECK(stoa_time_ticks(&time, STOA_TIME_NANO, &ticks));
    CHECK_I64(ticks, INT64_MAX);
    CHECK(parse("2262-04-11T23:47:16.854775808", &time));
    CHECK(!stoa_time_ticks(&time, STOA_TIME_NANO, &ticks));
    CHECK(parse("1677-09-21T00:12:43.145224192", &time));
    CHECK(stoa_time_ticks(&time, STOA_TIME_NANO, &ticks));
    CHECK_I64(ticks, INT64_MIN);
    CHECK(parse("1677-09-21T00:12:43.145224191", &time));
    CHECK(!stoa_time_ticks(&time, STOA_TIME_NANO, &ticks));

    CHECK(parse("1970-01-03T00:00", &time));
    CHECK(stoa_time_ticks(&time, STOA_TIME_DAY, &ticks));
    CHECK_I64(ticks, 2);
}

static void check_units(const char *text, stoa_time_unit unit, int64_t ticks_per,
                        int64_t epoch_ticks, bool utc)
{
    stoa_time_units units;

    if (!stoa_parse_time_units(text, &units)) {
        FAIL("'%s' is not understood", text);
    }
    CHECK_U64(units.unit, unit);
    CHECK_I64(units.ticks_per, ticks_per);
    CHECK_I64(units.epoch_ticks, epoch_ticks);
    CHECK_U64(units.utc, utc);
}

static void cf_units_are_understood(void)
{
    check_units("days since 1970-01-01", STOA_TIME_DAY, 1, 0, false);
    check_units("milliseconds since 1970-01-01T00:00:00Z", STOA_TIME_MILLI, 1, 0, true);
    check_units("seconds since 2001-01-01 00:00:00", STOA_TIME_SECOND, 1, 978307200, false);
    check_units("hours since 1900-1-1 0:0:0", STOA_TIME_SECOND, 3600, -2208988800, false);
    check_units("Minutes since 2001-01-01 00:00 UTC", STOA_TIME_SECOND, 60, 978307200, true);
    check_units("days since 2000-01-01 12:00:00", STOA_TIME_SECOND, 86400, 946728000, false);
    check_units("days since 2000-01-01 00:00:00", STOA_TIME_DAY, 1, 10957, false);
    /* The example of CF 1.11, section 4.4. */
    check_units("seconds since 1992-10-8 15:15:42.5 -6:00", STOA_TIME_MILLI, 1000, 718578942500,
                true);
    check_units("ns since 1970-01-01", STOA_TIME_NANO, 1, 0, false);
    check_units("d since 1582-10-15", STOA_TIME_DAY, 1, -141427, false);
    check_units("weeks since 1970-01-01", STOA_TIME_DAY, 7, 0, false);
    check_units("hr since 1970-1-1 0:0 GMT", STOA_TIME_SECOND, 3600, 0, true);
    check_units("h since 1970-01-01 1:2:3 +1", STOA_TIME_SECOND, 3600, 123, true);
    check_units("msec since 1970-01-01", STOA_TIME_MILLI, 1, 0, false);
    check_units("us since 1970-01-01T00:00:00.1234567", STOA_TIME_NANO, 1000, 123456700, false);
    check_units("min since 1970-01-01T00:00:00.0001", STOA_TIME_MICRO, 60000000, 100, false);
    check_units("weeks since 1970-01-01T00:00:01", STOA_TIME_SECOND, 604800, 1, false);
}

static void units_without_exact_ticks_are_left_alone(void)
{
    static const char *const texts[] = {
        "",
        "s",
        "MeV",
        "seconds",
        "seconds since",
        "since 1970-01-01",
        "months since 1970-01-01",
        "years since 1970-01-01",
        "days since 0001-01-01",
        "days since 1582-10-14",
        "days since 1970-02-30",
        "days since 1970-01-01x",
        "seconds since 1970-01-01T00:00:00 PST",
        "days  since 1970-01-01",
        "days since_1970-01-01",
        "days_since 1970-01-01",
        "days sinc",
        "das since 1970-01-01",
        "sss since 1970-01-01",
        "hs since 1970-01-01",
        "seconds since 1970-01-01T00:00:00 GMTT",
        "seconds since 1970-01-01T00:00:",
    };
    stoa_time_units units;

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        if (stoa_parse_time_units(texts[k], &units)) {
            FAIL("'%s' is understood", texts[k]);
        }
    }
}

static void stoas_own_units_are_the_identity(void)
{
    for (int unit = STOA_TIME_DAY; unit <= STOA_TIME_NANO; unit++) {
        for (int utc = 0; utc < 2; utc++) {
            const bool zoned = utc != 0 && unit != STOA_TIME_DAY;
            check_units(stoa_time_units_text((stoa_time_unit)unit, utc != 0), (stoa_time_unit)unit,
                        1, 0, zoned);
        }
    }
}

static void a_time_reads_back_from_its_text(void)
{
    for (uint64_t n = check_n_cases(100000); n > 0; n--) {
        const stoa_time_unit unit = (stoa_time_unit)check_random_below(5);
        /* Days beyond int64 seconds can be written, not read. */
        const int64_t value = (int64_t)check_random() >> (unit == STOA_TIME_DAY ? 20 : 0);
        const bool utc = unit != STOA_TIME_DAY && check_random_below(2) == 1;
        char text[STOA_NUMBER_SIZE];
        stoa_time time;
        int64_t ticks;

        CHECK(stoa_parse_time(text, stoa_format_time(value, unit, utc, text), &time));
        CHECK_U64(time.unit, unit);
        CHECK_U64(time.has_zone, utc);
        CHECK(stoa_time_ticks(&time, unit, &ticks));
        CHECK_I64(ticks, value);
    }
}

TEST_MAIN(TEST(months_are_as_long_as_they_are), TEST(months_count_from_1970),
          TEST(each_unit_is_a_whole_number_of_the_finer_ones), TEST(dates_and_times_are_read),
          TEST(the_unit_is_as_fine_as_what_is_written), TEST(what_is_no_time_is_not_read_as_one),
          TEST(times_are_written_with_the_digits_of_their_unit),
          TEST(years_out_of_four_digits_get_a_sign), TEST(every_tick_of_int64_can_be_written),
          TEST(ticks_never_lose_digits_or_overflow), TEST(cf_units_are_understood),
          TEST(units_without_exact_ticks_are_left_alone), TEST(stoas_own_units_are_the_identity),
          TEST(a_time_reads_back_from_its_text))
