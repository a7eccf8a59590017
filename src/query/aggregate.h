/*
 * Aggregates: one value a group.
 *
 * A state takes part of the rows at a time and in any number of parts; each kind of state can be
 * added to another of its kind (sums, counts, moments, extremes, lists of values), so that parts
 * may be made on different threads.
 */
#ifndef STOA_QUERY_AGGREGATE_H
#define STOA_QUERY_AGGREGATE_H

#include "query/group.h"
#include "query/operand.h"
#include "query/spilled.h"
#include "query/take.h"

typedef struct stoa_aggregate_kind stoa_aggregate_kind;

/* What is known of one group; the kind's file says what `a` and `b` are. */
typedef struct stoa_cell {
    int64_t n; /* values that are not missing */
    stoa_word a;
    stoa_word b;
} stoa_cell;

/* Files that pairs go to, by their hashes. */
enum { STOA_PAIR_FILES = 32 };

/* One aggregate of a query: what is asked, and what is known so far. The kind's file says which of
 * the buffers it uses. */
typedef struct stoa_aggregate {
    const stoa_aggregate_kind *kind;
    struct stoa_aggregate *holder; /* whose cells say it too; NULL: it has cells of its own */
    bool is_holder;
    bool has_both;  /* min or max: the cells have the least value (a) and the greatest (b) */
    stoa_expr *arg; /* NULL: count() */
    double p;       /* quantile(x, p) */
    stoa_value_type result;
    stoa_type type; /* of the column that shows it */
    const stoa_reductions *reduce;
    const stoa_group_kernels *kernels;
    uint32_t n_groups;
    stoa_buffer cells;    /* stoa_cell a group */
    stoa_buffer texts;    /* stoa_buffer a group: a text's extreme */
    stoa_buffer moments;  /* a group: its stddev's sums */
    stoa_buffer scratch;  /* of one update */
    stoa_buffer list;     /* double: values of all groups */
    stoa_buffer owners;   /* uint32_t: the group of each of them; empty: there is one group */
    stoa_spilled spilled; /* what `list` and `owners` could not hold */
    size_t most_bytes;    /* of what a query gathers, before it goes to temporary files */
    stoa_groups seen;     /* distinct (group, value) pairs */
    stoa_strings words;
    stoa_spill *pairs;      /* of `seen` before it became too large; some of them several times */
    stoa_buffer met;        /* bits: pairs of a group and a code that are in `seen` already */
    uint64_t met_of;        /* the labels' generation that those codes are of, */
    const void *met_labels; /* and their place: evaluations count by themselves */
} stoa_aggregate;

struct stoa_aggregate_kind {
    const char *name;
    size_t n_args; /* 0: none or one; 1: one; 2: one and a number */
    stoa_need need;
    /* Check the argument, cast it if need be, say what comes out. */
    stoa_status (*bind)(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err);
    /* Rows of a window that count, one at least; `ids` are the rows' groups, undefined where a row
     * does not count, NULL: all are of group 0. */
    stoa_status (*update)(stoa_aggregate *aggregate, const stoa_operand *operand,
                          const uint32_t *ids, stoa_error *err);
    /* Add `from`, whose groups are `ids` of this one's (NULL: both have one), as if its rows came
     * after those before. */
    stoa_status (*merge)(stoa_aggregate *aggregate, const stoa_aggregate *from, const uint32_t *ids,
                         stoa_error *err);
    /* Values of groups [first, first + n), in the pool. */
    stoa_status (*result)(stoa_aggregate *aggregate, uint32_t first, uint32_t n, stoa_pool *pool,
                          stoa_vector *out, stoa_error *err);
    /* As update() where numbers are few, by them, whatever groups they have. *is_done is false if
     * that was not exact: then nothing was taken in. NULL: there is no such way. */
    stoa_status (*tally)(stoa_aggregate *aggregate, const stoa_operand *operand,
                         const stoa_group_rows *rows, bool *is_done, stoa_error *err);
};

/* NULL if there is none of that name (any case). */
const stoa_aggregate_kind *stoa_aggregate_find(const char *name, size_t length);

/* Bind a call. STOA_ESYNTAX if it is no aggregate's. */
stoa_status stoa_aggregate_bind(const stoa_binder *binder, const stoa_syntax *syntax,
                                stoa_aggregate *aggregate, stoa_error *err);
/*
 * Take in rows of the evaluation's window.
 *
 * @param selected    a bit a row of the window, bits past it 0; NULL: all rows
 * @param n_selected  bits set; the window's rows where `selected` is NULL
 * @param rows        their groups; numbers may become groups. NULL: all are of group 0
 */
stoa_status stoa_aggregate_update(stoa_aggregate *aggregate, stoa_evaluation *ev,
                                  const uint8_t *selected, int64_t n_selected,
                                  stoa_group_rows *rows, stoa_error *err);
/* Aggregates of one column that the same cells answer are made once: sum and mean; min and max of
 * numbers; count beside any of them. Results of the others are taken from there. */
stoa_status stoa_aggregates_share(stoa_aggregate *aggregates, size_t n, stoa_error *err);
/* An empty state of the same bound aggregate, for rows that another thread takes in. What was bound
 * is shared: it must outlive the clone. */
stoa_status stoa_aggregate_clone(const stoa_aggregate *from, stoa_aggregate *to, stoa_error *err);
/*
 * As if the rows of `from` had followed those of `into`. Where the parts are the same, and merged
 * in one order, so are all bits of floats; where they are others, those that a result shows, unless
 * all but the last digits cancel out.
 *
 * @param ids       into's group of each of from's groups; NULL: both have one
 * @param n_groups  of `into`, those of `from` among them
 */
stoa_status stoa_aggregate_merge(stoa_aggregate *into, const stoa_aggregate *from,
                                 const uint32_t *ids, uint32_t n_groups, stoa_error *err);
/* count() alone: add rows that nobody looked at to the one group. */
bool stoa_aggregate_counts_rows(const stoa_aggregate *aggregate);
stoa_status stoa_aggregate_count_rows(stoa_aggregate *aggregate, uint64_t n_rows, stoa_error *err);
stoa_status stoa_aggregate_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                  stoa_pool *pool, stoa_vector *out, stoa_error *err);
void stoa_aggregate_clear(stoa_aggregate *aggregate);

/* The kinds, for the registry in aggregate_kinds.c. */
/* The result of those that count: `n` of each group. */
stoa_status stoa_count_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                              stoa_pool *pool, stoa_vector *out, stoa_error *err);
/* What adds up, by groups' numbers. */
stoa_status stoa_count_tally(stoa_aggregate *aggregate, const stoa_operand *operand,
                             const stoa_group_rows *rows, bool *is_done, stoa_error *err);
stoa_status stoa_sum_tally(stoa_aggregate *aggregate, const stoa_operand *operand,
                           const stoa_group_rows *rows, bool *is_done, stoa_error *err);
extern const stoa_aggregate_kind stoa_aggregate_count;
extern const stoa_aggregate_kind stoa_aggregate_sum;
extern const stoa_aggregate_kind stoa_aggregate_mean;
extern const stoa_aggregate_kind stoa_aggregate_stddev;
extern const stoa_aggregate_kind stoa_aggregate_min;
extern const stoa_aggregate_kind stoa_aggregate_max;
extern const stoa_aggregate_kind stoa_aggregate_first;
extern const stoa_aggregate_kind stoa_aggregate_last;
extern const stoa_aggregate_kind stoa_aggregate_median;
extern const stoa_aggregate_kind stoa_aggregate_quantile;
extern const stoa_aggregate_kind stoa_aggregate_distinct;

/* Between those files: the cells. */
static inline stoa_cell *stoa_cells(const stoa_aggregate *aggregate)
{
    return (stoa_cell *)(void *)aggregate->cells.data;
}
/* Sums: integers exactly, in 128 bits (`a` low, `b` high); floats compensated (`a` the sum, `b`
 * what rounding lost). */
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
/* Results with a missing value where no value was met. */
stoa_status stoa_aggregate_validity(const stoa_aggregate *aggregate, int64_t least, uint32_t first,
                                    uint32_t n, stoa_pool *pool, uint8_t **validity,
                                    stoa_error *err);
stoa_status stoa_aggregate_takes_number(const stoa_binder *binder, stoa_aggregate *aggregate,
                                        stoa_error *err);
/* The same, cast to a double, which the result is, too: a kind's bind(). */
stoa_status stoa_aggregate_bind_f64(const stoa_binder *binder, stoa_aggregate *aggregate,
                                    stoa_error *err);

#endif
