/*
 * Evaluating bound expressions over Arrow batches, a window of rows at a time.
 *
 * A window is small enough for its vectors to stay in the processor's caches; every operation is
 * one loop over one type; missing values travel as bitmaps beside the values and are never looked
 * at in those loops. Evaluations are independent of each other: each worker thread may have one.
 */
#ifndef STOA_QUERY_EVAL_H
#define STOA_QUERY_EVAL_H

#include "query/filter.h"
#include "query/marked.h"

/* Rows of a window; a multiple of 64, so that windows share no bitmap byte. */
#define STOA_WINDOW_ROWS 8192

/* A dictionary column's labels, and its codes in this window. */
typedef struct stoa_labels {
    const void *identity[2]; /* of the dictionary array: its offsets, its bytes */
    uint64_t generation;     /* another one whenever the labels were loaded anew */
    int64_t n;               /* entries, without the missing one */
    stoa_vector texts;       /* n + 1 texts: the labels, then a missing one */
    const uint32_t *codes;   /* of the window, n for missing rows; NULL: not loaded */
} stoa_labels;

/* What a DICTIONARY or IN node made of its labels or list, for the values as they are stored. */
typedef struct stoa_memo_sets {
    bool made;
    bool all_known; /* DICTIONARY: no label has a missing answer */
    stoa_set yes;   /* codes whose answer is true; values that are in the list */
    stoa_set no;    /* codes whose answer is false */
} stoa_memo_sets;

typedef struct stoa_conjunct stoa_conjunct;
typedef struct stoa_evaluation stoa_evaluation;

/* Items of lists, a window of them, on which the body of a LIST is evaluated (eval_lists.c). */
typedef struct stoa_items {
    stoa_evaluation *outer; /* of the rows */
    stoa_vector values;
    const int64_t *rows; /* of the outer window, of each item */
    stoa_vector *each; /* operands of EACH, of the outer window; n is -1 where not evaluated yet */
} stoa_items;

/* Zero-initialise; free with stoa_evaluation_clear(). */
struct stoa_evaluation {
    const stoa_scope *scope;
    stoa_view *views; /* one a scope column; those that the expressions read are set, or fetched */
    /* Set a column's view, which has length < 0 so far, for the whole unit; NULL: all are set. Both
     * are the owner's to set, between open and the first unit. */
    stoa_status (*fetch)(void *context, size_t column, stoa_view *view, stoa_error *err);
    /* The same where few rows of the column are looked at: a view that says nothing of missing rows
     * (NULL: there is none), and, of rows of the window in `mask`, those that are not missing.
     * NULL: columns are always fetched. */
    stoa_status (*peek)(void *context, size_t column, const stoa_view **view, stoa_error *err);
    stoa_status (*keep)(void *context, size_t column, const void *elements, uint64_t n,
                        uint64_t *mask, uint64_t *n_kept, stoa_error *err);
    /* Where the unit's values of a column lie; false where that is not known. */
    bool (*zone)(void *context, size_t column, stoa_zone *zone);
    void *fetch_context;
    int64_t first; /* the window */
    int64_t n;
    stoa_pool pool;             /* values of the window */
    stoa_pool loads;            /* columns of the window, shared by all that read them */
    stoa_pool kept;             /* dictionaries and what was evaluated on them */
    stoa_vector *columns;       /* loaded ones; n is -1 for others */
    stoa_labels *labels;        /* a scope column */
    uint64_t generation;        /* of the labels loaded last */
    stoa_vector *memos;         /* a DICTIONARY node; n is -1 where not evaluated yet */
    stoa_memo_sets *sets;       /* beside the memos; IN nodes have one too */
    const stoa_vector *operand; /* of the LET around */
    const stoa_items *items;    /* of the LIST whose body is evaluated */
    size_t *touched;            /* columns that have something of this window, perhaps twice; */
    size_t n_touched;           /* if there is no room for them, any column may have */
    const stoa_filter_kernels *filter;
    const stoa_marked *marked; /* the owner's to set, like `fetch`; */
    uint64_t row;              /* and the first row of the unit; UINT64_MAX: they are not in turn */
    const stoa_expr *conjuncts_of; /* the predicate that was taken apart */
    stoa_conjunct *conjuncts;
    size_t n_conjuncts;
    bool is_new_unit; /* the order of the conjuncts may change */
};

/* After everything is bound: memos have their numbers then. */
stoa_status stoa_evaluation_open(stoa_evaluation *ev, const stoa_scope *scope, stoa_error *err);
/* Begin a unit, whose columns are fetched when an expression first needs them: every view becomes
 * one that is not there. The owner may set some of them before the first window. */
void stoa_evaluation_unit(stoa_evaluation *ev, stoa_view *views);
/* Go to rows [first, first + n) of a batch, or of the unit. Vectors of the window before are gone.
 * Dictionaries are taken to be the same from batch to batch while their memory is. */
void stoa_evaluation_move(stoa_evaluation *ev, stoa_view *views, int64_t first, int64_t n);
void stoa_evaluation_clear(stoa_evaluation *ev);

/* The expression's values in the window; `out` lives until the next move. */
stoa_status stoa_eval(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                      stoa_error *err);
/* The same where only rows with their bit in `selected` are asked for (NULL: all): others cannot
 * make it fail, and what they give is anything. One value a row, as after stoa_vector_spread(). */
stoa_status stoa_eval_rows(stoa_evaluation *ev, const stoa_expr *expr, const uint8_t *selected,
                           stoa_vector *out, stoa_error *err);
/* Set bit i of `selected` (enough bytes for the window) where the predicate is true, and say for
 * how many rows it is. The parts of an `and` are tested one after the other, the cheapest and most
 * selective first, until no row is left that could pass; parts that may fail keep their place. */
stoa_status stoa_eval_filter(stoa_evaluation *ev, const stoa_expr *predicate, uint8_t *selected,
                             int64_t *n_selected, stoa_error *err);
/* Whether no row of the unit can pass, by the zones of its columns. What stands behind a part that
 * may fail is not asked: that one has to fail before. */
stoa_status stoa_eval_is_hopeless(stoa_evaluation *ev, const stoa_expr *predicate, bool *is,
                                  stoa_error *err);
/* One value per row where the vector is a constant. */
stoa_status stoa_vector_spread(stoa_pool *pool, stoa_vector *vector, stoa_error *err);

/* Between the files of the evaluator. */
static inline size_t stoa_window_words(const stoa_evaluation *ev)
{
    return ((size_t)ev->n + 63) / 64;
}
/* Columns as they are stored. */
/* n bits of an Arrow bitmap from bit `first` on, moved to bit 0; bits past n are 0. */
void stoa_copy_bits(const uint8_t *from, int64_t first, int64_t n, uint8_t *to);
/* The window's validity, in `pool`; NULL: nothing is missing. */
stoa_status stoa_load_validity(const stoa_evaluation *ev, stoa_pool *pool, const stoa_view *view,
                               const uint8_t **out, stoa_error *err);
/* The dictionary of a column, whose labels are not loaded for that. */
stoa_status stoa_load_dictionary(stoa_evaluation *ev, size_t column, stoa_labels **out,
                                 stoa_view *dictionary, stoa_error *err);
/* Verdicts on the rows of a window, in the evaluation's pool: whole words, anything behind n. */
typedef struct stoa_truth {
    uint64_t *bits;
    const uint64_t *known; /* NULL: no verdict is missing */
} stoa_truth;
/* Whether a test can be made on the values of its columns as they are stored. */
bool stoa_is_direct(const stoa_scope *scope, const stoa_expr *expr);
/* Make it. Of rows that are not open the verdict may be anything; NULL: all are. */
stoa_status stoa_direct_test(stoa_evaluation *ev, const stoa_expr *expr, const uint64_t *open,
                             stoa_truth *out, stoa_error *err);
/* The same as a vector. */
stoa_status stoa_eval_direct(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                             stoa_error *err);
/* Whether a test is a direct comparison of a number or time with a constant. */
bool stoa_is_band(const stoa_scope *scope, const stoa_expr *expr);
/* The same for any band of a column. */
stoa_status stoa_direct_band(stoa_evaluation *ev, size_t column, const stoa_band *band,
                             stoa_truth *out, stoa_error *err);
/* Bits for the texts of rows [first, first + n): COMPARE with a constant, LIKE, IN. Only rows that
 * are open are looked at (NULL: all), the others' bits are 0. */
void stoa_test_texts(const stoa_filter_kernels *filter, const stoa_expr *test,
                     const stoa_view *view, int64_t first, int64_t n, const uint64_t *open,
                     uint64_t *bits);
/* The column's view, fetched if it is not there. */
stoa_status stoa_evaluation_view(stoa_evaluation *ev, size_t column, const stoa_view **out,
                                 stoa_error *err);
/* Values [first, first + n) of a view in the domain of out->type, and out->validity. */
stoa_status stoa_load_values(stoa_pool *pool, const stoa_view *view, int64_t first, int64_t n,
                             stoa_vector *out, stoa_error *err);
stoa_status stoa_load_column(stoa_evaluation *ev, size_t column, stoa_vector *out, stoa_error *err);
stoa_status stoa_load_labels(stoa_evaluation *ev, size_t column, stoa_labels **out,
                             stoa_error *err);
stoa_status stoa_load_codes(stoa_evaluation *ev, size_t column, stoa_labels **out, stoa_error *err);
/* Make the memo of a DICTIONARY node, unless it is made. */
stoa_status stoa_eval_labels(stoa_evaluation *ev, const stoa_expr *expr, stoa_labels **labels,
                             stoa_error *err);
stoa_status stoa_eval_dictionary(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                 stoa_error *err);
/* LIST, ITEM_AT, ITEM and EACH. */
stoa_status stoa_eval_list(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                           stoa_error *err);
/* The results' bits; validity is the caller's business. */
void stoa_compare_vectors(stoa_compare compare, const stoa_vector *left, const stoa_vector *right,
                          int64_t n, uint8_t *bits);
bool stoa_in_texts(stoa_bytes text, const stoa_vector *list);
bool stoa_order_passes(stoa_compare compare, int order);
void stoa_in_vector(const stoa_vector *values, const stoa_vector *list, int64_t n, uint8_t *bits);
/* Sort and make distinct the values of an IN list, in place. */
void stoa_in_sort(stoa_value_domain domain, void *values, int64_t *n);
bool stoa_like(const char *text, size_t length, const char *pattern, size_t pattern_length,
               int escape);
/* Arithmetic on values of one domain. False if a value that is not missing overflows. */
bool stoa_arithmetic(stoa_op op, const stoa_vector *left, const stoa_vector *right,
                     const uint8_t *validity, int64_t n, void *out);
/* Remainders of integers are missing where the divisor is 0; the bits to clear are set in `holes`.
 */
bool stoa_has_zeros(const stoa_vector *divisor, int64_t n, uint8_t *holes);
bool stoa_negate(const stoa_vector *values, int64_t n, void *out);
/* False where a value that is not missing does not fit. */
bool stoa_cast(const stoa_vector *values, stoa_value_domain domain, int64_t n, void *out);

struct stoa_function {
    const char *name;
    enum { STOA_TAKES_NUMBER, STOA_TAKES_FLOAT, STOA_TAKES_TEXT } takes;
    enum {
        STOA_GIVES_SAME,
        STOA_GIVES_F64,
        STOA_GIVES_I64,
        STOA_GIVES_BOOL,
        STOA_GIVES_TEXT
    } gives;
    /* Fill `out` (n values, BOOL: zeroed bits) from `arg`; texts may allocate. */
    stoa_status (*eval)(const stoa_vector *arg, int64_t n, void *out, stoa_pool *pool,
                        stoa_error *err);
};
/* The i-th; NULL after the last. */
const stoa_function *stoa_function_at(size_t i);
/* NULL if there is none of that name (any case). */
const stoa_function *stoa_function_find(const char *name, size_t length);

#endif
