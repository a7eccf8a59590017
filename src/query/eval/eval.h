/*
 * Evaluation of bound expressions over Arrow batches, one window of rows at a time.
 *
 * A window is a run of up to STOA_WINDOW_ROWS rows, small enough for its vectors to stay in the
 * processor's caches. Every operation is one loop over one type. Missing values are bitmaps beside
 * the values; these loops do not look at them. Evaluations are independent of each other, so each
 * worker thread can have one.
 */
#ifndef STOA_QUERY_EVAL_H
#define STOA_QUERY_EVAL_H

#include <stoa/version.h>

#include "query/eval/filter.h"
#include "query/plan/index_verdicts.h"

/* Most rows of a window. It is a multiple of 64, so windows share no word of a bitmap. */
#define STOA_WINDOW_ROWS 8192

/* A dictionary column's labels, and its codes in the current window. */
typedef struct stoa_labels {
    const void *identity[2]; /* addresses of the dictionary's offsets and values */
    uint64_t generation;     /* changes each time the labels are loaded */
    int64_t n;               /* entries, without the missing label */
    bool has_missing;        /* some of them are missing */
    stoa_vector values;      /* n + 1 texts or values: the labels, then a missing one */
    const uint32_t *codes;   /* of the window's rows; n for missing rows; NULL: not loaded */
} stoa_labels;

/* A DICTIONARY or IN node as sets of stored values: codes of labels, or entries of the list. */
typedef struct stoa_memo_sets {
    bool made;
    bool all_known; /* DICTIONARY: every label's answer is known */
    stoa_set yes;   /* codes whose answer is true; values in the list */
    stoa_set no;    /* codes whose answer is false */
} stoa_memo_sets;

typedef struct stoa_conjunct stoa_conjunct;
typedef struct stoa_evaluation stoa_evaluation;

/* A window of list items, on which the body of a LIST is evaluated (eval_lists.c). */
typedef struct stoa_items {
    stoa_evaluation *outer; /* the evaluation of the rows */
    stoa_vector values;
    const struct stoa_lists_walk *walk; /* tells the items' rows in the outer window */
    stoa_vector *each; /* operands of EACH in the outer window; n is -1 if not evaluated yet */
} stoa_items;

/* Zero-initialise; free with stoa_evaluation_clear(). */
struct stoa_evaluation {
    const stoa_scope *scope;
    stoa_view *views; /* per scope column; those that expressions read are set, or fetched */
    /* Fetch a column's view for the whole block; its length is < 0 before. NULL: all views are
     * set. The owner sets `fetch` and its context between open and the first block. */
    stoa_status (*fetch)(void *context, size_t column, stoa_view *view, stoa_error *err);
    /* For a column of which few rows are read. peek() gives a view without validity, NULL if
     * there is none. keep() clears the bits of missing rows in `mask`, a bitmap of the window.
     * NULL: columns are always fetched. */
    stoa_status (*peek)(void *context, size_t column, const stoa_view **view, stoa_error *err);
    stoa_status (*keep)(void *context, size_t column, const void *elements, uint64_t n,
                        uint64_t *mask, uint64_t *n_kept, stoa_error *err);
    /* The range of a column's values in the block (zone map); false if it is not known. */
    bool (*zone)(void *context, size_t column, stoa_zone *zone);
    void *fetch_context;
    int64_t first; /* the window: rows [first, first + n) */
    int64_t n;
    stoa_arena arena;           /* values of the window */
    stoa_arena loads;           /* columns of the window, shared by all readers */
    stoa_arena kept;            /* dictionaries, and values evaluated on their labels */
    stoa_vector *columns;       /* loaded columns; n is -1 for others */
    stoa_labels *labels;        /* per scope column */
    uint64_t generation;        /* of the most recently loaded labels */
    stoa_vector *memos;         /* per DICTIONARY node; n is -1 if not evaluated yet */
    stoa_memo_sets *sets;       /* parallel to the memos; IN nodes have one too */
    const stoa_vector *operand; /* of the enclosing LET */
    const stoa_items *items;    /* of the LIST whose body is evaluated */
    size_t *touched;            /* columns loaded for this window; may repeat a column */
    size_t n_touched; /* more than n_columns: the list is full, any column may be loaded */
    const stoa_filter_kernels *filter;
    const stoa_index_verdicts *marked; /* answers of indexes; set by the owner, like `fetch` */
    /* A further test of the rows that pass: a comparison of a stored column with a constant, which
     * the owner may change between windows. NULL: none. */
    const stoa_expr *threshold;
    uint64_t row; /* first row of the block; UINT64_MAX: rows are not consecutive */
    const stoa_expr *conjuncts_of; /* the predicate that `conjuncts` are parts of */
    stoa_conjunct *conjuncts;
    size_t n_conjuncts;
    bool is_new_unit; /* the conjuncts may be reordered */
};

/* Call after all binding is done, since memos are numbered while binding. */
stoa_status stoa_evaluation_open(stoa_evaluation *ev, const stoa_scope *scope, stoa_error *err);
/* Start a block. Its columns are fetched when an expression first needs them. All views become
 * unset; the owner may set some before the first window. */
void stoa_evaluation_unit(stoa_evaluation *ev, stoa_view *views);
/* Go to rows [first, first + n) of a batch or of the block. Vectors of the previous window
 * become invalid. A dictionary is assumed unchanged as long as its memory is. */
void stoa_evaluation_move(stoa_evaluation *ev, stoa_view *views, int64_t first, int64_t n);
void stoa_evaluation_clear(stoa_evaluation *ev);

/* Evaluate the expression for the window; `out` is valid until the next move. */
stoa_status stoa_eval(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                      stoa_error *err);
/* Evaluate the expression for the rows whose bit in `selected` is set (NULL: all). Other rows
 * cannot make it fail; their values are undefined. */
stoa_status stoa_eval_rows(stoa_evaluation *ev, const stoa_expr *expr, const uint8_t *selected,
                           stoa_vector *out, stoa_error *err);
/* Set bit i of `selected` (enough bytes for the window) where the predicate is true, and count
 * these rows. The parts of an `and` are tested in order of cost and selectivity, until no row is
 * left. Parts that may fail keep their place. The threshold is tested before them all, or behind
 * them if any may fail. A `predicate` of NULL is true. */
stoa_status stoa_eval_filter(stoa_evaluation *ev, const stoa_expr *predicate, uint8_t *selected,
                             int64_t *n_selected, stoa_error *err);
/* Whether zone maps show that no row of the block passes. Parts after one that may fail are not
 * considered, since that part must be able to fail first. */
stoa_status stoa_eval_is_hopeless(stoa_evaluation *ev, const stoa_expr *predicate, bool *is,
                                  stoa_error *err);
/* Put the 64-bit values of rows whose bit is set in `words` into `to`. */
void stoa_put_rows(const stoa_vector *from, const uint64_t *words, int64_t n, uint64_t *to);
/* If the vector is a constant, repeat its value for every row. */
stoa_status stoa_vector_spread(stoa_arena *arena, stoa_vector *vector, stoa_error *err);

/* Shared among the evaluator's files. */
static inline size_t stoa_window_words(const stoa_evaluation *ev)
{
    return ((size_t)ev->n + 63) / 64;
}
/* Columns as they are stored. */
/* Copy n bits of an Arrow bitmap, from bit `first` on, to bit 0 of `to`. Bits past n become 0. */
void stoa_copy_bits(const uint8_t *from, int64_t first, int64_t n, uint8_t *to);
/* The window's validity, allocated in `arena`; NULL: nothing is missing. */
stoa_status stoa_load_validity(const stoa_evaluation *ev, stoa_arena *arena, const stoa_view *view,
                               const uint8_t **out, stoa_error *err);
/* The dictionary of a column; does not load the labels. */
stoa_status stoa_load_dictionary(stoa_evaluation *ev, size_t column, stoa_labels **out,
                                 stoa_view *dictionary, stoa_error *err);
/* Results of a test for the rows of a window, in the evaluation's arena. Bitmaps are whole words;
 * bits past n are undefined. */
typedef struct stoa_truth {
    uint64_t *bits;
    const uint64_t *known; /* NULL: every result is known */
} stoa_truth;
/* Whether a test can run on the stored values of its columns. */
bool stoa_can_filter_stored(const stoa_scope *scope, const stoa_expr *expr);
/* Run it. Results of rows whose bit in `open` is 0 are undefined; NULL: all rows are open. */
stoa_status stoa_filter_stored(stoa_evaluation *ev, const stoa_expr *expr, const uint64_t *open,
                               stoa_truth *out, stoa_error *err);
/* Like stoa_filter_stored(), with a vector as the result. */
stoa_status stoa_eval_stored(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                             stoa_error *err);
/* Whether the test is a range predicate: a number or time column compared with a constant. */
bool stoa_is_range_predicate(const stoa_scope *scope, const stoa_expr *expr);
/* Test a column against any range. */
stoa_status stoa_filter_stored_range(stoa_evaluation *ev, size_t column,
                                     const stoa_range_predicate *band, stoa_truth *out,
                                     stoa_error *err);
/* Test the texts of rows [first, first + n): COMPARE with a constant, LIKE, IN. Only open rows
 * are looked at (NULL: all); the bits of others are 0. */
void stoa_test_texts(const stoa_filter_kernels *filter, const stoa_expr *test,
                     const stoa_view *view, int64_t first, int64_t n, const uint64_t *open,
                     uint64_t *bits);
/* The column's view, fetched if necessary. */
stoa_status stoa_evaluation_view(stoa_evaluation *ev, size_t column, const stoa_view **out,
                                 stoa_error *err);
/* Copy n numbers as int64, uint64 or double, by their kind: those at `rows`, or the first ones. */
void stoa_widen(stoa_kind kind, const void *from, const uint16_t *rows, int64_t n, void *to);
/* Values [first, first + n) of a view in the domain of out->type, and out->validity. */
stoa_status stoa_load_values(stoa_arena *arena, const stoa_view *view, int64_t first, int64_t n,
                             stoa_vector *out, stoa_error *err);
stoa_status stoa_load_column(stoa_evaluation *ev, size_t column, stoa_vector *out, stoa_error *err);
stoa_status stoa_load_labels(stoa_evaluation *ev, size_t column, stoa_labels **out,
                             stoa_error *err);
stoa_status stoa_load_codes(stoa_evaluation *ev, size_t column, stoa_labels **out, stoa_error *err);
/* The codes, without loading the labels. */
stoa_status stoa_load_bare_codes(stoa_evaluation *ev, size_t column, stoa_labels **out,
                                 stoa_error *err);
/* The values of n codes: stoa_bytes, bits or 64-bit values of the labels' domain. */
void stoa_look_up_labels(const stoa_vector *labels, const uint32_t *codes, int64_t n,
                         uint8_t *values);
/* Evaluate a DICTIONARY node on the labels, unless that was done before. */
stoa_status stoa_eval_labels(stoa_evaluation *ev, const stoa_expr *expr, stoa_labels **labels,
                             stoa_error *err);
stoa_status stoa_eval_dictionary(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                                 stoa_error *err);
/* CASE and COALESCE. A value is evaluated for the rows that take it alone, so that no other row
 * makes it fail. */
stoa_status stoa_eval_case(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                           stoa_error *err);
/* LIST, ITEM_AT, ITEM and EACH. */
stoa_status stoa_eval_list(stoa_evaluation *ev, const stoa_expr *expr, stoa_vector *out,
                           stoa_error *err);
/* Sets the results' bits; the caller sets the validity. */
void stoa_compare_vectors(stoa_compare compare, const stoa_vector *left, const stoa_vector *right,
                          int64_t n, uint8_t *bits);
bool stoa_order_passes(stoa_compare compare, int order);
/* The comparison that holds when the sides are swapped. */
stoa_compare stoa_compare_mirrored(stoa_compare compare);
/* Make the hash table of an IN list. */
stoa_status stoa_in_hash(stoa_arena *arena, stoa_expr *test, stoa_error *err);
/* Whether values are in the list, by its hash table. */
bool stoa_in_texts(stoa_bytes text, const stoa_expr *test);
void stoa_in_vector(const stoa_vector *values, const stoa_expr *test, int64_t n, uint8_t *bits);
/* Sort the values of an IN list and remove duplicates, in place. */
void stoa_in_sort(stoa_value_domain domain, void *values, int64_t *n);
bool stoa_like(const char *text, size_t length, const char *pattern, size_t pattern_length,
               int escape);
/* Arithmetic on values of one domain. Returns false if a value that is not missing overflows. */
bool stoa_arithmetic(stoa_op op, const stoa_vector *left, const stoa_vector *right,
                     const uint8_t *validity, int64_t n, void *out);
/* Remainders of integers are missing where the divisor is 0. Sets those bits in `holes`, and
 * returns whether there are any. */
bool stoa_has_zeros(const stoa_vector *divisor, int64_t n, uint8_t *holes);
/* x / by of n values, rounded down; by > 0. */
void stoa_floor_quotients(const int64_t *restrict x, int64_t n, int64_t by, int64_t *restrict out);
bool stoa_negate(const stoa_vector *values, int64_t n, void *out);
/* Returns false if a value that is not missing does not fit. */
bool stoa_cast(const stoa_vector *values, const stoa_value_type *type, int64_t n, void *out);

/* LOOP(OPERATION, x, y) for vectors and for constants; x and y are the operands' values in row i.
 */
#define STOA_EACH_SHAPE(ctype, field, LOOP, OPERATION)                                             \
    do {                                                                                           \
        const ctype *restrict const a = left->as.field;                                            \
        const ctype *restrict const b = right->as.field;                                           \
        if (right->constant && !left->constant) {                                                  \
            const ctype value = b[0];                                                              \
            LOOP(OPERATION, a[i], value);                                                          \
        } else if (left->constant && !right->constant) {                                           \
            const ctype value = a[0];                                                              \
            LOOP(OPERATION, value, b[i]);                                                          \
        } else {                                                                                   \
            const int64_t step = !left->constant;                                                  \
            LOOP(OPERATION, a[i * step], b[i * step]);                                             \
        }                                                                                          \
    } while (0)
#define STOA_PLAIN_LOOP(OPERATION, x, y)                                                           \
    for (int64_t i = 0; i < n; i++) {                                                              \
        to[i] = OPERATION(x, y);                                                                   \
    }

/* Functions --------------------------------------------------------------------------------- */

/* A call of a function for the rows of a window. Constants stand for all rows (see AT() of
 * functions.h), unless they are the only argument or the function takes missing values. */
typedef struct stoa_call {
    const stoa_expr *expr; /* its type is the result's; its syntax is for messages */
    const stoa_vector *args;
    size_t n_args;
    int64_t n;
    void *out;         /* n values; BOOL: zeroed bits; see stoa_call_pass() */
    uint8_t *validity; /* whole words; undefined unless has_validity */
    bool has_validity; /* some row of the result may be missing */
    stoa_arena *arena; /* owns the texts of the result */
    const stoa_filter_kernels *filter;
} stoa_call;

typedef stoa_status stoa_function_loop(stoa_call *call, stoa_error *err);
/* Bind a call in another way than by a loop. The arguments are bound. */
typedef stoa_status stoa_function_bind(const stoa_binder *binder, const stoa_syntax *syntax,
                                       size_t n_args, stoa_expr **args, stoa_expr **out,
                                       stoa_error *err);

/* One form of a function: a name may have several, which take other arguments. */
struct stoa_function {
    stoa_function_text text;
    /* A letter for each argument, and one for the result: "ni>n". `n` is a number, `f` one as
     * float64, `i` an integer, `s` a text, `b` a condition, `t` a time, `d` a duration, `a` any
     * value but a list. All `n` of a call, and all `a`, have one type; a result `n`, `a`, `t` or
     * `d` has that of the first such argument. A capital stands for a constant. Arguments behind
     * `?` may be left out; `*` lets the one before it be repeated. */
    const char *signature;
    stoa_function_loop *loop;
    bool takes_missing;       /* the loop sees missing values, and sets the validity */
    bool takes_constants;     /* no constant is repeated for the loop */
    stoa_function_bind *bind; /* in place of a loop */
    /* Check constants, and refine the type. NULL: there is nothing to check. */
    stoa_status (*check)(stoa_expr *call, stoa_error *err);
};

#endif
