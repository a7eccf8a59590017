#include "layout/csv/spelling.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

/* --- numbers ---------------------------------------------------------------------------------- */

/* Swap points and commas, so that "1.5" is no number. */
static bool respell_number(const char *text, size_t length, char *out)
{
    bool is_changed = false;

    if (length == 0 || length >= STOA_CSV_SPELLING_BYTES) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\0' || strchr("0123456789+-.,eE", text[i]) == NULL) {
            return false;
        }
        out[i] = text[i] == ',' ? '.' : text[i] == '.' ? ',' : text[i];
        is_changed |= out[i] != text[i];
    }
    return is_changed;
}

/* --- times ------------------------------------------------------------------------------------ */

typedef struct parts {
    int year, month, day, of_year;
    int hour, minute, second;
    char fraction[10];
    char zone[32];
    bool is_afternoon, has_half;
    bool has_time;
} parts;

typedef struct cursor {
    const char *at;
    const char *end;
} cursor;

static bool take_number(cursor *c, int least, int most, int *value)
{
    int n = 0;

    for (*value = 0; n < most && c->at < c->end && *c->at >= '0' && *c->at <= '9'; n++) {
        *value = *value * 10 + (*c->at++ - '0');
    }
    return n >= least;
}

/* Whether the text begins with so many letters of a word, which is in lower case. */
static bool begins(const cursor *c, const char *word, size_t length)
{
    size_t k = 0;

    while (k < length && k < (size_t)(c->end - c->at) && stoa_lower(c->at[k]) == word[k]) {
        k++;
    }
    return k == length;
}

/* One of n words, in full or by its first three letters. */
static bool take_word(cursor *c, const char *const *words, int n, int *number)
{
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(words[i]);
        const size_t found = begins(c, words[i], length) ? length : begins(c, words[i], 3) ? 3 : 0;
        if (found > 0) {
            c->at += found;
            *number = i;
            return true;
        }
    }
    return false;
}

static bool take_zone(cursor *c, parts *to)
{
    const char sign = c->at < c->end ? *c->at++ : '\0';
    int hours = 0;
    int minutes = 0;

    if (sign == 'Z' || sign == 'z') {
        (void)snprintf(to->zone, sizeof to->zone, "Z");
        return true;
    }
    if ((sign != '+' && sign != '-') || !take_number(c, 2, 2, &hours)) {
        return false;
    }
    if (c->at < c->end && *c->at == ':') {
        c->at++;
    }
    (void)take_number(c, 0, 2, &minutes);
    (void)snprintf(to->zone, sizeof to->zone, "%c%02d:%02d", sign, hours % 100, minutes % 100);
    return true;
}

static bool take_fraction(cursor *c, parts *to)
{
    size_t n = 0;

    while (n < 9 && c->at < c->end && *c->at >= '0' && *c->at <= '9') {
        to->fraction[n++] = *c->at++;
    }
    to->fraction[n] = '\0';
    return n > 0;
}

static const char *const months[] = {"january",   "february", "march",    "april",
                                     "may",       "june",     "july",     "august",
                                     "september", "october",  "november", "december"};
static const char *const days[] = {"sunday",   "monday", "tuesday", "wednesday",
                                   "thursday", "friday", "saturday"};
static const char *const halves[] = {"am", "pm"};

static bool take(cursor *c, const char *format, parts *to);

static bool take_month(cursor *c, parts *to)
{
    const bool is = take_word(c, months, 12, &to->month);

    to->month += is;
    return is;
}

static bool take_half(cursor *c, parts *to)
{
    for (int i = 0; i < 2 && c->end - c->at >= 2; i++) {
        if (stoa_lower(c->at[0]) == halves[i][0] && stoa_lower(c->at[1]) == 'm') {
            to->is_afternoon = i == 1;
            to->has_half = true;
            c->at += 2;
            return true;
        }
    }
    return false;
}

static bool take_short_year(cursor *c, parts *to)
{
    const bool is = take_number(c, 2, 2, &to->year);

    to->year += to->year < 69 ? 2000 : 1900;
    return is;
}

static bool take_one(cursor *c, char what, parts *to)
{
    int weekday = 0;

    switch (what) {
    case 'Y':
        return take_number(c, 4, 4, &to->year);
    case 'y':
        return take_short_year(c, to);
    case 'm':
        return take_number(c, 1, 2, &to->month);
    case 'd':
    case 'e':
        return take_number(c, 1, 2, &to->day);
    case 'j':
        return take_number(c, 1, 3, &to->of_year);
    case 'b':
    case 'B':
    case 'h':
        return take_month(c, to);
    case 'a':
    case 'A':
        return take_word(c, days, 7, &weekday);
    case 'H':
    case 'I':
        return take_number(c, 1, 2, &to->hour);
    case 'p':
        return take_half(c, to);
    case 'M':
        return take_number(c, 1, 2, &to->minute);
    case 'S':
        return take_number(c, 1, 2, &to->second);
    case 'f':
        return take_fraction(c, to);
    case 'z':
        return take_zone(c, to);
    case 'T':
        return take(c, "%H:%M:%S", to);
    case 'R':
        return take(c, "%H:%M", to);
    case 'D':
        return take(c, "%m/%d/%y", to);
    case 'F':
        return take(c, "%Y-%m-%d", to);
    case '%':
        return c->at < c->end && *c->at++ == '%';
    default:
        return false;
    }
}

static bool take(cursor *c, const char *format, parts *to)
{
    for (; *format != '\0'; format++) {
        if (*format == '%') {
            format++;
            to->has_time = to->has_time || strchr("HIMSTR", *format) != NULL;
            if (*format == '\0' || !take_one(c, *format, to)) {
                return false;
            }
        } else if (*format == ' ') {
            while (c->at < c->end && *c->at == ' ') {
                c->at++;
            }
        } else if (c->at == c->end || *c->at++ != *format) {
            return false;
        }
    }
    return true;
}

/* Day of the year, as month and day. */
static void find_day(parts *to)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (to->year % 4 == 0 && to->year % 100 != 0) || to->year % 400 == 0;
    int left = to->of_year;

    for (to->month = 1; to->month < 12; to->month++) {
        const int length = lengths[to->month - 1] + (to->month == 2 && is_leap);
        if (left <= length) {
            break;
        }
        left -= length;
    }
    to->day = left;
}

static bool respell_time(const char *format, const char *text, size_t length, char *out)
{
    cursor c = {text, text + length};
    parts is = {.year = -1};
    int n = 0;

    if (length == 0 || !take(&c, format, &is) || c.at != c.end || is.hour > 24 || is.minute > 59 ||
        is.second > 60) {
        return false;
    }
    if (is.of_year > 0) {
        find_day(&is);
    }
    if (is.has_half) {
        if (is.hour < 1 || is.hour > 12) {
            return false;
        }
        is.hour = is.hour % 12 + (is.is_afternoon ? 12 : 0);
    }
    n = snprintf(out, STOA_CSV_SPELLING_BYTES, "%04d-%02d-%02d", is.year % 10000, is.month % 100,
                 is.day % 1000);
    if (is.has_time && n > 0) {
        (void)snprintf(out + n, (size_t)(STOA_CSV_SPELLING_BYTES - n), "T%02d:%02d:%02d%s%s%s",
                       is.hour, is.minute, is.second, is.fraction[0] != '\0' ? "." : "",
                       is.fraction, is.zone);
    }
    return true;
}

/* --- both ------------------------------------------------------------------------------------- */

bool stoa_csv_respell(const stoa_csv_spelling *spelling, const char *text, size_t length, char *out,
                      size_t *n)
{
    if (spelling->date_format != NULL && respell_time(spelling->date_format, text, length, out)) {
        *n = strlen(out);
        return true;
    }
    *n = length;
    return spelling->has_comma && respell_number(text, length, out);
}

stoa_status stoa_csv_spelling_check(const stoa_csv_spelling *spelling, stoa_error *err)
{
    static const char known[] = "YymdejbBhaAHIpMSfzTRDF%";
    bool has_year = false;
    bool has_month = false;
    bool has_day = false;

    for (const char *c = spelling->date_format; c != NULL && *c != '\0'; c++) {
        if (*c != '%') {
            continue;
        }
        c++;
        if (*c == '\0' || strchr(known, *c) == NULL) {
            return stoa_fail(
                err, STOA_EINVAL,
                "the date format '%s' has '%%%c', which is none of %%Y %%y %%m %%b %%d "
                "%%j %%H %%I %%p %%M %%S %%f %%z %%a %%F %%T %%R %%D %%%%",
                spelling->date_format, *c != '\0' ? *c : ' ');
        }
        has_year |= strchr("YyDF", *c) != NULL;
        has_month |= strchr("mbBhjDF", *c) != NULL;
        has_day |= strchr("dejDF", *c) != NULL;
    }
    if (spelling->date_format != NULL && !(has_year && has_month && has_day)) {
        return stoa_fail(err, STOA_EINVAL,
                         "the date format '%s' gives no date: it needs a year, a month and a day, "
                         "such as %%d.%%m.%%Y",
                         spelling->date_format);
    }
    return STOA_OK;
}
