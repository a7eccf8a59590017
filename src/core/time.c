/* Dates and times as ISO 8601 text, and CF/UDUNITS time units; proleptic Gregorian throughout. */
#include <string.h>

#include "core/calendar.h"
#include "core/digits.h"
#include "core/text.h"

#define SECONDS_PER_DAY 86400
#define DAYS_TO_1970 719468           /* from 0000-03-01 to 1970-01-01 */
#define GREGORIAN_FIRST_DAY (-141427) /* 1582-10-15 */

static const int64_t ticks_per_second[] = {[STOA_TIME_SECOND] = 1,
                                           [STOA_TIME_MILLI] = 1000,
                                           [STOA_TIME_MICRO] = 1000000,
                                           [STOA_TIME_NANO] = 1000000000};

stoa_rescaling stoa_rescaling_of(stoa_time_unit from, stoa_time_unit to)
{
    /* Factor from each unit to the next finer one. */
    static const int64_t finer[] = {SECONDS_PER_DAY, 1000, 1000, 1000};
    stoa_rescaling r = {1, 1};

    for (int unit = (int)from; unit < (int)to; unit++) {
        r.up *= finer[unit];
    }
    for (int unit = (int)to; unit < (int)from; unit++) {
        r.down *= finer[unit];
    }
    return r;
}

/* The calendar ------------------------------------------------------------------------------ */

/* n * factor + rest; returns false on overflow. For negative n the product alone may overflow
 * although the sum does not, so one factor is moved into `rest`. */
static bool scale(int64_t n, int64_t factor, int64_t rest, int64_t *result)
{
    if (n < 0) {
        n += 1;
        rest -= factor;
    }
    return !__builtin_mul_overflow(n, factor, result) &&
           !__builtin_add_overflow(*result, rest, result);
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days since 1970-01-01. Years start in March, so that the leap day is the last of its year. */
static int64_t days_of_date(int64_t year, int month, int day)
{
    const int64_t y = year - (month <= 2);
    const int64_t era = stoa_floor_div(y, 400);
    const int64_t year_of_era = y - era * 400;
    const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return era * STOA_DAYS_PER_ERA + day_of_era - DAYS_TO_1970;
}

int64_t stoa_days_of_month(int64_t month)
{
    return days_of_date(1970 + stoa_floor_div(month, 12), (int)stoa_floor_mod(month, 12) + 1, 1);
}

int64_t stoa_month_of_days(int64_t days)
{
    const stoa_date date = stoa_date_of(days);

    return (date.year - 1970) * 12 + date.month - 1;
}

/* Scanning ---------------------------------------------------------------------------------- */

/* The text that is left to parse. */
typedef struct scanner {
    const char *p;
    const char *end;
} scanner;

static bool accept(scanner *s, char c)
{
    if (s->p == s->end || *s->p != c) {
        return false;
    }
    s->p++;
    return true;
}

/* Read up to `most` digits. Returns how many, or 0 if there are fewer than `least`. */
static int parse_digits(scanner *s, int least, int most, int64_t *value)
{
    int n = 0;

    *value = 0;
    for (; n < most && s->p + n < s->end && s->p[n] >= '0' && s->p[n] <= '9'; n++) {
        *value = *value * 10 + (s->p[n] - '0');
    }
    if (n < least) {
        return 0;
    }
    s->p += n;
    return n;
}

/* yyyy-mm-dd. `lax` allows months and days of one digit, as UDUNITS does. */
static bool parse_date(scanner *s, bool lax, int64_t *days)
{
    const int least = lax ? 1 : 2;
    int64_t year;
    int64_t month;
    int64_t day;
    const bool negative = accept(s, '-');

    /* ISO 8601's expanded years have a sign and at least six digits. */
    if (negative || accept(s, '+')) {
        if (parse_digits(s, 6, 15, &year) == 0) {
            return false;
        }
        year = negative ? -year : year;
    } else if (parse_digits(s, lax ? 1 : 4, 4, &year) == 0) {
        return false;
    }
    if (!accept(s, '-') || parse_digits(s, least, 2, &month) == 0 || !accept(s, '-') ||
        parse_digits(s, least, 2, &day) == 0 || month < 1 || month > 12 || day < 1 ||
        day > days_in_month(year, (int)month)) {
        return false;
    }
    *days = days_of_date(year, (int)month, (int)day);
    return true;
}

/* hh:mm[:ss[.fraction]] as seconds of the day. Leap seconds are rejected. */
static bool parse_clock(scanner *s, bool lax, int64_t *seconds, int32_t *nanoseconds, int *n_digits)
{
    const int least = lax ? 1 : 2;
    int64_t hour;
    int64_t minute;
    int64_t second = 0;
    int64_t fraction = 0;

    *n_digits = 0;
    if (parse_digits(s, least, 2, &hour) == 0 || !accept(s, ':') ||
        parse_digits(s, least, 2, &minute) == 0) {
        return false;
    }
    if (accept(s, ':')) {
        if (parse_digits(s, least, 2, &second) == 0) {
            return false;
        }
        if (accept(s, '.')) {
            *n_digits = parse_digits(s, 1, 9, &fraction);
            if (*n_digits == 0) {
                return false;
            }
        }
    }
    if (hour > 23 || minute > 59 || second > 59) {
        return false;
    }
    for (int i = *n_digits; i < 9; i++) {
        fraction *= 10;
    }
    *nanoseconds = (int32_t)fraction;
    *seconds = hour * 3600 + minute * 60 + second;
    return true;
}

/* Z, +hh:mm, +hhmm or +hh as seconds east of UTC. On failure the scanner's position is
 * undefined. */
static bool parse_zone(scanner *s, bool lax, int64_t *east)
{
    int64_t hours;
    int64_t minutes = 0;

    *east = 0;
    if (accept(s, 'Z')) {
        return true;
    }
    if (lax && s->end - s->p == 3 && (memcmp(s->p, "UTC", 3) == 0 || memcmp(s->p, "GMT", 3) == 0)) {
        s->p += 3;
        return true;
    }
    const bool west = accept(s, '-');
    if ((!west && !accept(s, '+')) || parse_digits(s, lax ? 1 : 2, 2, &hours) == 0) {
        return false;
    }
    if (accept(s, ':') || s->p != s->end) {
        if (parse_digits(s, 2, 2, &minutes) == 0) {
            return false;
        }
    }
    if (hours > 23 || minutes > 59) {
        return false;
    }
    *east = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

stoa_time_unit stoa_time_unit_of_digits(int n_digits)
{
    return n_digits == 0   ? STOA_TIME_SECOND
           : n_digits <= 3 ? STOA_TIME_MILLI
           : n_digits <= 6 ? STOA_TIME_MICRO
                           : STOA_TIME_NANO;
}

/* ISO 8601 ---------------------------------------------------------------------------------- */

/* Parse the whole remaining text as a time. */
static bool scan_time(scanner *s, bool lax, stoa_time *time)
{
    int64_t days;
    int64_t clock = 0;
    int64_t east = 0;
    int n_digits = 0;

    *time = (stoa_time){.unit = STOA_TIME_DAY};
    if (!parse_date(s, lax, &days)) {
        return false;
    }
    if (s->p != s->end) {
        if ((!accept(s, 'T') && !accept(s, ' ')) ||
            !parse_clock(s, lax, &clock, &time->nanoseconds, &n_digits)) {
            return false;
        }
        time->has_time = true;
        time->unit = stoa_time_unit_of_digits(n_digits);
        if (s->p != s->end) {
            if (lax) {
                (void)accept(s, ' ');
            }
            if (!parse_zone(s, lax, &east)) {
                return false;
            }
            time->has_zone = true;
        }
    }
    return s->p == s->end && scale(days, SECONDS_PER_DAY, clock - east, &time->seconds);
}

bool stoa_parse_time(const char *text, size_t length, stoa_time *time)
{
    scanner s = {text, text + length};

    return scan_time(&s, false, time);
}

bool stoa_time_ticks(const stoa_time *time, stoa_time_unit unit, int64_t *ticks)
{
    if (unit == STOA_TIME_DAY) {
        *ticks = time->seconds / SECONDS_PER_DAY;
        return time->seconds % SECONDS_PER_DAY == 0 && time->nanoseconds == 0;
    }

    const int64_t per_second = ticks_per_second[unit];
    const int32_t nanoseconds_per_tick = (int32_t)(1000000000 / per_second);
    const int64_t part = time->nanoseconds / nanoseconds_per_tick;
    if (time->nanoseconds % nanoseconds_per_tick != 0) {
        return false;
    }
    return scale(time->seconds, per_second, part, ticks);
}

/* Write `value`, which has at most that many digits, with leading zeros; `width` is at most 8. */
static char *put_padded(char *p, uint64_t value, unsigned width)
{
    const uint64_t digits = stoa_eight_digits((uint32_t)value) + STOA_EIGHT_ZEROS;

    stoa_put_word(digits >> (64 - 8 * width), p);
    return p + width;
}

/* Write a year that does not have four digits, with at least six. */
static char *put_far_year(char *p, int64_t year)
{
    const uint64_t magnitude = (uint64_t)(year < 0 ? -year : year);

    *p++ = year < 0 ? '-' : '+';
    return magnitude < 1000000 ? put_padded(p, magnitude, 6) : p + stoa_format_u64(magnitude, p);
}

static char *put_date(char *p, int64_t days)
{
    const stoa_date date = stoa_date_of(days);

    p = date.year < 0 || date.year > 9999 ? put_far_year(p, date.year)
                                          : put_padded(p, (uint64_t)date.year, 4);
    *p++ = '-';
    p = put_padded(p, (uint64_t)date.month, 2);
    *p++ = '-';
    return put_padded(p, (uint64_t)date.day, 2);
}

size_t stoa_format_time(int64_t ticks, stoa_time_unit unit, bool utc, char *out)
{
    static const unsigned n_digits[] = {
        [STOA_TIME_MILLI] = 3, [STOA_TIME_MICRO] = 6, [STOA_TIME_NANO] = 9};
    char *p = out;

    if (unit == STOA_TIME_DAY) {
        p = put_date(p, ticks);
    } else {
        const int64_t seconds = stoa_floor_div(ticks, ticks_per_second[unit]);
        const int64_t part = stoa_floor_mod(ticks, ticks_per_second[unit]);
        const int64_t days = stoa_floor_div(seconds, SECONDS_PER_DAY);
        const int64_t clock = stoa_floor_mod(seconds, SECONDS_PER_DAY);

        p = put_date(p, days);
        *p++ = 'T';
        p = put_padded(p, (uint64_t)(clock / 3600), 2);
        *p++ = ':';
        p = put_padded(p, (uint64_t)(clock / 60 % 60), 2);
        *p++ = ':';
        p = put_padded(p, (uint64_t)(clock % 60), 2);
        if (unit != STOA_TIME_SECOND) {
            const unsigned n = n_digits[unit];
            *p++ = '.';
            p = n > 6 ? put_padded(p, (uint64_t)part / 1000000, n - 6) : p;
            p = put_padded(p, (uint64_t)part % 1000000, n > 6 ? 6 : n);
        }
        if (utc) {
            *p++ = 'Z';
        }
    }
    *p = '\0';
    return (size_t)(p - out);
}

/* CF/UDUNITS -------------------------------------------------------------------------------- */

/* Units of fixed length. Months and years have no fixed length; such columns stay plain numbers. */
static const struct {
    const char *name;
    stoa_time_unit unit;
    int32_t ticks_per;
} unit_names[] = {
    {"week", STOA_TIME_DAY, 7},       {"day", STOA_TIME_DAY, 1},
    {"d", STOA_TIME_DAY, 1},          {"hour", STOA_TIME_SECOND, 3600},
    {"hr", STOA_TIME_SECOND, 3600},   {"h", STOA_TIME_SECOND, 3600},
    {"minute", STOA_TIME_SECOND, 60}, {"min", STOA_TIME_SECOND, 60},
    {"second", STOA_TIME_SECOND, 1},  {"sec", STOA_TIME_SECOND, 1},
    {"s", STOA_TIME_SECOND, 1},       {"millisecond", STOA_TIME_MILLI, 1},
    {"millisec", STOA_TIME_MILLI, 1}, {"msec", STOA_TIME_MILLI, 1},
    {"ms", STOA_TIME_MILLI, 1},       {"microsecond", STOA_TIME_MICRO, 1},
    {"microsec", STOA_TIME_MICRO, 1}, {"usec", STOA_TIME_MICRO, 1},
    {"us", STOA_TIME_MICRO, 1},       {"nanosecond", STOA_TIME_NANO, 1},
    {"nanosec", STOA_TIME_NANO, 1},   {"nsec", STOA_TIME_NANO, 1},
    {"ns", STOA_TIME_NANO, 1},
};

/* Ignores case, and a plural s after names longer than two letters. */
static bool is_unit(const char *word, size_t length, const char *name)
{
    const size_t n = strlen(name);

    if (length != n && !(length == n + 1 && n > 2 && (word[n] | 0x20) == 's')) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if ((word[i] | 0x20) != name[i]) {
            return false;
        }
    }
    return true;
}

bool stoa_time_unit_of(const char *word, size_t length, stoa_time_unit *unit, int32_t *ticks_per)
{
    for (size_t i = 0; i < sizeof unit_names / sizeof unit_names[0]; i++) {
        if (is_unit(word, length, unit_names[i].name)) {
            *unit = unit_names[i].unit;
            *ticks_per = unit_names[i].ticks_per;
            return true;
        }
    }
    return false;
}

static bool parse_unit(scanner *s, stoa_time_units *units)
{
    const char *start = s->p;
    int32_t ticks_per = 0;

    while (s->p < s->end && *s->p != ' ') {
        s->p++;
    }
    if (!stoa_time_unit_of(start, (size_t)(s->p - start), &units->unit, &ticks_per)) {
        return false;
    }
    units->ticks_per = ticks_per;
    return true;
}

static bool parse_since(scanner *s)
{
    static const char since[] = " since ";

    if ((size_t)(s->end - s->p) < sizeof since - 1) {
        return false;
    }
    for (size_t i = 0; i < sizeof since - 1; i++) {
        if ((s->p[i] | 0x20) != since[i]) {
            return false;
        }
    }
    s->p += sizeof since - 1;
    return true;
}

/* Refine the presented unit until the epoch is a whole number of ticks. */
static void refine(stoa_time_units *units, const stoa_time *epoch)
{
    if (units->unit == STOA_TIME_DAY && !stoa_time_ticks(epoch, STOA_TIME_DAY, &(int64_t){0})) {
        units->unit = STOA_TIME_SECOND;
        units->ticks_per *= SECONDS_PER_DAY;
    }
    while (units->unit != STOA_TIME_DAY && units->unit != STOA_TIME_NANO &&
           epoch->nanoseconds % (1000000000 / ticks_per_second[units->unit]) != 0) {
        units->unit++;
        units->ticks_per *= 1000;
    }
}

bool stoa_parse_time_units(const char *text, stoa_time_units *units)
{
    scanner s = {text, text + strlen(text)};
    stoa_time epoch;

    *units = (stoa_time_units){0};
    if (!parse_unit(&s, units) || !parse_since(&s) || !scan_time(&s, true, &epoch)) {
        return false;
    }
    /* Before 1582-10-15 CF's default calendar is Julian and ours is Gregorian. Such an epoch would
     * be ambiguous. */
    if (epoch.seconds < (int64_t)GREGORIAN_FIRST_DAY * SECONDS_PER_DAY) {
        return false;
    }
    refine(units, &epoch);
    units->utc = epoch.has_zone;
    return stoa_time_ticks(&epoch, units->unit, &units->epoch_ticks);
}

const char *stoa_time_units_text(stoa_time_unit unit, bool utc)
{
    switch (unit) {
    case STOA_TIME_SECOND:
        return utc ? "seconds since 1970-01-01T00:00:00Z" : "seconds since 1970-01-01T00:00:00";
    case STOA_TIME_MILLI:
        return utc ? "milliseconds since 1970-01-01T00:00:00Z"
                   : "milliseconds since 1970-01-01T00:00:00";
    case STOA_TIME_MICRO:
        return utc ? "microseconds since 1970-01-01T00:00:00Z"
                   : "microseconds since 1970-01-01T00:00:00";
    case STOA_TIME_NANO:
        return utc ? "nanoseconds since 1970-01-01T00:00:00Z"
                   : "nanoseconds since 1970-01-01T00:00:00";
    case STOA_TIME_DAY:
        break;
    }
    return "days since 1970-01-01";
}
