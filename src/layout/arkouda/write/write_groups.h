/* The groups of a GroupBy, computed from its keys (Arkouda notes §H). */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_GROUPS_H
#define STOA_LAYOUT_ARKOUDA_WRITE_GROUPS_H

#include "layout/arkouda/write/write_object.h"
#include "layout/common/conversion.h"

typedef struct stoa_arkouda_groups {
    int64_t *permutation; /* rows ordered by group, and within a group by row */
    int64_t *segments;    /* where each group begins in the permutation */
    int64_t *unique;      /* the first row of each group */
    uint64_t n_rows;
    uint64_t n_groups;
} stoa_arkouda_groups;

typedef struct stoa_arkouda_key {
    const stoa_arkouda_column *column;
    const stoa_arkouda_labels *labels; /* of a Categorical */
    size_t position;                   /* in the source */
} stoa_arkouda_key;

/* Compute the groups in ascending order: numbers by value with NaN last, strings by bytes,
 * categories by code. All keys are held in memory, at 8 bytes per row and key. `groups` is zeroed
 * before. The caller clears it, also on failure. */
stoa_status stoa_arkouda_groups_make(const stoa_layout_source *source, const stoa_arkouda_key *keys,
                                     size_t n_keys, stoa_arkouda_groups *groups, stoa_error *err);
void stoa_arkouda_groups_clear(stoa_arkouda_groups *groups);

#endif
