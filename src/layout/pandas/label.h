/*
 * What the columns, levels and axes of a frame are called: texts, numbers, truth values, times, and
 * tuples of these, which are labels of several levels.
 *
 * Times are objects of Python's or of pandas' own. Where Stoa says such a label itself, within a
 * pickle of plain values (frame.h), it is a dict of one item, a dtype and a count:
 *
 *     {"datetime64[ns]": 0}   {"datetime64[s, Europe/Berlin]": 0}   {"timedelta64[ms]": 0}
 *     {"date": 0}, in days since 1970   {"period[M]": 0}, its ordinal; NaT is INT64_MIN
 */
#ifndef STOA_LAYOUT_PANDAS_LABEL_H
#define STOA_LAYOUT_PANDAS_LABEL_H

#include "core/memory.h"
#include "core/text.h"
#include "layout/pandas/freq.h"
#include "layout/pickle/pickle.h"

/* Of a label's levels, and of its bytes: a pickle says the same long text any number of times, in
 * two bytes each. */
enum {
    STOA_PANDAS_MOST_LEVELS = 100,
    STOA_PANDAS_LONGEST_LABEL = 4096,
    STOA_PANDAS_ZONE_SIZE = 64
};

typedef enum stoa_pandas_time_kind {
    STOA_PANDAS_IS_TIME,
    STOA_PANDAS_IS_DELTA,
    STOA_PANDAS_IS_DATE,
    STOA_PANDAS_IS_PERIOD
} stoa_pandas_time_kind;

/* A label that is a time. */
typedef struct stoa_pandas_time {
    stoa_pandas_time_kind kind;
    stoa_time_unit unit;              /* days of a date, and of nothing else */
    int64_t ticks;                    /* INT64_MIN: NaT; of a period its ordinal */
    stoa_pandas_freq freq;            /* of a period */
    char zone[STOA_PANDAS_ZONE_SIZE]; /* of a time, which is UTC then; "": none */
} stoa_pandas_time;

/* Whether a node is one, in either form. */
bool stoa_pandas_time_of(const stoa_pickled *node, stoa_pandas_time *time);

/* Whether a column or level may be called so, within reason. */
bool stoa_pandas_is_label(const stoa_pickled *node);
/* What it is called in words: a text, a number, "2020-01-01T12:00:00", a tuple's parts joined by
 * commas; NULL of None and of what is no label, and when memory runs out. The caller's. */
char *stoa_pandas_label(const stoa_pickled *node);
char *stoa_pandas_time_label(const stoa_pandas_time *time);

/* Who reads what is put: Stoa, or pandas, of which times are the objects. */
typedef enum stoa_pandas_for { STOA_PANDAS_FOR_STOA, STOA_PANDAS_FOR_PANDAS } stoa_pandas_for;

/* A label, or None, as opcodes of protocol 0; *is_plain becomes false of others, and what was put
 * is none. */
stoa_status stoa_pandas_put_node(stoa_buffer *out, const stoa_pickled *node, stoa_pandas_for whom,
                                 bool *is_plain, stoa_error *err);
/* A label for pandas, or else a name, or None where that is NULL: a label may be NULL, and what
 * others than Stoa wrote as one may be none. */
stoa_status stoa_pandas_put_label_or(stoa_buffer *out, const stoa_pickled *label, const char *name,
                                     stoa_error *err);
stoa_status stoa_pandas_put_time(stoa_buffer *out, const stoa_pandas_time *time,
                                 stoa_pandas_for whom, stoa_error *err);

#endif
