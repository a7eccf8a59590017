/*
 * Fast parsers for numbers and times in their common spellings.
 *
 * Each may reject any text by returning false, and core/text.h then decides. The values that they
 * return are the same as there. Eight bytes past the text must be readable.
 */
#ifndef STOA_LAYOUT_CSV_FAST_PARSE_H
#define STOA_LAYOUT_CSV_FAST_PARSE_H

#include <string.h>

#include "core/text.h"

/* Up to eight bytes as a word, first byte lowest, padded with zeros. */
static inline uint64_t stoa_csv_word(const char *text, size_t length)
{
    uint64_t word = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, text, sizeof word);
    return length >= 8 ? word : word & ((UINT64_C(1) << (8 * length)) - 1);
#else
    for (size_t i = 0; i < 8 && i < length; i++) {
        word |= (uint64_t)(uint8_t)text[i] << (8 * i);
    }
    return word;
#endif
}

/* Parse 1 to 8 digits by combining pairs, then fours, then all eight (Lemire). */
static inline bool stoa_csv_eight(const char *text, size_t length, uint64_t *value)
{
    uint64_t word = stoa_csv_word(text, length);

    if (length < 8) { /* pad with leading '0' */
        const unsigned room = 8 * (8 - (unsigned)length);
        word = word << room | UINT64_C(0x3030303030303030) >> (64 - room);
    }
    const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0);
    if (((word & high) | ((word + UINT64_C(0x0606060606060606)) & high) >> 4) !=
        UINT64_C(0x3333333333333333)) {
        return false;
    }
    word -= UINT64_C(0x3030303030303030);
    word = word * 10 + (word >> 8);
    *value = ((word & UINT64_C(0x000000ff000000ff)) * (100 + (UINT64_C(1000000) << 32)) +
              (word >> 16 & UINT64_C(0x000000ff000000ff)) * (1 + (UINT64_C(10000) << 32))) >>
             32;
    return true;
}

/* The number of digits that the next eight bytes begin with. */
static inline size_t stoa_csv_count_digits(const char *text)
{
    /* Bytes 0 to 9 are digits here. A carry out of another byte only changes bytes after it. */
    const uint64_t bytes = stoa_csv_word(text, 8) ^ UINT64_C(0x3030303030303030);
    const uint64_t others =
        ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);

    return others != 0 ? (size_t)__builtin_ctzll(others) / 8 : 8;
}

/* 1 to 18 digits. */
static inline bool stoa_csv_digits(const char *text, size_t length, uint64_t *value)
{
    uint64_t sum = 0;
    uint64_t part;
    size_t n = length & 7;

    if (length - 1 >= 18) {
        return false;
    }
    if (n != 0) {
        if (!stoa_csv_eight(text, n, &sum)) {
            return false;
        }
    }
    for (; n < length; n += 8) {
        if (!stoa_csv_eight(text + n, 8, &part)) {
            return false;
        }
        sum = sum * 100000000 + part;
    }
    *value = sum;
    return true;
}

/* An optional minus and up to 18 digits. */
static inline bool stoa_csv_integer(const char *text, size_t length, int64_t *value)
{
    const size_t sign = length != 0 && text[0] == '-';
    uint64_t magnitude;

    if (!stoa_csv_digits(text + sign, length - sign, &magnitude)) {
        return false;
    }
    *value = sign != 0 ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Whether the text is a number with a superfluous leading zero. */
static inline bool stoa_csv_is_padded(const char *text, size_t length)
{
    const size_t sign = length != 0 && text[0] == '-';

    return length >= sign + 2 && text[sign] == '0' && text[sign + 1] >= '0' &&
           text[sign + 1] <= '9';
}

/* mantissa / 10^n_fraction, with a sign. */
typedef struct stoa_csv_decimal {
    uint64_t mantissa;
    unsigned n_fraction;
    bool is_negative;
    bool has_point;
} stoa_csv_decimal;

/* An optional minus, digits, and optionally a point and more digits. At most 18 digits are
 * significant, and at most 19 follow the point. */
static inline bool stoa_csv_parse_decimal(const char *text, size_t length, stoa_csv_decimal *number)
{
    static const uint64_t powers[] = {1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000};
    const size_t sign = length != 0 && text[0] == '-';
    uint64_t whole = 0;
    uint64_t fraction = 0;
    size_t i = sign + stoa_csv_count_digits(text + sign);

    if (i - sign < 8 && i <= length) { /* all at once, since their number is hard to predict */
        if (i != sign) {
            (void)stoa_csv_eight(text + sign, i - sign, &whole);
        }
    } else {
        for (i = sign; i < length && (uint8_t)(text[i] - '0') < 10 && i < 19; i++) {
            whole = whole * 10 + (uint8_t)(text[i] - '0');
        }
    }
    number->is_negative = sign != 0;
    number->has_point = i < length;
    number->n_fraction = 0;
    number->mantissa = whole;
    if (i == sign || i - sign > 18 || i == length) {
        return i == length && i != sign && i - sign <= 18;
    }
    const char *digits = text + i + 1;
    size_t n = length - i - 1;
    number->n_fraction = (unsigned)n;
    if (text[i] != '.' || n > 19) {
        return false;
    }
    for (; whole == 0 && n > 1 && *digits == '0'; n--) {
        digits++;
    }
    if ((whole != 0 && i - sign + n > 18) || (n != 0 && !stoa_csv_digits(digits, n, &fraction))) {
        return false;
    }
    number->mantissa = (whole == 0 ? 0 : whole * powers[n]) + fraction;
    return true;
}

static inline double stoa_csv_decimal_value(const stoa_csv_decimal *number)
{
    const double magnitude = stoa_decimal_f64(number->mantissa, -(int)number->n_fraction);

    return number->is_negative ? -magnitude : magnitude;
}

static inline bool stoa_csv_float(const char *text, size_t length, double *value)
{
    stoa_csv_decimal number;
    const bool is_one = stoa_csv_parse_decimal(text, length, &number);

    *value = is_one ? stoa_csv_decimal_value(&number) : 0.0;
    return is_one;
}

/* The last parsed day, since times mostly come in order. Zero-initialise. */
typedef struct stoa_csv_day {
    bool is_known;
    char text[10];
    int64_t seconds;
} stoa_csv_day;

static inline bool stoa_csv_date(stoa_csv_day *day, const char *text, int64_t *seconds)
{
    stoa_time time;

    if (!day->is_known || memcmp(day->text, text, sizeof day->text) != 0) {
        if (!stoa_parse_time(text, sizeof day->text, &time)) {
            return false;
        }
        day->is_known = true;
        memcpy(day->text, text, sizeof day->text);
        day->seconds = time.seconds;
    }
    *seconds = day->seconds;
    return true;
}

/* Parse a two-digit number below `limit`. A result of `limit` or more means failure. */
static inline unsigned stoa_csv_pair_of(const char *text, unsigned limit)
{
    const unsigned tens = (uint8_t)(text[0] - '0');
    const unsigned ones = (uint8_t)(text[1] - '0');

    return tens < 10 && ones < 10 ? tens * 10 + ones : limit;
}

/* A fraction of 1 to 9 digits, in nanoseconds. */
static inline bool stoa_csv_fraction(const char *text, size_t n, stoa_time *time)
{
    static const int32_t scales[] = {0,     100000000, 10000000, 1000000, 100000,
                                     10000, 1000,      100,      10,      1};
    uint64_t digits;

    if (n - 1 >= 9 || !stoa_csv_digits(text, n, &digits)) {
        return false;
    }
    time->nanoseconds = (int32_t)digits * scales[n];
    time->unit = n <= 3 ? STOA_TIME_MILLI : n <= 6 ? STOA_TIME_MICRO : STOA_TIME_NANO;
    return true;
}

/* yyyy-mm-dd, optionally with hh:mm:ss, a fraction, and a Z. */
static inline bool stoa_csv_time(stoa_csv_day *day, const char *text, size_t length,
                                 stoa_time *time)
{
    int64_t seconds;

    if (length != 10 && length < 19) {
        return false;
    }
    if (text[4] != '-' || text[7] != '-' || !stoa_csv_date(day, text, &seconds)) {
        return false;
    }
    *time = (stoa_time){.seconds = seconds, .unit = STOA_TIME_DAY};
    if (length == 10) {
        return true;
    }
    const unsigned hour = stoa_csv_pair_of(text + 11, 24);
    const unsigned minute = stoa_csv_pair_of(text + 14, 60);
    const unsigned second = stoa_csv_pair_of(text + 17, 60);
    if ((text[10] != 'T' && text[10] != ' ') || text[13] != ':' || text[16] != ':' || hour >= 24 ||
        minute >= 60 || second >= 60) {
        return false;
    }
    time->seconds = seconds + (int64_t)(hour * 3600 + minute * 60 + second);
    time->has_time = true;
    time->unit = STOA_TIME_SECOND;
    time->has_zone = text[length - 1] == 'Z';
    length -= time->has_zone;
    return length == 19 ||
           (length > 20 && text[19] == '.' && stoa_csv_fraction(text + 20, length - 20, time));
}

#endif
