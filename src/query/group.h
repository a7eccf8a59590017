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
#include "query/group_kernels.h"
#include "query/operand.h"

#define STOA_MAX_KEYS 63

/* One expression of the keys. */
typedef struct stoa_key {
    const stoa_expr *expr;
    stoa_strings texts;           /* those met so far; a word is its number */
    struct stoa_text_memo *memos; /* some of them by their bytes; NULL: none yet */
    uint64_t *by_code;     /* dictionary columns: a code's word, or one of two that are none */
    uint64_t by_code_of;   /* the labels' generation it was made for, */
    const void *by_labels; /* and their place: evaluations count by themselves */
    uint64_t base;         /* dense: the value that is digit 0, */
    uint32_t n_values;     /* how many values have a digit (0: none was met yet), */
    bool has_missing;      /* and whether the one behind them is that of missing rows */
} stoa_key;

typedef struct stoa_slot {
    uint32_t group; /* + 1; 0: free */
    uint32_t tag;   /* of the hash */
} stoa_slot;

/* Zero-initialise; free with stoa_groups_clear(). */
typedef struct stoa_groups {
    stoa_key *keys;
    size_t n_keys;
    uint32_t n_groups;
    stoa_buffer words;  /* n_keys + 1 uint64_t a group; the last one: missing keys, as bits */
    stoa_buffer hashes; /* uint64_t a group */
    stoa_slot *slots;   /* open addressing */
    size_t n_slots;
    const stoa_reductions *reduce;
    const stoa_group_kernels *kernels;
    uint32_t *dense; /* the group of keys' digits, + 1; 0: not met yet. See group_dense.c */
    size_t n_dense;
    uint64_t met[STOA_KNOWN_NUMBERS / 64]; /* the first numbers of it that were met */
    bool is_stale;                         /* it must be emptied first */
    unsigned n_sparse;                     /* windows that shall not be tried that way */
} stoa_groups;

/* The groups of a window's rows, by numbers that groups have. */
typedef struct stoa_group_rows {
    uint32_t *numbers;     /* a row, and room for whole 64s; undefined where it is not selected */
    uint32_t n_numbers;    /* more than any of them */
    const uint32_t *table; /* the group of each number, + 1; NULL: it is the number */
    uint32_t n_groups;     /* so far */
} stoa_group_rows;

stoa_status stoa_groups_open(stoa_groups *groups, const stoa_expr *const *exprs, size_t n_keys,
                             stoa_error *err);
/*
 * The group of each selected row of the evaluation's window, new keys making new groups.
 *
 * @param selected    a bit a row, bits past the window 0; NULL: all rows
 * @param n_selected  bits set; the window's rows where `selected` is NULL
 * @param rows        its `numbers` are the caller's; the others are set, and live until the next
 *                    call
 */
stoa_status stoa_groups_assign(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                               int64_t n_selected, stoa_group_rows *rows, stoa_error *err);
/* The group of each of n rows, undefined where a row is not selected: the numbers become that. */
const uint32_t *stoa_group_ids(stoa_group_rows *rows, int64_t n);
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
/* Key k of groups [first, first + n) as a vector in the pool. */
stoa_status stoa_groups_key(const stoa_groups *groups, size_t k, uint32_t first, uint32_t n,
                            stoa_pool *pool, stoa_vector *out, stoa_error *err);
void stoa_groups_clear(stoa_groups *groups);

/* Between the files. */
/* NaNs are one, zeros are one. */
uint64_t stoa_word_of_f64(double value);
/* The word of a code, and whether its label is missing (the word is 0 then). */
stoa_status stoa_key_of_code(stoa_key *key, const stoa_labels *labels, uint32_t code,
                             uint64_t *word, bool *is_missing, stoa_error *err);
/* Labels of key k that went with another dictionary are forgotten. */
stoa_status stoa_groups_labels(stoa_groups *groups, size_t k, const stoa_labels *labels,
                               stoa_error *err);
/* Whether it is a column of texts that has no dictionary. */
bool stoa_key_is_text(const stoa_key *key, const stoa_evaluation *ev);
/* A key's values as stoa_operand_load() has them; of such texts their numbers, as UINT32. */
stoa_status stoa_key_operand(stoa_key *key, stoa_evaluation *ev, const uint8_t *selected,
                             int64_t n_selected, stoa_operand *out, stoa_error *err);
/* Try keys that have few values; *found is false if they have too many, and nothing is done. */
stoa_status stoa_groups_assign_dense(stoa_groups *groups, stoa_evaluation *ev,
                                     const uint8_t *selected, int64_t n_selected,
                                     stoa_group_rows *rows, bool *found, stoa_error *err);

#endif
