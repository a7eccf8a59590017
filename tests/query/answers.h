/* Results that are too long to store in a test, identified by a hash of all their bits. */
#ifndef STOA_TESTS_QUERY_ANSWERS_H
#define STOA_TESTS_QUERY_ANSWERS_H

#include <stoa/stoa.h>

/* The number of rows, their hash, and the plan or the error. */
typedef struct answer {
    int64_t n_rows;
    uint64_t hash;    /* depends on how the rows are split into batches */
    uint64_t content; /* does not depend on it */
    bool failed;
    char text[4096];
} answer;

/* The hash of an empty result. */
#define ANSWER_SEED 0xcbf29ce484222325u

/* Add one value to a hash: a bool that tells whether it is missing; if not, 8 bytes of a number, or
 * a text and its length (size_t). The columns of a batch follow each other. */
void answer_mix(uint64_t *hash, const void *bytes, size_t n);
answer answer_of(stoa_table *table, const stoa_query_options *options);

#endif
