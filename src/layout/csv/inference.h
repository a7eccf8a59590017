/* Type inference for a text column. Every value is examined, and the narrowest type that loses none
 * is chosen. */
#ifndef STOA_LAYOUT_CSV_INFERENCE_H
#define STOA_LAYOUT_CSV_INFERENCE_H

#include "arrow/type.h"
#include "column/write/categories.h"
#include "core/string_set.h"
#include "layout/csv/spelling.h"

/* A column with more labels is not a category, unless the caller says so. */
#define STOA_CSV_MAX_LABELS STOA_CATEGORIES_LABELS
#define STOA_CSV_MAX_LABEL_BYTES STOA_CATEGORIES_BYTES
/* Least number of values per label, on average. */
#define STOA_CSV_MIN_REPEATS STOA_CATEGORIES_REPEATS

/* Whether the column may become a category. */
typedef enum stoa_csv_category {
    STOA_CSV_CATEGORY_AUTO, /* by the rules above */
    STOA_CSV_CATEGORY_YES,  /* always, whatever its values look like */
    STOA_CSV_CATEGORY_NO
} stoa_csv_category;

/* The value that kept a column from being a number or a time. */
typedef struct stoa_csv_spoiler {
    bool is_set;
    uint64_t line; /* counted from that of the block; of the whole column: in the text */
    size_t length; /* of `text`, which is cut */
    char text[44];
} stoa_csv_spoiler;

/* What a text looks like. */
typedef enum stoa_csv_look {
    STOA_CSV_LOOKS_NUMBER,
    STOA_CSV_LOOKS_TIME,
    STOA_CSV_LOOKS_BOOL,
    STOA_CSV_LOOKS_TEXT,
    STOA_CSV_N_LOOKS
} stoa_csv_look;

/* What is known of a column's values so far. Initialise by stoa_csv_inference_begin(), free by
 * stoa_csv_inference_clear(). */
typedef struct stoa_csv_inference {
    uint64_t n_values; /* not missing */
    bool is_bool;      /* each of these: whether all values so far could be of this type */
    bool is_integer;
    bool is_float;
    bool is_time;
    bool is_duration;
    bool is_lax; /* durations may be numbers with units, since the caller gave that type */

    int64_t min; /* of integers */
    uint64_t max;
    bool has_negative;
    bool has_positive;
    uint8_t sentinels; /* bit k: the recommended fill value of the k-th signed width occurs */

    bool has_nan; /* of floats: values that could have been a fill value */
    bool has_fill;
    bool has_low_inf;
    bool has_high_inf;

    bool has_naive; /* of times; the following fields also of durations */
    bool has_zone;
    stoa_time_unit unit; /* the finest; DAY if there are only dates */
    int64_t min_seconds;
    int64_t max_seconds;

    uint64_t max_bytes;
    uint64_t total_bytes;
    stoa_string_set labels; /* distinct values, while the column may become a category */
    bool has_labels;
    const stoa_string_set *known; /* of a part: the labels of the whole column; borrowed */
    stoa_csv_category category;

    const stoa_csv_spelling *spelling; /* of numbers and times; NULL: as usual */
    stoa_csv_spoiler spoiler;
    uint32_t samples[STOA_CSV_N_LOOKS]; /* looks of a few values, once the column is not typed */
} stoa_csv_inference;

void stoa_csv_inference_begin(stoa_csv_inference *guess, stoa_csv_category category);
stoa_status stoa_csv_inference_add(stoa_csv_inference *guess, const char *text, size_t length,
                                   stoa_error *err);
/* What a value looks like, by itself. */
stoa_csv_look stoa_csv_look_of(const stoa_csv_spelling *spelling, const char *text, size_t length);
/* Whether a text often stands for a missing value, such as NA: its number in a list, or -1. */
int stoa_csv_null_word(const char *text, size_t length);
const char *stoa_csv_null_word_name(int number);
/* The two halves of stoa_csv_inference_add(). The first narrows the types by a value. The second
 * adds the texts of n values, while has_labels. `numbers` gets the numbers of their labels, known
 * ones first. */
void stoa_csv_inference_add_type(stoa_csv_inference *guess, const char *text, size_t length);
stoa_status stoa_csv_inference_add_labels(stoa_csv_inference *guess, const char *const *texts,
                                          const size_t *lengths, size_t n, uint32_t *numbers,
                                          stoa_error *err);
/*
 * Parts of a column are examined separately and merged in order, with the same result as a single
 * pass. `whole` must not change while a part is examined. A part skips types that the whole has
 * ruled out. `part` is zero or an earlier part, whose memory is reused.
 *
 * @param own  uint32_t: for each label of the part, its number in the whole; may be NULL
 */
void stoa_csv_inference_begin_part(stoa_csv_inference *part, const stoa_csv_inference *whole);
stoa_status stoa_csv_inference_merge(stoa_csv_inference *guess, const stoa_csv_inference *part,
                                     stoa_buffer *own, stoa_error *err);
/* The type of all values seen, which may be a dictionary. */
stoa_type stoa_csv_inference_type(const stoa_csv_inference *guess);
/* The timestamp type for all times seen, or the duration type for all durations. False if there is
 * none. */
bool stoa_csv_inference_timestamp(const stoa_csv_inference *guess, stoa_type *type);
bool stoa_csv_inference_duration(const stoa_csv_inference *guess, stoa_type *type);
/* A dictionary type for the labels seen. */
stoa_type stoa_csv_inference_dictionary(const stoa_csv_inference *guess);
/* Whether the column may still be a number or a time. */
bool stoa_csv_inference_is_typed(const stoa_csv_inference *guess);
/* Memory of the labels; and a call to drop them, after which the column is no category. */
size_t stoa_csv_inference_bytes(const stoa_csv_inference *guess);
void stoa_csv_inference_drop_labels(stoa_csv_inference *guess);
/* The inference of column k. */
typedef stoa_csv_inference *(*stoa_csv_guess_at)(void *columns, size_t k);
/* Drop labels of n columns until the rest fit into the memory limit. */
void stoa_csv_inference_limit(stoa_csv_guess_at at, void *columns, size_t n);
void stoa_csv_inference_clear(stoa_csv_inference *guess);

#endif
