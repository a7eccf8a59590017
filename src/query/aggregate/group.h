/*
 * Assigns rows to groups: equal keys get the same number, in order of first appearance.
 *
 * A key consists of one 64-bit word per expression (for texts, a number that all threads of a
 * query share), and one word that says which of them are missing. Missing values are equal to each
 * other, all NaNs are equal, and -0 equals +0.
 */
#ifndef STOA_QUERY_GROUP_H
#define STOA_QUERY_GROUP_H

#include "core/text_numbers.h"
#include "query/aggregate/group_kernels.h"
#include "query/aggregate/operand.h"

#define STOA_MAX_KEYS 63

/* One expression of the keys, as one thread reads it. */
typedef struct stoa_key {
    const stoa_expr *expr;
    stoa_text_numbers *texts; /* of texts and labels; NULL: the key is no text */
    bool owns_texts;
    struct stoa_text_memo *memos; /* cache of short texts; NULL: not made yet */
    const stoa_view *labels; /* of a dictionary whose codes are the numbers, since no two labels are
                                equal; NULL: `texts` has them. Set by the owner, as is: */
    bool has_one_dictionary; /* for all rows; all threads share `by_code`. Set by the owner */
    bool owns_codes;
    _Atomic uint32_t *by_code; /* dictionary columns: each code's number, see group_texts.c */
    uint64_t by_code_of;       /* the labels' generation that `by_code` belongs to, */
    const void *by_labels;     /* and their address: evaluations count separately */
    uint64_t base;             /* dense: the value that has digit 0 */
    uint32_t n_values;         /* number of values with a digit; 0: none yet */
    bool has_missing;          /* missing rows have the digit after these */
} stoa_key;

/* Make keys of expressions. Free them with stoa_keys_close(). */
stoa_status stoa_keys_open(const stoa_expr *const *exprs, size_t n_keys, stoa_key **keys,
                           stoa_error *err);
/* The same keys for another thread. They share the numbers of texts with `from`, which must outlive
 * them. */
stoa_status stoa_keys_share(const stoa_key *from, size_t n_keys, stoa_key **keys, stoa_error *err);
/* An empty key that reads the same texts. */
stoa_key stoa_key_share(const stoa_key *from);
void stoa_key_clear(stoa_key *key);
/* NULL is fine. */
void stoa_keys_close(stoa_key *keys, size_t n_keys);

typedef struct stoa_slot {
    uint32_t group; /* + 1; 0: free */
    uint32_t tag;   /* of the hash */
} stoa_slot;

/* Zero-initialise; free with stoa_groups_clear(). */
typedef struct stoa_groups {
    stoa_key *keys; /* borrowed; NULL: the keys are words already */
    size_t n_keys;
    uint32_t n_groups;
    stoa_buffer words;  /* n_keys words per group, and a bitmap of missing ones */
    stoa_buffer hashes; /* uint64_t per group */
    stoa_slot *slots;   /* hash table, open addressing */
    size_t n_slots;
    const stoa_listener *listener; /* told while slots grow; borrowed, may be NULL */
    const stoa_reductions *reduce;
    const stoa_group_kernels *kernels;
    uint32_t *dense; /* group + 1 by the number made of digits, or of a text; 0: new */
    size_t n_dense;
    uint64_t met[STOA_KNOWN_NUMBERS / 64]; /* bitmap of small numbers met */
    bool is_stale;                         /* `dense` must be cleared first */
    unsigned n_sparse;                     /* windows left for which the dense path is skipped */
} stoa_groups;

/* The groups of a window's rows, by numbers that stand for groups. */
typedef struct stoa_group_rows {
    uint32_t *numbers;     /* per row, with space for whole 64s; undefined if not selected */
    uint32_t n_numbers;    /* greater than any of them */
    const uint32_t *table; /* group + 1 for each number; NULL: the number is the group */
    uint32_t n_groups;     /* so far */
} stoa_group_rows;

/* The keys, which may be NULL, serve one state at a time. */
void stoa_groups_open(stoa_groups *groups, stoa_key *keys, size_t n_keys);
/*
 * Assign a group to each selected row of the evaluation's window. New keys make new groups.
 *
 * @param selected    one bit per row, 0 past the window; NULL: all rows
 * @param n_selected  number of bits set; all rows of the window if `selected` is NULL
 * @param rows        the caller provides `numbers`; the other fields are set, and are valid until
 *                    the next call
 */
stoa_status stoa_groups_assign(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                               int64_t n_selected, stoa_group_rows *rows, stoa_error *err);
/*
 * The words of the keys of selected rows, one row after the other, n_keys + 1 words for each.
 *
 * @param selected    NULL: all rows
 * @param[out] rows   their places in the window; both are the evaluation's
 */
stoa_status stoa_groups_words(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                              int64_t n_selected, const uint64_t **words, const uint32_t **rows,
                              stoa_error *err);
/* Whether the only key is a text, so that numbers of texts can stand for the groups. */
static inline bool stoa_groups_are_numbered(const stoa_groups *groups)
{
    return groups->n_keys == 1 && groups->keys != NULL && groups->keys->texts != NULL;
}
/* In place of words: the numbers of these texts, plus one; 0: missing. */
stoa_status stoa_groups_numbers(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                                int64_t n_selected, const uint32_t **numbers, const uint32_t **rows,
                                stoa_error *err);
/* Replace the numbers by group ids. Those of rows that are not selected are undefined. */
const uint32_t *stoa_group_ids(stoa_group_rows *rows, int64_t n);
/*
 * Merge groups [first, first + n) as if the rows of `from` followed those of `into`, whose keys
 * share their texts.
 *
 * @param[out] ids  the group of `into` for each group of `from`; those of this range are set
 */
stoa_status stoa_groups_merge(stoa_groups *into, const stoa_groups *from, uint32_t first,
                              uint32_t n, uint32_t *ids, stoa_error *err);
/* Assign groups to keys that are words already, n_keys + 1 per row. */
stoa_status stoa_groups_assign_words(stoa_groups *groups, const uint64_t *words, int64_t n,
                                     uint32_t *ids, stoa_error *err);
/* Assign groups to such numbers, of which only every `step`-th occurs. All of a state's groups are
 * assigned like this. */
stoa_status stoa_groups_assign_numbers(stoa_groups *groups, const uint32_t *numbers, int64_t n,
                                       uint32_t step, uint32_t *ids, stoa_error *err);
/* Key k of groups [first, first + n) as a vector in the arena. */
stoa_status stoa_groups_key(const stoa_groups *groups, size_t k, uint32_t first, uint32_t n,
                            stoa_arena *arena, stoa_vector *out, stoa_error *err);
void stoa_groups_clear(stoa_groups *groups);

/* How many numbers the key's texts have. */
static inline uint32_t stoa_key_count(const stoa_key *key)
{
    return key->labels != NULL ? (uint32_t)key->labels->length
                               : stoa_text_numbers_count(key->texts);
}
/* The text of a number, for when no thread adds any. */
static inline const char *stoa_key_text(const stoa_key *key, uint32_t number, size_t *length)
{
    return key->labels != NULL ? stoa_view_bytes(key->labels, number, length)
                               : stoa_text_numbers_get(key->texts, number, length);
}

/* Shared among the group files. */
static inline uint64_t stoa_hash_words(const uint64_t *words, size_t n)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ words[i]) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}
/* All NaNs have one word; so have -0 and +0. */
uint64_t stoa_word_of_f64(double value);
/* The numbers of the labels of n codes, plus one; 0: the label is missing. The codes are those of
 * rows `at`; NULL: of the first n rows. */
stoa_status stoa_key_of_codes(stoa_key *key, const stoa_labels *labels, const uint32_t *codes,
                              const uint32_t *at, int64_t n, uint32_t *numbers, stoa_error *err);
/* Forget the numbers of codes if they belong to another dictionary. *is_new may be NULL. */
stoa_status stoa_key_labels(stoa_key *key, const stoa_labels *labels, bool *is_new,
                            stoa_error *err);
/* The same for key k of groups. */
stoa_status stoa_groups_labels(stoa_groups *groups, size_t k, const stoa_labels *labels,
                               stoa_error *err);
/* Whether the key is a text column without a dictionary. */
bool stoa_key_is_text(const stoa_key *key, const stoa_evaluation *ev);
/* A key's values as stoa_operand_load() gives them; for text columns the texts' numbers, as
 * UINT32. */
stoa_status stoa_key_operand(stoa_key *key, stoa_evaluation *ev, const uint8_t *selected,
                             int64_t n_selected, stoa_operand *out, stoa_error *err);
/* Assign groups by digits, for keys with few values. *found is false if they have too many;
 * nothing is done then. */
stoa_status stoa_groups_assign_dense(stoa_groups *groups, stoa_evaluation *ev,
                                     const uint8_t *selected, int64_t n_selected,
                                     stoa_group_rows *rows, bool *found, stoa_error *err);

#endif
