/*
 * Lists of the rows of a window: of a column, `v`, or one in each row's list of lists, `w[0]`; and
 * the items in them, below all lists within.
 */
#ifndef STOA_QUERY_LISTS_H
#define STOA_QUERY_LISTS_H

#include "query/eval.h"

/* Memory is the evaluation's, until its next window. */
typedef struct stoa_lists {
    const stoa_view *view;
    int64_t first;         /* of the window, in the view; */
    const int64_t *places; /* or, not NULL, where each row's list is: -1 where it has none */
} stoa_lists;

/* The lists that an expression means: a COLUMN, or an ITEM_AT; of one whose domain is not OTHER,
 * its values and where they are. */
stoa_status stoa_lists_of(stoa_evaluation *ev, const stoa_expr *expr, stoa_lists *lists,
                          stoa_error *err);

/* Where the row's list is in the view; -1: it is missing. */
static inline int64_t stoa_lists_place(const stoa_lists *lists, int64_t row)
{
    const int64_t place = lists->places != NULL ? lists->places[row] : lists->first + row;

    return place >= 0 && !stoa_view_is_null(lists->view, place) ? place : -1;
}

/*
 * Where in the view of what the lists hold each row's item is, by its position in its list; -1
 * where there is none, or it is missing.
 *
 * @param positions  of integers, one a row or a constant
 * @param items      child 0 of lists->view
 */
void stoa_lists_find(const stoa_lists *lists, const stoa_vector *positions, const stoa_view *items,
                     int64_t n, int64_t *places);
/* The lists of n rows as large lists, whatever they are stored as. */
stoa_status stoa_lists_take(const stoa_lists *lists, int64_t n, struct ArrowArray *out,
                            stoa_error *err);

typedef struct stoa_lists_level {
    stoa_view view;
    int64_t at; /* the next list of this level, */
    int64_t end;
} stoa_lists_level;

/* Going through the items of a window's lists. */
typedef struct stoa_lists_walk {
    const stoa_lists *lists;
    int64_t n_rows;
    int64_t row;              /* of the range */
    stoa_lists_level *levels; /* lists, lists in them, ... */
    size_t n_levels;
    size_t level;
    int64_t next; /* items of the range that are not taken yet, */
    int64_t end;
    stoa_view items;
    int64_t first; /* the items taken last, */
    int64_t n;
    int64_t *rows; /* and the row of each of them */
} stoa_lists_walk;

stoa_status stoa_lists_walk_open(stoa_evaluation *ev, const stoa_lists *lists,
                                 stoa_lists_walk *walk, stoa_error *err);
/* The next items that lie side by side, a window at most, of lists that are not missing, nor in one
 * that is; false: there are none. */
bool stoa_lists_walk_next(stoa_lists_walk *walk);

#endif
