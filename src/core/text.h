/*
 * Conversion between text and numbers, times, durations and UTF-8, independent of the locale.
 *
 * Parsing is strict: the whole text must be the value, without spaces around it.
 */
#ifndef STOA_CORE_TEXT_H
#define STOA_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/parameter.h> /* stoa_time_unit */
#include <string.h>

#include "core/error.h"
#include "core/short_bytes.h"

/* Length of the longest valid UTF-8 prefix; equals `length` if the text is valid (RFC 3629: no
 * surrogates, no overlong forms). */
size_t stoa_utf8_valid(const char *text, size_t length);
/* Encode a code point into `out`, which has room for 4 bytes, and return the byte count. An invalid
 * code point becomes U+FFFD, the replacement character. */
size_t stoa_utf8_put(uint32_t point, char *out);
/* Decode the first character of valid UTF-8, and return its byte count. */
size_t stoa_utf8_get(const char *text, uint32_t *point);
/* Whether the whole string is valid UTF-8. */
static inline bool stoa_is_utf8(const char *text)
{
    return stoa_utf8_valid(text, strlen(text)) == strlen(text);
}
/* A copy of the string with U+FFFD in place of each byte that is not UTF-8. The caller frees it;
 * NULL if memory runs out. */
char *stoa_utf8_mended(const char *text);

/* Lower case for ASCII letters; other bytes are unchanged. */
static inline char stoa_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}
/* Upper case likewise. */
static inline char stoa_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - ('a' - 'A')) : c;
}
/* Whether the text equals `word`, ignoring ASCII case. `word` is in lower case. */
static inline bool stoa_is_word(const char *text, size_t length, const char *word)
{
    bool is = strlen(word) == length;

    for (size_t i = 0; is && i < length; i++) {
        is = stoa_lower(text[i]) == word[i];
    }
    return is;
}

/* Whether the text begins with `start`. */
static inline bool stoa_starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the text ends with `end`. */
static inline bool stoa_ends_with(const char *text, size_t length, const char *end)
{
    const size_t n = strlen(end);

    return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* Whether a word is one of those in `words`, which have blanks between them; case is ignored. NULL
 * has none. */
static inline bool stoa_is_among(const char *word, size_t length, const char *words)
{
    while (words != NULL && *words != '\0') {
        const size_t n = strcspn(words, " ");
        size_t same = 0;
        while (n == length && same < n && stoa_lower(words[same]) == stoa_lower(word[same])) {
            same++;
        }
        if (n == length && same == n) {
            return true;
        }
        words += n + strspn(words + n, " ");
    }
    return false;
}

/* Whether `name` is in a NULL-terminated list. */
static inline bool stoa_is_listed(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0) {
        list++;
    }
    return *list != NULL;
}

/* Decimal integers with an optional sign. Return false if the text is not an integer or is out of
 * range. */
bool stoa_parse_i64(const char *text, size_t length, int64_t *value);
bool stoa_parse_u64(const char *text, size_t length, uint64_t *value);
/* Decimal floating point, correctly rounded. Also accepts nan, inf and infinity in any case, with
 * an optional sign. */
bool stoa_parse_f64(const char *text, size_t length, double *value);

/* integer * 10^exponent, correctly rounded; infinity if it is too large. */
double stoa_decimal_f64(uint64_t integer, int exponent);

/* Large enough for any number, time or duration below, NUL included. Bytes behind the NUL may be
 * written, too. */
#define STOA_NUMBER_SIZE 48

/* The shortest digits that read back equal, in the style of Python's repr: 1.0, 0.1, 1e+16, 1e-05,
 * nan, inf, -inf. Return the length; the text is NUL-terminated. */
size_t stoa_format_f64(double value, char *out);
size_t stoa_format_f32(float value, char *out);
size_t stoa_format_i64(int64_t value, char *out);
size_t stoa_format_u64(uint64_t value, char *out);

/* The same digits as integer * 10^*power. Zeros may be at the end. `value` is positive and
 * finite. */
uint64_t stoa_shortest_f64(double value, int *power);

/* IEEE 754 binary16 bits <-> float. Values that are not representable round to nearest even. */
float stoa_f16_to_f32(uint16_t bits);
uint16_t stoa_f32_to_f16(float value);

/* Nanoseconds per tick. */
int64_t stoa_time_nanoseconds(stoa_time_unit unit);
/* The unit of seconds with so many fraction digits. */
stoa_time_unit stoa_time_unit_of_digits(int n_digits);

/* A parsed ISO 8601 time in the proleptic Gregorian calendar. Its parts are separated by `T` or a
 * space. Seconds, fraction (1 to 9 digits) and zone (Z, +hh:mm, +hhmm, +hh) are optional. */
typedef struct stoa_time {
    int64_t seconds;     /* since 1970-01-01T00:00:00 (UTC if has_zone) */
    int32_t nanoseconds; /* [0, 1e9) */
    bool has_time;       /* false: a bare date */
    bool has_zone;
    stoa_time_unit unit; /* the coarsest unit that holds the written digits */
} stoa_time;

bool stoa_parse_time(const char *text, size_t length, stoa_time *time);
/* Ticks of `unit` since 1970. Returns false on int64 overflow or if digits would be lost. */
bool stoa_time_ticks(const stoa_time *time, stoa_time_unit unit, int64_t *ticks);
/* ISO 8601: "2001-01-01" for days, else "2001-01-01T00:04:00". Milli, micro and nano have exactly
 * 3, 6 or 9 fraction digits. `utc` appends a Z. Years before 0 or after 9999 have a sign and at
 * least 6 digits. Returns the length. */
size_t stoa_format_time(int64_t ticks, stoa_time_unit unit, bool utc, char *out);
/* Convert between months since January 1970 and days since 1970-01-01. A month becomes its first
 * day. Valid within about 10^15 days. */
int64_t stoa_days_of_month(int64_t month);
int64_t stoa_month_of_days(int64_t days);

/*
 * Parse a duration into the time that it ends at if it starts at 1970-01-01T00:00:00.
 *
 * Accepts ISO 8601's `P1DT2H3M4.5S` and `P2W`. A day is 24 hours; years and months are rejected
 * because their length varies. Also accepts numbers with units of time: `90 s`, `1.5ms`, `1h
 * 30min`. One sign may precede the whole.
 */
bool stoa_parse_duration(const char *text, size_t length, stoa_time *duration);
/* ISO 8601. Days, hours and minutes appear if they are not 0. Seconds have exactly 0, 3, 6 or 9
 * fraction digits: 90 seconds are "PT1M30S", in milliseconds "PT1M30.000S". Returns the length. */
size_t stoa_format_duration(int64_t ticks, stoa_time_unit unit, char *out);

/* CF/UDUNITS time units: "milliseconds since 1970-01-01T00:00:00Z". */
typedef struct stoa_time_units {
    stoa_time_unit unit; /* unit of the presented ticks */
    int64_t ticks_per;   /* presented ticks per stored unit (60 for minutes as seconds) */
    int64_t epoch_ticks; /* presented ticks at the stored value 0 */
    bool utc;            /* the epoch has a zone */
    bool is_split;       /* stored as seconds << 32 | microseconds (PyTables' time64) */
} stoa_time_units;

/* Ticks of a stored value with `is_split`. */
static inline int64_t stoa_split_ticks(int64_t split)
{
    return (split >> 32) * 1000000 + (int32_t)(uint32_t)((uint64_t)split & UINT32_MAX);
}
/* Convert ticks between units: multiply by `up`, divide by `down`. Both are exact. */
typedef struct stoa_rescaling {
    int64_t up;
    int64_t down;
} stoa_rescaling;
stoa_rescaling stoa_rescaling_of(stoa_time_unit from, stoa_time_unit to);
/* Parse time units. Returns false if Stoa cannot present them exactly. */
bool stoa_parse_time_units(const char *text, stoa_time_units *units);
/* The text that Stoa writes for its own columns, in static storage. Days give "days since
 * 1970-01-01". */
const char *stoa_time_units_text(stoa_time_unit unit, bool utc);
/* Look up a unit of fixed length, ignoring case and a plural s: "hours" are 3600 ticks of SECOND.
 * Returns false for an unknown word. */
bool stoa_time_unit_of(const char *word, size_t length, stoa_time_unit *unit, int32_t *ticks_per);
/* The units of durations: "s", "ms", "us", "ns" and their longer names. */
bool stoa_parse_duration_units(const char *text, stoa_time_unit *unit);
const char *stoa_duration_units_text(stoa_time_unit unit);

#endif
