/*
 * Threshold: what a row's first sort key must be for the row to be among the first rows of a
 * limited order. It is a comparison of the key's column with a constant, so that most rows are
 * rejected by the filters of stored values and never become rows of a batch. The constant is the
 * key of the last of the best rows that are known, and moves as better ones are found.
 */
#ifndef STOA_QUERY_THRESHOLD_H
#define STOA_QUERY_THRESHOLD_H

#include "query/eval/eval.h"
#include "query/sort/sort.h"

/* Zero-initialise; free with stoa_threshold_clear(). Must not move once it is set. */
typedef struct stoa_threshold {
    bool is_set;
    stoa_expr test; /* the column, compared with the constant */
    stoa_expr column;
    stoa_expr constant;
    stoa_expr *args[2];
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
        stoa_bytes bytes;
    } value;
    stoa_buffer text; /* of the value */
} stoa_threshold;

/* Whether keys of the expression can be tested: a column of numbers, times or texts, as stored. */
bool stoa_threshold_suits(const stoa_scope *scope, const stoa_expr *key);
/*
 * Demand that a row comes before `last`, by its first key.
 *
 * @param key        the first key, which suits
 * @param view       the first key's values, with that of `last` in row `row`
 * @param is_strict  rows with the same key do not pass
 * @param[out] out   is not set if `row` is missing or NaN: every row may come before it
 */
stoa_status stoa_threshold_set(stoa_threshold *out, const stoa_expr *key, const stoa_view *view,
                               int64_t row, bool is_descending, bool is_strict, stoa_error *err);
void stoa_threshold_clear(stoa_threshold *threshold);

#endif
