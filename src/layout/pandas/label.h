/*
 * Labels of the columns, levels and axes of a frame: strings, numbers, booleans, times, and tuples
 * of these, which are labels of several levels.
 *
 * In pandas, times are objects of Python or of pandas. In Stoa's own metadata, a pickle of plain
 * values (frame.h), a time is a dict of one item, a dtype and a count:
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

/* Limits on the levels of a label and on its bytes, since a pickle can repeat a long text at two
 * bytes each. */
enum {
    STOA_PANDAS_MAX_LEVELS = 100,
    STOA_PANDAS_MAX_LABEL_LENGTH = 4096,
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
    stoa_time_unit unit;              /* DAY for dates only */
    int64_t ticks;                    /* INT64_MIN is NaT; for a period, its ordinal */
    stoa_pandas_freq freq;            /* of a period */
    char zone[STOA_PANDAS_ZONE_SIZE]; /* of a time, which is then UTC; "" for none */
} stoa_pandas_time;

/* Whether a node is a time, in either form. */
bool stoa_pandas_time_of(const stoa_pickled *node, stoa_pandas_time *time);

/* Whether a node can be a label of a column or level, within limits. */
bool stoa_pandas_is_label(const stoa_pickled *node);
/* The label as text: a string, a number, "2020-01-01T12:00:00", or the parts of a tuple joined by
 * commas. NULL for None, for a node that is no label, and if out of memory. The caller frees it. */
char *stoa_pandas_label(const stoa_pickled *node);
char *stoa_pandas_time_label(const stoa_pandas_time *time);

/* The reader of the opcodes: Stoa, or pandas, for which times are objects. */
typedef enum stoa_pandas_for { STOA_PANDAS_FOR_STOA, STOA_PANDAS_FOR_PANDAS } stoa_pandas_for;

/* Append a label or None as opcodes of protocol 0. For other nodes *is_plain becomes false, and
 * what was appended is invalid. */
stoa_status stoa_pandas_put_node(stoa_buffer *out, const stoa_pickled *node, stoa_pandas_for whom,
                                 bool *is_plain, stoa_error *err);
/* Append a label for pandas, or the name if the label is NULL or invalid, or None if the name is
 * NULL, too. Labels may come from untrusted metadata. */
stoa_status stoa_pandas_put_label_or(stoa_buffer *out, const stoa_pickled *label, const char *name,
                                     stoa_error *err);
stoa_status stoa_pandas_put_time(stoa_buffer *out, const stoa_pandas_time *time,
                                 stoa_pandas_for whom, stoa_error *err);

#endif
