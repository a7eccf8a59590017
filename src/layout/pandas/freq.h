/*
 * Frequencies of pandas: offsets, which pickles hold as objects, and their names in words.
 *
 *     h   15min   W-SUN   MS   QE-MAR   -1D   WOM-3FRI
 *
 * An object is known by its class and its arguments; nothing is called. Those that a text does not
 * say in full, as offsets with a calendar, are none here.
 */
#ifndef STOA_LAYOUT_PANDAS_FREQ_H
#define STOA_LAYOUT_PANDAS_FREQ_H

#include "core/memory.h"
#include "layout/pickle/pickle.h"

enum { STOA_PANDAS_FREQ_SIZE = 48 };

typedef enum stoa_pandas_offset {
    STOA_PANDAS_NANO,
    STOA_PANDAS_MICRO,
    STOA_PANDAS_MILLI,
    STOA_PANDAS_SECOND,
    STOA_PANDAS_MINUTE,
    STOA_PANDAS_HOUR,
    STOA_PANDAS_DAY, /* and those before it: of a fixed length */
    STOA_PANDAS_BUSINESS_DAY,
    STOA_PANDAS_WEEK,
    STOA_PANDAS_MONTH_END,
    STOA_PANDAS_QUARTER_END,
    STOA_PANDAS_YEAR_END, /* and those before it: periods, too */
    STOA_PANDAS_OTHER_OFFSETS
} stoa_pandas_offset;

typedef struct stoa_pandas_freq {
    int offset;  /* stoa_pandas_offset, or one after those that have a name there */
    int64_t n;   /* every n-th of them */
    int which;   /* the weekday (Monday is 0), month, or day that it is anchored at; -1: none */
    int ordinal; /* of weeks of a month, the week, from 0 */
} stoa_pandas_freq;

/* False where it is none. */
bool stoa_pandas_freq_of(const stoa_pickled *node, stoa_pandas_freq *freq);
bool stoa_pandas_freq_of_text(const char *text, stoa_pandas_freq *freq);
/* Of a text that was read. */
bool stoa_pandas_freq_of_node(const stoa_pickled *node, stoa_pandas_freq *freq);
/* "MS"; of a period "M" where pandas calls it so. */
void stoa_pandas_freq_text(const stoa_pandas_freq *freq, bool is_of_periods,
                           char text[STOA_PANDAS_FREQ_SIZE]);
bool stoa_pandas_freq_is_same(const stoa_pandas_freq *a, const stoa_pandas_freq *b);
/* Nanoseconds of one step; 0 where steps differ. */
int64_t stoa_pandas_freq_step(const stoa_pandas_freq *freq);
/* Ticks that go on one after another; zero-initialise. */
typedef struct stoa_pandas_run {
    bool is_begun;
    bool is_broken; /* they are none that a frequency makes */
    int64_t first;
    int64_t last;
} stoa_pandas_run;

/* The next tick. `step`: what lies between two; 0: what the frequency says it is not. */
void stoa_pandas_run_on(stoa_pandas_run *run, const stoa_pandas_freq *freq, int64_t step,
                        int64_t tick);

/* The object, as opcodes of protocol 0. */
stoa_status stoa_pandas_put_freq(stoa_buffer *out, const stoa_pandas_freq *freq, stoa_error *err);

/* Whether periods have that frequency. */
bool stoa_pandas_is_of_periods(const stoa_pandas_freq *freq);

#endif
