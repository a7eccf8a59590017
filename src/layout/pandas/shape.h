/* What a column becomes in a frame of pandas, whichever format stores it (PyTables notes §9). */
#ifndef STOA_LAYOUT_PANDAS_SHAPE_H
#define STOA_LAYOUT_PANDAS_SHAPE_H

#include "arrow/read.h"
#include "layout/pandas/freq.h"
#include "layout/writer.h"

typedef enum stoa_pandas_as {
    STOA_PANDAS_NUMBER, /* integers, floats, as they are; missing floats are NaN */
    STOA_PANDAS_BOOL,
    STOA_PANDAS_TIME,    /* datetime64[ns] as int64; missing: NaT */
    STOA_PANDAS_DELTA,   /* timedelta64[ns] as int64; the same */
    STOA_PANDAS_PERIOD,  /* when it begins, stored as its ordinal, int64; the same */
    STOA_PANDAS_DATE,    /* days stored as int32 since 0001-01-01, which is 1; none is missing */
    STOA_PANDAS_COMPLEX, /* structs {r, i} of two equal floats; missing: NaN */
    STOA_PANDAS_TEXT,
    STOA_PANDAS_CATEGORY
} stoa_pandas_as;

typedef struct stoa_pandas_shape {
    const struct ArrowSchema *field; /* borrowed, as the facts are */
    const stoa_facts *facts;
    stoa_type type;
    stoa_pandas_as as;
    stoa_kind kind;   /* of the plain values: NUMBER; TIME, DELTA int64; BOOL; of COMPLEX a part */
    int64_t per;      /* TIME, DELTA: what is stored a tick, nanoseconds or the tick itself */
    char *zone;       /* TIME: NULL: none */
    const char *name; /* of the dtype: "int64", "datetime64[ns]"; "object" of texts */
    stoa_pandas_freq freq; /* PERIOD */
} stoa_pandas_shape;

/*
 * @param said    what a frame of pandas said that it was, where its values do not: "period[M]",
 *                "date", "datetime64[s]", "timedelta64[ms]"; believed if they may be such. NULL: it
 *                said nothing
 * @param layout  for messages
 * @return STOA_ETYPE if no column of pandas holds such values; STOA_ELOSS if it has missing ones,
 * or times, that pandas cannot hold; both name the column
 */
stoa_status stoa_pandas_shape_of(const struct ArrowSchema *field, const stoa_facts *facts,
                                 const char *said, const char *layout, stoa_pandas_shape *shape,
                                 stoa_error *err);
void stoa_pandas_shape_clear(stoa_pandas_shape *shape);

/* Whether a column of pandas holds missing values of the field's type: all but integers, other than
 * timedeltas, and bools do. */
bool stoa_pandas_holds_missing(const struct ArrowSchema *field);

/* Values of NUMBER and DATE (of the kind's width), BOOL (bytes), TIME, DELTA and PERIOD (int64) in
 * pandas' own form. STOA_ELOSS naming the column of periods, and the time that begins none. */
stoa_status stoa_pandas_plain(const stoa_pandas_shape *shape, const stoa_view *view, void *out,
                              stoa_error *err);

/* The same of COMPLEX: its real parts (0) or its imaginary ones (1), floats of the kind's width. */
stoa_status stoa_pandas_part(const stoa_pandas_shape *shape, const stoa_view *view, int part,
                             void *out, stoa_error *err);

/* The dtype of a number's kind: "int64". */
const char *stoa_pandas_dtype(stoa_kind kind);
/* The kind that an index of such values has, and what it is of texts. */
const char *stoa_pandas_label_kind(const stoa_pandas_shape *shape, const char *of_texts);

/* What an index is called; NULL where it has no name of its own: "index" alone, "level_0",
 * "level_1" ... of several are what those without a name are called when they are read. */
const char *stoa_pandas_index_name(const stoa_layout_source *source, size_t level);
bool stoa_pandas_is_index(const stoa_layout_source *source, size_t column);

#endif
