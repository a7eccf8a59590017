/* Durations as text: ISO 8601, numbers with units, and names of units. */
#include <string.h>

#include "core/text.h"

#define NANO INT64_C(1000000000)
__extension__ typedef __int128 wide; /* far more than the nanoseconds of any int64 seconds */

/* Parsing ----------------------------------------------------------------------------------- */

typedef struct scanner {
    const char *p;
    const char *end;
    wide total;          /* nanoseconds so far */
    stoa_time_unit unit; /* the coarsest unit that holds the written digits */
} scanner;

static bool accept(scanner *s, char c)
{
    if (s->p == s->end || *s->p != c) {
        return false;
    }
    s->p++;
    return true;
}

static bool is_digit(const scanner *s)
{
    return s->p < s->end && *s->p >= '0' && *s->p <= '9';
}

/* A number of up to 19 digits, and up to 9 after the decimal point, in billionths. */
static bool parse_number(scanner *s, wide *billionths, int *n_fraction)
{
    wide value = 0;
    int n = 0;

    for (; is_digit(s) && n < 19; n++) {
        value = value * 10 + (*s->p++ - '0');
    }
    *n_fraction = 0;
    if (n == 0) {
        return false;
    }
    if (accept(s, '.')) {
        for (; is_digit(s) && *n_fraction < 9; ++*n_fraction) {
            value = value * 10 + (*s->p++ - '0');
        }
        if (*n_fraction == 0) {
            return false;
        }
    }
    for (int i = *n_fraction; i < 9; i++) {
        value *= 10;
    }
    *billionths = value;
    return !is_digit(s);
}

/* Add to the total, which is limited to twice the longest time that int64 seconds can hold. So
 * neither the sum nor a product overflows. */
static bool add(scanner *s, wide billionths, int64_t nanoseconds_per)
{
    const wide most = (wide)INT64_MAX * NANO * 2;
    const wide part = billionths / NANO * nanoseconds_per;
    const wide rest = billionths % NANO * nanoseconds_per;

    if (part > most || rest % NANO != 0) {
        return false;
    }
    s->total += part + rest / NANO;
    return s->total <= most;
}

/* Parse the text after the P. Each part occurs at most once, in this order. Only seconds may have a
 * fraction. */
static bool parse_iso(scanner *s)
{
    static const struct {
        char letter;
        bool is_clock;
        int32_t seconds;
    } parts[] = {{'W', false, 604800},
                 {'D', false, 86400},
                 {'H', true, 3600},
                 {'M', true, 60},
                 {'S', true, 1}};
    bool is_clock = false;
    size_t next = 0;

    s->unit = STOA_TIME_SECOND;
    do {
        wide value;
        int n_fraction;
        size_t k = next;
        if (!is_clock && accept(s, 'T')) {
            is_clock = true;
        }
        if (!parse_number(s, &value, &n_fraction) || s->p == s->end) {
            return false;
        }
        while (k < 5 && (parts[k].letter != *s->p || parts[k].is_clock != is_clock)) {
            k++;
        }
        if (k == 5 || (n_fraction != 0 && parts[k].letter != 'S') ||
            !add(s, value, parts[k].seconds * NANO)) {
            return false;
        }
        s->p++;
        s->unit = stoa_time_unit_of_digits(n_fraction);
        next = k + 1;
    } while (s->p < s->end);
    return true;
}

/* Numbers with units, optionally separated by spaces. */
static bool parse_counts(scanner *s)
{
    do {
        wide value;
        int n_fraction;
        stoa_time_unit unit;
        int32_t ticks_per;
        if (!parse_number(s, &value, &n_fraction)) {
            return false;
        }
        (void)accept(s, ' ');
        const char *const word = s->p;
        while (s->p < s->end && *s->p != ' ' && !is_digit(s)) {
            s->p++;
        }
        if (!stoa_time_unit_of(word, (size_t)(s->p - word), &unit, &ticks_per) ||
            !add(s, value, stoa_time_nanoseconds(unit) * ticks_per)) {
            return false;
        }
        if (accept(s, ' ') && s->p == s->end) {
            return false;
        }
    } while (s->p < s->end);
    s->unit = s->total % NANO == 0      ? STOA_TIME_SECOND
              : s->total % 1000000 == 0 ? STOA_TIME_MILLI
              : s->total % 1000 == 0    ? STOA_TIME_MICRO
                                        : STOA_TIME_NANO;
    return true;
}

bool stoa_parse_duration(const char *text, size_t length, stoa_time *duration)
{
    scanner s = {.p = text, .end = text + length};
    const bool is_negative = accept(&s, '-');

    *duration = (stoa_time){.has_time = true};
    if (!is_negative) {
        (void)accept(&s, '+');
    }
    if (!(accept(&s, 'P') ? parse_iso(&s) : parse_counts(&s))) {
        return false;
    }
    const wide total = is_negative ? -s.total : s.total;
    const wide seconds = total / NANO - (total % NANO < 0);
    duration->unit = s.unit;
    duration->nanoseconds = (int32_t)(total - seconds * NANO);
    duration->seconds = (int64_t)seconds;
    return seconds >= INT64_MIN && seconds <= INT64_MAX;
}

/* Formatting -------------------------------------------------------------------------------- */

static char *put(char *p, uint64_t value, char letter)
{
    p += stoa_format_u64(value, p);
    *p++ = letter;
    return p;
}

size_t stoa_format_duration(int64_t ticks, stoa_time_unit unit, char *out)
{
    const uint64_t per_second = (uint64_t)(NANO / stoa_time_nanoseconds(unit));
    const uint64_t magnitude = ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks;
    const uint64_t seconds = magnitude / per_second;
    const uint64_t hours = seconds / 3600 % 24;
    const uint64_t minutes = seconds / 60 % 60;
    const uint64_t part = magnitude % per_second;
    char *p = out;

    if (ticks < 0) {
        *p++ = '-';
    }
    *p++ = 'P';
    p = seconds >= 86400 ? put(p, seconds / 86400, 'D') : p;
    *p++ = 'T';
    p = hours != 0 ? put(p, hours, 'H') : p;
    p = minutes != 0 ? put(p, minutes, 'M') : p;
    p += stoa_format_u64(seconds % 60, p);
    if (unit != STOA_TIME_SECOND) {
        *p++ = '.';
        for (uint64_t place = per_second / 10; place > 0; place /= 10) {
            *p++ = (char)('0' + part / place % 10);
        }
    }
    *p++ = 'S';
    *p = '\0';
    return (size_t)(p - out);
}

/* Units ------------------------------------------------------------------------------------- */

int64_t stoa_time_nanoseconds(stoa_time_unit unit)
{
    static const int64_t nanoseconds[] = {[STOA_TIME_DAY] = 86400 * NANO,
                                          [STOA_TIME_SECOND] = NANO,
                                          [STOA_TIME_MILLI] = 1000000,
                                          [STOA_TIME_MICRO] = 1000,
                                          [STOA_TIME_NANO] = 1};

    return nanoseconds[unit];
}

bool stoa_parse_duration_units(const char *text, stoa_time_unit *unit)
{
    int32_t ticks_per = 0;

    return stoa_time_unit_of(text, strlen(text), unit, &ticks_per) && ticks_per == 1 &&
           *unit != STOA_TIME_DAY;
}

const char *stoa_duration_units_text(stoa_time_unit unit)
{
    static const char *const texts[] = {[STOA_TIME_DAY] = "d",
                                        [STOA_TIME_SECOND] = "s",
                                        [STOA_TIME_MILLI] = "ms",
                                        [STOA_TIME_MICRO] = "us",
                                        [STOA_TIME_NANO] = "ns"};

    return texts[unit];
}
