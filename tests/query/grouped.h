/* Random columns of all types, queries of them, and random splits of their rows, for tests of
 * aggregates and groups. */
#ifndef STOA_TESTS_QUERY_GROUPED_H
#define STOA_TESTS_QUERY_GROUPED_H

#include "asking.h"
#include "query/aggregate/aggregate.h"

enum { MAX_ROWS = 1500, MAX_KEYS = 3, N_COLUMNS = 18 };

/* Names of the columns. Floats are multiples of 2^-10, so that their sums are exact. Only "wild"
 * has an occasional NaN or infinity. */
extern const char *const column_names[N_COLUMNS];

typedef struct rows {
    batch b;
    int64_t n;
    stoa_view views[N_COLUMNS];
    uint8_t selected[MAX_ROWS / 8 + 1];
    bool all;
} rows;

void make_rows(rows *r);
bool is_selected(const rows *r, int64_t row);

/* An aggregate of a column by random keys. */
typedef struct question {
    stoa_arena arena;
    stoa_scope scope;
    size_t n_keys;
    const stoa_expr *keys[MAX_KEYS];
    stoa_key *shared; /* the keys; each state has its own, which share texts with these */
    int key_columns[MAX_KEYS];
    stoa_aggregate aggregate;
    const char *function;
    int column;
} question;

void ask_of(question *q, const rows *r, const char *function, int column);
void question_clear(question *q);
/* Open a state of the question's groups, with keys of its own. */
void open_groups(const question *q, stoa_groups *groups, stoa_key **keys);
/* Whether a function accepts a column. */
bool takes(const char *function, int column);

/* A random split of the rows into windows, and of the windows into parts. */
typedef struct cuts {
    int64_t windows[MAX_ROWS + 2]; /* end of each window */
    bool ends_part[MAX_ROWS + 2];
    size_t n;
} cuts;

void cut(cuts *c, int64_t n, bool once);

/* A window of the rows, with the groups of the selected rows. */
typedef struct taken {
    uint32_t numbers[MAX_ROWS + 63];
    stoa_group_rows groups;
    uint8_t selected[MAX_ROWS / 8 + 1];
    int64_t n_selected;
} taken;

/* Move the evaluation to a window, and compute its groups if there are keys. */
void take_rows(taken *t, const question *q, stoa_groups *groups, stoa_evaluation *ev, const rows *r,
               int64_t first, int64_t end);

/* A vector as an array of the column's type, for value_text(). */
typedef struct shown {
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
} shown;

void column_of(shown *out, const stoa_vector *values, const stoa_type *type);
void column_clear(shown *c);

#endif
