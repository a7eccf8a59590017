/*
 * Numbers, times and UTF-8 as text, the same in every locale.
 *
 * Parsing is strict: the whole text must be the value, no spaces, nothing more.
 */
#ifndef STOA_CORE_TEXT_H
#define STOA_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/parameter.h> /* stoa_time_unit */
#include <string.h>

#include "core/error.h"

/* Length of the longest valid UTF-8 prefix; == length if all of it is (RFC 3629: no surrogates, no
 * overlong forms). */
size_t stoa_utf8_valid(const char *text, size_t length);
/* A code point into `out`, which has room for 4; how many bytes it took. What has no UTF-8 becomes
 * the replacement character. */
size_t stoa_utf8_put(uint32_t point, char *out);

/* An ASCII letter in lower case; anything else as it is. */
static inline char stoa_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}
/* Whether the text is `word`, which has no capitals, in any case of ASCII's letters. */
static inline bool stoa_is_word(const char *text, size_t length, const char *word)
{
    bool is = strlen(word) == length;

    for (size_t i = 0; is && i < length; i++) {
        is = stoa_lower(text[i]) == word[i];
    }
    return is;
}

/* Whether a name is one of a list, which ends with NULL. */
static inline bool stoa_is_listed(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0) {
        list++;
    }
    return *list != NULL;
}

/* Decimal integers, with an optional sign. False: no integer, or out of range. */
bool stoa_parse_i64(const char *text, size_t length, int64_t *value);
bool stoa_parse_u64(const char *text, size_t length, uint64_t *value);
/* Decimal floating point, correctly rounded; also nan, inf, infinity in any case with a sign. */
bool stoa_parse_f64(const char *text, size_t length, double *value);

/* integer * 10^exponent, correctly rounded; false if it is not within what arithmetic of 128 bits
 * can do (an exponent beyond 19, either way). */
bool stoa_decimal_f64(uint64_t integer, int exponent, double *value);

/* Room for any of the numbers or times below, NUL included. */
#define STOA_NUMBER_SIZE 48

/* Shortest digits that read back equal, in the style of Python's repr: 1.0, 0.1, 1e+16, 1e-05, nan,
 * inf, -inf. Return the length; NUL-terminated. */
size_t stoa_format_f64(double value, char *out);
size_t stoa_format_f32(float value, char *out);
size_t stoa_format_i64(int64_t value, char *out);
size_t stoa_format_u64(uint64_t value, char *out);

/* IEEE 754 binary16 bits <-> float; exact where representable, else nearest even. */
float stoa_f16_to_f32(uint16_t bits);
uint16_t stoa_f32_to_f16(float value);

/* Nanoseconds in a tick. */
int64_t stoa_time_nanoseconds(stoa_time_unit unit);

/* What an ISO 8601 text says: proleptic Gregorian, `T` or a space between date and time, optional
 * seconds and fraction (1 to 9 digits), optional zone (Z, +hh:mm, +hhmm, +hh). */
typedef struct stoa_time {
    int64_t seconds;     /* since 1970-01-01T00:00:00 (UTC if has_zone) */
    int32_t nanoseconds; /* [0, 1e9) */
    bool has_time;       /* false: a bare date */
    bool has_zone;
    stoa_time_unit unit; /* the coarsest that holds it as written */
} stoa_time;

bool stoa_parse_time(const char *text, size_t length, stoa_time *time);
/* Ticks of `unit` since 1970; false if that overflows int64 or loses digits. */
bool stoa_time_ticks(const stoa_time *time, stoa_time_unit unit, int64_t *ticks);
/* ISO 8601: "2001-01-01" for days, else "2001-01-01T00:04:00", with exactly 3, 6 or 9 fraction
 * digits for milli, micro, nano, and a Z if `utc`. Years before 0 or after 9999 get a sign and 6
 * digits or more. Returns the length. */
size_t stoa_format_time(int64_t ticks, stoa_time_unit unit, bool utc, char *out);
/* The first day of a month, both since January 1970, and the month of a day; of some 10^15 days
 * around. */
int64_t stoa_days_of_month(int64_t month);
int64_t stoa_month_of_days(int64_t days);

/*
 * A length of time, as the time that it ends at where it begins with 1970: ISO 8601's
 * `P1DT2H3M4.5S` (also `P2W`; a day is 24 hours, and years and months have no length), or numbers
 * with units of time, `90 s`, `1.5ms`, `1h 30min`. A sign before the whole.
 */
bool stoa_parse_duration(const char *text, size_t length, stoa_time *duration);
/* ISO 8601: days, hours and minutes where they are not 0, and seconds with exactly 0, 3, 6 or 9
 * fraction digits: "PT90S" is "PT1M30S", as milliseconds "PT1M30.000S". Returns the length. */
size_t stoa_format_duration(int64_t ticks, stoa_time_unit unit, char *out);

/* CF/UDUNITS time units: "milliseconds since 1970-01-01T00:00:00Z". */
typedef struct stoa_time_units {
    stoa_time_unit unit; /* the unit ticks are presented in */
    int64_t ticks_per;   /* presented ticks for one stored unit (60 for minutes as seconds) */
    int64_t epoch_ticks; /* presented ticks of the stored 0 */
    bool utc;            /* the epoch names a zone */
    bool is_split;       /* 64-bit counts of seconds above and of microseconds below; the unit is
                            microseconds (PyTables' time64) */
} stoa_time_units;

/* Ticks of a count with `is_split`. */
static inline int64_t stoa_split_ticks(int64_t split)
{
    return (split >> 32) * 1000000 + (int32_t)(uint32_t)((uint64_t)split & UINT32_MAX);
}
/* How ticks of one unit become ticks of another: times `up`, divided by `down`, exactly. */
typedef struct stoa_rescaling {
    int64_t up;
    int64_t down;
} stoa_rescaling;
stoa_rescaling stoa_rescaling_of(stoa_time_unit from, stoa_time_unit to);
/* Understand units; false if the text is no time unit Stoa can present exactly. */
bool stoa_parse_time_units(const char *text, stoa_time_units *units);
/* The canonical text for Stoa's own columns; static storage. Days: "days since 1970-01-01". */
const char *stoa_time_units_text(stoa_time_unit unit, bool utc);
/* What a unit of fixed length counts, in any case and with a plural s: "hours" are 3600 of SECOND;
 * false if the word is none. */
bool stoa_time_unit_of(const char *word, size_t length, stoa_time_unit *unit, int32_t *ticks_per);
/* The units of durations: "s", "ms", "us" and "ns", also by their longer names. */
bool stoa_parse_duration_units(const char *text, stoa_time_unit *unit);
const char *stoa_duration_units_text(stoa_time_unit unit);

#endif
