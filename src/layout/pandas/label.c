#include "layout/pandas/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/pandas/pandas.h"
#include "layout/pandas/period.h"
#include "layout/pickle/write.h"

/* Names and numpy's numbers of the units. Days have no name. */
static const char *const unit_names[] =
    {[STOA_TIME_DAY] = "", [STOA_TIME_SECOND] = "s", "ms", "us", [STOA_TIME_NANO] = "ns"};
static const int numpy_units[] =
    {[STOA_TIME_DAY] = 4, [STOA_TIME_SECOND] = 7, 8, 9, [STOA_TIME_NANO] = 10};

/* --- times ----------------------------------------------------------------------------------- */

static bool parse_integer(const stoa_pickled *node, int64_t *value)
{
    const bool is = node != NULL && node->kind == STOA_PICKLE_INT;

    *value = is ? node->as.integer : 0;
    return is;
}

/* The unit of a pandas object. Before version 2 all units were nanoseconds. */
static bool parse_unit(const stoa_pickled *node, stoa_time_unit *unit)
{
    int64_t number = 0;

    *unit = STOA_TIME_NANO;
    if (node == NULL) {
        return true;
    }
    *unit = STOA_TIME_SECOND;
    while (*unit < STOA_TIME_NANO && parse_integer(node, &number) && number != numpy_units[*unit]) {
        *unit = (stoa_time_unit)(*unit + 1);
    }
    return parse_integer(node, &number) && number == numpy_units[*unit];
}

static bool parse_zone(const stoa_pickled *node, char *zone)
{
    char *const name = stoa_pandas_zone(node);
    const bool is_none = node == NULL || node->kind == STOA_PICKLE_NONE;
    const bool fits = name != NULL ? strlen(name) < STOA_PANDAS_ZONE_SIZE : is_none;

    if (name != NULL && fits) {
        memcpy(zone, name, strlen(name) + 1);
    }
    free(name);
    return fits;
}

/* datetime.date(bytes): two bytes for the year, then month and day. In protocol 0 they are a
 * Latin-1 text. */
static bool parse_date(const stoa_pickled *node, int64_t *days)
{
    const stoa_pickled *const encoded = stoa_pickled_item(stoa_pickled_call(node, "encode"), 0);
    const stoa_pickled *const bytes = encoded != NULL ? encoded : node;
    unsigned char parts[4] = {0};
    size_t n = 0;
    stoa_time time;
    char text[32];

    if (bytes == NULL || (bytes->kind != STOA_PICKLE_TEXT && bytes->kind != STOA_PICKLE_BYTES)) {
        return false;
    }
    for (size_t i = 0; n < sizeof parts && i < bytes->as.bytes.length; i++) {
        const unsigned char *const at = (const unsigned char *)bytes->as.bytes.data + i;
        const bool is_pair =
            encoded != NULL && (*at & 0xe0) == 0xc0 &&
            i + 1 < bytes->as.bytes.length; /* bytes above 0x7f are two bytes of UTF-8 */
        parts[n++] = is_pair ? (unsigned char)(*at << 6 | (at[1] & 0x3f)) : *at;
        i += is_pair;
    }
    const int length =
        snprintf(text, sizeof text, "%04d-%02d-%02d", parts[0] << 8 | parts[1], parts[2], parts[3]);
    return n == sizeof parts && stoa_parse_time(text, (size_t)length, &time) &&
           stoa_time_ticks(&time, STOA_TIME_DAY, days);
}

/* Objects of pandas, and dates. */
static bool time_of_object(const stoa_pickled *node, stoa_pandas_time *time)
{
    const stoa_pickled *arguments = stoa_pickled_call(node, "_unpickle_timestamp");

    if (arguments != NULL || (arguments = stoa_pickled_call(node, "Timestamp")) != NULL) {
        time->ticks = INT64_MIN;
        return stoa_pickled_is_text(stoa_pickled_item(arguments, 0), "NaT") ||
               (parse_integer(stoa_pickled_item(arguments, 0), &time->ticks) &&
                parse_zone(stoa_pickled_item(arguments, 2), time->zone) &&
                parse_unit(stoa_pickled_item(arguments, 3), &time->unit));
    }
    if ((arguments = stoa_pickled_call(node, "_timedelta_unpickle")) != NULL) {
        time->kind = STOA_PANDAS_IS_DELTA;
        return parse_integer(stoa_pickled_item(arguments, 0), &time->ticks) &&
               parse_unit(stoa_pickled_item(arguments, 1), &time->unit);
    }
    if ((arguments = stoa_pickled_call(node, "date")) != NULL) {
        time->kind = STOA_PANDAS_IS_DATE;
        time->unit = STOA_TIME_DAY;
        return parse_date(stoa_pickled_item(arguments, 0), &time->ticks);
    }
    if ((arguments = stoa_pickled_call(node, "Period")) != NULL) { /* (None, offset, ordinal) */
        time->kind = STOA_PANDAS_IS_PERIOD;
        return stoa_pandas_freq_of(stoa_pickled_item(arguments, 1), &time->freq) &&
               stoa_pandas_is_of_periods(&time->freq) &&
               parse_integer(stoa_pickled_item(arguments, 2), &time->ticks);
    }
    time->ticks = INT64_MIN;
    return stoa_pickled_call(node, "_nat_unpickle") != NULL ||
           stoa_pickled_call(node, "__nat_unpickle") != NULL;
}

/* "datetime64[ns]", "datetime64[ns, Europe/Berlin]", "timedelta64[s]", "date", "period[M]". */
static bool time_of_dtype(const char *dtype, stoa_pandas_time *time)
{
    static const char *const types[] = {"datetime64[", "timedelta64["};

    if (strcmp(dtype, "date") == 0) {
        time->kind = STOA_PANDAS_IS_DATE;
        time->unit = STOA_TIME_DAY;
        return true;
    }
    if (stoa_pandas_period_of_dtype(dtype, &time->freq)) {
        time->kind = STOA_PANDAS_IS_PERIOD;
        return true;
    }
    time->kind = strncmp(dtype, types[1], strlen(types[1])) == 0 ? STOA_PANDAS_IS_DELTA
                                                                 : STOA_PANDAS_IS_TIME;
    if (strncmp(dtype, types[time->kind], strlen(types[time->kind])) != 0) {
        return false;
    }
    const char *const unit = dtype + strlen(types[time->kind]);
    for (time->unit = STOA_TIME_SECOND; time->unit <= STOA_TIME_NANO;
         time->unit = (stoa_time_unit)(time->unit + 1)) {
        const size_t n = strlen(unit_names[time->unit]);
        const char *const rest = unit + n;
        if (strncmp(unit, unit_names[time->unit], n) != 0) {
            continue;
        }
        if (strcmp(rest, "]") == 0) {
            return true;
        }
        const size_t length = strlen(rest);
        if (time->kind == STOA_PANDAS_IS_TIME && strncmp(rest, ", ", 2) == 0 && length > 3 &&
            rest[length - 1] == ']' && length - 3 < STOA_PANDAS_ZONE_SIZE) {
            memcpy(time->zone, rest + 2, length - 3);
            return true;
        }
    }
    return false;
}

/* NaT, or a day in the range of Python's dates. */
static bool is_possible(const stoa_pandas_time *time)
{
    return time->kind != STOA_PANDAS_IS_DATE || time->ticks == INT64_MIN ||
           (time->ticks >= 1 - STOA_PANDAS_ORDINAL_OF_EPOCH &&
            time->ticks <= STOA_PANDAS_LAST_ORDINAL - STOA_PANDAS_ORDINAL_OF_EPOCH);
}

bool stoa_pandas_time_of(const stoa_pickled *node, stoa_pandas_time *time)
{
    char *dtype = NULL;

    *time = (stoa_pandas_time){.kind = STOA_PANDAS_IS_TIME, .unit = STOA_TIME_NANO};
    if (node == NULL || node->kind == STOA_PICKLE_OBJECT) {
        return node != NULL && time_of_object(node, time) && is_possible(time);
    }
    if (node->kind == STOA_PICKLE_DICT && node->as.items.n == 2) {
        dtype = stoa_pickled_text(node->as.items.at[0]);
    }
    const bool is = dtype != NULL && time_of_dtype(dtype, time) &&
                    parse_integer(node->as.items.at[1], &time->ticks) && is_possible(time);
    free(dtype);
    return is;
}

/* --- as text --------------------------------------------------------------------------------- */

char *stoa_pandas_time_label(const stoa_pandas_time *time)
{
    int64_t ticks = time->ticks;
    stoa_time_unit unit = time->unit;

    if (ticks == INT64_MIN) {
        return stoa_strdup("NaT");
    }
    if (time->kind == STOA_PANDAS_IS_PERIOD) {
        return stoa_pandas_period_label(&time->freq, ticks);
    }
    if (time->kind != STOA_PANDAS_IS_DELTA) {
        return stoa_pandas_moment_label(ticks, unit, time->zone[0] != '\0');
    }
    while (unit > STOA_TIME_SECOND && ticks % 1000 == 0) {
        ticks /= 1000;
        unit = (stoa_time_unit)(unit - 1);
    }
    return stoa_format("%lld %s", (long long)ticks, unit_names[unit]);
}

/* "a, b" for a tuple whose parts are no tuples. */
static char *join_label(const stoa_pickled *node)
{
    char *joined = stoa_strdup("");

    for (size_t i = 0; joined != NULL && i < stoa_pickled_count(node); i++) {
        const stoa_pickled *const part = stoa_pickled_item(node, i);
        char *const text = part->kind != STOA_PICKLE_TUPLE ? stoa_pandas_label(part) : NULL;
        char *const longer =
            stoa_format("%s%s%s", joined, i > 0 ? ", " : "", text != NULL ? text : "");
        free(text);
        free(joined);
        joined = longer;
    }
    return joined;
}

bool stoa_pandas_is_label(const stoa_pickled *node)
{
    stoa_pandas_time time;

    if (node == NULL) {
        return false;
    }
    switch (node->kind) {
    case STOA_PICKLE_TEXT:
        return node->as.bytes.length <= STOA_PANDAS_MAX_LABEL_LENGTH &&
               memchr(node->as.bytes.data, '\0', node->as.bytes.length) == NULL;
    case STOA_PICKLE_INT:
    case STOA_PICKLE_FLOAT:
    case STOA_PICKLE_BOOL:
        return true;
    case STOA_PICKLE_TUPLE:
        return node->as.items.n <= STOA_PANDAS_MAX_LEVELS;
    default:
        return stoa_pandas_time_of(node, &time);
    }
}

char *stoa_pandas_label(const stoa_pickled *node)
{
    char number[STOA_NUMBER_SIZE];
    stoa_pandas_time time;

    if (!stoa_pandas_is_label(node)) {
        return NULL;
    }
    switch (node->kind) {
    case STOA_PICKLE_TEXT:
        return stoa_pickled_text(node);
    case STOA_PICKLE_INT:
        (void)stoa_format_i64(node->as.integer, number);
        return stoa_strdup(number);
    case STOA_PICKLE_FLOAT:
        (void)stoa_format_f64(node->as.number, number);
        return stoa_strdup(number);
    case STOA_PICKLE_BOOL:
        return stoa_strdup(node->as.truth ? "True" : "False");
    case STOA_PICKLE_TUPLE:
        return join_label(node);
    default:
        return stoa_pandas_time_of(node, &time) ? stoa_pandas_time_label(&time) : NULL;
    }
}

/* --- as opcodes ------------------------------------------------------------------------------ */

/* datetime.date(2020, 1, 1). The time must satisfy is_possible(). */
static stoa_status put_date(stoa_buffer *out, int64_t days, stoa_error *err)
{
    const int month = (int)stoa_month_of_days(days) + 1969 * 12; /* since year 1 */
    const int day = (int)(days - stoa_days_of_month(month - 1969 * 12)) + 1;

    return stoa_buffer_print(out, err, "cdatetime\ndate\n(I%d\nI%d\nI%d\ntR", month / 12 + 1,
                             month % 12 + 1, day);
}

/* pandas' Period(None, offset, ordinal). */
static stoa_status put_period(stoa_buffer *out, const stoa_pandas_time *time, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put(out, "cpandas._libs.tslibs.period\nPeriod\n(N", err));
    STOA_RETURN_NOT_OK(stoa_pandas_put_freq(out, &time->freq, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put_int(out, time->ticks, err));
    return stoa_pickle_put(out, "tR", err);
}

/* Write what pandas would pickle. A named zone becomes a zone object as pandas uses it. */
static stoa_status put_object(stoa_buffer *out, const stoa_pandas_time *time, stoa_error *err)
{
    if (time->ticks == INT64_MIN) {
        /* The class that pandas itself pickles for NaT has different names in different
         * versions. */
        return stoa_pickle_put(out, "cpandas._libs.tslibs.timestamps\nTimestamp\n(VNaT\ntR", err);
    }
    if (time->kind == STOA_PANDAS_IS_DATE) {
        return put_date(out, time->ticks, err);
    }
    if (time->kind == STOA_PANDAS_IS_PERIOD) {
        return put_period(out, time, err);
    }
    STOA_RETURN_NOT_OK(
        stoa_pickle_put(out,
                        time->kind == STOA_PANDAS_IS_DELTA
                            ? "cpandas._libs.tslibs.timedeltas\n_timedelta_unpickle\n("
                            : "cpandas._libs.tslibs.timestamps\n_unpickle_timestamp\n(",
                        err));
    STOA_RETURN_NOT_OK(stoa_pickle_put_int(out, time->ticks, err));
    if (time->kind == STOA_PANDAS_IS_TIME) {
        STOA_RETURN_NOT_OK(stoa_pickle_put(out, "N", err));
        STOA_RETURN_NOT_OK(time->zone[0] != '\0' ? stoa_pickle_put_zone_object(out, time->zone, err)
                                                 : stoa_pickle_put(out, "N", err));
    }
    STOA_RETURN_NOT_OK(stoa_pickle_put_int(out, numpy_units[time->unit], err));
    return stoa_pickle_put(out, "tR", err);
}

stoa_status stoa_pandas_put_time(stoa_buffer *out, const stoa_pandas_time *time,
                                 stoa_pandas_for whom, stoa_error *err)
{
    char dtype[STOA_PANDAS_ZONE_SIZE + STOA_PANDAS_DTYPE_SIZE];

    if (whom == STOA_PANDAS_FOR_PANDAS) {
        return put_object(out, time, err);
    }
    if (time->kind == STOA_PANDAS_IS_PERIOD) {
        stoa_pandas_period_dtype(&time->freq, dtype);
    } else {
        (void)snprintf(dtype, sizeof dtype, "%s[%s%s%s]",
                       time->kind == STOA_PANDAS_IS_DELTA ? "timedelta64" : "datetime64",
                       unit_names[time->unit], time->zone[0] != '\0' ? ", " : "", time->zone);
    }
    STOA_RETURN_NOT_OK(stoa_pickle_put(out, "(d", err));
    STOA_RETURN_NOT_OK(
        stoa_pickle_put_text(out, time->kind == STOA_PANDAS_IS_DATE ? "date" : dtype, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put_int(out, time->ticks, err));
    return stoa_pickle_put(out, "s", err);
}

static stoa_status put_part(stoa_buffer *out, const stoa_pickled *node, stoa_pandas_for whom,
                            bool *is_plain, stoa_error *err)
{
    stoa_pandas_time time;

    return stoa_pandas_time_of(node, &time) ? stoa_pandas_put_time(out, &time, whom, err)
                                            : stoa_pickle_put_node(out, node, is_plain, err);
}

stoa_status stoa_pandas_put_node(stoa_buffer *out, const stoa_pickled *node, stoa_pandas_for whom,
                                 bool *is_plain, stoa_error *err)
{
    enum { MAX_BYTES = STOA_PANDAS_MAX_LEVELS * 128 + 4 * STOA_PANDAS_MAX_LABEL_LENGTH };
    const size_t end = out->size + MAX_BYTES;

    if (node->kind != STOA_PICKLE_TUPLE || node->as.items.n > STOA_PANDAS_MAX_LEVELS) {
        return put_part(out, node, whom, is_plain, err);
    }
    STOA_RETURN_NOT_OK(stoa_pickle_put(out, "(", err));
    for (size_t i = 0; *is_plain && i < node->as.items.n; i++) {
        STOA_RETURN_NOT_OK(put_part(out, node->as.items.at[i], whom, is_plain, err));
        *is_plain = *is_plain && out->size <= end;
    }
    return stoa_pickle_put(out, "t", err);
}

stoa_status stoa_pandas_put_label_or(stoa_buffer *out, const stoa_pickled *label, const char *name,
                                     stoa_error *err)
{
    const size_t before = out->size;
    bool is_plain = label != NULL;

    if (is_plain) {
        STOA_RETURN_NOT_OK(
            stoa_pandas_put_node(out, label, STOA_PANDAS_FOR_PANDAS, &is_plain, err));
    }
    if (!is_plain) {
        out->size = before;
        STOA_RETURN_NOT_OK(name != NULL ? stoa_pickle_put_text(out, name, err)
                                        : stoa_pickle_put(out, "N", err));
    }
    return STOA_OK;
}
