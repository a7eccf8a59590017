/*
 * Categoricals in pandas' table format: codes, and what they stand for.
 *
 * A column is one where Arrow has codes; or where its values are plain, and a frame of pandas said
 * (frame.h) of which labels they were.
 */
#ifndef STOA_LAYOUT_PANDAS_CODES_H
#define STOA_LAYOUT_PANDAS_CODES_H

#include "layout/pandas/shape.h"

/* What pandas takes for missing in strings. */
#define STOA_PANDAS_NAN "nan"

typedef struct stoa_pandas_codes {
    stoa_kind kind; /* of the codes */
    bool is_ordered;
    bool is_of_texts;         /* the labels are those of the facts; else: */
    stoa_pandas_shape labels; /* what they are */
    stoa_buffer values;       /* their values in pandas' form, in order */
    uint64_t n_labels;
    bool is_noted;         /* the values of the column are plain */
    stoa_strings distinct; /* if so: those of the labels, which others may join */
    stoa_facts facts;      /* of the column, but for missing values: codes hold them */
} stoa_pandas_codes;

/*
 * Whether a column becomes codes, and which.
 *
 * @param[out] codes  zero-initialised; clear after a failure as well
 */
stoa_status stoa_pandas_codes_plan(const stoa_layout_source *source, size_t column,
                                   stoa_pandas_codes *codes, bool *is_coded, stoa_error *err);
void stoa_pandas_codes_clear(stoa_pandas_codes *codes);

/* A batch's codes; what is missing is -1. */
stoa_status stoa_pandas_codes_make(stoa_pandas_codes *codes, const stoa_pandas_shape *shape,
                                   const stoa_view *view, struct ArrowArray *out, stoa_error *err);

/* How many labels there are, once all rows were seen, and the values of those that are no texts. */
uint64_t stoa_pandas_codes_count(const stoa_pandas_codes *codes, const stoa_facts *facts);
const uint8_t *stoa_pandas_codes_values(const stoa_pandas_codes *codes);

/* The text that pandas takes for missing, in a column. */
bool stoa_pandas_is_nan(const char *text, size_t length);
stoa_status stoa_pandas_refuse_nan(const stoa_pandas_shape *shape, stoa_error *err);

#endif
