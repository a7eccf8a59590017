#include "layout/pandas/freq.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "layout/pickle/write.h"

/* The arguments of an offset besides its count and `normalize`. */
typedef enum anchor { NOTHING, SHIFT, WEEKDAY, WEEK_AND_DAY, MONTH, DAY, LATER_DAY } anchor;

/* Indexed by stoa_pandas_offset. Offsets that cannot be periods follow. */
static const struct {
    const char *class;
    const char *name;
    const char *period; /* the name for periods; NULL if it is the same */
    anchor anchor;
} offsets[] = {
    {"Nano", "ns", NULL, NOTHING},
    {"Micro", "us", NULL, NOTHING},
    {"Milli", "ms", NULL, NOTHING},
    {"Second", "s", NULL, NOTHING},
    {"Minute", "min", NULL, NOTHING},
    {"Hour", "h", NULL, NOTHING},
    {"Day", "D", NULL, NOTHING},
    {"BusinessDay", "B", NULL, SHIFT},
    {"Week", "W", NULL, WEEKDAY},
    {"MonthEnd", "ME", "M", NOTHING},
    {"QuarterEnd", "QE", "Q", MONTH},
    {"YearEnd", "YE", "Y", MONTH},
    {"MonthBegin", "MS", NULL, NOTHING},
    {"BusinessMonthBegin", "BMS", NULL, NOTHING},
    {"BusinessMonthEnd", "BME", NULL, NOTHING},
    {"SemiMonthBegin", "SMS", NULL, LATER_DAY},
    {"SemiMonthEnd", "SME", NULL, DAY},
    {"QuarterBegin", "QS", NULL, MONTH},
    {"BQuarterBegin", "BQS", NULL, MONTH},
    {"BQuarterEnd", "BQE", NULL, MONTH},
    {"YearBegin", "YS", NULL, MONTH},
    {"BYearBegin", "BYS", NULL, MONTH},
    {"BYearEnd", "BYE", NULL, MONTH},
    {"WeekOfMonth", "WOM", NULL, WEEK_AND_DAY},
    {"LastWeekOfMonth", "LWOM", NULL, WEEKDAY},
};
enum { N_OFFSETS = sizeof offsets / sizeof offsets[0], MIN_DAY = 1, MAX_DAY = 27 };

static const char weekdays[][4] = {"MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"};
static const char months[][4] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                 "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
enum { N_WEEKDAYS = 7, N_MONTHS = 12, WEEKS_OF_MONTH = 4 };

/* Whether the anchor is valid for the offset. */
static bool is_possible(const stoa_pandas_freq *freq)
{
    switch (offsets[freq->offset].anchor) {
    case NOTHING:
    case SHIFT:
        return freq->which == -1;
    case WEEKDAY:
        return freq->which >= (freq->offset == STOA_PANDAS_WEEK ? -1 : 0) &&
               freq->which < N_WEEKDAYS;
    case WEEK_AND_DAY:
        return freq->which >= 0 && freq->which < N_WEEKDAYS && freq->ordinal >= 0 &&
               freq->ordinal < WEEKS_OF_MONTH;
    case MONTH:
        return freq->which >= 1 && freq->which <= N_MONTHS;
    default: /* months begin on day 1 in any case */
        return freq->which >= MIN_DAY + (offsets[freq->offset].anchor == LATER_DAY) &&
               freq->which <= MAX_DAY;
    }
}

/* --- objects --------------------------------------------------------------------------------- */

/* A small non-negative argument; -1 for None, -2 for anything else. */
static int number_of(const stoa_pickled *node)
{
    if (node != NULL && node->kind == STOA_PICKLE_NONE) {
        return -1;
    }
    return node != NULL && node->kind == STOA_PICKLE_INT && node->as.integer >= 0 &&
                   node->as.integer < 100
               ? (int)node->as.integer
               : -2;
}

/* timedelta(0, 0, 0). */
static bool is_no_shift(const stoa_pickled *node)
{
    const stoa_pickled *const parts = stoa_pickled_call(node, "timedelta");
    bool is_none = parts != NULL;

    for (size_t i = 0; i < stoa_pickled_count(parts); i++) {
        is_none = is_none && number_of(stoa_pickled_item(parts, i)) == 0;
    }
    return is_none;
}

/* (n, normalize, anchor). */
static bool parse_arguments(const stoa_pickled *arguments, stoa_pandas_freq *freq)
{
    static const size_t counts[] = {[NOTHING] = 2, [SHIFT] = 3, [WEEKDAY] = 3,  [WEEK_AND_DAY] = 4,
                                    [MONTH] = 3,   [DAY] = 3,   [LATER_DAY] = 3};
    const anchor at = offsets[freq->offset].anchor;
    const stoa_pickled *const n = stoa_pickled_item(arguments, 0);
    const stoa_pickled *const normalize = stoa_pickled_item(arguments, 1);
    const stoa_pickled *const last = stoa_pickled_item(arguments, counts[at] - 1);

    if (stoa_pickled_count(arguments) != counts[at] || n->kind != STOA_PICKLE_INT ||
        normalize->kind != STOA_PICKLE_BOOL || normalize->as.truth ||
        (at == SHIFT && !is_no_shift(last))) {
        return false;
    }
    freq->n = n->as.integer;
    freq->which = at == NOTHING || at == SHIFT ? -1 : number_of(last);
    freq->ordinal = at == WEEK_AND_DAY ? number_of(stoa_pickled_item(arguments, 2)) : 0;
    return freq->n != 0 && is_possible(freq);
}

bool stoa_pandas_freq_of(const stoa_pickled *node, stoa_pandas_freq *freq)
{
    for (int i = 0; i < N_OFFSETS; i++) {
        const stoa_pickled *const arguments = stoa_pickled_call(node, offsets[i].class);
        if (arguments != NULL) {
            *freq = (stoa_pandas_freq){.offset = i, .n = 1, .which = -1};
            return parse_arguments(arguments, freq);
        }
    }
    return false;
}

stoa_status stoa_pandas_put_freq(stoa_buffer *out, const stoa_pandas_freq *freq, stoa_error *err)
{
    const anchor at = offsets[freq->offset].anchor;

    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err,
                                         "cpandas._libs.tslibs.offsets\n%s\n(I%lld\nI00\n",
                                         offsets[freq->offset].class, (long long)freq->n));
    if (at == SHIFT) {
        STOA_RETURN_NOT_OK(stoa_pickle_put(out, "cdatetime\ntimedelta\n(I0\nI0\nI0\ntR", err));
    } else if (at != NOTHING) {
        STOA_RETURN_NOT_OK(at == WEEK_AND_DAY ? stoa_pickle_put_int(out, freq->ordinal, err)
                                              : STOA_OK);
        STOA_RETURN_NOT_OK(freq->which < 0 ? stoa_pickle_put(out, "N", err)
                                           : stoa_pickle_put_int(out, freq->which, err));
    }
    return stoa_pickle_put(out, "tR", err);
}

/* --- as text --------------------------------------------------------------------------------- */

void stoa_pandas_freq_text(const stoa_pandas_freq *freq, bool is_of_periods,
                           char text[STOA_PANDAS_FREQ_SIZE])
{
    const char *const period = offsets[freq->offset].period;
    const char *const name = is_of_periods && period != NULL ? period : offsets[freq->offset].name;
    char count[24] = "";
    char at[24] = "";

    if (freq->n != 1) {
        (void)snprintf(count, sizeof count, "%lld", (long long)freq->n);
    }
    switch (freq->which < 0 ? NOTHING : offsets[freq->offset].anchor) {
    case WEEKDAY:
        (void)snprintf(at, sizeof at, "-%s", weekdays[freq->which]);
        break;
    case WEEK_AND_DAY:
        (void)snprintf(at, sizeof at, "-%d%s", freq->ordinal + 1, weekdays[freq->which]);
        break;
    case MONTH:
        (void)snprintf(at, sizeof at, "-%s", months[freq->which - 1]);
        break;
    case DAY:
    case LATER_DAY:
        (void)snprintf(at, sizeof at, "-%d", freq->which);
        break;
    default:
        break;
    }
    (void)snprintf(text, STOA_PANDAS_FREQ_SIZE, "%s%s%s", count, name, at);
}

/* Find one of n three-letter names; -1 if there is none. */
static int find_name(const char *text, const char (*names)[4], int n)
{
    int i = 0;

    while (i < n && strcmp(text, names[i]) != 0) {
        i++;
    }
    return i < n ? i : -1;
}

/* Parse what follows an offset's name: nothing, or an anchor such as "-SUN". */
static bool parse_anchor(const char *text, stoa_pandas_freq *freq)
{
    const char *const at = text[0] == '-' ? text + 1 : "";
    uint64_t day = 0;

    freq->which = -1;
    switch (offsets[freq->offset].anchor) {
    case NOTHING:
    case SHIFT:
        return text[0] == '\0';
    case WEEKDAY:
        freq->which = find_name(at, weekdays, N_WEEKDAYS);
        return is_possible(freq) && (freq->which >= 0 || text[0] == '\0');
    case WEEK_AND_DAY:
        freq->ordinal = at[0] != '\0' ? at[0] - '1' : -1;
        freq->which = at[0] != '\0' ? find_name(at + 1, weekdays, N_WEEKDAYS) : -1;
        return is_possible(freq);
    case MONTH:
        freq->which = find_name(at, months, N_MONTHS) + 1;
        return is_possible(freq);
    default:
        freq->which = stoa_parse_u64(at, strlen(at), &day) && day <= MAX_DAY ? (int)day : -1;
        return is_possible(freq);
    }
}

bool stoa_pandas_freq_of_text(const char *text, stoa_pandas_freq *freq)
{
    const size_t n_digits = strspn(text, "-0123456789");
    const char *const name = text + n_digits;
    const size_t length = strcspn(name, "-");
    int64_t n = 1;

    if (n_digits > 0 && (!stoa_parse_i64(text, n_digits, &n) || n == 0)) {
        return false;
    }
    for (int i = 0; i < N_OFFSETS; i++) {
        const char *const period = offsets[i].period;
        const bool is =
            (strlen(offsets[i].name) == length && memcmp(name, offsets[i].name, length) == 0) ||
            (period != NULL && strlen(period) == length && memcmp(name, period, length) == 0);
        if (is) {
            *freq = (stoa_pandas_freq){.offset = i, .n = n};
            return parse_anchor(name + length, freq);
        }
    }
    return false;
}

bool stoa_pandas_freq_of_node(const stoa_pickled *node, stoa_pandas_freq *freq)
{
    char text[STOA_PANDAS_FREQ_SIZE] = "";

    if (node == NULL || node->kind != STOA_PICKLE_TEXT || node->as.bytes.length >= sizeof text) {
        return false;
    }
    memcpy(text, node->as.bytes.data, node->as.bytes.length);
    return stoa_pandas_freq_of_text(text, freq);
}

/* --- meaning --------------------------------------------------------------------------------- */

bool stoa_pandas_freq_is_same(const stoa_pandas_freq *a, const stoa_pandas_freq *b)
{
    return a->offset == b->offset && a->n == b->n && a->which == b->which &&
           a->ordinal == b->ordinal;
}

int64_t stoa_pandas_freq_step(const stoa_pandas_freq *freq)
{
    static const int64_t lengths[] = {
        1, 1000, 1000000, 1000000000, 60000000000, 3600000000000, 86400000000000,
    };
    const int64_t length = freq->offset <= STOA_PANDAS_DAY ? lengths[freq->offset] : 0;

    return length != 0 && freq->n <= INT64_MAX / length && freq->n >= -(INT64_MAX / length)
               ? freq->n * length
               : 0;
}

void stoa_pandas_run_on(stoa_pandas_run *run, const stoa_pandas_freq *freq, int64_t step,
                        int64_t tick)
{
    int64_t apart = 0;

    if (run->is_begun) {
        const bool is_near = !__builtin_sub_overflow(tick, run->last, &apart);
        run->is_broken = run->is_broken || !is_near || (step != 0 && apart != step) ||
                         (freq->n > 0 ? apart <= 0 : apart >= 0);
    } else {
        run->first = tick;
        run->is_begun = true;
    }
    run->is_broken = run->is_broken || tick == INT64_MIN;
    run->last = tick;
}

bool stoa_pandas_is_of_periods(const stoa_pandas_freq *freq)
{
    return freq->offset <= STOA_PANDAS_YEAR_END && freq->n > 0 &&
           (freq->offset != STOA_PANDAS_WEEK || freq->which >= 0);
}
