/*
 * Periods of pandas: spans of time of one frequency, of which files hold ordinals.
 *
 * Here a period is when it begins: a date where the frequency is of days or more, else a timestamp
 * of the least unit that says it. Nothing is lost beside the frequency, which frame.h keeps.
 */
#ifndef STOA_LAYOUT_PANDAS_PERIOD_H
#define STOA_LAYOUT_PANDAS_PERIOD_H

#include "column/foreign.h"
#include "layout/pandas/freq.h"

/* What their beginnings are counted in. */
stoa_time_unit stoa_pandas_period_unit(const stoa_pandas_freq *freq);
/* When the period begins, in that unit: false where dates of 32 bits, or times of 64, do not go. */
bool stoa_pandas_period_start(const stoa_pandas_freq *freq, int64_t ordinal, int64_t *ticks);
/* The period that a tick is in. */
int64_t stoa_pandas_period_at(const stoa_pandas_freq *freq, int64_t ticks);

/* "period[M]", room for which has STOA_PANDAS_DTYPE_SIZE bytes. */
enum { STOA_PANDAS_DTYPE_SIZE = STOA_PANDAS_FREQ_SIZE + 16 };
void stoa_pandas_period_dtype(const stoa_pandas_freq *freq, char dtype[STOA_PANDAS_DTYPE_SIZE]);
bool stoa_pandas_period_of_dtype(const char *dtype, stoa_pandas_freq *freq);

/* A time in words, with as many digits as mean something: "2020-01-01", "2020-01-01T12:30:00Z". The
 * caller's; NULL when memory runs out. */
char *stoa_pandas_moment_label(int64_t ticks, stoa_time_unit unit, bool has_zone);

/* In words: "2020-01", "2020Q1", "2020"; else its beginning as a time's label has it. INT64_MIN is
 * "NaT". The caller's; NULL when memory runs out. */
char *stoa_pandas_period_label(const stoa_pandas_freq *freq, int64_t ordinal);

/* Replace a column of ordinals by one of what they stand for; of INT64_MIN nothing.
 *
 * @param column  closed, and NULL, on failure */
stoa_status stoa_pandas_show_periods(stoa_column **column, const stoa_pandas_freq *freq,
                                     stoa_error *err);

#endif
