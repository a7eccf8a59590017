/*
 * Rows to groups: equal keys get equal numbers, in the order in which keys are first met.
 *
 * A key is made of 64-bit words, one for each expression (texts by the number of their first
 * appearance), and one word that says which of them are missing. Missing is a key of its own; NaNs
 * are one key; -0 and +0 are one key.
 */
#ifndef STOA_QUERY_GROUP_H
#define STOA_QUERY_GROUP_H

#include "core/strings.h"
#include "query/eval.h"

#define STOA_MAX_KEYS 63

/* One expression of the keys. */
typedef struct stoa_key {
    const stoa_expr *expr;
    stoa_strings texts;  /* those met so far; a word is its number */
    uint64_t *by_code;   /* dictionary columns: a code's word */
    uint64_t by_code_of; /* the labels' generation it was made for */
} stoa_key;

/* Zero-initialise; free with stoa_groups_clear(). */
typedef struct stoa_groups {
    stoa_key *keys;
    size_t n_keys;
    uint32_t n_groups;
    stoa_buffer words;  /* n_keys + 1 uint64_t a group; the last one: missing keys, as bits */
    stoa_buffer hashes; /* uint64_t a group */
    uint32_t *slots;    /* open addressing: group + 1, 0 free */
    size_t n_slots;
} stoa_groups;

stoa_status stoa_groups_open(stoa_groups *groups, const stoa_expr *const *exprs, size_t n_keys,
                             stoa_error *err);
/*
 * The group of each selected row of the evaluation's window, new keys making new groups.
 *
 * @param selected    a bit a row, bits past the window 0; NULL: all rows
 * @param n_selected  bits set; the window's rows where `selected` is NULL
 * @param ids         one a row of the window; those of other rows are left as they are
 */
stoa_status stoa_groups_assign(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                               int64_t n_selected, uint32_t *ids, stoa_error *err);
/*
 * As if the rows of `from` had followed those of `into`, which has the same keys.
 *
 * @param ids  into's group of each of from's groups
 */
stoa_status stoa_groups_merge(stoa_groups *into, const stoa_groups *from, uint32_t *ids,
                              stoa_error *err);
/* The same for keys that are words already, n_keys + 1 a row. */
stoa_status stoa_groups_assign_words(stoa_groups *groups, const uint64_t *words, int64_t n,
                                     uint32_t *ids, stoa_error *err);
/* Words of a vector's values; texts are numbered in `texts`. */
stoa_status stoa_words_of(const stoa_vector *vector, stoa_strings *texts, uint64_t *words,
                          size_t stride, stoa_error *err);
/* Key k of groups [first, first + n) as a vector in the pool. */
stoa_status stoa_groups_key(const stoa_groups *groups, size_t k, uint32_t first, uint32_t n,
                            stoa_pool *pool, stoa_vector *out, stoa_error *err);
void stoa_groups_clear(stoa_groups *groups);

#endif
