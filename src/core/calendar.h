/* Days and dates of the proleptic Gregorian calendar. */
#ifndef STOA_CORE_CALENDAR_H
#define STOA_CORE_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* a / b, rounded down; b > 0. */
static inline int64_t stoa_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* a modulo b, nonnegative, without the overflow of a - stoa_floor_div(a, b) * b; b > 0. */
static inline int64_t stoa_floor_mod(int64_t a, int64_t b)
{
    return a % b + (a % b < 0 ? b : 0);
}

enum { STOA_DAYS_PER_ERA = 146097 }; /* 400 years, after which the calendar repeats */

typedef struct stoa_date {
    int64_t year;
    int64_t month;       /* from 1 */
    int64_t day;         /* from 1 */
    int64_t day_of_year; /* from 1 */
} stoa_date;

enum { STOA_NEAR_DAYS = 365000000 }; /* a million years */

/* The date of a day since 1970-01-01, at most STOA_NEAR_DAYS away. It is taken from quarters of
 * days after the first of March that begins a century. Years begin in March, and multiplications
 * stand for divisions: Neri and Schneider, "Euclidean affine functions and their application to
 * calendar algorithms". All numbers and quotients have 32 bits, and are words of 64, so that loops
 * become vectors. */
static inline stoa_date stoa_date_near(int64_t days)
{
    enum { TO_1970 = 719468, ERAS = 4000, QUARTERS = 2939745, FROM_JANUARY = 306 };
    const uint64_t n = 4 * ((uint64_t)days + TO_1970 + (uint64_t)ERAS * STOA_DAYS_PER_ERA) + 3;
    const uint64_t century = n * 963315389 >> 47; /* n / STOA_DAYS_PER_ERA */
    const uint64_t product = ((n - century * STOA_DAYS_PER_ERA) | 3) * QUARTERS;
    const uint64_t in_year = product & UINT32_MAX;
    /* the carry of January and February, which begin the next year */
    const uint64_t carry = (UINT64_C(1) << 32) - UINT64_C(4) * QUARTERS * FROM_JANUARY;
    const uint64_t day_of_year = in_year * 1531969483 >> 54; /* in_year / QUARTERS / 4 */
    const uint64_t n3 = 2141 * day_of_year + 197913;
    const uint64_t is_next = day_of_year >= FROM_JANUARY;
    const uint64_t leaps_by = product >> 32 != 0 ? product >> 32 : century;
    const uint64_t is_leap = leaps_by % 4 == 0;

    return (stoa_date){
        .year = (int64_t)(100 * century + ((product + carry) >> 32)) - ERAS * 400,
        .month = (int64_t)((n3 >> 16) - 12 * is_next),
        .day = (int64_t)(((n3 & 0xffff) * 31345 >> 26) + 1), /* (n3 % 65536) / 2141 + 1 */
        .day_of_year = (int64_t)(is_next ? day_of_year - 305 : day_of_year + 60 + is_leap),
    };
}

/* Every fourth year is a leap year from 1904-03-01 to 2100-02-28, as days since 1970. */
enum { STOA_RECENT_FIRST = -24047, STOA_RECENT_LAST = 47540 };

/* The date of a day of these, in half of the time: all words have 32 bits. Of another day it is any
 * date. */
static inline stoa_date stoa_date_recent(int64_t days)
{
    enum { FOUR_YEARS = 1461, FROM_JANUARY = 306 };
    const uint32_t n = (uint32_t)days - (uint32_t)STOA_RECENT_FIRST;
    /* (4 * n + 3) / FOUR_YEARS; more is added, so that rounding never passes a whole number */
    const uint32_t years = (uint32_t)(int32_t)(((float)(int32_t)n + 0.875F) * (4.0F / FOUR_YEARS));
    const uint32_t day_of_year = n - (FOUR_YEARS * years >> 2);
    const uint32_t n3 = 2141 * day_of_year + 197913;
    const uint32_t is_next = day_of_year >= FROM_JANUARY;
    const uint32_t is_leap = years % 4 == 0;

    return (stoa_date){
        .year = (int32_t)(1904 + years + is_next),
        .month = (int32_t)((n3 >> 16) - 12 * is_next),
        .day = (int32_t)(((n3 & 0xffff) * 31345 >> 26) + 1),
        .day_of_year = (int32_t)(is_next ? day_of_year - 305 : day_of_year + 60 + is_leap),
    };
}

static inline bool stoa_is_near(int64_t days)
{
    return (uint64_t)days + STOA_NEAR_DAYS <= 2 * (uint64_t)STOA_NEAR_DAYS;
}

/* The date of any day since 1970-01-01. */
static inline stoa_date stoa_date_of(int64_t days)
{
    const bool is_near = stoa_is_near(days);
    const int64_t eras = is_near ? 0 : stoa_floor_div(days, STOA_DAYS_PER_ERA);
    stoa_date date = stoa_date_near(is_near ? days : stoa_floor_mod(days, STOA_DAYS_PER_ERA));

    date.year += eras * 400;
    return date;
}

#endif
