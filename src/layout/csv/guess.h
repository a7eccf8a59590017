/* What type a column of texts is: every value is looked at, the narrowest type that loses none
 * wins. */
#ifndef STOA_LAYOUT_CSV_GUESS_H
#define STOA_LAYOUT_CSV_GUESS_H

#include "arrow/type.h"
#include "column/codebook.h"
#include "core/strings.h"

/* Beyond these a column is no category, unless somebody says that it is. */
#define STOA_CSV_MAX_LABELS STOA_CODEBOOK_LABELS
#define STOA_CSV_MAX_LABEL_BYTES STOA_CODEBOOK_BYTES
/* Each label must stand for so many values, on average. */
#define STOA_CSV_MIN_REPEATS STOA_CODEBOOK_REPEATS

/* May the column become a category? */
typedef enum stoa_csv_category {
    STOA_CSV_CATEGORY_AUTO, /* by the rule above */
    STOA_CSV_CATEGORY_YES,  /* in any case, whatever its values look like */
    STOA_CSV_CATEGORY_NO
} stoa_csv_category;

/* What is known of a column's values so far. stoa_csv_guess_begin(), then free with _clear(). */
typedef struct stoa_csv_guess {
    uint64_t n_values; /* not missing */
    bool is_bool;      /* each: could all values so far be this? */
    bool is_integer;
    bool is_float;
    bool is_time;
    bool is_duration;
    bool is_lax; /* durations may be numbers with units, since somebody says that they are some */

    int64_t min; /* of integers */
    uint64_t max;
    bool has_negative;
    bool has_positive;
    uint8_t sentinels; /* bit k: the recommended fill value of the k-th signed width occurs */

    bool has_nan; /* of floats: what could have been a fill value */
    bool has_fill;
    bool has_low_inf;
    bool has_high_inf;

    bool has_naive; /* of times; what follows, of durations as well */
    bool has_zone;
    stoa_time_unit unit; /* the finest; DAY: dates alone */
    int64_t min_seconds;
    int64_t max_seconds;

    uint64_t max_bytes;
    uint64_t total_bytes;
    stoa_strings labels; /* the distinct values, while they may become categories */
    bool has_labels;
    const stoa_strings *known; /* of a part: what the whole has already; borrowed */
    stoa_csv_category category;
} stoa_csv_guess;

void stoa_csv_guess_begin(stoa_csv_guess *guess, stoa_csv_category category);
stoa_status stoa_csv_guess_add(stoa_csv_guess *guess, const char *text, size_t length,
                               stoa_error *err);
/* Its two halves: what type the value allows; and, while has_labels, the texts of n values:
 * `numbers` are those of the labels, the known ones first. */
void stoa_csv_guess_add_type(stoa_csv_guess *guess, const char *text, size_t length);
stoa_status stoa_csv_guess_add_labels(stoa_csv_guess *guess, const char *const *texts,
                                      const size_t *lengths, size_t n, uint32_t *numbers,
                                      stoa_error *err);
/*
 * A part of a column, looked at by itself and then added to the whole; parts in their order give
 * what one look gives. `whole` must not change while the part is made, which need not look for what
 * is known to be out of the question. `part` is zero or an earlier part, whose memory goes.
 *
 * @param own  uint32_t: for every label of the part, its number in the whole; NULL: not asked for
 */
void stoa_csv_guess_begin_part(stoa_csv_guess *part, const stoa_csv_guess *whole);
stoa_status stoa_csv_guess_merge(stoa_csv_guess *guess, const stoa_csv_guess *part,
                                 stoa_buffer *own, stoa_error *err);
/* The type of all values seen, dictionaries included. */
stoa_type stoa_csv_guess_type(const stoa_csv_guess *guess);
/* The timestamp that holds all times seen, or the duration that holds all durations; false if none
 * does. */
bool stoa_csv_guess_timestamp(const stoa_csv_guess *guess, stoa_type *type);
bool stoa_csv_guess_duration(const stoa_csv_guess *guess, stoa_type *type);
/* A dictionary of the labels seen. */
stoa_type stoa_csv_guess_dictionary(const stoa_csv_guess *guess);
/* Could it still turn out to be a number or a time? */
bool stoa_csv_guess_is_typed(const stoa_csv_guess *guess);
/* Memory of the labels, and giving them up: the column is no category then. */
size_t stoa_csv_guess_bytes(const stoa_csv_guess *guess);
void stoa_csv_guess_drop_labels(stoa_csv_guess *guess);
void stoa_csv_guess_clear(stoa_csv_guess *guess);

#endif
