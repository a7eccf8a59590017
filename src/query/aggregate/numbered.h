/*
 * The different categories of each group, as numbers of their labels (text_numbers.h).
 *
 * A state that rows are added to lists pairs of group and number. Once merged, or asked for its
 * result, a state has them in a bitmap, or as other pairs if that would be too large.
 */
#ifndef STOA_QUERY_NUMBERED_H
#define STOA_QUERY_NUMBERED_H

#include "query/aggregate/group.h"

struct stoa_aggregate;

/* Zero-initialise; free with stoa_numbered_clear(). */
typedef struct stoa_numbered {
    stoa_key reader;   /* has the numbers, which clones share; no texts: not of categories */
    stoa_buffer pairs; /* uint64_t: group << 32 | number; those that are not in the bitmap */
    stoa_buffer bits;  /* `stride` bits for each group */
    uint64_t stride;
    bool is_hashed; /* the pairs are in `seen`, and their values are numbers */
} stoa_numbered;

/* Note the categories of the rows that count. */
stoa_status stoa_numbered_add(struct stoa_aggregate *aggregate, const stoa_operand *operand,
                              const uint32_t *ids, stoa_error *err);
/* Adds n pairs to `seen`, as rows of words (pairs.h); n is at most STOA_BLOCK_ROWS. */
typedef stoa_status stoa_numbered_hash(struct stoa_aggregate *aggregate, const uint64_t *rows,
                                       int64_t n, stoa_error *err);
/* Merge the pairs that another state noted, or the aggregate itself. `ids` NULL: groups stay what
 * they are. */
stoa_status stoa_numbered_merge(struct stoa_aggregate *aggregate, const stoa_numbered *from,
                                const uint32_t *ids, stoa_numbered_hash *hash, stoa_error *err);
void stoa_numbered_clear(stoa_numbered *numbered);

#endif
