/*
 * Aggregate functions: one value for each group.
 *
 * An aggregate's state accepts rows in any number of parts. States of one kind can be merged (sums,
 * counts, moments, extremes, lists of values), so each thread can build its own.
 */
#ifndef STOA_QUERY_AGGREGATE_H
#define STOA_QUERY_AGGREGATE_H

#include "core/progress.h"
#include "core/string_set.h"
#include "query/aggregate/group.h"
#include "query/aggregate/numbered.h"
#include "query/aggregate/operand.h"
#include "query/aggregate/spilled_values.h"
#include "query/eval/emit.h"

typedef struct stoa_aggregate_kind stoa_aggregate_kind;
typedef struct stoa_aggregate stoa_aggregate;

/* The state of one group. The kind's file defines what `a` and `b` mean. */
typedef struct stoa_cell {
    int64_t n; /* values that are not missing */
    stoa_word a;
    stoa_word b;
} stoa_cell;

/* Most temporary files that pairs are partitioned into, by hash. */
enum { STOA_PAIR_FILES = 32 };

/* One aggregate of a query: what is asked, and the result so far. The kind's file says which of
 * the buffers it uses. */
struct stoa_aggregate {
    const stoa_aggregate_kind *kind;
    struct stoa_aggregate *holder; /* whose cells hold this result too; NULL: own cells */
    bool is_holder;
    bool has_both;        /* min or max: `a` holds the least value, `b` the greatest */
    stoa_expr *arg;       /* NULL: count() */
    size_t column;        /* whose values it shows, in their units; SIZE_MAX: none, as count() */
    stoa_expr *by;        /* y of corr(x, y), or what string_agg() is ordered by; NULL: none */
    double p;             /* for quantile(x, p) */
    stoa_bytes separator; /* for string_agg(x, separator) */
    bool is_descending;   /* order of string_agg() */
    const stoa_aggregate_kind *of_distinct; /* gets each value once; NULL: all values */
    struct stoa_aggregate *fed;             /* its state, made with the first result */
    stoa_value_type result;
    stoa_type type; /* of the result column */
    stoa_type item; /* of the values in a histogram */
    const stoa_reductions *reduce;
    const stoa_group_kernels *kernels;
    uint32_t n_groups;
    stoa_buffer cells;    /* stoa_cell per group */
    stoa_buffer texts;    /* stoa_buffer per group: min or max of texts */
    stoa_buffer keys;     /* stoa_buffer per group: texts y of arg_max(x, y) */
    stoa_buffer moments;  /* per group: sums for stddev and corr, the tally for mode */
    stoa_buffer scratch;  /* used within one update */
    stoa_buffer list;     /* double: the values of all groups */
    stoa_buffer owners;   /* uint32_t: the group of each value; empty if there is only one group */
    stoa_spilled spilled; /* values that did not fit into `list` and `owners` */
    size_t most_bytes;    /* memory limit before values go to temporary files */
    const stoa_listener *listener; /* told in long merges and results; borrowed, may be NULL */
    bool has_tallies;              /* how often each pair occurs is counted */
    bool is_settled;               /* all pairs were visited */
    bool counts_words; /* distinct() of one group: texts are in `words` alone, and not in `seen` */
    stoa_groups seen;  /* distinct (group, value) pairs */
    stoa_string_set words;
    stoa_buffer tallies;    /* stoa_tally per pair of `seen` */
    uint64_t n_before;      /* pairs that went to the files before those */
    size_t n_files;         /* how many of them, a power of two */
    stoa_spill *files;      /* spilled pairs of `seen`, with duplicates; texts of string_agg */
    stoa_buffer met;        /* bitmap of pairs of group and code that were met: see pairs.c */
    uint64_t met_of;        /* the labels' generation that the codes belong to, */
    const void *met_labels; /* and their address: evaluations count separately */
    /* Of the least or largest label of a dictionary column, without groups: */
    bool may_end;    /* the best of all labels is known, and no other row matters once it is met */
    bool only_looks; /* no other label is looked at, and none is loaded */
    bool has_ended;  /* it was met, by this state or one of the same thread before */
    uint32_t end;    /* its code, */
    stoa_bytes end_text;    /* and its text; borrowed */
    stoa_numbered numbered; /* distinct categories */
};

/* The arguments that a kind takes. */
typedef enum stoa_aggregate_form {
    STOA_TAKES_ROWS, /* none, or one value */
    STOA_TAKES_VALUE,
    STOA_TAKES_FRACTION, /* a value and a number, p */
    STOA_TAKES_PAIR,     /* two values, `arg` and `by`; rows with both count */
    STOA_TAKES_TEXTS     /* a text [, separator] [order by a value] */
} stoa_aggregate_form;

struct stoa_aggregate_kind {
    stoa_function_text text;
    stoa_aggregate_form form;
    stoa_need need;
    bool may_spill; /* pairs (pairs.h) go to files when there are too many for memory */
    /* Check the argument, cast it if necessary, and set the result's type. */
    stoa_status (*bind)(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err);
    /* Add the rows of a window that count, at least one. `ids` are the rows' groups, undefined
     * where a row does not count. NULL: all rows are of group 0. */
    stoa_status (*update)(stoa_aggregate *aggregate, const stoa_operand *operand,
                          const uint32_t *ids, stoa_error *err);
    /* Add `from` as if its rows followed the rows so far. `ids` maps its groups to groups of
     * this aggregate. NULL: both have one group. */
    stoa_status (*merge)(stoa_aggregate *aggregate, const stoa_aggregate *from, const uint32_t *ids,
                         stoa_error *err);
    /* The values of groups [first, first + n), allocated in the arena. */
    stoa_status (*result)(stoa_aggregate *aggregate, uint32_t first, uint32_t n, stoa_arena *arena,
                          stoa_vector *out, stoa_error *err);
    /* Like update(), for windows with few group numbers; sums are kept by number. *is_done is
     * false if the result would not be exact; nothing is added then. If NULL, update() is called
     * instead. */
    stoa_status (*tally)(stoa_aggregate *aggregate, const stoa_operand *operand,
                         const stoa_group_rows *rows, bool *is_done, stoa_error *err);
    /* In place of result(), for values that are no vector: their type and their array. */
    stoa_status (*schema)(const stoa_aggregate *aggregate, const char *name,
                          struct ArrowSchema *out, stoa_error *err);
    stoa_status (*array)(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                         struct ArrowArray *out, stoa_error *err);
};

/* The text of the i-th kind; NULL after the last. */
const stoa_function_text *stoa_aggregate_text(size_t i);
/* NULL if no aggregate has that name; case is ignored. */
const stoa_aggregate_kind *stoa_aggregate_find(const char *name, size_t length);

/* Bind a call. STOA_ESYNTAX if it is not a call of an aggregate. */
stoa_status stoa_aggregate_bind(const stoa_binder *binder, const stoa_syntax *syntax,
                                stoa_aggregate *aggregate, stoa_error *err);
/*
 * Add rows of the evaluation's window.
 *
 * @param selected    one bit per row of the window, 0 past its end; NULL: all rows
 * @param n_selected  number of bits set; all rows of the window if `selected` is NULL
 * @param rows        the rows' groups; its numbers may be replaced by group ids. NULL: all are of
 *                    group 0
 */
stoa_status stoa_aggregate_update(stoa_aggregate *aggregate, stoa_evaluation *ev,
                                  const uint8_t *selected, int64_t n_selected,
                                  stoa_group_rows *rows, stoa_error *err);
/* Share cells among aggregates of one column: sum and mean, min and max of numbers, and count
 * with any of these. The others read their results from the shared cells. */
stoa_status stoa_aggregates_share(stoa_aggregate *aggregates, size_t n, stoa_error *err);
/* Make an empty state of the same bound aggregate, for another thread's rows. The clone shares
 * what was bound, which must outlive it. */
stoa_status stoa_aggregate_clone(const stoa_aggregate *from, stoa_aggregate *to, stoa_error *err);
/* Hand what one thread knows of a dictionary from a state to its next one. `has_groups`: their
 * groups differ, so it does not matter which labels the groups of the first met. */
void stoa_aggregate_hand_on(stoa_aggregate *from, stoa_aggregate *to, bool has_groups);
/*
 * Merge `from` into `into`, as if its rows followed those of `into`.
 *
 * Float results are bit-identical if the parts and the order of merging are the same. With other
 * parts, the digits that a result shows are the same, unless nearly all digits cancel out.
 *
 * @param ids       the group of `into` for each group of `from`; NULL: both have one group
 * @param n_groups  number of groups of `into`, including those of `from`
 */
stoa_status stoa_aggregate_merge(stoa_aggregate *into, const stoa_aggregate *from,
                                 const uint32_t *ids, uint32_t n_groups, stoa_error *err);
/* count() without an argument: add rows to the only group without reading them. */
bool stoa_aggregate_counts_rows(const stoa_aggregate *aggregate);
stoa_status stoa_aggregate_count_rows(stoa_aggregate *aggregate, uint64_t n_rows, stoa_error *err);
stoa_status stoa_aggregate_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                  stoa_arena *arena, stoa_vector *out, stoa_error *err);
/* The same as an Arrow array, and its field. */
stoa_status stoa_aggregate_array(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                 struct ArrowArray *out, stoa_error *err);
stoa_status stoa_aggregate_schema(const stoa_aggregate *aggregate, const char *name,
                                  struct ArrowSchema *out, stoa_error *err);
void stoa_aggregate_clear(stoa_aggregate *aggregate);

/* The kinds, for the registry in aggregate_kinds.c. */
/* The result function of aggregates that count: `n` of each group. */
stoa_status stoa_count_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                              stoa_arena *arena, stoa_vector *out, stoa_error *err);
/* The tally functions, which add up by group number. */
stoa_status stoa_count_tally(stoa_aggregate *aggregate, const stoa_operand *operand,
                             const stoa_group_rows *rows, bool *is_done, stoa_error *err);
stoa_status stoa_sum_tally(stoa_aggregate *aggregate, const stoa_operand *operand,
                           const stoa_group_rows *rows, bool *is_done, stoa_error *err);
extern const stoa_aggregate_kind stoa_aggregate_count;
extern const stoa_aggregate_kind stoa_aggregate_sum;
extern const stoa_aggregate_kind stoa_aggregate_mean;
extern const stoa_aggregate_kind stoa_aggregate_stddev;
extern const stoa_aggregate_kind stoa_aggregate_stddev_pop;
extern const stoa_aggregate_kind stoa_aggregate_var;
extern const stoa_aggregate_kind stoa_aggregate_var_pop;
extern const stoa_aggregate_kind stoa_aggregate_min;
extern const stoa_aggregate_kind stoa_aggregate_max;
extern const stoa_aggregate_kind stoa_aggregate_first;
extern const stoa_aggregate_kind stoa_aggregate_last;
extern const stoa_aggregate_kind stoa_aggregate_median;
extern const stoa_aggregate_kind stoa_aggregate_quantile;
extern const stoa_aggregate_kind stoa_aggregate_distinct;
extern const stoa_aggregate_kind stoa_aggregate_bool_and;
extern const stoa_aggregate_kind stoa_aggregate_bool_or;
extern const stoa_aggregate_kind stoa_aggregate_arg_min;
extern const stoa_aggregate_kind stoa_aggregate_arg_max;
extern const stoa_aggregate_kind stoa_aggregate_mode;
extern const stoa_aggregate_kind stoa_aggregate_histogram;
extern const stoa_aggregate_kind stoa_aggregate_covar_samp;
extern const stoa_aggregate_kind stoa_aggregate_covar_pop;
extern const stoa_aggregate_kind stoa_aggregate_corr;
extern const stoa_aggregate_kind stoa_aggregate_string_agg;
/* Gives the values, each once, to the kind `of_distinct`. It has no name. */
extern const stoa_aggregate_kind stoa_aggregate_fed;

/* Shared among the aggregate files. */
/* The listener is told after so many values or pairs. */
enum { STOA_AGGREGATE_LOOK = 4096 };
/* Which pairs of group and code were met in rows, so that each label is looked at once. */
typedef struct stoa_met {
    uint8_t *bits; /* NULL: they would be too many, and all are new */
    uint64_t stride;
} stoa_met;
/* For the labels of an operand. It is valid until the next call. */
stoa_status stoa_met_open(stoa_aggregate *aggregate, const stoa_labels *labels, stoa_met *met,
                          stoa_error *err);
static inline bool stoa_met_is_new(const stoa_met *met, uint32_t group, uint32_t code)
{
    const uint64_t bit = group * met->stride + code;

    if (met->bits == NULL) {
        return true;
    }
    const bool is_new = !stoa_bit_get(met->bits, bit);
    stoa_bit_set(met->bits, bit);
    return is_new;
}
/* The cells. */
static inline stoa_cell *stoa_cells(const stoa_aggregate *aggregate)
{
    return (stoa_cell *)(void *)aggregate->cells.data;
}
/* Give the state so many groups. */
stoa_status stoa_aggregate_extend(stoa_aggregate *aggregate, uint32_t n_groups, stoa_error *err);
/* Grow a buffer to an entry per group. New entries are zero. */
stoa_status stoa_aggregate_grow(const stoa_aggregate *aggregate, stoa_buffer *buffer, size_t size,
                                stoa_error *err);
/* Kinds that give one of the values: bind(), and result() of what a cell's `a` or `texts` hold. */
stoa_status stoa_pick_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err);
stoa_status stoa_pick_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                             stoa_arena *arena, stoa_vector *out, stoa_error *err);
/* Integer sums are exact, in 128 bits (`a` low, `b` high). Float sums are compensated (`a` the
 * sum, `b` the rounding error). */
static inline void stoa_cell_add_integer(stoa_cell *cell, uint64_t low, int64_t high)
{
    cell->a.u64 += low;
    cell->b.i64 += high + (cell->a.u64 < low);
}
static inline void stoa_cell_add_float(stoa_cell *cell, double sum, double lost)
{
    stoa_two_sum(sum, &cell->a.f64, &cell->b.f64);
    cell->b.f64 += lost;
}
/* Validity of results: a group is missing if it has fewer than `least` values. */
stoa_status stoa_aggregate_validity(const stoa_aggregate *aggregate, int64_t least, uint32_t first,
                                    uint32_t n, stoa_arena *arena, uint8_t **validity,
                                    stoa_error *err);
stoa_status stoa_aggregate_check_number(const stoa_binder *binder, stoa_aggregate *aggregate,
                                        stoa_error *err);
/* Like stoa_aggregate_check_number(), with the argument cast to double. The result is a double
 * too. Serves as a kind's bind(). */
stoa_status stoa_aggregate_bind_f64(const stoa_binder *binder, stoa_aggregate *aggregate,
                                    stoa_error *err);

#endif
