/* The different values of each group, as (group, value) pairs. Aggregates that need them share
 * this. */
#ifndef STOA_QUERY_PAIRS_H
#define STOA_QUERY_PAIRS_H

#include "query/aggregate/aggregate.h"

/* How often a pair occurs, and its place in the order of first appearance. */
typedef struct stoa_tally {
    uint64_t n;
    uint64_t order;
} stoa_tally;

/* The words of a pair of `seen`: its group, and its value or the number of its text. */
enum { STOA_PAIR_WORDS = 2 };
static inline const uint64_t *stoa_pair_words(const stoa_aggregate *aggregate, uint32_t pair)
{
    return (const uint64_t *)(const void *)aggregate->seen.words.data +
           (size_t)pair * STOA_PAIR_WORDS;
}

/* update() and merge() of kinds that need the pairs, and tallies if `has_tallies`. */
stoa_status stoa_pairs_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                              const uint32_t *ids, stoa_error *err);
stoa_status stoa_pairs_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                             const uint32_t *ids, stoa_error *err);
/* Look at the pairs in `seen`, which are whole. */
typedef stoa_status stoa_pairs_visit(stoa_aggregate *aggregate, stoa_error *err);
/* Count each group's pairs and visit all, in one part or several, once. In one part they are in
 * order of first appearance. */
stoa_status stoa_pairs_settle(stoa_aggregate *aggregate, stoa_pairs_visit *visit, stoa_error *err);
/* Fail if the argument is a list or a struct. */
stoa_status stoa_pairs_check(const stoa_aggregate *aggregate, stoa_error *err);

#endif
