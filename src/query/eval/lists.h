/*
 * Lists of the rows of a window: those of a column, `v`, or lists within each row's list, `w[0]`.
 * Walks go through the values in all nested lists.
 */
#ifndef STOA_QUERY_LISTS_H
#define STOA_QUERY_LISTS_H

#include "query/eval/eval.h"

/* The evaluation owns the memory, until its next window. */
typedef struct stoa_lists {
    const stoa_view *view;
    int64_t first;         /* the window's first row in the view, */
    const int64_t *places; /* or each row's list in the view; -1: missing */
    const int64_t *firsts; /* or each row's items in child 0 of the view, */
    const int64_t *counts; /* and how many; -1: missing */
} stoa_lists;

/* The lists that an expression denotes, a COLUMN, an ITEM_AT or a SLICE. If its domain is not
 * OTHER, the values and their positions. */
stoa_status stoa_lists_of(stoa_evaluation *ev, const stoa_expr *expr, stoa_lists *lists,
                          stoa_error *err);

/* The row's items in child 0 of the view; *count is -1 if the list is missing. */
static inline void stoa_lists_range(const stoa_lists *lists, int64_t row, int64_t *first,
                                    int64_t *count)
{
    *first = 0;
    *count = -1;
    if (lists->counts != NULL) {
        *first = lists->firsts[row];
        *count = lists->counts[row];
        return;
    }
    const int64_t place = lists->places != NULL ? lists->places[row] : lists->first + row;
    if (place >= 0 && !stoa_view_is_null(lists->view, place)) {
        stoa_view_range(lists->view, place, first, count);
    }
}

/*
 * Find each row's item by its position in the row's list.
 *
 * @param positions    integers, one per row or a constant
 * @param from_one     they count from 1, else from 0; negative ones count from the end
 * @param items        child 0 of lists->view
 * @param[out] places  position of the item in `items`; -1: out of range, or missing
 */
void stoa_lists_find(const stoa_lists *lists, const stoa_vector *positions, bool from_one,
                     const stoa_view *items, int64_t n, int64_t *places);
/* Cut each row's list to the items from one position to another, both counted from 1 and included,
 * or negative from the end. A missing position makes the list missing. */
stoa_status stoa_lists_slice(stoa_evaluation *ev, const stoa_lists *lists, const stoa_vector *from,
                             const stoa_vector *to, stoa_lists *out, stoa_error *err);
/* The range of the list of each of n rows, from row `at` on, in child 0 of lists->view. `counts` is
 * -1 if the list is missing. Returns whether each begins where the one before ends. */
bool stoa_lists_ranges(const stoa_lists *lists, int64_t at, int64_t n, int64_t *firsts,
                       int64_t *counts);
/* The lists of n rows as a large list array, whatever list type is stored. */
stoa_status stoa_lists_to_array(const stoa_lists *lists, int64_t n, struct ArrowArray *out,
                                stoa_error *err);

typedef struct stoa_lists_level {
    stoa_view view;
    int64_t at; /* the next list of this level */
    int64_t end;
} stoa_lists_level;

/* All items of one row in a window of items. */
typedef struct stoa_items_span {
    int64_t row;
    int64_t first; /* counted from the walk's first item */
    int64_t count; /* at least 1 */
} stoa_items_span;

/* A walk through the items of a window's lists. */
typedef struct stoa_lists_walk {
    const stoa_lists *lists;
    int64_t n_rows;
    int64_t row;              /* of the current range */
    stoa_lists_level *levels; /* the lists, lists in them, and so on */
    size_t n_levels;
    size_t level;
    int64_t next; /* items of the range that are left: [next, end) */
    int64_t end;
    stoa_view items;
    int64_t first; /* the current items: [first, first + n) */
    int64_t n;
    stoa_items_span *spans; /* which rows the current items belong to, in their order */
    int64_t n_spans;
} stoa_lists_walk;

stoa_status stoa_lists_walk_open(stoa_evaluation *ev, const stoa_lists *lists,
                                 stoa_lists_walk *walk, stoa_error *err);
/* Go to the next contiguous items, one window at most. Lists that are missing, or within a
 * missing one, are skipped. Returns false at the end. */
bool stoa_lists_walk_next(stoa_lists_walk *walk);

#endif
