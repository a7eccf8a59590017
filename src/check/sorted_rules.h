/* A SORTED_ROWS index under the check, for the two files that judge it (HEP001 §10.5). */
#ifndef STOA_CHECK_SORTED_RULES_H
#define STOA_CHECK_SORTED_RULES_H

#include "check/index_rules.h"

/* What its attributes say. */
typedef struct stoa_sorted_tails {
    bool has_nan;
    bool has_fill;
    uint64_t nan;
    uint64_t fill;
} stoa_sorted_tails;

/* The index beside its column. */
typedef struct stoa_sorted_check {
    stoa_checker *checker;
    const stoa_checked_index *index;
    const stoa_checked_column *column;
    stoa_rows entries; /* of the index */
    stoa_rows rows;    /* of the column */
    uint64_t n_rows;
    uint64_t n_slots; /* entries to look at */
    bool skips;       /* entries past NROWS are passed over, wherever they stand (notes A1) */
} stoa_sorted_check;

/* Visit the entries that are looked at, as uint64_t. */
stoa_rows_status stoa_sorted_read(stoa_sorted_check *c, stoa_rows_visitor visitor, void *context);
/* Whether the rows of a permutation are in order, and its tails of the length they should be. */
void stoa_check_sorted_order(stoa_sorted_check *c, const stoa_sorted_tails *tails,
                             stoa_rows_status *status);

#endif
