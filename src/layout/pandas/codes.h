/*
 * Categoricals in pandas' table format: codes and their labels.
 *
 * A column is a categorical if Arrow has codes for it. It also is one if its values are plain and
 * the frame's metadata lists the labels (frame.h).
 */
#ifndef STOA_LAYOUT_PANDAS_CODES_H
#define STOA_LAYOUT_PANDAS_CODES_H

#include "column/column.h"
#include "layout/pandas/shape.h"

/* The text that pandas reads as a missing string. */
#define STOA_PANDAS_NAN "nan"

typedef struct stoa_pandas_codes {
    stoa_kind kind; /* of the codes */
    bool is_ordered;
    /* The labels are strings, those of the facts. Otherwise `labels` and `values` give them. */
    bool is_of_texts;
    stoa_pandas_shape labels; /* type of the labels */
    stoa_buffer values;       /* their values in pandas' form, in order */
    uint64_t n_labels;
    bool is_noted;            /* the values of the column are plain */
    stoa_string_set distinct; /* if so: the labels by value; new values are added */
    bool is_complete;         /* new values are refused */
    /* not is_noted: the last dictionary that was met, and the number of each of its labels */
    struct ArrowArray dictionary;
    int32_t *numbers;
    stoa_column_stats stats; /* of the column, without missing values, since codes can store them */
} stoa_pandas_codes;

/*
 * Choose whether a column is stored as codes, and prepare them.
 *
 * @param[out] codes  zero-initialised; the caller clears it, also on failure
 */
stoa_status stoa_pandas_codes_plan(const stoa_layout_source *source, size_t column,
                                   stoa_pandas_codes *codes, bool *is_coded, stoa_error *err);
/*
 * Prepare codes for plain values that join a column of codes.
 *
 * @param field, stats    of the values, of the type of the labels; borrowed
 * @param[out] codes      as above
 */
stoa_status stoa_pandas_codes_of_column(const stoa_column *column, const struct ArrowSchema *field,
                                        const stoa_column_stats *stats, stoa_pandas_codes *codes,
                                        stoa_error *err);
void stoa_pandas_codes_clear(stoa_pandas_codes *codes);

/* The codes of a batch. A missing value is -1. */
stoa_status stoa_pandas_codes_make(stoa_pandas_codes *codes, const stoa_pandas_shape *shape,
                                   const stoa_view *view, struct ArrowArray *out, stoa_error *err);

/* The number of labels, once all rows have been seen; and the values of labels that are not
 * strings. */
uint64_t stoa_pandas_codes_count(const stoa_pandas_codes *codes, const stoa_column_stats *stats);
const uint8_t *stoa_pandas_codes_values(const stoa_pandas_codes *codes);
/* The labels that are strings. */
const stoa_string_set *stoa_pandas_codes_texts(const stoa_pandas_codes *codes,
                                               const stoa_column_stats *stats);

/* Whether a text is the one that pandas reads as missing, which may be NULL; and the refusal of a
 * column with such a text. */
bool stoa_pandas_is_nan(const char *text, size_t length, const char *nan_rep);
stoa_status stoa_pandas_refuse_nan(const stoa_pandas_shape *shape, const char *nan_rep,
                                   stoa_error *err);

#endif
