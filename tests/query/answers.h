/* Answers that are too long to be kept, known by a hash of every bit of them. */
#ifndef STOA_TESTS_QUERY_ANSWERS_H
#define STOA_TESTS_QUERY_ANSWERS_H

#include <stoa/stoa.h>

/* Its rows, a hash of them, and the plan or the failure. */
typedef struct answer {
    int64_t n_rows;
    uint64_t hash;    /* which also depends on how the rows are cut into batches */
    uint64_t content; /* which does not */
    bool failed;
    char text[4096];
} answer;

/* What the hash of no rows is. */
#define ANSWER_SEED 0xcbf29ce484222325u

/* One more value of the hash: whether it is missing (a bool); if not, 8 bytes of a number, or a
 * text and its length (size_t). The columns of a batch follow each other. */
void answer_mix(uint64_t *hash, const void *bytes, size_t n);
answer answer_of(stoa_table *table, const stoa_query_options *options);

#endif
