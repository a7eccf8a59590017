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

/* The date of a day since 1970-01-01. Years begin in March, and multiplications stand for
 * divisions: Neri and Schneider, "Euclidean affine functions and their application to calendar
 * algorithms". */
static inline stoa_date stoa_date_of(int64_t days)
{
    enum { TO_1970 = 719468, ERAS = 4000, MOST = 365000000 };
    int64_t more = 0; /* whole eras, of which days are taken off */

    if (days > MOST || days < -MOST) {
        more = stoa_floor_div(days, STOA_DAYS_PER_ERA);
        days = stoa_floor_mod(days, STOA_DAYS_PER_ERA);
    }
    const uint32_t n = (uint32_t)(days + TO_1970 + (int64_t)ERAS * STOA_DAYS_PER_ERA);
    const uint64_t n1 = UINT64_C(4) * n + 3;
    const uint32_t century = (uint32_t)(n1 / STOA_DAYS_PER_ERA);
    const uint32_t n2 = (uint32_t)(n1 % STOA_DAYS_PER_ERA) | 3;
    const uint64_t product = UINT64_C(2939745) * n2;
    const uint32_t year_of_century = (uint32_t)(product >> 32);
    const uint32_t day_of_year = (uint32_t)product / 2939745 / 4; /* from March on */
    const uint32_t n3 = 2141 * day_of_year + 197913;
    const uint32_t is_next = day_of_year >= 306; /* January and February */
    const uint32_t year = 100 * century + year_of_century + is_next;
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return (stoa_date){.year = (int64_t)year + (more - ERAS) * 400,
                       .month = (n3 >> 16) - 12 * is_next,
                       .day = (n3 & 0xffff) / 2141 + 1,
                       .day_of_year = is_next ? day_of_year - 305 : day_of_year + 60 + is_leap};
}

#endif
