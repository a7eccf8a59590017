/* Frequencies as pandas pickles and spells them, and periods: src/layout/pandas/freq.c, period.c.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/column.h"
#include "core/memory.h"
#include "core/text.h"
#include "layout/pandas/period.h"
#include "support/check.h"

#define OFFSET(class) "cpandas._libs.tslibs.offsets\n" class "\np0\n("

/* What pickle.dumps(offset, 0) of pandas 2.3 makes, and its freqstr. */
static const struct {
    const char *program;
    const char *text;
} offsets[] = {
    {OFFSET("Nano") "I1\nI00\ntp1\nRp2\n.", "ns"},
    {OFFSET("Micro") "I250\nI00\ntp1\nRp2\n.", "250us"},
    {OFFSET("Milli") "I1\nI00\ntp1\nRp2\n.", "ms"},
    {OFFSET("Second") "I90\nI00\ntp1\nRp2\n.", "90s"},
    {OFFSET("Minute") "I15\nI00\ntp1\nRp2\n.", "15min"},
    {OFFSET("Hour") "I1\nI00\ntp1\nRp2\n.", "h"},
    {OFFSET("Day") "I-1\nI00\ntp1\nRp2\n.", "-1D"},
    {OFFSET("BusinessDay") "I1\nI00\ncdatetime\ntimedelta\np1\n(I0\nI0\nI0\ntp2\nRp3\ntp4\nRp5\n.",
     "B"},
    {OFFSET("Week") "I1\nI00\nI6\ntp1\nRp2\n.", "W-SUN"},
    {OFFSET("Week") "I2\nI00\nI0\ntp1\nRp2\n.", "2W-MON"},
    {OFFSET("Week") "I1\nI00\nNtp1\nRp2\n.", "W"},
    {OFFSET("WeekOfMonth") "I1\nI00\nI2\nI4\ntp1\nRp2\n.", "WOM-3FRI"},
    {OFFSET("LastWeekOfMonth") "I1\nI00\nI4\ntp1\nRp2\n.", "LWOM-FRI"},
    {OFFSET("MonthBegin") "I1\nI00\ntp1\nRp2\n.", "MS"},
    {OFFSET("MonthEnd") "I1\nI00\ntp1\nRp2\n.", "ME"},
    {OFFSET("BusinessMonthBegin") "I1\nI00\ntp1\nRp2\n.", "BMS"},
    {OFFSET("BusinessMonthEnd") "I1\nI00\ntp1\nRp2\n.", "BME"},
    {OFFSET("SemiMonthBegin") "I1\nI00\nI15\ntp1\nRp2\n.", "SMS-15"},
    {OFFSET("SemiMonthBegin") "I1\nI00\nI1\ntp1\nRp2\n.", NULL}, /* as pandas says of it */
    {OFFSET("SemiMonthBegin") "I1\nI00\nI2\ntp1\nRp2\n.", "SMS-2"},
    {OFFSET("SemiMonthEnd") "I1\nI00\nI10\ntp1\nRp2\n.", "SME-10"},
    {OFFSET("SemiMonthEnd") "I1\nI00\nI1\ntp1\nRp2\n.", "SME-1"},
    {OFFSET("QuarterBegin") "I1\nI00\nI2\ntp1\nRp2\n.", "QS-FEB"},
    {OFFSET("QuarterEnd") "I1\nI00\nI3\ntp1\nRp2\n.", "QE-MAR"},
    {OFFSET("BQuarterBegin") "I1\nI00\nI2\ntp1\nRp2\n.", "BQS-FEB"},
    {OFFSET("BQuarterEnd") "I1\nI00\nI11\ntp1\nRp2\n.", "BQE-NOV"},
    {OFFSET("YearBegin") "I1\nI00\nI5\ntp1\nRp2\n.", "YS-MAY"},
    {OFFSET("YearEnd") "I1\nI00\nI12\ntp1\nRp2\n.", "YE-DEC"},
    {OFFSET("BYearBegin") "I1\nI00\nI10\ntp1\nRp2\n.", "BYS-OCT"},
    {OFFSET("BYearEnd") "I1\nI00\nI6\ntp1\nRp2\n.", "BYE-JUN"},
    /* None that a text says in full, or that there are. */
    {OFFSET("MonthEnd") "I1\nI01\ntp1\nRp2\n.", NULL},
    {OFFSET("MonthEnd") "I0\nI00\ntp1\nRp2\n.", NULL},
    {OFFSET("MonthEnd") "I1\nI00\nI1\ntp1\nRp2\n.", NULL},
    {OFFSET("MonthEnd") "tp1\nRp2\n.", NULL},
    {OFFSET("MonthEnd") "NNtp1\nRp2\n.", NULL},
    {OFFSET("Week") "I1\nI00\nI7\ntp1\nRp2\n.", NULL},
    {OFFSET("Week") "I1\nI00\nI-1\ntp1\nRp2\n.", NULL},
    {OFFSET("QuarterEnd") "I1\nI00\nI0\ntp1\nRp2\n.", NULL},
    {OFFSET("QuarterEnd") "I1\nI00\nI13\ntp1\nRp2\n.", NULL},
    {OFFSET("WeekOfMonth") "I1\nI00\nI4\nI4\ntp1\nRp2\n.", NULL},
    {OFFSET("SemiMonthEnd") "I1\nI00\nI28\ntp1\nRp2\n.", NULL},
    {OFFSET("BusinessDay") "I1\nI00\ncdatetime\ntimedelta\np1\n(I0\nI1\nI0\ntp2\nRp3\ntp4\nRp5\n.",
     NULL},
    {OFFSET("CustomBusinessDay") "I1\nI00\nVMon Tue\np1\n(tNcdatetime\ntimedelta\np2\n(I0\nI0\nI0\n"
                                 "tp3\nRp4\ntp5\nRp6\n.",
     NULL},
    {"cos\nsystem\n(Vtrue\ntR.", NULL},
    {"Vh\n.", NULL},
    {"N.", NULL},
};

/* The program without what is kept and never asked for. */
static void check_put(const stoa_pandas_freq *freq)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer out = {0};
    stoa_pickle *pickle = NULL;
    stoa_pandas_freq again;

    CHECK_OK(stoa_pandas_put_freq(&out, freq, &err), &err);
    CHECK_OK(stoa_buffer_append(&out, ".", 1, &err), &err);
    CHECK_OK(stoa_pickle_read(out.data, out.size, &pickle, &err), &err);
    CHECK(stoa_pandas_freq_of(stoa_pickle_root(pickle), &again));
    CHECK(stoa_pandas_freq_is_same(freq, &again));
    stoa_pickle_close(pickle);
    stoa_buffer_clear(&out);
}

static void offsets_have_the_names_that_pandas_gives_them(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_pandas_freq freq;
    stoa_pandas_freq again;
    char text[STOA_PANDAS_FREQ_SIZE];

    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        stoa_pickle *pickle = NULL;
        CHECK_OK(stoa_pickle_read(offsets[i].program, strlen(offsets[i].program), &pickle, &err),
                 &err);
        CHECK(stoa_pandas_freq_of(stoa_pickle_root(pickle), &freq) == (offsets[i].text != NULL));
        stoa_pickle_close(pickle);
        if (offsets[i].text != NULL) {
            stoa_pandas_freq_text(&freq, false, text);
            CHECK_STR(text, offsets[i].text);
            CHECK(stoa_pandas_freq_of_text(text, &again));
            CHECK(stoa_pandas_freq_is_same(&freq, &again));
            check_put(&freq);
        }
    }
    CHECK(!stoa_pandas_freq_of(NULL, &freq));
}

static void texts_that_are_no_frequencies_are_none(void)
{
    static const char *const texts[] = {
        "",         "-",     "0h",    "15",     "X",     "H",      "W-",    "W-SU",
        "W-SUNN",   "h-SUN", "QE",    "QE-XXX", "SMS-0", "SMS-28", "SMS-x", "WOM-FRI",
        "WOM-5FRI", "WOM-",  "M-JAN", "1.5h",   "LWOM",  "--1D",   "YS-13", "SMS-1"};
    stoa_pandas_freq freq;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK(!stoa_pandas_freq_of_text(texts[i], &freq));
    }
}

/* pandas.Period(ordinal=..., freq=...): its start_time, and itself in words where it is a month or
 * more. */
static const struct {
    const char *dtype;
    int64_t ordinal;
    const char *start;
    const char *label;
} periods[] = {
    {"period[M]", 600, "2020-01-01", "2020-01"},
    {"period[2M]", -1, "1969-12-01", "1969-12"},
    {"period[M]", -23626, "0001-03-01", "0001-03"},
    {"period[Q-DEC]", 200, "2020-01-01", "2020Q1"},
    {"period[Q-JAN]", 203, "2019-11-01", "2020Q4"},
    {"period[Q-FEB]", 3, "1969-12-01", "1970Q4"},
    {"period[Y-DEC]", 50, "2020-01-01", "2020"},
    {"period[Y-MAR]", 50, "2019-04-01", "2020"},
    {"period[Y-JUN]", -69, "1900-07-01", "1901"},
    {"period[W-SUN]", 1, "1969-12-29", "1969-12-29"},
    {"period[W-SUN]", 2610, "2019-12-30", "2019-12-30"},
    {"period[W-WED]", 2609, "2019-12-26", "2019-12-26"},
    {"period[B]", 13044, "2020-01-01", "2020-01-01"},
    {"period[B]", 13047, "2020-01-06", "2020-01-06"},
    {"period[D]", 18262, "2020-01-01", "2020-01-01"},
    {"period[h]", 438289, "2020-01-01T01:00:00", "2020-01-01T01:00:00"},
    {"period[15min]", 26297280, "2020-01-01T00:00:00", "2020-01-01"},
    {"period[s]", -1, "1969-12-31T23:59:59", "1969-12-31T23:59:59"},
    {"period[ms]", 1, "1970-01-01T00:00:00.001", "1970-01-01T00:00:00.001"},
    {"period[us]", 1, "1970-01-01T00:00:00.000001", "1970-01-01T00:00:00.000001"},
    {"period[ns]", 1, "1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000000001"},
};

static void periods_begin_when_pandas_says(void)
{
    stoa_pandas_freq freq;
    int64_t ticks = 0;
    char text[STOA_NUMBER_SIZE];
    char dtype[STOA_PANDAS_DTYPE_SIZE];

    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        CHECK(stoa_pandas_period_of_dtype(periods[i].dtype, &freq));
        stoa_pandas_period_dtype(&freq, dtype);
        CHECK_STR(dtype, periods[i].dtype);
        CHECK(stoa_pandas_period_start(&freq, periods[i].ordinal, &ticks));
        (void)stoa_format_time(ticks, stoa_pandas_period_unit(&freq), false, text);
        CHECK_STR(text, periods[i].start);
        char *const label = stoa_pandas_period_label(&freq, periods[i].ordinal);
        CHECK_STR(label, periods[i].label);
        free(label);
    }
    char *const nat = stoa_pandas_period_label(&freq, INT64_MIN);
    CHECK_STR(nat, "NaT");
    free(nat);
    CHECK(!stoa_pandas_period_of_dtype("period[MS]", &freq));
    CHECK(!stoa_pandas_period_of_dtype("period[-1D]", &freq));
    CHECK(!stoa_pandas_period_of_dtype("period[W]", &freq));
    CHECK(!stoa_pandas_period_of_dtype("period[M", &freq));
    CHECK(!stoa_pandas_period_of_dtype("period[", &freq));
    CHECK(!stoa_pandas_period_of_dtype("datetime64[ns]", &freq));
}

/* Each period ends where the next one begins; of business days on Friday, and so they have gaps. */
static void a_period_is_all_ticks_from_its_beginning_to_the_next_one(void)
{
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        stoa_pandas_freq freq;
        CHECK(stoa_pandas_period_of_dtype(periods[i].dtype, &freq));
        for (int64_t ordinal = -3000; ordinal < 3000; ordinal++) {
            int64_t start = 0;
            int64_t next = 0;
            CHECK(stoa_pandas_period_start(&freq, ordinal, &start));
            CHECK(stoa_pandas_period_start(&freq, ordinal + 1, &next));
            CHECK_I64(stoa_pandas_period_at(&freq, start), ordinal);
            CHECK(start < next);
            CHECK(freq.offset == STOA_PANDAS_BUSINESS_DAY ||
                  stoa_pandas_period_at(&freq, next - 1) == ordinal);
        }
    }
}

static void ordinals_without_a_date_have_no_beginning(void)
{
    static const int64_t far[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, (int64_t)INT32_MAX + 1,
                                  -(int64_t)INT32_MAX - 1};
    int64_t ticks = 0;

    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        stoa_pandas_freq freq;
        CHECK(stoa_pandas_period_of_dtype(periods[i].dtype, &freq));
        for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
            CHECK(freq.offset < STOA_PANDAS_DAY ||
                  !stoa_pandas_period_start(&freq, far[k], &ticks));
            char *const label = stoa_pandas_period_label(&freq, far[k]);
            CHECK(label != NULL);
            free(label);
        }
        CHECK(freq.offset <= STOA_PANDAS_DAY || freq.offset == STOA_PANDAS_BUSINESS_DAY ||
              !stoa_pandas_period_start(&freq, INT32_MAX, &ticks));
    }
}

/* Ordinals 600, NaT, one that is missing, and 601. */
static void periods_of_no_ordinal_are_missing(void)
{
    static const int64_t ordinals[] = {600, INT64_MIN, 7, 601};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_column *column = NULL;
    stoa_pandas_freq freq;
    stoa_view view;
    uint8_t *const valid = stoa_alloc_zero(1, 1);
    int64_t *const values = stoa_alloc_zero(4, sizeof *values);
    void *const buffers[] = {valid, values};

    *valid = 0x0b;
    memcpy(values, ordinals, sizeof ordinals);
    CHECK(stoa_pandas_freq_of_text("M", &freq));
    CHECK_OK(stoa_schema_make(&schema, "p", "l", &err), &err);
    CHECK_OK(stoa_array_make(&array, 4, 1, 2, buffers, &err), &err);
    CHECK_OK(stoa_column_of_array(&schema, &array, &column, &err), &err);
    CHECK_OK(stoa_pandas_as_periods(&column, &freq, &err), &err);
    CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
    CHECK_OK(stoa_column_read(column, 0, 4, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK_STR(schema.format, "tdD");
    CHECK_I64(array.null_count, 2);
    CHECK(stoa_view_is_null(&view, 1) && stoa_view_is_null(&view, 2));
    CHECK_I64(stoa_view_i64(&view, 0), 18262); /* 2020-01-01 */
    CHECK_I64(stoa_view_i64(&view, 3), 18293);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_column_close(column);
}

/* A frequency is true of what goes on as it says, and of nothing else. */
static void a_run_is_broken_by_what_does_not_follow(void)
{
    static const struct {
        const char *freq;
        int64_t step;
        int64_t ticks[3];
        bool is_broken;
    } runs[] = {
        {"h", 3600, {0, 3600, 7200}, false}, {"h", 3600, {0, 3600, 7201}, true},
        {"-1D", -1, {5, 4, 3}, false},       {"-1D", -1, {3, 4, 5}, true},
        {"MS", 0, {0, 31, 59}, false},       {"MS", 0, {0, 31, 31}, true},
        {"MS", 0, {0, INT64_MIN, 59}, true}, {"MS", 0, {INT64_MIN, INT64_MAX, 0}, true},
        {"-1ME", 0, {59, 31, 0}, false},
    };

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        stoa_pandas_freq freq;
        stoa_pandas_run run = {.is_begun = false};
        CHECK(stoa_pandas_freq_of_text(runs[i].freq, &freq));
        for (int k = 0; k < 3; k++) {
            stoa_pandas_run_on(&run, &freq, runs[i].step, runs[i].ticks[k]);
        }
        CHECK(run.is_broken == runs[i].is_broken);
        CHECK_I64(run.first, runs[i].ticks[0]);
        CHECK_I64(run.last, runs[i].ticks[2]);
    }
}

TEST_MAIN(TEST(offsets_have_the_names_that_pandas_gives_them),
          TEST(texts_that_are_no_frequencies_are_none), TEST(periods_begin_when_pandas_says),
          TEST(a_period_is_all_ticks_from_its_beginning_to_the_next_one),
          TEST(ordinals_without_a_date_have_no_beginning), TEST(periods_of_no_ordinal_are_missing),
          TEST(a_run_is_broken_by_what_does_not_follow))
