/*
 * Periods of pandas: spans of time with one frequency, stored as ordinals.
 *
 * Here a period is represented by its start. This is a date for frequencies of days and longer, and
 * otherwise a timestamp in the coarsest exact unit. Only the frequency is lost, which frame.h
 * keeps.
 */
#ifndef STOA_LAYOUT_PANDAS_PERIOD_H
#define STOA_LAYOUT_PANDAS_PERIOD_H

#include "column/read/foreign.h"
#include "layout/pandas/freq.h"

/* The unit of their starts. */
stoa_time_unit stoa_pandas_period_unit(const stoa_pandas_freq *freq);
/* The start of a period, in that unit. False if it is out of range for 32-bit dates or 64-bit
 * times. */
bool stoa_pandas_period_start(const stoa_pandas_freq *freq, int64_t ordinal, int64_t *ticks);
/* The period that contains a tick. */
int64_t stoa_pandas_period_at(const stoa_pandas_freq *freq, int64_t ticks);

/* "period[M]", in a buffer of STOA_PANDAS_DTYPE_SIZE bytes. */
enum { STOA_PANDAS_DTYPE_SIZE = STOA_PANDAS_FREQ_SIZE + 16 };
void stoa_pandas_period_dtype(const stoa_pandas_freq *freq, char dtype[STOA_PANDAS_DTYPE_SIZE]);
bool stoa_pandas_period_of_dtype(const char *dtype, stoa_pandas_freq *freq);

/* A time as text without redundant digits: "2020-01-01", "2020-01-01T12:30:00Z". The caller frees
 * it. NULL if out of memory. */
char *stoa_pandas_moment_label(int64_t ticks, stoa_time_unit unit, bool has_zone);

/* A period as text: "2020-01", "2020Q1", "2020", or else its start as a time. INT64_MIN is "NaT".
 * The caller frees it. NULL if out of memory. */
char *stoa_pandas_period_label(const stoa_pandas_freq *freq, int64_t ordinal);

/*
 * Replace a column of ordinals by one of period starts. INT64_MIN becomes missing.
 *
 * @param column  closed and set to NULL on failure
 */
stoa_status stoa_pandas_as_periods(stoa_column **column, const stoa_pandas_freq *freq,
                                   stoa_error *err);

#endif
