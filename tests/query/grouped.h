/* Random columns of all types, questions to them, and ways to cut their rows: for tests of
 * aggregates and groups. */
#ifndef STOA_TESTS_QUERY_GROUPED_H
#define STOA_TESTS_QUERY_GROUPED_H

#include "asking.h"
#include "query/aggregate/aggregate.h"

enum { MOST_ROWS = 1500, MOST_KEYS = 3, N_COLUMNS = 18 };

/* Names of the columns. Floats are multiples of 2^-10, so that sums of them are exact, but for a
 * NaN and infinities now and then in "wild". */
extern const char *const column_names[N_COLUMNS];

typedef struct rows {
    batch b;
    int64_t n;
    stoa_view views[N_COLUMNS];
    uint8_t selected[MOST_ROWS / 8 + 1];
    bool all;
} rows;

void make_rows(rows *r);
bool is_selected(const rows *r, int64_t row);

/* An aggregate of a column by random keys. */
typedef struct question {
    stoa_arena arena;
    stoa_scope scope;
    size_t n_keys;
    const stoa_expr *keys[MOST_KEYS];
    int key_columns[MOST_KEYS];
    stoa_aggregate aggregate;
    const char *function;
    int column;
} question;

void ask_of(question *q, const rows *r, const char *function, int column);
void question_clear(question *q);
/* Whether a function takes a column. */
bool takes(const char *function, int column);

/* Rows are cut into windows, and windows into parts, anywhere. */
typedef struct cuts {
    int64_t windows[MOST_ROWS + 2]; /* where each ends */
    bool ends_part[MOST_ROWS + 2];
    size_t n;
} cuts;

void cut(cuts *c, int64_t n, bool once);

/* A window of the rows, with the groups of those that are selected. */
typedef struct taken {
    uint32_t numbers[MOST_ROWS + 63];
    stoa_group_rows groups;
    uint8_t selected[MOST_ROWS / 8 + 1];
    int64_t n_selected;
} taken;

/* Move the evaluation there and find the groups, if there are keys. */
void take_rows(taken *t, const question *q, stoa_groups *groups, stoa_evaluation *ev, const rows *r,
               int64_t first, int64_t end);

/* A vector as an array of the column's type, to be read by value_text(). */
typedef struct shown {
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
} shown;

void column_of(shown *out, const stoa_vector *values, const stoa_type *type);
void column_clear(shown *c);

#endif
