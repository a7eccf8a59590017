/* Random rows and random predicates, evaluated row by row in plain C. The tests compare the
 * vectorised evaluator, and scans with indexes, with this definition. It shares no code with
 * src/query. */
#ifndef STOA_TESTS_QUERY_ORACLE_H
#define STOA_TESTS_QUERY_ORACLE_H

#include "support/batches.h"

enum { ORACLE_MAX_ROWS = 300, ORACLE_COLUMNS = 8 };

/* One row. A flag tells whether a value is present. */
typedef struct oracle_row {
    bool has[ORACLE_COLUMNS];
    int64_t i;     /* int16 */
    uint64_t u;    /* uint64 */
    double f;      /* float64 */
    int64_t t;     /* timestamp, seconds */
    int64_t d;     /* date */
    const char *s; /* text */
    const char *c; /* category */
    bool b;
} oracle_row;

typedef struct oracle_rows {
    int64_t n;
    oracle_row rows[ORACLE_MAX_ROWS];
} oracle_rows;

/* Make rows that are partly sorted, so that chunks differ. `order` 0: not sorted at all. */
void oracle_make_rows(oracle_rows *rows, int64_t n, int order);
batch oracle_batch(const oracle_rows *rows);

typedef struct oracle_node oracle_node;
/* Make a random predicate, and print it to `text` (`size` bytes). Free it with oracle_free(). */
oracle_node *oracle_make(int depth, char *text, size_t size);
/* '1' true, '0' false, '-' missing. */
char oracle_judge(const oracle_node *node, const oracle_row *row);
void oracle_free(oracle_node *node);

#endif
