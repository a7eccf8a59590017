/* Functions of times. A time with a zone is taken in UTC, as it is stored and shown. */
#include <string.h>

#include "core/calendar.h"
#include "core/quotients.h"
#include "core/text.h"
#include "query/functions/functions.h"

/* Parts ------------------------------------------------------------------------------------- */

static int64_t ticks_per_day(stoa_time_unit unit)
{
    return unit == STOA_TIME_DAY ? 1 : stoa_rescaling_of(STOA_TIME_DAY, unit).up;
}

/* The day of the week of a day that is near, from Monday, which is 0. 1970-01-01 was a Thursday. */
static inline uint64_t weekday(int64_t days)
{
    enum { DAYS_AGO = 7 * 60000000 };
    const uint64_t n = (uint64_t)days + DAYS_AGO + 3; /* below 2^30 */
    return n - 7 * (n * 613566757 >> 32);
}

/* The Thursday of a day's week, whose year has the week (ISO 8601). */
static inline int64_t thursday(int64_t days)
{
    return (int64_t)((uint64_t)days + 3 - weekday(days));
}

/* A loop that returns false if a day is not among the 2^BITS from FIRST on. These are inside of the
 * quotients of any unit's range, so days of times beyond it are not among them. */
#define PART_LOOP(name, PART, DATE_OF, FIRST, BITS)                                                \
    STOA_CLONES static bool name(const int64_t *restrict from, int64_t n, stoa_divisor by,         \
                                 int64_t *restrict to)                                             \
    {                                                                                              \
        uint64_t bits = 0;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const int64_t days = stoa_quotient(&by, from[i]);                                      \
            to[i] = (int64_t)PART(DATE_OF, days);                                                  \
            bits |= (uint64_t)days - (uint64_t)(FIRST);                                            \
        }                                                                                          \
        return bits >> (BITS) == 0;                                                                \
    }

/* Loops for recent days, and for those that are near. Others are in another era, where days are
 * near; PER_ERA of the part is in an era. The day of a week's year may be three days away. */
#define PART_FUNCTION(name, PART, PER_ERA)                                                         \
    PART_LOOP(name##_of_recent, PART, stoa_date_recent, STOA_RECENT_FIRST + 3, 16)                 \
    PART_LOOP(name##_of_near, PART, stoa_date_near, -(1 << 28), 29)                                \
    static stoa_status name##_of(stoa_call *call, stoa_error *err)                                 \
    {                                                                                              \
        const int64_t *const from = call->args[0].as.i64;                                          \
        int64_t *const to = call->out;                                                             \
        const stoa_divisor by = stoa_divisor_of(ticks_per_day(call->args[0].type.unit));           \
        const bool are_right =                                                                     \
            name##_of_recent(from, call->n, by, to) || name##_of_near(from, call->n, by, to);      \
        (void)err;                                                                                 \
        for (int64_t i = 0; !are_right && i < call->n; i++) {                                      \
            const int64_t day = stoa_floor_div(from[i], by.by);                                    \
            const int64_t days = stoa_floor_mod(day, STOA_DAYS_PER_ERA);                           \
            to[i] = (int64_t)PART(stoa_date_near, days) +                                          \
                    (PER_ERA)*stoa_floor_div(day, STOA_DAYS_PER_ERA);                              \
        }                                                                                          \
        return STOA_OK;                                                                            \
    }
_Static_assert(STOA_RECENT_FIRST + 3 + (1 << 16) + 3 <= STOA_RECENT_LAST, "recent days");
_Static_assert((1 << 28) + 3 <= STOA_NEAR_DAYS, "near days");
#define YEAR(DATE_OF, days) (DATE_OF(days).year)
#define QUARTER(DATE_OF, days) (((uint64_t)DATE_OF(days).month * 11 + 21) >> 5)
#define MONTH(DATE_OF, days) (DATE_OF(days).month)
#define DAY(DATE_OF, days) (DATE_OF(days).day)
#define ISO_YEAR(DATE_OF, days) (DATE_OF(thursday(days)).year)
#define WEEK(DATE_OF, days) (((uint64_t)DATE_OF(thursday(days)).day_of_year + 6) * 9363 >> 16)
#define DOW(DATE_OF, days) (weekday((int64_t)((uint64_t)(days) + 1)))
#define ISO_DOW(DATE_OF, days) (weekday(days) + 1)
#define DOY(DATE_OF, days) (DATE_OF(days).day_of_year)
PART_FUNCTION(year, YEAR, 400)
PART_FUNCTION(quarter, QUARTER, 0)
PART_FUNCTION(month, MONTH, 0)
PART_FUNCTION(day, DAY, 0)
PART_FUNCTION(iso_year, ISO_YEAR, 400)
PART_FUNCTION(week, WEEK, 0)
PART_FUNCTION(dow, DOW, 0)
PART_FUNCTION(iso_dow, ISO_DOW, 0)
PART_FUNCTION(doy, DOY, 0)

/* Spans of `part` seconds within one of `whole` seconds: the hour within the day. */
STOA_CLONES static stoa_status clock_of(stoa_call *call, int64_t part, int64_t whole,
                                        stoa_error *err)
{
    const stoa_vector *const times = &call->args[0];
    const int64_t n = call->n;
    const int64_t *restrict const from = times->as.i64;
    int64_t *restrict const to = call->out;
    int64_t *restrict const rest = stoa_arena_alloc(call->arena, (size_t)n, sizeof *rest);

    STOA_RETURN_NO_MEMORY(err, rest);
    if (times->type.unit == STOA_TIME_DAY) {
        memset(to, 0, (size_t)n * sizeof *to);
        return STOA_OK;
    }
    const int64_t second = ticks_per_day(times->type.unit) / 86400;
    stoa_floor_quotients(from, n, whole * second, to);
    for (int64_t i = 0; i < n; i++) {
        rest[i] = (int64_t)((uint64_t)from[i] - (uint64_t)to[i] * (uint64_t)(whole * second));
    }
    stoa_floor_quotients(rest, n, part * second, to);
    return STOA_OK;
}

static stoa_status hour_of(stoa_call *call, stoa_error *err)
{
    return clock_of(call, 3600, 86400, err);
}

static stoa_status minute_of(stoa_call *call, stoa_error *err)
{
    return clock_of(call, 60, 3600, err);
}

static stoa_status second_of(stoa_call *call, stoa_error *err)
{
    return clock_of(call, 1, 60, err);
}

/* Since 1970 -------------------------------------------------------------------------------- */

STOA_CLONES static stoa_status epoch_of(stoa_call *call, stoa_error *err)
{
    const stoa_vector *times = &call->args[0];
    const int64_t *restrict const from = times->as.i64;
    double *restrict const to = call->out;
    const int64_t n = call->n;
    const stoa_time_unit unit = times->type.unit;
    const double up = unit == STOA_TIME_DAY ? 86400 : 1;
    const double per_second = unit == STOA_TIME_DAY ? 1 : (double)(ticks_per_day(unit) / 86400);

    (void)err;
    for (int64_t i = 0; i < n; i++) {
        to[i] = stoa_f64_of_i64(from[i]) * up / per_second;
    }
    return STOA_OK;
}

static stoa_status fail_range(const stoa_call *call, stoa_error *err)
{
    return STOA_FAIL_CALL(err, call, "%s() of some row is beyond the range of its type",
                          call->expr->function->text.name);
}

/* Ticks of another unit, to the nearest. */
static stoa_status count_since(stoa_call *call, stoa_time_unit unit, stoa_error *err)
{
    const stoa_rescaling by = stoa_rescaling_of(call->args[0].type.unit, unit);

    for (int64_t i = 0; i < call->n; i++) {
        int64_t *to = &((int64_t *)call->out)[i];
        if ((__builtin_mul_overflow(call->args[0].as.i64[i], by.up, to) ||
             __builtin_add_overflow(*to, by.down / 2, to)) &&
            !stoa_call_misses(call, i)) {
            return fail_range(call, err);
        }
        *to = stoa_floor_div(*to, by.down);
    }
    return STOA_OK;
}

static stoa_status epoch_ms_of(stoa_call *call, stoa_error *err)
{
    return count_since(call, STOA_TIME_MILLI, err);
}

static stoa_status epoch_us_of(stoa_call *call, stoa_error *err)
{
    return count_since(call, STOA_TIME_MICRO, err);
}

static stoa_status epoch_ns_of(stoa_call *call, stoa_error *err)
{
    return count_since(call, STOA_TIME_NANO, err);
}

/* Spans of time ------------------------------------------------------------------------------ */

/* A span of months, or of days and nanoseconds. */
typedef struct span {
    int64_t months;
    stoa_time_unit unit; /* of `ticks`; coarsest that holds it */
    int64_t ticks;
} span;

/* "month", "quarter", "year", "decade" and "century" as months; 0 for others. */
static int64_t months_of_unit(stoa_bytes word)
{
    static const struct {
        const char *names;
        int64_t months;
    } units[] = {{"month months mon", 1},
                 {"quarter quarters", 3},
                 {"year years", 12},
                 {"decade", 120},
                 {"century", 1200}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (stoa_is_among(word.data, word.length, units[i].names)) {
            return units[i].months;
        }
    }
    return 0;
}

/* A unit alone: "month", "hour". */
static bool parse_unit(stoa_bytes word, span *out)
{
    int32_t ticks = 0;

    *out = (span){.months = months_of_unit(word)};
    const bool is_known =
        out->months > 0 || stoa_time_unit_of(word.data, word.length, &out->unit, &ticks);
    out->ticks = ticks;
    return is_known;
}

/* Parse "3 months", "15 minutes" or "PT15M". Returns false if it is no span. */
static bool parse_span(stoa_bytes text, span *out)
{
    size_t digits = 0;
    int64_t n = 0;
    stoa_time time;

    while (digits < text.length && text.data[digits] >= '0' && text.data[digits] <= '9') {
        digits++;
    }
    size_t word = digits;
    while (word < text.length && text.data[word] == ' ') {
        word++;
    }
    if (stoa_parse_i64(text.data, digits, &n) &&
        parse_unit((stoa_bytes){text.data + word, text.length - word}, out) && out->months > 0) {
        return !__builtin_mul_overflow(n, out->months, &out->months);
    }
    *out = (span){0};
    if (!stoa_parse_duration(text.data, text.length, &time)) {
        return false;
    }
    out->unit = time.unit == STOA_TIME_DAY ? STOA_TIME_SECOND : time.unit;
    return stoa_time_ticks(&time, out->unit, &out->ticks);
}

/* The start of the month span that a day is in, counted from `origin`, a month since 1970. */
static int64_t floor_months(int64_t days, int64_t months, int64_t origin)
{
    const stoa_date on = stoa_date_of(days);
    const int64_t month = (on.year - 1970) * 12 + on.month - 1;

    if (months == 1) {
        return days - on.day + 1;
    }
    return stoa_days_of_month(month - stoa_floor_mod(month - origin, months));
}

/* Multiply quotients of times by the divisor. */
STOA_CLONES static stoa_status multiply(stoa_call *call, const int64_t *restrict times,
                                        int64_t width, stoa_error *err)
{
    int64_t *restrict const to = call->out;
    bool is_over = false;

    for (int64_t i = 0; i < call->n; i++) {
        to[i] = (int64_t)((uint64_t)to[i] * (uint64_t)width);
        is_over |= to[i] > times[i];
    }
    for (int64_t i = 0; is_over && i < call->n; i++) {
        if (to[i] > times[i] && !stoa_call_misses(call, i)) {
            return fail_range(call, err);
        }
    }
    return STOA_OK;
}

/* Round times down to spans that are counted from `origin`, in ticks (or months) of 1970. */
static stoa_status floor_times(stoa_call *call, const stoa_vector *times, const span *by,
                               int64_t origin_days, int64_t origin_month, stoa_error *err)
{
    const stoa_time_unit unit = call->expr->type.unit;
    const stoa_rescaling to_unit = stoa_rescaling_of(times->type.unit, unit);
    const int64_t per_day = ticks_per_day(unit);
    const stoa_rescaling of_span = stoa_rescaling_of(by->unit, unit);
    const int64_t ticks_of_span = by->ticks * of_span.up / of_span.down;
    const int64_t width = ticks_of_span > 0 ? ticks_of_span : 1; /* a tick is not divided */
    const int64_t origin = stoa_floor_mod(origin_days * per_day, width);
    int64_t *to = call->out;
    int64_t day = INT64_MIN;
    int64_t start = 0;

    if (by->months == 0 && to_unit.up == 1 && origin == 0 && !times->constant) {
        stoa_floor_quotients(times->as.i64, call->n, width, to);
        return multiply(call, times->as.i64, width, err);
    }
    for (int64_t i = 0; i < call->n; i++) {
        int64_t ticks = AT(*times, i64, i);
        bool is_over = __builtin_mul_overflow(ticks, to_unit.up, &ticks);
        if (by->months > 0) {
            const int64_t days = stoa_floor_div(ticks, per_day);
            start = days != day ? floor_months(days, by->months, origin_month) : start;
            day = days;
            is_over = is_over || __builtin_mul_overflow(start, per_day, &to[i]);
        } else {
            const int64_t rest = stoa_floor_mod(stoa_floor_mod(ticks, width) - origin, width);
            is_over = is_over || __builtin_sub_overflow(ticks, rest, &to[i]);
        }
        if (is_over && !stoa_call_misses(call, i)) {
            return fail_range(call, err);
        }
    }
    return STOA_OK;
}

/* Truncation -------------------------------------------------------------------------------- */

/* The place of the unit's name, which stands first in date_trunc(). */
static size_t unit_place(const stoa_expr *call)
{
    return call->args[0]->type.domain == STOA_DOMAIN_TEXT ? 0 : 1;
}

/* A week begins on Monday: 1970-01-05. Other units count from 1970, which begins them all. */
static bool unit_of(stoa_bytes name, span *by, int64_t *origin_days, int64_t *origin_month)
{
    *origin_days = stoa_is_word(name.data, name.length, "week") ? 4 : 0;
    *origin_month = -1970 * 12; /* decades and centuries count from the year 0 */
    return parse_unit(name, by);
}

static stoa_status check_trunc(stoa_expr *call, stoa_error *err)
{
    const stoa_expr *const unit = call->args[unit_place(call)];
    int64_t origin_days;
    int64_t origin_month;
    span by;

    if (!unit_of(unit->value.as.bytes[0], &by, &origin_days, &origin_month)) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, unit->syntax,
                                "%s() takes a unit: 'second', 'minute', 'hour', 'day', 'week', "
                                "'month', 'quarter', 'year', 'decade' or 'century'",
                                call->function->text.name);
    }
    return STOA_OK;
}

static stoa_status trunc_of(stoa_call *call, stoa_error *err)
{
    const size_t at = unit_place(call->expr);
    int64_t origin_days;
    int64_t origin_month;
    span by;

    unit_of(call->args[at].as.bytes[0], &by, &origin_days, &origin_month);
    return floor_times(call, &call->args[1 - at], &by, origin_days, origin_month, err);
}

/* Buckets ----------------------------------------------------------------------------------- */

/* As in DuckDB, spans of months count from 2000-01-01, others from Monday 2000-01-03. */
enum { ORIGIN_MONTH = 30 * 12, ORIGIN_DAYS = 10959 };

static stoa_status check_bucket(stoa_expr *call, stoa_error *err)
{
    const stoa_expr *const width = call->args[0];
    const stoa_time_unit unit = call->args[1]->type.unit;
    span by;

    if (!parse_span(width->value.as.bytes[0], &by) || by.months < 0 ||
        (by.months == 0 && by.ticks <= 0)) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, width->syntax,
                                "time_bucket() takes a span of time above 0, such as '15 minutes', "
                                "'1 day' or '3 months'");
    }
    const bool is_in_days = by.months > 0 || (by.unit == STOA_TIME_SECOND && by.ticks % 86400 == 0);
    const stoa_time_unit least = is_in_days ? STOA_TIME_DAY : by.unit;
    const stoa_rescaling to = stoa_rescaling_of(by.unit, least > unit ? least : unit);
    int64_t ticks;
    if (by.months == 0 && __builtin_mul_overflow(by.ticks, to.up, &ticks)) {
        return STOA_FAIL_SYNTAX(err, STOA_ERANGE, width->syntax,
                                "a bucket of that width is beyond the range of the times");
    }
    call->type.unit = least > unit ? least : unit;
    return STOA_OK;
}

static stoa_status bucket_of(stoa_call *call, stoa_error *err)
{
    span by;

    parse_span(call->args[0].as.bytes[0], &by);
    return floor_times(call, &call->args[1], &by, ORIGIN_DAYS, ORIGIN_MONTH, err);
}

/* Calendar arithmetic ------------------------------------------------------------------------ */

/* A day that the month lacks becomes its last. */
static stoa_status add_months_of(stoa_call *call, stoa_error *err)
{
    const int64_t per_day = ticks_per_day(call->expr->type.unit);
    enum { MOST = 12 * 1000000 }; /* of a million years */

    for (int64_t i = 0; i < call->n; i++) {
        const int64_t ticks = AT(call->args[0], i64, i);
        const int64_t months = AT(call->args[1], i64, i);
        int64_t *to = &((int64_t *)call->out)[i];
        const int64_t days = stoa_floor_div(ticks, per_day);
        const int64_t month = stoa_month_of_days(days);
        const bool is_far = months > MOST || months < -MOST;
        const int64_t first = stoa_days_of_month(month + (is_far ? 0 : months));
        const int64_t last = stoa_days_of_month(month + (is_far ? 0 : months) + 1) - 1;
        const int64_t day = first + (days - stoa_days_of_month(month));
        if ((is_far || __builtin_mul_overflow(day < last ? day : last, per_day, to) ||
             __builtin_add_overflow(*to, stoa_floor_mod(ticks, per_day), to)) &&
            !stoa_call_misses(call, i)) {
            return fail_range(call, err);
        }
    }
    return STOA_OK;
}

/* The table --------------------------------------------------------------------------------- */

static const stoa_function functions[] = {
    {{"add_months", NULL, "add_months(t, n)",
      "n months later; the last day of a month that is too short",
      "add_months('2001-01-31', 1) = '2001-02-28'"},
     "ti>t",
     .loop = add_months_of},
    {{"date_trunc", NULL, "date_trunc(unit, t)",
      "the start of its second, minute, hour, day, week, month, quarter, year, decade or century",
      "date_trunc('week', '2001-05-06') = '2001-04-30'"},
     "St>t",
     .loop = trunc_of,
     .check = check_trunc},
    {{"trunc", NULL, "trunc(t, unit)", "the same, the other way round",
      "trunc('2001-05-06', 'month') = '2001-05-01'"},
     "tS>t",
     .loop = trunc_of,
     .check = check_trunc},
    {{"day", "dayofmonth", "day(t)", "the day of the month", "day('2001-05-06') = 6"},
     "t>i",
     .loop = day_of},
    {{"dow", "dayofweek", "dow(t)", "the day of the week; Sunday is 0", "dow('2001-05-06') = 0"},
     "t>i",
     .loop = dow_of},
    {{"doy", "dayofyear", "doy(t)", "the day of the year, from 1", "doy('2001-02-01') = 32"},
     "t>i",
     .loop = doy_of},
    {{"epoch", NULL, "epoch(t)", "seconds since 1970, as float64", "epoch('1970-01-02') = 86400"},
     "t>f",
     .loop = epoch_of},
    {{"epoch", NULL, "epoch(d)", "a duration in seconds, as float64", "epoch('1h') = 3600"},
     "d>f",
     .loop = epoch_of},
    {{"epoch_ms", NULL, "epoch_ms(t)", "milliseconds since 1970, to the nearest",
      "epoch_ms('1970-01-01T00:00:01') = 1000"},
     "t>i",
     .loop = epoch_ms_of},
    {{"epoch_us", NULL, "epoch_us(t)", "microseconds since 1970, to the nearest",
      "epoch_us('1970-01-01T00:00:01') = 1e6"},
     "t>i",
     .loop = epoch_us_of},
    {{"epoch_ns", NULL, "epoch_ns(t)", "nanoseconds since 1970",
      "epoch_ns('1970-01-01T00:00:01') = 1e9"},
     "t>i",
     .loop = epoch_ns_of},
    {{"hour", NULL, "hour(t)", "the hour of the day", "hour('2001-05-06T17:03:09') = 17"},
     "t>i",
     .loop = hour_of},
    {{"isodow", NULL, "isodow(t)", "the day of the week; Monday is 1, Sunday 7",
      "isodow('2001-05-06') = 7"},
     "t>i",
     .loop = iso_dow_of},
    {{"isoyear", NULL, "isoyear(t)", "the year that the ISO week belongs to",
      "isoyear('2000-01-01') = 1999"},
     "t>i",
     .loop = iso_year_of},
    {{"minute", NULL, "minute(t)", "the minute of the hour", "minute('2001-05-06T17:03:09') = 3"},
     "t>i",
     .loop = minute_of},
    {{"month", NULL, "month(t)", "the month, from 1", "month('2001-05-06') = 5"},
     "t>i",
     .loop = month_of},
    {{"quarter", NULL, "quarter(t)", "the quarter, from 1", "quarter('2001-05-06') = 2"},
     "t>i",
     .loop = quarter_of},
    {{"second", NULL, "second(t)", "the whole seconds of the minute",
      "second('2001-05-06T17:03:09.5') = 9"},
     "t>i",
     .loop = second_of},
    {{"time_bucket", NULL, "time_bucket(width, t)",
      "the start of the span that t is in, from Monday 2000-01-03, or 2000-01-01 for months",
      "time_bucket('15 minutes', '2001-05-06T17:23:00') = '2001-05-06T17:15:00'"},
     "St>t",
     .loop = bucket_of,
     .check = check_bucket},
    {{"week", "weekofyear", "week(t)", "the ISO week, from 1", "week('2001-05-06') = 18"},
     "t>i",
     .loop = week_of},
    {{"year", NULL, "year(t)", "the year", "year('2001-05-06') = 2001"}, "t>i", .loop = year_of},
};

const stoa_function_group stoa_time_functions = {"Times", functions,
                                                 sizeof functions / sizeof functions[0]};
