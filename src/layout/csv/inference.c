/*
 * Type inference over whole columns. docs/csv.md explains the rules to users.
 *
 * The principle is that no difference between two values is lost. So "007" and "+49" are not
 * numbers, and "-0" is a float. An integer that a double cannot represent keeps its column from
 * becoming float64.
 */
#include "layout/csv/inference.h"

#include <math.h>
#include <string.h>

/* Limit on the memory of the distinct values of all columns. */
#define MAX_LABELS_MEMORY ((size_t)64 * 1024 * 1024)

#define MAX_EXACT_INTEGER (UINT64_C(1) << 53)
#define FILL_F64 9.9692099683868690e+36 /* HEP001 §8.5, Table 1 */

/* The signed widths, and the fill value that HEP001 §8.5, Table 1 recommends for each. */
static const struct {
    stoa_kind kind;
    int64_t min;
    int64_t max;
    int64_t sentinel;
} widths[] = {
    {STOA_KIND_INT8, INT8_MIN, INT8_MAX, INT8_MIN + 1},
    {STOA_KIND_INT16, INT16_MIN, INT16_MAX, INT16_MIN + 1},
    {STOA_KIND_INT32, INT32_MIN, INT32_MAX, INT32_MIN + 1},
    {STOA_KIND_INT64, INT64_MIN, INT64_MAX, INT64_MIN + 1},
};
enum { N_WIDTHS = sizeof widths / sizeof widths[0] };

void stoa_csv_inference_begin(stoa_csv_inference *guess, stoa_csv_category category)
{
    const bool is_open = category != STOA_CSV_CATEGORY_YES; /* else only the labels matter */

    *guess = (stoa_csv_inference){.is_bool = is_open,
                                  .is_integer = is_open,
                                  .is_float = is_open,
                                  .is_time = is_open,
                                  .is_duration = is_open,
                                  .min = INT64_MAX,
                                  .min_seconds = INT64_MAX,
                                  .max_seconds = INT64_MIN,
                                  .has_labels = category != STOA_CSV_CATEGORY_NO,
                                  .category = category};
}

void stoa_csv_inference_begin_part(stoa_csv_inference *part, const stoa_csv_inference *whole)
{
    stoa_csv_inference_clear(part);
    stoa_csv_inference_begin(part, whole->category);
    part->is_bool = whole->is_bool;
    part->is_integer = whole->is_integer;
    part->is_float = whole->is_float;
    part->is_time = whole->is_time;
    part->is_duration = whole->is_duration;
    part->is_lax = whole->is_lax;
    part->spelling = whole->spelling;
    part->has_labels = whole->has_labels;
    part->known = whole->has_labels ? &whole->labels : NULL;
}

/* Single values ----------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits with an optional minus, whatever the value. */
static bool is_integer_text(const char *text, size_t length)
{
    size_t i = length > 0 && text[0] == '-';

    if (i == length) {
        return false;
    }
    for (; i < length; i++) {
        if (!is_digit(text[i])) {
            return false;
        }
    }
    return true;
}

/* Whether the text is an identifier rather than a number: 007, 00.5, or +49 (a plus and only
 * digits). */
static bool is_identifier(const char *text, size_t length)
{
    const size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');

    if (length >= sign + 2 && text[sign] == '0' && is_digit(text[sign + 1])) {
        return true;
    }
    return sign == 1 && text[0] == '+' && is_integer_text(text + 1, length - 1);
}

/* An integer in its canonical spelling: no leading zeros, no plus, no "-0". */
static bool add_integer(stoa_csv_inference *guess, const char *text, size_t length)
{
    if (text[0] == '-') {
        int64_t value;
        if (!stoa_parse_i64(text, length, &value) || value == 0) {
            return false;
        }
        guess->has_negative = true;
        guess->min = value < guess->min ? value : guess->min;
        for (int k = 0; k < N_WIDTHS; k++) {
            guess->sentinels =
                (uint8_t)(guess->sentinels | (unsigned)(value == widths[k].sentinel) << k);
        }
        return true;
    }
    uint64_t value;
    if (!stoa_parse_u64(text, length, &value)) {
        return false;
    }
    guess->has_positive = true;
    guess->max = value > guess->max ? value : guess->max;
    if (value <= INT64_MAX && (int64_t)value < guess->min) {
        guess->min = (int64_t)value;
    }
    return true;
}

/* Whether a number's text is zero, whatever the exponent. */
static bool is_zero_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length && (text[i] | 0x20) != 'e'; i++) {
        if (text[i] >= '1' && text[i] <= '9') {
            return false;
        }
    }
    return true;
}

/* A number that a double represents: an integer exactly, and without overflow to infinity or
 * underflow to zero. */
static bool add_float(stoa_csv_inference *guess, const char *text, size_t length)
{
    double value;
    uint64_t magnitude;

    if (is_integer_text(text, length)) {
        const size_t sign = text[0] == '-';
        return stoa_parse_u64(text + sign, length - sign, &magnitude) &&
               magnitude <= MAX_EXACT_INTEGER;
    }
    if (!stoa_parse_f64(text, length, &value)) {
        return false;
    }
    guess->has_nan |= isnan(value);
    guess->has_fill |= value == FILL_F64;
    guess->has_low_inf |= isinf(value) && value < 0;
    guess->has_high_inf |= isinf(value) && value > 0;
    if (isinf(value)) {
        return memchr(text, 'n', length) != NULL || memchr(text, 'N', length) != NULL; /* "inf" */
    }
    return value != 0 || is_zero_text(text, length);
}

static void add_number(stoa_csv_inference *guess, const char *text, size_t length)
{
    if (length == 0 || is_identifier(text, length)) {
        guess->is_integer = guess->is_float = false;
        return;
    }
    if (guess->is_integer) {
        guess->is_integer = is_integer_text(text, length) && add_integer(guess, text, length);
    }
    if (guess->is_float) {
        /* Short integers always fit. */
        guess->is_float =
            (length <= 15 && is_integer_text(text, length)) || add_float(guess, text, length);
    }
}

static void add_ticks(stoa_csv_inference *guess, const stoa_time *time)
{
    guess->has_naive |= !time->has_zone;
    guess->has_zone |= time->has_zone;
    guess->unit = time->unit > guess->unit ? time->unit : guess->unit;
    guess->min_seconds = time->seconds < guess->min_seconds ? time->seconds : guess->min_seconds;
    guess->max_seconds = time->seconds > guess->max_seconds ? time->seconds : guess->max_seconds;
}

static void add_time(stoa_csv_inference *guess, const char *text, size_t length)
{
    stoa_time time;

    guess->is_time = stoa_parse_time(text, length, &time);
    if (guess->is_time) {
        add_ticks(guess, &time);
    }
}

/* Without the caller's type only ISO 8601 counts, since "5s" and "12d" may be seats or orbitals. */
static void add_duration(stoa_csv_inference *guess, const char *text, size_t length)
{
    const size_t sign = length > 0 && text[0] == '-';
    stoa_time time;

    guess->is_duration = length > sign && (guess->is_lax || text[sign] == 'P') &&
                         stoa_parse_duration(text, length, &time);
    if (guess->is_duration) {
        add_ticks(guess, &time);
    }
}

static void limit_labels(stoa_csv_inference *guess)
{
    if (guess->category != STOA_CSV_CATEGORY_YES &&
        (guess->labels.count > STOA_CSV_MAX_LABELS ||
         guess->labels.bytes.size > STOA_CSV_MAX_LABEL_BYTES)) {
        stoa_csv_inference_drop_labels(guess);
    }
}

static stoa_status add_new_label(stoa_csv_inference *guess, const char *text, size_t length,
                                 uint32_t *number, stoa_error *err)
{
    const stoa_status status = stoa_string_set_add(&guess->labels, text, length, number, err);

    if (status == STOA_OK) {
        *number += guess->known != NULL ? guess->known->count : 0;
        limit_labels(guess);
    }
    return status;
}

stoa_status stoa_csv_inference_add_labels(stoa_csv_inference *guess, const char *const *texts,
                                          const size_t *lengths, size_t n, uint32_t *numbers,
                                          stoa_error *err)
{
    if (guess->known != NULL && guess->has_labels) {
        stoa_string_set_find_many(guess->known, texts, lengths, n, numbers);
    }
    for (size_t i = 0; i < n && guess->has_labels; i++) {
        if (guess->known == NULL || numbers[i] == STOA_STRING_SET_NONE) {
            STOA_RETURN_NOT_OK(add_new_label(guess, texts[i], lengths[i], &numbers[i], err));
        }
    }
    return STOA_OK;
}

static void note_spoiler(stoa_csv_inference *guess, const char *text, size_t length)
{
    stoa_csv_spoiler *const spoiler = &guess->spoiler;
    const size_t room = sizeof spoiler->text - 4;

    spoiler->is_set = true;
    spoiler->length = stoa_utf8_valid(text, length < room ? length : room);
    memcpy(spoiler->text, text, spoiler->length);
    if (spoiler->length < length) {
        memcpy(spoiler->text + spoiler->length, "...", 3);
        spoiler->length += 3;
    }
}

static inline void add_type(stoa_csv_inference *guess, const char *text, size_t length);

void stoa_csv_inference_add_type(stoa_csv_inference *guess, const char *text, size_t length)
{
    char own[STOA_CSV_SPELLING_BYTES];
    size_t n = 0;
    const bool was_typed = stoa_csv_inference_is_typed(guess);

    guess->n_values++;
    guess->total_bytes += length;
    guess->max_bytes = length > guess->max_bytes ? length : guess->max_bytes;
    if (guess->spelling != NULL && stoa_csv_respell(guess->spelling, text, length, own, &n)) {
        add_type(guess, own, n);
    } else {
        add_type(guess, text, length);
    }
    if (was_typed && !stoa_csv_inference_is_typed(guess)) {
        note_spoiler(guess, text, length);
    }
}

stoa_csv_look stoa_csv_look_of(const stoa_csv_spelling *spelling, const char *text, size_t length)
{
    stoa_csv_inference one;

    stoa_csv_inference_begin(&one, STOA_CSV_CATEGORY_NO);
    one.spelling = spelling;
    stoa_csv_inference_add_type(&one, text, length);
    return one.is_integer || one.is_float ? STOA_CSV_LOOKS_NUMBER
           : one.is_time                  ? STOA_CSV_LOOKS_TIME
           : one.is_bool                  ? STOA_CSV_LOOKS_BOOL
                                          : STOA_CSV_LOOKS_TEXT;
}

static const char *const null_words[] = {"NA",  "N/A", "n/a", "na",   "NULL", "null", "Null", "NaN",
                                         "nan", "-",   "--",  "None", "none", "?",    "#N/A", "."};
enum { N_NULL_WORDS = sizeof null_words / sizeof null_words[0] };

int stoa_csv_null_word(const char *text, size_t length)
{
    for (int i = 0; i < N_NULL_WORDS && length <= 4; i++) {
        if (strlen(null_words[i]) == length && memcmp(null_words[i], text, length) == 0) {
            return i;
        }
    }
    return -1;
}

const char *stoa_csv_null_word_name(int number)
{
    return number < N_NULL_WORDS ? null_words[number] : NULL;
}

static inline void add_type(stoa_csv_inference *guess, const char *text, size_t length)
{
    if (guess->is_bool) {
        guess->is_bool = stoa_is_word(text, length, "true") || stoa_is_word(text, length, "false");
    }
    if (guess->is_integer || guess->is_float) {
        add_number(guess, text, length);
    }
    if (guess->is_time) {
        add_time(guess, text, length);
    }
    if (guess->is_duration) {
        add_duration(guess, text, length);
    }
}

stoa_status stoa_csv_inference_add(stoa_csv_inference *guess, const char *text, size_t length,
                                   stoa_error *err)
{
    stoa_csv_inference_add_type(guess, text, length);
    return stoa_csv_inference_add_labels(guess, &text, &length, 1, &(uint32_t){0}, err);
}

/* Merging parts ---------------------------------------------------------------------------- */

static stoa_status merge_labels(stoa_csv_inference *guess, const stoa_csv_inference *part,
                                stoa_buffer *own, stoa_error *err)
{
    const size_t n_bytes = part->labels.count * sizeof(uint32_t);
    uint32_t *numbers = NULL;

    if (guess->has_labels && !part->has_labels) {
        stoa_csv_inference_drop_labels(guess);
    }
    if (!guess->has_labels || n_bytes == 0) {
        return STOA_OK;
    }
    if (own != NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(own, n_bytes, err));
        numbers = (uint32_t *)(void *)(own->data + own->size);
        own->size += n_bytes;
    }
    STOA_RETURN_NOT_OK(stoa_string_set_merge(&guess->labels, &part->labels, numbers, err));
    limit_labels(guess);
    return STOA_OK;
}

static void merge_integers(stoa_csv_inference *guess, const stoa_csv_inference *part)
{
    guess->min = part->min < guess->min ? part->min : guess->min;
    guess->max = part->max > guess->max ? part->max : guess->max;
    guess->has_negative |= part->has_negative;
    guess->has_positive |= part->has_positive;
    guess->sentinels = (uint8_t)(guess->sentinels | part->sentinels);
}

stoa_status stoa_csv_inference_merge(stoa_csv_inference *guess, const stoa_csv_inference *part,
                                     stoa_buffer *own, stoa_error *err)
{
    guess->n_values += part->n_values;
    guess->total_bytes += part->total_bytes;
    guess->max_bytes = part->max_bytes > guess->max_bytes ? part->max_bytes : guess->max_bytes;
    guess->is_bool &= part->is_bool;
    guess->is_integer &= part->is_integer;
    guess->is_float &= part->is_float;
    guess->is_time &= part->is_time;
    guess->is_duration &= part->is_duration;
    guess->spoiler = guess->spoiler.is_set ? guess->spoiler : part->spoiler;
    for (int i = 0; i < STOA_CSV_N_LOOKS; i++) {
        guess->samples[i] += part->samples[i];
    }
    merge_integers(guess, part);

    guess->has_nan |= part->has_nan;
    guess->has_fill |= part->has_fill;
    guess->has_low_inf |= part->has_low_inf;
    guess->has_high_inf |= part->has_high_inf;

    guess->has_naive |= part->has_naive;
    guess->has_zone |= part->has_zone;
    guess->unit = part->unit > guess->unit ? part->unit : guess->unit;
    guess->min_seconds =
        part->min_seconds < guess->min_seconds ? part->min_seconds : guess->min_seconds;
    guess->max_seconds =
        part->max_seconds > guess->max_seconds ? part->max_seconds : guess->max_seconds;
    return merge_labels(guess, part, own, err);
}

/* Choosing the type ------------------------------------------------------------------------- */

static stoa_type type_of_kind(stoa_kind kind)
{
    return (stoa_type){.kind = kind, .width = stoa_kind_width(kind)};
}

/* The smallest width that holds all integers and leaves a fill value. HEP001 §8.5 wants a fill
 * value outside the range of values. A column that spans the whole type has none, unless the
 * recommended one does not occur. */
static bool integer_type(const stoa_csv_inference *guess, stoa_type *type)
{
    const int64_t min = guess->min;
    const uint64_t max = guess->has_positive ? guess->max : 0;

    for (int k = 0; k < N_WIDTHS; k++) {
        const bool is_full = min == widths[k].min && guess->has_positive &&
                             max == (uint64_t)widths[k].max && (guess->sentinels >> k & 1) != 0;
        if (min >= widths[k].min && max <= (uint64_t)widths[k].max && !is_full) {
            *type = type_of_kind(widths[k].kind);
            return true;
        }
    }
    /* The recommended fill of uint64 is its maximum. */
    *type = type_of_kind(STOA_KIND_UINT64);
    return !guess->has_negative && !(min == 0 && max == UINT64_MAX);
}

/* If the recommended fill value, NaN and both infinities all occur, float64 has no fill value left
 * outside the range (HEP001 §8.5). */
static bool is_full_float(const stoa_csv_inference *guess)
{
    return guess->has_fill && guess->has_nan && guess->has_low_inf && guess->has_high_inf;
}

/* The type that counts ticks of the given kind, if it holds all values seen. */
static bool ticks_type(const stoa_csv_inference *guess, stoa_kind kind, stoa_type *type)
{
    const stoa_time_unit unit = guess->unit != STOA_TIME_DAY ? guess->unit : STOA_TIME_SECOND;
    int64_t ticks;

    *type = type_of_kind(kind);
    type->unit = unit;
    type->utc = guess->has_zone;
    if (guess->n_values == 0) {
        return true;
    }
    /* Check whole seconds at both ends, including all of the last second. The lowest two ticks are
     * reserved for fill values. */
    return !(guess->has_zone && guess->has_naive) &&
           stoa_time_ticks(&(stoa_time){.seconds = guess->min_seconds}, unit, &ticks) &&
           ticks > INT64_MIN + 1 &&
           stoa_time_ticks(&(stoa_time){.seconds = guess->max_seconds,
                                        .nanoseconds = unit == STOA_TIME_SECOND  ? 0
                                                       : unit == STOA_TIME_MILLI ? 999000000
                                                       : unit == STOA_TIME_MICRO ? 999999000
                                                                                 : 999999999},
                           unit, &ticks);
}

bool stoa_csv_inference_timestamp(const stoa_csv_inference *guess, stoa_type *type)
{
    return ticks_type(guess, STOA_KIND_TIMESTAMP, type);
}

bool stoa_csv_inference_duration(const stoa_csv_inference *guess, stoa_type *type)
{
    return ticks_type(guess, STOA_KIND_DURATION, type);
}

static bool time_type(const stoa_csv_inference *guess, stoa_type *type)
{
    const int64_t day = 86400;

    if (guess->unit != STOA_TIME_DAY) {
        return stoa_csv_inference_timestamp(guess, type);
    }
    *type = type_of_kind(STOA_KIND_DATE);
    type->unit = STOA_TIME_DAY;
    return guess->min_seconds / day > INT32_MIN + 1 && guess->max_seconds / day <= INT32_MAX;
}

stoa_type stoa_csv_inference_dictionary(const stoa_csv_inference *guess)
{
    const uint32_t n = guess->labels.count;
    stoa_type type = {.kind = STOA_KIND_DICTIONARY};

    /* Codes run from 0 to n - 1. */
    type.index = n <= INT8_MAX + 1    ? STOA_KIND_INT8
                 : n <= INT16_MAX + 1 ? STOA_KIND_INT16
                                      : STOA_KIND_INT32;
    type.width = stoa_kind_width(type.index);
    return type;
}

stoa_type stoa_csv_inference_type(const stoa_csv_inference *guess)
{
    stoa_type type;

    if (guess->category == STOA_CSV_CATEGORY_YES) {
        return stoa_csv_inference_dictionary(guess);
    }
    if (guess->n_values != 0) {
        if (guess->is_bool) {
            return type_of_kind(STOA_KIND_BOOL);
        }
        if (guess->is_integer && integer_type(guess, &type)) {
            return type;
        }
        if (guess->is_float && !guess->is_integer && !is_full_float(guess)) {
            return type_of_kind(STOA_KIND_FLOAT64);
        }
        if (guess->is_time && time_type(guess, &type)) {
            return type;
        }
        if (guess->is_duration && stoa_csv_inference_duration(guess, &type)) {
            return type;
        }
        if (guess->has_labels &&
            guess->n_values >= (uint64_t)guess->labels.count * STOA_CSV_MIN_REPEATS) {
            return stoa_csv_inference_dictionary(guess);
        }
    }
    return type_of_kind(STOA_KIND_STRING);
}

bool stoa_csv_inference_is_typed(const stoa_csv_inference *guess)
{
    return guess->is_bool || guess->is_integer || guess->is_float || guess->is_time ||
           guess->is_duration;
}

size_t stoa_csv_inference_bytes(const stoa_csv_inference *guess)
{
    const stoa_string_set *labels = &guess->labels;

    return labels->bytes.capacity + labels->offsets.capacity + labels->hashes.capacity +
           labels->n_slots * sizeof *labels->slots;
}

void stoa_csv_inference_drop_labels(stoa_csv_inference *guess)
{
    stoa_string_set_clear(&guess->labels);
    guess->has_labels = false;
}

void stoa_csv_inference_limit(stoa_csv_guess_at at, void *columns, size_t n)
{
    for (;;) {
        stoa_csv_inference *largest = NULL;
        size_t total = 0;

        /* Those that look like numbers need their labels least. */
        for (size_t k = 0; k < n; k++) {
            stoa_csv_inference *const guess = at(columns, k);
            if (!guess->has_labels || guess->category == STOA_CSV_CATEGORY_YES) {
                continue;
            }
            total += stoa_csv_inference_bytes(guess);
            const bool typed = stoa_csv_inference_is_typed(guess);
            const bool other = largest != NULL && stoa_csv_inference_is_typed(largest);
            if (largest == NULL || typed > other ||
                (typed == other &&
                 stoa_csv_inference_bytes(guess) > stoa_csv_inference_bytes(largest))) {
                largest = guess;
            }
        }
        if (total <= MAX_LABELS_MEMORY) {
            return;
        }
        stoa_csv_inference_drop_labels(largest);
    }
}

void stoa_csv_inference_clear(stoa_csv_inference *guess)
{
    stoa_string_set_clear(&guess->labels);
}
