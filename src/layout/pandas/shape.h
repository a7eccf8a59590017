/* Chooses how pandas represents a column, in either format (PyTables notes §9). */
#ifndef STOA_LAYOUT_PANDAS_SHAPE_H
#define STOA_LAYOUT_PANDAS_SHAPE_H

#include "arrow/read.h"
#include "layout/common/writer.h"
#include "layout/pandas/freq.h"

typedef enum stoa_pandas_as {
    STOA_PANDAS_NUMBER, /* integers and floats; missing floats are NaN */
    STOA_PANDAS_BOOL,
    STOA_PANDAS_TIME,    /* datetime64[ns] as int64; missing values are NaT */
    STOA_PANDAS_DELTA,   /* timedelta64[ns] as int64; missing values are NaT */
    STOA_PANDAS_PERIOD,  /* its start, stored as its ordinal, int64; missing values are NaT */
    STOA_PANDAS_DATE,    /* days as int32, where 0001-01-01 is 1; cannot be missing */
    STOA_PANDAS_COMPLEX, /* structs {r, i} of two equal floats; missing values are NaN */
    STOA_PANDAS_TEXT,
    STOA_PANDAS_CATEGORY
} stoa_pandas_as;

typedef struct stoa_pandas_shape {
    const struct ArrowSchema *field; /* borrowed, as are the facts */
    const stoa_column_stats *stats;
    stoa_type type;
    stoa_pandas_as as;
    /* of the stored values: NUMBER; int64 for TIME, DELTA; BOOL; for COMPLEX of a part */
    stoa_kind kind;
    int64_t per;      /* TIME, DELTA: stored units per tick, in nanoseconds, or 1 to store ticks */
    char *zone;       /* TIME: NULL for none */
    const char *name; /* of the dtype: "int64", "datetime64[ns]"; "object" for strings */
    stoa_pandas_freq freq; /* PERIOD */
} stoa_pandas_shape;

/*
 * @param said    a dtype from the frame's metadata that the values do not show: "period[M]",
 *                "date", "datetime64[s]", "timedelta64[ms]". It is used if the values allow it. May
 *                be NULL
 * @param layout  for messages
 * @return STOA_ETYPE if pandas has no column type for such values; STOA_ELOSS if it cannot hold the
 *         missing ones or the times; both name the column
 */
stoa_status stoa_pandas_shape_of(const struct ArrowSchema *field, const stoa_column_stats *stats,
                                 const char *said, const char *layout, stoa_pandas_shape *shape,
                                 stoa_error *err);
void stoa_pandas_shape_clear(stoa_pandas_shape *shape);

/* Whether pandas can store missing values of the field's type. Integers and booleans cannot be
 * missing, except timedeltas. */
bool stoa_pandas_holds_missing(const struct ArrowSchema *field);

/* Convert values to pandas' form: NUMBER and DATE (of the kind's width), BOOL (bytes), TIME, DELTA
 * and PERIOD (int64). STOA_ELOSS, naming the column and the time, if a time is not the start of a
 * period. */
stoa_status stoa_pandas_plain(const stoa_pandas_shape *shape, const stoa_view *view, void *out,
                              stoa_error *err);

/* The same for COMPLEX: its real parts (0) or imaginary parts (1), as floats of the kind's
 * width. */
stoa_status stoa_pandas_part(const stoa_pandas_shape *shape, const stoa_view *view, int part,
                             void *out, stoa_error *err);

/* Whether a kind of integers has the value. */
bool stoa_pandas_kind_holds(stoa_kind kind, int64_t value);
/* "datetime64[s]", "timedelta64[us]" for ticks of a unit other than nanoseconds; NULL for other
 * types. */
const char *stoa_pandas_dtype_of_unit(const stoa_type *type);
/* The dtype of a numeric kind: "int64". */
const char *stoa_pandas_dtype(stoa_kind kind);
/* The kind of an index with such values. `of_texts` is the answer for strings. */
const char *stoa_pandas_label_kind(const stoa_pandas_shape *shape, const char *of_texts);

/* The name of an index level; NULL if it has none of its own. A single "index", and "level_0",
 * "level_1" ... of several, are the names that unnamed ones get when they are read. */
const char *stoa_pandas_index_name(const stoa_layout_source *source, size_t level);
bool stoa_pandas_is_index(const stoa_layout_source *source, size_t column);

#endif
