/*
 * Aggregate functions: one value for each group.
 *
 * An aggregate's state accepts rows in any number of parts. States of one kind can be merged (sums,
 * counts, moments, extremes, lists of values), so each thread can build its own.
 */
#ifndef STOA_QUERY_AGGREGATE_H
#define STOA_QUERY_AGGREGATE_H

#include "core/progress.h"
#include "query/aggregate/group.h"
#include "query/aggregate/operand.h"
#include "query/aggregate/spilled_values.h"
#include "query/eval/emit.h"

typedef struct stoa_aggregate_kind stoa_aggregate_kind;

/* The state of one group. The kind's file defines what `a` and `b` mean. */
typedef struct stoa_cell {
    int64_t n; /* values that are not missing */
    stoa_word a;
    stoa_word b;
} stoa_cell;

/* Number of temporary files that pairs are partitioned into, by hash. */
enum { STOA_PAIR_FILES = 32 };

/* One aggregate of a query: what is asked, and the result so far. The kind's file says which of
 * the buffers it uses. */
typedef struct stoa_aggregate {
    const stoa_aggregate_kind *kind;
    struct stoa_aggregate *holder; /* whose cells hold this result too; NULL: own cells */
    bool is_holder;
    bool has_both;  /* min or max: `a` holds the least value, `b` the greatest */
    stoa_expr *arg; /* NULL: count() */
    size_t column;  /* whose values it shows, in their units; SIZE_MAX: none, as count() */
    double p;       /* for quantile(x, p) */
    stoa_value_type result;
    stoa_type type; /* of the result column */
    const stoa_reductions *reduce;
    const stoa_group_kernels *kernels;
    uint32_t n_groups;
    stoa_buffer cells;    /* stoa_cell per group */
    stoa_buffer texts;    /* stoa_buffer per group: min or max of texts */
    stoa_buffer moments;  /* per group: the sums for stddev */
    stoa_buffer scratch;  /* used within one update */
    stoa_buffer list;     /* double: the values of all groups */
    stoa_buffer owners;   /* uint32_t: the group of each value; empty if there is only one group */
    stoa_spilled spilled; /* values that did not fit into `list` and `owners` */
    size_t most_bytes;    /* memory limit before values go to temporary files */
    const stoa_listener *listener; /* told in long merges and results; borrowed, may be NULL */
    stoa_groups seen;              /* distinct (group, value) pairs */
    stoa_string_set words;
    stoa_spill *pairs;      /* spilled pairs of `seen`; may contain duplicates */
    stoa_buffer met;        /* bitmap: pairs of group and code that are in `seen` already */
    uint64_t met_of;        /* the labels' generation that the codes belong to, */
    const void *met_labels; /* and their address: evaluations count separately */
} stoa_aggregate;

struct stoa_aggregate_kind {
    stoa_function_text text;
    size_t n_args; /* 0: none or one; 1: one; 2: one and a number */
    stoa_need need;
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

/* Shared among the aggregate files. */
/* The listener is told after so many values or pairs. */
enum { STOA_AGGREGATE_LOOK = 4096 };
/* The cells. */
static inline stoa_cell *stoa_cells(const stoa_aggregate *aggregate)
{
    return (stoa_cell *)(void *)aggregate->cells.data;
}
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
