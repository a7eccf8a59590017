/*
 * Frequencies of pandas: offset objects, as pickles hold them, and their names.
 *
 *     h   15min   W-SUN   MS   QE-MAR   -1D   WOM-3FRI
 *
 * An object is recognised by its class and arguments, and nothing is called. Offsets that a name
 * does not describe in full, such as those with a calendar, are not recognised.
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
    STOA_PANDAS_DAY, /* this and those before have fixed lengths */
    STOA_PANDAS_BUSINESS_DAY,
    STOA_PANDAS_WEEK,
    STOA_PANDAS_MONTH_END,
    STOA_PANDAS_QUARTER_END,
    STOA_PANDAS_YEAR_END, /* this and those before may also be frequencies of periods */
    STOA_PANDAS_OTHER_OFFSETS
} stoa_pandas_offset;

typedef struct stoa_pandas_freq {
    int offset;  /* stoa_pandas_offset, or a later index of the table in freq.c */
    int64_t n;   /* multiple of the offset */
    int which;   /* anchor: weekday (Monday is 0), month or day; -1 for none */
    int ordinal; /* of weeks of a month: the week, from 0 */
} stoa_pandas_freq;

/* Parse an offset object or its name. False if it is not a known frequency. */
bool stoa_pandas_freq_of(const stoa_pickled *node, stoa_pandas_freq *freq);
bool stoa_pandas_freq_of_text(const char *text, stoa_pandas_freq *freq);
/* Parse a node that holds such a name. */
bool stoa_pandas_freq_of_node(const stoa_pickled *node, stoa_pandas_freq *freq);
/* Write the name, such as "MS". Some periods have another name, such as "M". */
void stoa_pandas_freq_text(const stoa_pandas_freq *freq, bool is_of_periods,
                           char text[STOA_PANDAS_FREQ_SIZE]);
bool stoa_pandas_freq_is_same(const stoa_pandas_freq *a, const stoa_pandas_freq *b);
/* Nanoseconds of one step; 0 if steps vary. */
int64_t stoa_pandas_freq_step(const stoa_pandas_freq *freq);
/* Checks that ticks follow a frequency. Zero-initialise. */
typedef struct stoa_pandas_run {
    bool is_begun;
    bool is_broken; /* the ticks do not follow the frequency */
    int64_t first;
    int64_t last;
} stoa_pandas_run;

/* Add the next tick. `step` is the distance of two ticks, or 0 if it varies. Then only the
 * direction is checked. */
void stoa_pandas_run_on(stoa_pandas_run *run, const stoa_pandas_freq *freq, int64_t step,
                        int64_t tick);

/* Append the object as opcodes of protocol 0. */
stoa_status stoa_pandas_put_freq(stoa_buffer *out, const stoa_pandas_freq *freq, stoa_error *err);

/* Whether the frequency is valid for periods. */
bool stoa_pandas_is_of_periods(const stoa_pandas_freq *freq);

#endif
