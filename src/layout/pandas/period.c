#include "layout/pandas/period.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/rows.h"
#include "core/calendar.h"
#include "layout/pandas/label.h"

enum { DAYS_A_WEEK = 7, WORKDAYS = 5, MONTHS = 12, MONTHS_A_QUARTER = 3 };

stoa_time_unit stoa_pandas_period_unit(const stoa_pandas_freq *freq)
{
    static const stoa_time_unit units[] = {STOA_TIME_NANO,   STOA_TIME_MICRO,  STOA_TIME_MILLI,
                                           STOA_TIME_SECOND, STOA_TIME_SECOND, STOA_TIME_SECOND};

    return freq->offset < STOA_PANDAS_DAY ? units[freq->offset] : STOA_TIME_DAY;
}

/* --- ordinals and starts --------------------------------------------------------------------- */

/* Months in a period of months, quarters or years; 0 for other periods. */
static int64_t months_of(const stoa_pandas_freq *freq)
{
    switch (freq->offset) {
    case STOA_PANDAS_MONTH_END:
        return 1;
    case STOA_PANDAS_QUARTER_END:
        return MONTHS_A_QUARTER;
    default:
        return freq->offset == STOA_PANDAS_YEAR_END ? MONTHS : 0;
    }
}

/* The first month of period 0, counted from January 1970. The anchor is the last month of a
 * year. */
static int64_t first_month(const stoa_pandas_freq *freq)
{
    return freq->offset == STOA_PANDAS_MONTH_END ? 0 : freq->which - MONTHS;
}

/* The first day of week 0. The week that contains 1970-01-01 has number 1, whatever its last day
 * is. */
static int64_t first_day(const stoa_pandas_freq *freq)
{
    return (freq->which + 1) % DAYS_A_WEEK - 10;
}

/* Ticks per period, for periods of a day and less. */
static int64_t ticks_of(const stoa_pandas_freq *freq)
{
    return freq->offset == STOA_PANDAS_MINUTE ? 60 : freq->offset == STOA_PANDAS_HOUR ? 3600 : 1;
}

bool stoa_pandas_period_start(const stoa_pandas_freq *freq, int64_t ordinal, int64_t *ticks)
{
    const int64_t far = INT32_MAX;

    if (freq->offset < STOA_PANDAS_DAY) {
        return !__builtin_mul_overflow(ordinal, ticks_of(freq), ticks);
    }
    if (ordinal > far || ordinal < -far) {
        return false;
    }
    if (freq->offset == STOA_PANDAS_BUSINESS_DAY) { /* number 0 is Thursday, 1970-01-01 */
        const int64_t week = stoa_floor_div(ordinal + 3, WORKDAYS);
        *ticks = week * DAYS_A_WEEK + (ordinal + 3 - week * WORKDAYS) - 3;
    } else if (freq->offset == STOA_PANDAS_WEEK) {
        *ticks = ordinal * DAYS_A_WEEK + first_day(freq);
    } else {
        *ticks = freq->offset == STOA_PANDAS_DAY
                     ? ordinal
                     : stoa_days_of_month(first_month(freq) + ordinal * months_of(freq));
    }
    return *ticks <= far && *ticks >= -far;
}

int64_t stoa_pandas_period_at(const stoa_pandas_freq *freq, int64_t ticks)
{
    const int64_t months = months_of(freq);

    if (freq->offset <= STOA_PANDAS_DAY) {
        return stoa_floor_div(ticks, ticks_of(freq));
    }
    if (freq->offset == STOA_PANDAS_BUSINESS_DAY) {
        const int64_t week = stoa_floor_div(ticks + 3, DAYS_A_WEEK);
        const int64_t day =
            ticks + 3 - week * DAYS_A_WEEK; /* weekends belong to Monday, as in pandas */
        return week * WORKDAYS + (day < WORKDAYS ? day : WORKDAYS) - 3;
    }
    return months > 0 ? stoa_floor_div(stoa_month_of_days(ticks) - first_month(freq), months)
                      : stoa_floor_div(ticks - first_day(freq), DAYS_A_WEEK);
}

/* --- as text --------------------------------------------------------------------------------- */

void stoa_pandas_period_dtype(const stoa_pandas_freq *freq, char dtype[STOA_PANDAS_DTYPE_SIZE])
{
    char text[STOA_PANDAS_FREQ_SIZE];

    stoa_pandas_freq_text(freq, true, text);
    (void)snprintf(dtype, STOA_PANDAS_DTYPE_SIZE, "period[%s]", text);
}

bool stoa_pandas_period_of_dtype(const char *dtype, stoa_pandas_freq *freq)
{
    static const char begin[] = "period[";
    const size_t length = strlen(dtype);
    char text[STOA_PANDAS_FREQ_SIZE];

    if (length < sizeof begin || length - sizeof begin >= sizeof text ||
        strncmp(dtype, begin, strlen(begin)) != 0 || dtype[length - 1] != ']') {
        return false;
    }
    memcpy(text, dtype + strlen(begin), length - sizeof begin);
    text[length - sizeof begin] = '\0';
    return stoa_pandas_freq_of_text(text, freq) && stoa_pandas_is_of_periods(freq);
}

/* Remove redundant digits of seconds, and the clock at midnight. */
static void shorten(char *text, size_t length)
{
    static const char midnight[] = "T00:00:00";
    const bool is_utc = length > 0 && text[length - 1] == 'Z';
    size_t end = length - is_utc;

    if (memchr(text, '.', end) != NULL) {
        while (text[end - 1] == '0') {
            end--;
        }
        end -= text[end - 1] == '.';
    }
    if (!is_utc && end > strlen(midnight) &&
        memcmp(text + end - strlen(midnight), midnight, strlen(midnight)) == 0) {
        end -= strlen(midnight);
    }
    text[end] = is_utc ? 'Z' : '\0';
    text[end + is_utc] = '\0';
}

char *stoa_pandas_moment_label(int64_t ticks, stoa_time_unit unit, bool has_zone)
{
    char text[STOA_NUMBER_SIZE];

    shorten(text, stoa_format_time(ticks, unit, has_zone, text));
    return stoa_strdup(text);
}

char *stoa_pandas_period_label(const stoa_pandas_freq *freq, int64_t ordinal)
{
    const int64_t months = months_of(freq);
    int64_t begin = 0;
    char text[STOA_NUMBER_SIZE];

    if (ordinal == INT64_MIN) {
        return stoa_strdup("NaT");
    }
    if (!stoa_pandas_period_start(freq, ordinal, &begin)) {
        return stoa_format("%lld", (long long)ordinal);
    }
    if (months == MONTHS) {
        return stoa_format("%lld", (long long)ordinal + 1970);
    }
    if (months == MONTHS_A_QUARTER) {
        const int64_t year = stoa_floor_div(ordinal, 4);
        return stoa_format("%lldQ%lld", (long long)year + 1970,
                           (long long)(ordinal - year * 4 + 1));
    }
    if (months == 1) {
        const size_t length = stoa_format_time(begin, STOA_TIME_DAY, false, text);
        return stoa_strndup(text, length - strlen("-01"));
    }
    return stoa_pandas_moment_label(begin, stoa_pandas_period_unit(freq), false);
}

/* --- columns --------------------------------------------------------------------------------- */

typedef struct periods {
    stoa_column *ordinals;
    stoa_pandas_freq freq;
} periods;

static stoa_status begin_all(const periods *p, const stoa_view *view, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)view->length;
    const size_t width =
        stoa_pandas_period_unit(&p->freq) == STOA_TIME_DAY ? sizeof(int32_t) : sizeof(int64_t);
    uint8_t *values = stoa_alloc_zero(n + 1, width);
    uint8_t *validity = stoa_alloc_zero(stoa_bit_bytes(n) + 1, 1);
    int64_t n_missing = 0;

    STOA_TRY(values != NULL && validity != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        const int64_t ordinal = stoa_view_i64(view, (int64_t)i);
        int64_t ticks = 0;
        if (ordinal == INT64_MIN || stoa_view_is_null(view, (int64_t)i)) {
            n_missing++;
            continue;
        }
        if (!stoa_pandas_period_start(&p->freq, ordinal, &ticks)) {
            STOA_FAIL(err, STOA_ERANGE, "period %lld of '%s' begins where no date goes",
                      (long long)ordinal, p->ordinals->name);
        }
        stoa_bit_set(validity, i);
        stoa_integer_put(values + i * width, width, ticks);
    }
    void *const buffers[] = {validity, values};
    validity = NULL;
    values = NULL;
    STOA_TRY(stoa_array_make(out, view->length, n_missing, 2, buffers, err));

done:
    free(values);
    free(validity);
    return status;
}

static stoa_status read_periods(void *context, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const periods *const p = context;
    stoa_column_rows rows = {.array.release = NULL};

    out->release = NULL;
    STOA_TRY(stoa_column_rows_read(p->ordinals, first, count, &rows, err));
    STOA_TRY(begin_all(p, &rows.view, out, err));

done:
    stoa_column_rows_clear(&rows);
    return status;
}

static void close_periods(void *context)
{
    periods *const p = context;

    stoa_column_close(p->ordinals);
    free(p);
}

stoa_status stoa_pandas_as_periods(stoa_column **column, const stoa_pandas_freq *freq,
                                   stoa_error *err)
{
    static const char *const formats[] = {
        [STOA_TIME_DAY] = "tdD", [STOA_TIME_SECOND] = "tss:", "tsm:", "tsu:", "tsn:"};
    stoa_status status = STOA_OK;
    stoa_column *const ordinals = *column;
    struct ArrowSchema schema = {.release = NULL};
    periods *p = stoa_alloc_zero(1, sizeof *p);
    const stoa_column_source source = {
        .read_array = read_periods, .close = close_periods, .context = p};

    *column = NULL;
    STOA_TRY(p != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(
        stoa_schema_make(&schema, ordinals->name, formats[stoa_pandas_period_unit(freq)], err));
    *p = (periods){ordinals, *freq};
    p = NULL;
    return stoa_column_of_source(&schema, ordinals->n_rows, &source, column, err);

done:
    free(p);
    stoa_column_close(ordinals);
    return status;
}
