/* Dates of the Gregorian calendar, for src/core/calendar.h: counted day by day, by its rules. */
#include "core/calendar.h"

#include "support/check.h"

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int64_t days_in(int64_t year, int64_t month)
{
    static const int64_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap(year));
}

static void check_same(const stoa_date *date, const stoa_date *want)
{
    CHECK_I64(date->year, want->year);
    CHECK_I64(date->month, want->month);
    CHECK_I64(date->day, want->day);
    CHECK_I64(date->day_of_year, want->day_of_year);
}

static void check_date(int64_t days, const stoa_date *want)
{
    const stoa_date near = stoa_date_near(days);
    const stoa_date recent = stoa_date_recent(days);

    check_same(&near, want);
    if (days >= STOA_RECENT_FIRST && days <= STOA_RECENT_LAST) {
        check_same(&recent, want);
    }
}

static void every_day_of_a_thousand_years_has_its_date(void)
{
    stoa_date date = {.year = 1970, .month = 1, .day = 1, .day_of_year = 1};

    for (int64_t days = 0; date.year < 2500; days++) {
        check_date(days, &date);
        date.day++;
        date.day_of_year++;
        if (date.day > days_in(date.year, date.month)) {
            date.day = 1;
            date.month++;
        }
        if (date.month > 12) {
            date.month = 1;
            date.day_of_year = 1;
            date.year++;
        }
    }
    date = (stoa_date){.year = 1970, .month = 1, .day = 1, .day_of_year = 1};
    for (int64_t days = 0; date.year >= 1500; days--) {
        check_date(days, &date);
        date.day--;
        date.day_of_year--;
        if (date.day == 0) {
            date.month = date.month == 1 ? 12 : date.month - 1;
            date.year -= date.month == 12;
            date.day = days_in(date.year, date.month);
        }
        if (date.day_of_year == 0) {
            date.day_of_year = 365 + is_leap(date.year);
        }
    }
}

/* 400 years have the same number of days each. */
static void dates_repeat_after_400_years(void)
{
    for (int64_t i = 0; i < 200000; i++) {
        const int64_t day = (int64_t)check_random_below(STOA_DAYS_PER_ERA);
        const int64_t eras = (int64_t)check_random_below(4997) - 2498; /* within STOA_NEAR_DAYS */
        stoa_date want = stoa_date_near(day);
        want.year += eras * 400;
        check_date(day + eras * STOA_DAYS_PER_ERA, &want);
    }
    const int64_t edges[] = {-STOA_NEAR_DAYS, STOA_NEAR_DAYS};
    for (int i = 0; i < 2; i++) {
        stoa_date want = stoa_date_near(stoa_floor_mod(edges[i], STOA_DAYS_PER_ERA));
        want.year += 400 * stoa_floor_div(edges[i], STOA_DAYS_PER_ERA);
        check_date(edges[i], &want);
    }
}

TEST_MAIN(TEST(every_day_of_a_thousand_years_has_its_date), TEST(dates_repeat_after_400_years))
